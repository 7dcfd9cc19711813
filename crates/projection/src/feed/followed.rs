//! How far the feed has come, for readers that wait for it.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::error::Standstill;
use crate::feed::pace::Pace;
use crate::history::Behind;

/// How far the feed has come, and what keeps it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    pub(crate) sequence: u64,
    /// The time of that command; 0 if it is not known.
    pub(crate) sequenced_ns: u64,
    pub(crate) standstill: Option<Standstill>,
}

impl Reached {
    pub(crate) const NOTHING: Self =
        Self { sequence: 0, sequenced_ns: 0, standstill: Some(Standstill::Opening) };
}

/// The reader's end of a feed. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Followed {
    reached: watch::Receiver<Reached>,
    pace: Arc<Pace>,
}

impl Followed {
    pub(crate) fn new(reached: watch::Receiver<Reached>, pace: Arc<Pace>) -> Self {
        Self { reached, pace }
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
            _ => Err(self.reached()),
        }
    }

    pub fn reached(&self) -> Behind {
        let Reached { sequence, sequenced_ns, standstill } = *self.reached.borrow();
        Behind { sequence, sequenced_ns, standstill }
    }
}
