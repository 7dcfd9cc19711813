//! How far the feed has come, for readers that wait for it.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::error::Standstill;
use crate::feed::pace::Pace;
use crate::history::Behind;
use spool::{SpoolError, SpoolReader};

/// How far the feed has come, and what keeps it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    pub(crate) sequence: u64,
    /// The time of that command; 0 if it is not known.
    pub(crate) sequenced_ns: u64,
    /// The last command in a file that is being opened, and may be of another log.
    pub(crate) opening_at: u64,
    pub(crate) standstill: Option<Standstill>,
}

impl Reached {
    pub(crate) const NOTHING: Self =
        Self { sequence: 0, sequenced_ns: 0, opening_at: 0, standstill: Some(Standstill::Opening) };

    /// The first command that it lacks.
    fn next(&self) -> u64 {
        self.sequence.max(self.opening_at) + 1
    }
}

/// The reader's end of a feed. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Followed {
    reached: watch::Receiver<Reached>,
    pace: Arc<Pace>,
    spool: SpoolReader,
}

impl Followed {
    pub(crate) fn new(
        reached: watch::Receiver<Reached>,
        pace: Arc<Pace>,
        spool: SpoolReader,
    ) -> Self {
        Self { reached, pace, spool }
    }

    /// The last command whose events are in the read model.
    pub fn sequence(&self) -> u64 {
        self.reached.borrow().sequence
    }

    /// Waits until the events of a command are in it, and hurries the feed.
    pub async fn wait_until(&self, sequence: u64, deadline: Instant) -> Result<(), Behind> {
        if self.sequence() < sequence {
            self.pace.want(sequence);
        }
        let mut reached = self.reached.clone();
        let come = reached.wait_for(|reached| reached.sequence >= sequence);
        match timeout_at(deadline, come).await {
            Ok(Ok(_)) => Ok(()),
            // Too late, or it has ended.
            _ => Err(self.behind()),
        }
    }

    /// Whether this is a place of the venue's log, as far as the spool can show.
    pub fn has(&self, sequence: u64, sequenced_ns: u64) -> bool {
        if sequence == 0 || sequenced_ns == 0 {
            return true; // It is not known.
        }
        match self.spool.read_from(sequence, 1) {
            Ok(page) => page.first().is_some_and(|applied| applied.sequenced_ns == sequenced_ns),
            Err(_) => true,
        }
    }

    pub fn reached(&self) -> Behind {
        let Reached { sequence, sequenced_ns, standstill, .. } = *self.reached.borrow();
        Behind { sequence, sequenced_ns, lacking_ns: None, standstill }
    }

    /// Reads one command of the spool.
    pub fn behind(&self) -> Behind {
        let next = self.reached.borrow().next();
        Behind { lacking_ns: self.first_ns_from(next), ..self.reached() }
    }

    /// The time of the first command from this one on that the spool has.
    fn first_ns_from(&self, next: u64) -> Option<u64> {
        let page = match self.spool.read_from(next, 1) {
            Err(SpoolError::Gone { first }) => self.spool.read_from(first, 1),
            page => page,
        };
        page.ok()?.first().map(|applied| applied.sequenced_ns)
    }
}
