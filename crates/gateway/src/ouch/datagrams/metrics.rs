//! Metrics of OUCH over UDP.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use venue::{Exposition, MetricSource};

#[derive(Debug, Default)]
pub(super) struct DatagramMetrics {
    sessions: AtomicU64,
    received: AtomicU64,
    sent: AtomicU64,
    not_sent: AtomicU64,
    sent_again: AtomicU64,
    repeats: AtomicU64,
    dropped: [AtomicU64; Dropped::ALL.len()],
}

/// Why a datagram changed nothing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Dropped {
    /// It is no datagram of the protocol.
    Malformed,
    /// Its cookie is not of its address, or too old.
    Cookie,
    /// It is not sealed with the key, or proves no key.
    NotGenuine,
    /// It came before.
    Replayed,
    /// It names no session.
    NoSession,
    /// Its session has not taken the ones before yet.
    Behind,
    /// There are as many sessions as there may be.
    Full,
}

impl Dropped {
    const ALL: [(Self, &'static str); 7] = [
        (Self::Malformed, "malformed"),
        (Self::Cookie, "cookie"),
        (Self::NotGenuine, "not_genuine"),
        (Self::Replayed, "replayed"),
        (Self::NoSession, "no_session"),
        (Self::Behind, "behind"),
        (Self::Full, "full"),
    ];
}

impl From<protocol::udp::Dropped> for Dropped {
    fn from(why: protocol::udp::Dropped) -> Self {
        match why {
            protocol::udp::Dropped::Malformed => Self::Malformed,
            protocol::udp::Dropped::NotGenuine => Self::NotGenuine,
            protocol::udp::Dropped::Replayed => Self::Replayed,
        }
    }
}

impl DatagramMetrics {
    pub(super) fn opened(&self) {
        self.sessions.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn ended(&self) {
        self.sessions.fetch_sub(1, Ordering::Relaxed);
    }

    /// Reports that were sent again, and messages that came again.
    pub(super) fn again(&self, sent: u64, received: u64) {
        self.sent_again.fetch_add(sent, Ordering::Relaxed);
        self.repeats.fetch_add(received, Ordering::Relaxed);
    }

    pub(super) fn received(&self) {
        self.received.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn not_sent(&self) {
        self.not_sent.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn dropped(&self, why: Dropped) {
        self.dropped[why as usize].fetch_add(1, Ordering::Relaxed);
    }
}

impl MetricSource for DatagramMetrics {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        out.gauge("ouch_udp_sessions", "Open sessions of OUCH over UDP", load(&self.sessions))?;
        let help = "Datagrams that were taken";
        out.counter("ouch_udp_received", help, load(&self.received))?;
        out.counter("ouch_udp_sent", "Datagrams that were sent", load(&self.sent))?;
        let help = "Datagrams for which the socket had no room";
        out.counter("ouch_udp_not_sent", help, load(&self.not_sent))?;
        let help = "Reports that were sent again";
        out.counter("ouch_udp_sent_again", help, load(&self.sent_again))?;
        let help = "Messages of clients that came again, and were refused";
        out.counter("ouch_udp_repeats", help, load(&self.repeats))?;
        let dropped =
            Dropped::ALL.map(|(why, name)| ([("reason", name)], load(&self.dropped[why as usize])));
        out.counters("ouch_udp_dropped", "Datagrams that changed nothing", dropped)
    }
}
