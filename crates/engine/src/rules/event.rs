//! Emission of events, and of rejections among them.

use types::{AccountId, CommandRejected, Event, RejectReason};

use crate::state::Engine;

/// Constructs an event in its slot, because a move of a large event costs as much as its
/// construction.
#[inline(always)]
pub(super) fn emit(events: &mut Vec<Event>, make: impl FnOnce() -> Event) {
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
