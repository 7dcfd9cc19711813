use std::sync::Arc;

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

/// What the sender of a command is told.
#[derive(Clone, Debug)]
pub struct Reply {
    pub applied: Arc<Applied>,
    /// The rest of a large command's work.
    pub continued: Vec<Arc<Applied>>,
}

impl Reply {
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        let all = std::iter::once(&self.applied).chain(&self.continued);
        all.flat_map(|applied| &applied.events)
    }
}
