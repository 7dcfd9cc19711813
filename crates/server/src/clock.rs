//! The system's clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970, for envelopes, whose time the rules use.
pub fn now_ns() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_nanos()).expect("the year is before 2554")
}
