//! The answer to a command.

use std::sync::Arc;
use std::time::Instant;

use spool::Applied;
use types::{Event, Origin};

/// The reply to the submitter of a command.
#[derive(Clone, Debug)]
pub struct Reply {
    pub applied: Arc<Applied>,
    /// The rest of a large command's work.
    pub continued: Vec<Arc<Applied>>,
    /// The place of the command in [`types::Command::KINDS`], and its way in.
    pub kind: (usize, Origin),
    /// The machine itself has no clock: `None` until the reply is sent.
    pub times: Option<ReplyTimes>,
}

/// When each stage of a command inside the venue ended, by the readings that
/// [`Stage`](crate::Stage) has its histograms of.
#[derive(Clone, Copy, Debug)]
pub struct ReplyTimes {
    /// The inbox has it.
    pub submitted: Instant,
    /// Its batch goes to the log.
    pub appended: Instant,
    /// Its batch was read back from the log.
    pub committed: Instant,
    /// Its batch is applied, and the reply is sent.
    pub applied: Instant,
}

impl Reply {
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        let all = std::iter::once(&self.applied).chain(&self.continued);
        all.flat_map(|applied| &applied.events)
    }
}
