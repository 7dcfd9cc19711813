//! The clock of the venue, in Unix time: the machine's clock, or further on, by what a test has
//! advanced it. It belongs to the process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

static AHEAD_NS: AtomicU64 = AtomicU64::new(0);

/// Nanoseconds since 1970 for all that rules depend on: sequencer, candles, expiry, sessions.
pub fn now_ns() -> u64 {
    machine_ns().saturating_add(ahead_ns())
}

/// For what another program measures with the clock of its machine.
pub fn machine_ns() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX)
}

/// How far the venue's clock is ahead of the machine's. Zero but in a test.
pub fn ahead_ns() -> u64 {
    AHEAD_NS.load(Ordering::Relaxed)
}

/// For intervals that end with the venue's clock. A machine whose clock is set does not move it.
pub fn instant() -> Instant {
    Instant::now() + Duration::from_nanos(ahead_ns())
}

/// Moves the clock forward, for a test. [`crate::Handle::advance_clock`] also looks at what is due.
pub(crate) fn advance(by: Duration) {
    AHEAD_NS.fetch_add(u64::try_from(by.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
}
