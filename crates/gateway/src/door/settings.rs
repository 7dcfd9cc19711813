//! Settings of the door.

use std::time::Duration;

/// Limits of requests, in every dialect.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DoorSettings {
    /// How long a request waits for the venue's answer. The command is executed all the same.
    pub answer_timeout: Duration,
    /// How long a request that enters an order may wait to be read, before admission control
    /// refuses such requests. `None` admits all of them, even while the disk does not keep up.
    pub late_after: Option<Duration>,
    /// Request weight that an address may spend in a minute.
    pub weight_per_minute: u32,
    /// Whether the weight limit applies to loopback addresses too. A venue for local bots and tests
    /// needs no limit.
    pub loopback_limited: bool,
    /// Requests in flight of an address (IPv6: of one /64), over all its connections: four times as
    /// many for an address of this machine, and twice as many for cancels.
    pub requests_per_address_max: usize,
    /// Requests in flight of an account, over all its keys and connections: twice as many for
    /// cancels.
    pub requests_per_account_max: usize,
    /// Streams of an address, over all its connections: four times as many for an address of this
    /// machine.
    pub streams_per_address_max: usize,
    /// Streams of an account's events, over all connections.
    pub user_streams_per_account_max: usize,
}

impl DoorSettings {
    /// Far above the wait of hundreds of clients with one request in flight each.
    pub const LATE_AFTER_DEFAULT: Duration = Duration::from_millis(250);
}

impl Default for DoorSettings {
    fn default() -> Self {
        Self {
            answer_timeout: Duration::from_secs(10),
            late_after: Some(Self::LATE_AFTER_DEFAULT),
            // As on Binance: clients expect it.
            weight_per_minute: 6_000,
            loopback_limited: false,
            // Eight WebSocket API connections that are full.
            requests_per_address_max: 8_192,
            requests_per_account_max: 8_192,
            // 64 connections that are full.
            streams_per_address_max: 65_536,
            user_streams_per_account_max: 1_000,
        }
    }
}
