//! The door's settings.

use std::time::Duration;

/// Limits of requests, whichever way they come in by.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DoorSettings {
    /// How long the venue may take to answer. A command goes on all the same.
    pub answer_timeout: Duration,
    /// How long a request that would enter an order may wait to be read. Where they wait for longer
    /// for a while, they are refused; `None` refuses none, and none while the disk does not keep up
    /// either.
    pub late_after: Option<Duration>,
    /// Request weight that an address may spend in a minute.
    pub weight_per_minute: u32,
    /// Whether that holds for this machine's own addresses, too. A venue for one's own bots and
    /// tests has no use for it.
    pub loopback_limited: bool,
}

impl DoorSettings {
    pub const ANSWER_TIMEOUT_DEFAULT: Duration = Duration::from_secs(10);
    /// Far more than the wait of hundreds of clients with one request in flight each.
    pub const LATE_AFTER_DEFAULT: Duration = Duration::from_millis(250);
    /// What clients of the trading API reckon with.
    pub const WEIGHT_PER_MINUTE_DEFAULT: u32 = 6_000;
}

impl Default for DoorSettings {
    fn default() -> Self {
        Self {
            answer_timeout: Self::ANSWER_TIMEOUT_DEFAULT,
            late_after: Some(Self::LATE_AFTER_DEFAULT),
            weight_per_minute: Self::WEIGHT_PER_MINUTE_DEFAULT,
            loopback_limited: false,
        }
    }
}
