//! The sockets' settings.

use std::time::Duration;

/// Limits of the sockets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SocketSettings {
    /// Open connections, HTTP and WebSocket together. The next one gets an error and is closed.
    pub connections_max: usize,
    /// Bytes of a request's line and headers.
    pub head_max: usize,
    /// Bytes of a request's body.
    pub body_max: usize,
    /// How long a connection may take to send the head of its next request; so an idle connection
    /// is closed after this time as well.
    pub head_timeout: Duration,
    /// How long a request may take to send its body.
    pub body_timeout: Duration,
    /// Messages that may wait for one WebSocket's reader. When one more comes, it is cut.
    pub ws_queue_max: usize,
    /// Messages, pings and pongs that a client may send in one second.
    pub ws_messages_per_second: u32,
    /// How often a WebSocket is pinged.
    pub ws_ping_every: Duration,
    /// After how long a silence a WebSocket is closed, and how long one write may take.
    pub ws_silence_max: Duration,
    /// How long a WebSocket may stay, as on Binance.
    pub ws_life_max: Duration,
    /// How long a shutdown waits for what is under way.
    pub shutdown_grace: Duration,
}

impl SocketSettings {
    /// Ten thousand may be idle, and there is still room for trading clients.
    pub const CONNECTIONS_MAX_DEFAULT: usize = 12_000;
    pub const HEAD_MAX_DEFAULT: usize = 64 << 10;
    pub const BODY_MAX_DEFAULT: usize = 64 << 10;
    pub const HEAD_TIMEOUT_DEFAULT: Duration = Duration::from_secs(60);
    pub const BODY_TIMEOUT_DEFAULT: Duration = Duration::from_secs(10);
    pub const WS_QUEUE_MAX_DEFAULT: usize = 4_096;
    /// Binance allows 5; clients in a hurry shall not suffer from a venue on their own machine.
    pub const WS_MESSAGES_PER_SECOND_DEFAULT: u32 = 100;
    pub const WS_PING_EVERY_DEFAULT: Duration = Duration::from_secs(20);
    pub const WS_SILENCE_MAX_DEFAULT: Duration = Duration::from_secs(60);
    pub const WS_LIFE_MAX_DEFAULT: Duration = Duration::from_secs(24 * 3600);
    pub const SHUTDOWN_GRACE_DEFAULT: Duration = Duration::from_secs(5);
}

impl Default for SocketSettings {
    fn default() -> Self {
        Self {
            connections_max: Self::CONNECTIONS_MAX_DEFAULT,
            head_max: Self::HEAD_MAX_DEFAULT,
            body_max: Self::BODY_MAX_DEFAULT,
            head_timeout: Self::HEAD_TIMEOUT_DEFAULT,
            body_timeout: Self::BODY_TIMEOUT_DEFAULT,
            ws_queue_max: Self::WS_QUEUE_MAX_DEFAULT,
            ws_messages_per_second: Self::WS_MESSAGES_PER_SECOND_DEFAULT,
            ws_ping_every: Self::WS_PING_EVERY_DEFAULT,
            ws_silence_max: Self::WS_SILENCE_MAX_DEFAULT,
            ws_life_max: Self::WS_LIFE_MAX_DEFAULT,
            shutdown_grace: Self::SHUTDOWN_GRACE_DEFAULT,
        }
    }
}
