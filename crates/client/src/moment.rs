//! Times as a venue of the Binance dialect states them, and this machine's clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// A time since 1970 in milliseconds or microseconds, whichever the venue sent: one of this century
/// is 13 or 16 digits long.
pub fn since_1970_ns(time: u64) -> i64 {
    const MICROSECONDS_MIN: u64 = 100_000_000_000_000;
    let unit_ns = if time < MICROSECONDS_MIN { 1_000_000 } else { 1_000 };
    i64::try_from(time).unwrap_or(i64::MAX).saturating_mul(unit_ns)
}

/// Nanoseconds since 1970 by this machine's clock.
pub fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_time_decides_its_unit() {
        assert_eq!(since_1970_ns(1_672_515_782_136), 1_672_515_782_136_000_000);
        assert_eq!(since_1970_ns(1_672_515_782_136_001), 1_672_515_782_136_001_000);
        assert_eq!(since_1970_ns(u64::MAX), i64::MAX);
    }
}
