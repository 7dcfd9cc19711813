//! Settings of the sockets.

use std::time::Duration;

/// Limits of the sockets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SocketSettings {
    /// Open connections, HTTP and WebSocket together. The next one gets an error and is closed.
    pub connections_max: usize,
    /// Of them, those of one address (IPv6: of one /64). `None` is an eighth, and half for an
    /// address of this machine.
    pub connections_per_address: Option<usize>,
    /// Bytes of a request's line and headers.
    pub head_max: usize,
    /// Bytes of a request's body.
    pub body_max: usize,
    /// How long a new connection may take to send the head of its first request.
    pub first_head_timeout: Duration,
    /// How long a TLS handshake may take.
    pub tls_timeout: Duration,
    /// Likewise for the next request. An idle connection closes after this time.
    pub head_timeout: Duration,
    /// How long a request may take to send its body.
    pub body_timeout: Duration,
    /// How long a client may read nothing of what is written to it.
    pub write_time_max: Duration,
    /// Bytes of all answers above 64 KiB that are not written yet. One address holds a part of them
    /// as of the connections.
    pub large_answers_max: usize,
    /// Messages queued for one WebSocket. One more cuts the connection.
    pub ws_queue_max: usize,
    /// Messages, pings and pongs that a client may send in one second.
    pub ws_messages_per_second: u32,
    /// How long a message of a WebSocket may be incomplete.
    pub ws_message_time_max: Duration,
    /// The interval of pings to a WebSocket.
    pub ws_ping_every: Duration,
    /// How long a WebSocket may be silent, and how long one write may take.
    pub ws_silence_max: Duration,
    /// How long a WebSocket may stay open, as on Binance.
    pub ws_life_max: Duration,
    /// How long a shutdown waits for open connections.
    pub shutdown_grace: Duration,
}

impl Default for SocketSettings {
    fn default() -> Self {
        Self {
            // Room for ten thousand idle connections, and for trading clients beside them.
            connections_max: 12_000,
            connections_per_address: None,
            head_max: 64 << 10,
            body_max: 64 << 10,
            first_head_timeout: Duration::from_secs(10),
            tls_timeout: Duration::from_secs(10),
            head_timeout: Duration::from_secs(60),
            body_timeout: Duration::from_secs(10),
            write_time_max: Duration::from_secs(60),
            large_answers_max: 256 << 20,
            ws_queue_max: 4_096,
            // Binance allows 5. A client on the venue's own machine may need more.
            ws_messages_per_second: 100,
            ws_message_time_max: Duration::from_secs(10),
            ws_ping_every: Duration::from_secs(20),
            ws_silence_max: Duration::from_secs(60),
            ws_life_max: Duration::from_secs(24 * 3600),
            shutdown_grace: Duration::from_secs(5),
        }
    }
}
