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
    /// When it was sent; the machine itself has no clock.
    pub applied_at: Option<Instant>,
}

impl Reply {
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        let all = std::iter::once(&self.applied).chain(&self.continued);
        all.flat_map(|applied| &applied.events)
    }
}
