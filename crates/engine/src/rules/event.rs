//! How rules report what happened: events, and refusals among them.

use types::{AccountId, CommandRejected, Event, RejectReason};

use crate::state::Engine;

/// Makes an event where it is going to lie: the large ones cost as much to move as to make.
#[inline(always)]
pub(super) fn tell(events: &mut Vec<Event>, make: impl FnOnce() -> Event) {
    events.push(make());
}

impl Engine {
    pub(crate) fn reject(&self, account: AccountId, reason: RejectReason, events: &mut Vec<Event>) {
        self.reject_half(account, reason, false, events);
    }

    pub(super) fn reject_half(
        &self,
        account: AccountId,
        reason: RejectReason,
        in_cancel: bool,
        events: &mut Vec<Event>,
    ) {
        events.push(Event::CommandRejected(CommandRejected { account, reason, in_cancel }));
    }
}
