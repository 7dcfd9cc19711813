//! How far the feed has come, for readers that wait for it.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::feed::pace::Pace;
use crate::history::Behind;

/// The reader's end of a feed. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Followed {
    progress: watch::Receiver<u64>,
    pace: Arc<Pace>,
}

impl Followed {
    pub(crate) fn new(progress: watch::Receiver<u64>, pace: Arc<Pace>) -> Self {
        Self { progress, pace }
    }

    /// The last command whose events are in the read model.
    pub fn sequence(&self) -> u64 {
        *self.progress.borrow()
    }

    /// Waits until the events of a command are in it, and hurries the feed.
    pub async fn wait_until(&self, sequence: u64, deadline: Instant) -> Result<(), Behind> {
        if self.sequence() < sequence {
            self.pace.want(sequence);
        }
        let mut progress = self.progress.clone();
        let come = progress.wait_for(|progress| *progress >= sequence);
        match timeout_at(deadline, come).await {
            Ok(Ok(_)) => Ok(()),
            // Too late, or it has ended.
            _ => Err(Behind { sequence: self.sequence() }),
        }
    }
}
