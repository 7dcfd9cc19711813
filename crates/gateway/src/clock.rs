//! The wall clock of the machine, in Unix time.

use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) fn now_ns() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX)
}

pub(crate) fn now_us() -> u64 {
    now_ns() / 1_000
}
