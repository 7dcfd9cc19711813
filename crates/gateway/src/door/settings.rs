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
    /// Far more than the wait of hundreds of clients with one request in flight each.
    pub const LATE_AFTER_DEFAULT: Duration = Duration::from_millis(250);
}

impl Default for DoorSettings {
    fn default() -> Self {
        Self {
            answer_timeout: Duration::from_secs(10),
            late_after: Some(Self::LATE_AFTER_DEFAULT),
            // The limit that clients of the Binance API expect.
            weight_per_minute: 6_000,
            loopback_limited: false,
        }
    }
}
