//! The venue's clock, as requests are judged by it.

use protocol::signed::sign::SigningClock;
pub(crate) use venue::clock::{ahead_ns, instant, machine_ns, now_ns};

pub(crate) fn now_us() -> u64 {
    now_ns() / 1_000
}

pub(crate) fn signing_clock() -> SigningClock {
    SigningClock { now_us: now_us(), ahead_us: ahead_ns() / 1_000 }
}
