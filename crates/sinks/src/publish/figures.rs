//! How a publisher fares, for metrics.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use projection::Gauges;

#[derive(Debug, Default)]
pub struct Figures {
    sequence: AtomicU64,
    messages: AtomicU64,
    failures: AtomicU64,
    is_failing: AtomicBool,
}

impl Figures {
    /// The last command that was published.
    pub fn sequence(&self) -> u64 {
        self.sequence.load(Ordering::Relaxed)
    }

    pub fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// How often it began to stand still.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    pub fn is_failing(&self) -> bool {
        self.is_failing.load(Ordering::Relaxed)
    }

    pub(crate) fn published(&self, messages: usize) {
        self.messages.fetch_add(messages as u64, Ordering::Relaxed);
    }
}

/// [`Figures`] as the feed writes them.
#[derive(Debug)]
pub struct Measured(pub Arc<Figures>);

impl Gauges for Measured {
    fn projected(&self, sequence: u64) {
        self.0.sequence.store(sequence, Ordering::Relaxed);
    }

    fn complete_from(&self, _first_sequence: u64) {}

    fn failed(&self, failed: bool) {
        if failed && !self.0.is_failing.swap(failed, Ordering::Relaxed) {
            self.0.failures.fetch_add(1, Ordering::Relaxed);
        }
        self.0.is_failing.store(failed, Ordering::Relaxed);
    }
}
