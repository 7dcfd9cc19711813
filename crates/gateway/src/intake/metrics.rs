//! Metrics of the intake.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use venue::{Exposition, MetricSource};

#[derive(Debug, Default)]
pub(super) struct IntakeMetrics {
    pub(super) taken: AtomicU64,
    pub(super) replies: AtomicU64,
    pub(super) rejects: AtomicU64,
    pub(super) repeats: AtomicU64,
    pub(super) moved: AtomicU64,
    pub(super) failures: AtomicU64,
    pub(super) in_flight: AtomicU64,
    pub(super) stream_entries: AtomicU64,
    pub(super) queue_messages: AtomicU64,
    pub(super) delay_ms: AtomicU64,
}

pub(super) fn add(count: &AtomicU64, by: usize) {
    count.fetch_add(by as u64, Ordering::Relaxed);
}

impl MetricSource for IntakeMetrics {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let help = "Entries of the stream that were taken";
        out.counter("intake_taken", help, load(&self.taken))?;
        out.counter("intake_replies", "Replies that were written", load(&self.replies))?;
        out.counter("intake_rejects", "Dead letters that were written", load(&self.rejects))?;
        let help = "Entries and messages that were carried out before";
        out.counter("intake_repeats", help, load(&self.repeats))?;
        let help = "Messages that were moved from the list into the stream";
        out.counter("intake_moved", help, load(&self.moved))?;
        out.counter("intake_failures", "Times that it had to begin again", load(&self.failures))?;
        out.gauge("intake_in_flight", "Entries without a reply", load(&self.in_flight))?;
        let help = "Entries in the stream, of which some have their reply";
        out.gauge("intake_stream_entries", help, load(&self.stream_entries))?;
        let help = "Messages in the list";
        out.gauge("intake_queue_messages", help, load(&self.queue_messages))?;
        let help = "From the id of an entry to its reply, of the last batch";
        out.gauge("intake_delay_seconds", help, load(&self.delay_ms) as f64 / 1e3)
    }
}
