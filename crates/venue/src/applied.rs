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

/// What a batch of the log led to when it was replayed: all its events in one place, which is used
/// again for a later batch.
#[derive(Debug, Default)]
pub(crate) struct AppliedBatch {
    sequenced_ns: u64,
    parts: Vec<Part>,
    events: Vec<Event>,
}

#[derive(Debug)]
struct Part {
    sequence: u64,
    account: AccountId,
    continues: bool,
    events_end: usize,
}

impl AppliedBatch {
    pub(crate) fn begin(&mut self, sequenced_ns: u64) {
        self.sequenced_ns = sequenced_ns;
        self.parts.clear();
        self.events.clear();
    }

    /// Where the next events go.
    pub(crate) fn events(&mut self) -> &mut Vec<Event> {
        &mut self.events
    }

    /// The events since the last part are those of this command.
    pub(crate) fn end_part(&mut self, sequence: u64, account: AccountId, continues: bool) {
        let events_end = self.events.len();
        self.parts.push(Part { sequence, account, continues, events_end });
    }

    pub(crate) fn told(&self) -> impl Iterator<Item = Told<'_>> {
        let mut start = 0;
        self.parts.iter().map(move |part| {
            let events = &self.events[start..part.events_end];
            start = part.events_end;
            let Part { sequence, account, continues, .. } = *part;
            Told { sequence, sequenced_ns: self.sequenced_ns, account, continues, events }
        })
    }
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
