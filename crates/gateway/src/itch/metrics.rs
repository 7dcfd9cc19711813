//! Metrics of the feed.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use venue::{Exposition, MetricSource};

#[derive(Debug, Default)]
pub(crate) struct ItchMetrics {
    session: AtomicU64,
    messages: AtomicU64,
    packets: AtomicU64,
    bytes: AtomicU64,
    failures: AtomicU64,
    catch_ups: AtomicU64,
    kept_out: AtomicU64,
    retransmitted: AtomicU64,
    dropped: [AtomicU64; Dropped::ALL.len()],
    snapshots: AtomicU64,
}

/// Why a request for messages has no answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Dropped {
    /// It is no request.
    Invalid,
    /// It names another session, or messages that are yet to come.
    OutOfSession,
    /// Its network asks for too much.
    Rate,
    /// The spool does not have the messages any more.
    Gone,
    /// The spool cannot be read.
    Failed,
}

impl Dropped {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Invalid, "invalid"),
        (Self::OutOfSession, "out_of_session"),
        (Self::Rate, "rate"),
        (Self::Gone, "gone"),
        (Self::Failed, "failed"),
    ];
}

impl ItchMetrics {
    pub(super) fn position(&self, session: u32, messages: u64) {
        self.session.store(session.into(), Ordering::Relaxed);
        self.messages.store(messages, Ordering::Relaxed);
    }

    pub(super) fn sent(&self, bytes: usize) {
        self.packets.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn not_sent(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn caught_up(&self) {
        self.catch_ups.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn kept_out(&self, instruments: usize) {
        self.kept_out.store(instruments as u64, Ordering::Relaxed);
    }

    pub(super) fn retransmitted(&self, messages: u64) {
        self.retransmitted.fetch_add(messages, Ordering::Relaxed);
    }

    pub(super) fn dropped(&self, why: Dropped) {
        self.dropped[why as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn snapshot_sent(&self) {
        self.snapshots.fetch_add(1, Ordering::Relaxed);
    }
}

impl MetricSource for ItchMetrics {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        out.gauge("itch_session", "Session of the ITCH feed", load(&self.session))?;
        let help = "Messages of the session that were made";
        out.gauge("itch_session_messages", help, load(&self.messages))?;
        let help = "Packets of the ITCH feed, one for each receiver";
        out.counter("itch_packets", help, load(&self.packets))?;
        out.counter("itch_bytes", "Bytes in these packets", load(&self.bytes))?;
        let help = "Packets that the system refused to send";
        out.counter("itch_send_failures", help, load(&self.failures))?;
        let help = "Times that the feed fell behind and read the spool";
        out.counter("itch_catch_ups", help, load(&self.catch_ups))?;
        let help = "Instruments that ITCH cannot express";
        out.gauge("itch_kept_out", help, load(&self.kept_out))?;
        let help = "Messages that were sent again on request";
        out.counter("itch_retransmitted", help, load(&self.retransmitted))?;
        let dropped =
            Dropped::ALL.map(|(why, name)| ([("reason", name)], load(&self.dropped[why as usize])));
        out.counters("itch_requests_dropped", "Requests without an answer", dropped)?;
        out.counter("itch_snapshots", "Snapshots that clients got", load(&self.snapshots))
    }
}
