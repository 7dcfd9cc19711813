//! Commands as a publisher takes them from the spool.

use projection::{Page, Progress};
use spool::Applied;

/// Events from which on a page takes no further command.
pub const PAGE_EVENTS: usize = 8_000;

/// Some commands with their events.
#[derive(Debug)]
pub struct Commands {
    pub(crate) all: Vec<Applied>,
    events: usize,
    sequence: u64,
}

impl Commands {
    /// Of the last command; `None` for an empty page.
    pub(crate) fn progress(&self) -> Option<(u64, u64)> {
        self.all.last().map(|applied| (applied.sequence, applied.sequenced_ns))
    }
}

impl Page for Commands {
    fn after(progress: Progress) -> Self {
        Self { all: Vec::new(), events: 0, sequence: progress.sequence }
    }

    fn apply(&mut self, applied: &Applied) {
        self.events += applied.events.len();
        self.sequence = applied.sequence;
        self.all.push(applied.clone());
    }

    fn sequence(&self) -> u64 {
        self.sequence
    }

    fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn is_full(&self) -> bool {
        self.events >= PAGE_EVENTS
    }
}
