use std::sync::Arc;
use std::time::Instant;

use types::{AccountId, Event};

/// One command that was applied, and what came of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Applied {
    pub sequence: u64,
    pub sequenced_ns: u64,
    /// On whose behalf the command was.
    pub account: AccountId,
    /// It went on with work that the command before it had left.
    pub continues: bool,
    pub events: Vec<Event>,
}

/// [`Applied`] wherever its events lie.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    pub sequence: u64,
    pub sequenced_ns: u64,
    pub account: AccountId,
    pub continues: bool,
    pub events: &'a [Event],
}

impl<'a> From<&'a Applied> for Told<'a> {
    fn from(applied: &'a Applied) -> Self {
        let Applied { sequence, sequenced_ns, account, continues, ref events } = *applied;
        Self { sequence, sequenced_ns, account, continues, events }
    }
}

/// What the sender of a command is told.
#[derive(Clone, Debug)]
pub struct Reply {
    pub applied: Arc<Applied>,
    /// The rest of a large command's work.
    pub continued: Vec<Arc<Applied>>,
    /// When it was sent; the machine itself has no clock.
    pub applied_at: Option<Instant>,
}

impl Reply {
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        let all = std::iter::once(&self.applied).chain(&self.continued);
        all.flat_map(|applied| &applied.events)
    }
}
