//! Metrics of the port: its connections, and the bytes on them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use venue::{Exposition, MetricSource};

/// Bytes count as they are on the wire: with TLS they are encrypted.
#[derive(Debug)]
pub(crate) struct Traffic {
    connections_max: u64,
    http: OfWay,
    web_socket: OfWay,
}

/// Apart from each other: all connections write to them.
#[derive(Debug, Default)]
#[repr(align(128))]
struct OfWay {
    open: AtomicU64,
    received: AtomicU64,
    sent: AtomicU64,
}

impl Traffic {
    pub(crate) fn new(connections_max: usize) -> Arc<Self> {
        let (http, web_socket) = (OfWay::default(), OfWay::default());
        Arc::new(Self { connections_max: connections_max as u64, http, web_socket })
    }

    fn of(&self, is_web_socket: bool) -> &OfWay {
        if is_web_socket { &self.web_socket } else { &self.http }
    }
}

/// The part of one connection in the traffic.
#[derive(Debug)]
pub(crate) struct Counted {
    traffic: Arc<Traffic>,
    is_web_socket: bool,
}

impl Counted {
    pub(crate) fn new(traffic: Arc<Traffic>) -> Self {
        traffic.http.open.fetch_add(1, Ordering::Relaxed);
        Self { traffic, is_web_socket: false }
    }

    pub(crate) fn received(&mut self, bytes: usize, is_web_socket: bool) {
        self.became(is_web_socket);
        self.traffic.of(is_web_socket).received.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn sent(&mut self, bytes: usize, is_web_socket: bool) {
        self.became(is_web_socket);
        self.traffic.of(is_web_socket).sent.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// A connection begins with HTTP, and may be upgraded once.
    fn became(&mut self, is_web_socket: bool) {
        if is_web_socket != self.is_web_socket {
            self.traffic.of(self.is_web_socket).open.fetch_sub(1, Ordering::Relaxed);
            self.traffic.of(is_web_socket).open.fetch_add(1, Ordering::Relaxed);
            self.is_web_socket = is_web_socket;
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.traffic.of(self.is_web_socket).open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl MetricSource for Traffic {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (http, web_socket) = (&self.http, &self.web_socket);
        let each = |label, figure: fn(&OfWay) -> &AtomicU64| {
            [
                ([(label, "http")], load(figure(http))),
                ([(label, "websocket")], load(figure(web_socket))),
            ]
        };
        out.gauges("connections", "Open connections", each("kind", |way| &way.open))?;
        let help = "Connections that may be open at once";
        out.gauge("connections_max", help, self.connections_max)?;
        let received = each("way", |way| &way.received);
        out.counters("bytes_received", "Bytes received from clients", received)?;
        out.counters("bytes_sent", "Bytes sent to clients", each("way", |way| &way.sent))
    }
}
