//! Applied commands with their events, in order.

use types::{AccountId, Event};

use crate::operated::Operated;

/// One applied command, with its events.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Applied {
    pub sequence: u64,
    pub sequenced_ns: u64,
    /// The account of the command.
    pub account: AccountId,
    /// It went on with work that the command before it had left.
    pub continues: bool,
    /// The command, if an operator sent it.
    pub operated: Option<Box<Operated>>,
    pub events: Vec<Event>,
}

/// [`Applied`] wherever its events lie.
#[derive(Clone, Copy, Debug)]
pub struct AppliedRef<'a> {
    pub sequence: u64,
    pub sequenced_ns: u64,
    pub account: AccountId,
    pub continues: bool,
    pub operated: Option<&'a Operated>,
    pub events: &'a [Event],
}

impl<'a> From<&'a Applied> for AppliedRef<'a> {
    fn from(applied: &'a Applied) -> Self {
        let Applied { sequence, sequenced_ns, account, continues, .. } = *applied;
        let operated = applied.operated.as_deref();
        Self { sequence, sequenced_ns, account, continues, operated, events: &applied.events }
    }
}
