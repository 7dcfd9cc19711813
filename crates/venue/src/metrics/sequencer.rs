//! The sequencer's work: commands, batches, queues, and how punctual it is.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use types::{Command, Origin};

use crate::metrics::buckets::Buckets;
use crate::metrics::exposition::{Exposition, MetricSource};

/// Commands of a batch; the largest has 8,192.
const BATCH_COMMANDS: [u64; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 512, 2_048, 8_192];
/// Lateness of a deadline, in nanoseconds: from 100 us to 10 s.
const LATE_NS: [u64; 10] = [
    100_000,
    500_000,
    1_000_000,
    5_000_000,
    10_000_000,
    50_000_000,
    100_000_000,
    500_000_000,
    1_000_000_000,
    10_000_000_000,
];

/// Written by the thread that has the engine, read by scrapes.
#[derive(Debug)]
pub(crate) struct Sequencer {
    commands: [[AtomicU64; Command::KINDS.len()]; Origin::ALL.len()],
    batch_commands: Buckets<{ BATCH_COMMANDS.len() }>,
    ticks_late: Buckets<{ LATE_NS.len() }>,
    /// In Unix time; 0 if no calendar has one.
    next_session_ns: AtomicU64,
    /// Batches that were sent to the publisher, and those that it has published.
    sent: AtomicU64,
    published: AtomicU64,
    /// Commands submitted, and of them those that were drained from the inbox.
    submitted: AtomicU64,
    drained: AtomicU64,
}

impl Default for Sequencer {
    fn default() -> Self {
        let none = || AtomicU64::new(0);
        Self {
            commands: std::array::from_fn(|_| std::array::from_fn(|_| none())),
            batch_commands: Buckets::of_counts(&BATCH_COMMANDS),
            ticks_late: Buckets::of_times(&LATE_NS),
            next_session_ns: none(),
            sent: none(),
            published: none(),
            submitted: none(),
            drained: none(),
        }
    }
}

impl Sequencer {
    /// A command of this kind was applied.
    pub(crate) fn applied(&self, origin: Origin, kind: usize) {
        self.commands[usize::from(origin.number())][kind].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn committed(&self, commands: u32) {
        self.batch_commands.observe(u64::from(commands));
    }

    /// A deadline of the engine or of a calendar was met, this late.
    pub(crate) fn ticked(&self, late: Duration) {
        self.ticks_late.observe_time(late);
    }

    pub(crate) fn set_next_session(&self, next_ns: Option<u64>) {
        self.next_session_ns.store(next_ns.unwrap_or(0), Ordering::Relaxed);
    }

    pub(crate) fn sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn published(&self) {
        self.published.fetch_add(1, Ordering::Relaxed);
    }

    /// The commands that were submitted, and those drained from the inbox.
    pub(crate) fn set_inbox(&self, submitted: u64, drained: u64) {
        self.submitted.store(submitted, Ordering::Relaxed);
        self.drained.store(drained, Ordering::Relaxed);
    }
}

impl MetricSource for Sequencer {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let kinds = Origin::ALL.iter().zip(&self.commands).flat_map(|(origin, kinds)| {
            let of_kind = Command::KINDS.iter().zip(kinds);
            of_kind.map(move |(kind, count)| ((*kind, format!("{origin:?}")), load(count)))
        });
        let counted = kinds.filter(|(_, count)| *count > 0);
        let labeled = counted.map(|((kind, origin), count)| {
            ([("kind", kind.to_owned()), ("origin", origin)], count)
        });
        let help = "Commands applied, refused ones with them, by kind and by their way in";
        out.counters("commands", help, labeled)?;
        out.histogram("batch_commands", "Commands of a committed batch", &self.batch_commands)?;
        let help = "Lateness of what the engine and the calendars do at a set time";
        out.histogram("ticks_late_seconds", help, &self.ticks_late)?;
        let next_s = load(&self.next_session_ns) as f64 / 1e9;
        let help = "Start of the next session of any calendar in Unix time, 0 without one";
        out.gauge("next_session_timestamp_seconds", help, next_s)?;
        let depth = |before: &AtomicU64, after: &AtomicU64| {
            // What leaves the queue is read first: the difference is never negative.
            let after = load(after);
            load(before).saturating_sub(after)
        };
        let depths = [
            ([("queue", "inbox")], depth(&self.submitted, &self.drained)),
            ([("queue", "publisher")], depth(&self.sent, &self.published)),
        ];
        let help = "Commands that wait for the sequencer, and batches that wait for the publisher";
        out.gauges("queue_depth", help, depths)
    }
}
