//! Emission of events, and of rejections among them.

use types::{AccountId, CommandRejected, Event, NumberedRefusal, RejectReason};

use crate::state::Engine;

/// Constructs an event in its slot, because a move of a large event costs as much as its
/// construction.
#[inline(always)]
pub(super) fn emit(events: &mut Vec<Event>, make: impl FnOnce() -> Event) {
    events.push(make());
}

impl Engine {
    pub(crate) fn reject(
        &mut self,
        account: AccountId,
        reason: RejectReason,
        events: &mut Vec<Event>,
    ) {
        self.reject_half(account, reason, false, events);
    }

    pub(super) fn reject_half(
        &mut self,
        account: AccountId,
        reason: RejectReason,
        in_cancel: bool,
        events: &mut Vec<Event>,
    ) {
        let numbered = self.numbered_refusal(account, 0);
        events.push(Event::CommandRejected(CommandRejected {
            account,
            reason,
            in_cancel,
            numbered,
        }));
    }

    /// Rejects a command for a reason of the client's protocol.
    pub(super) fn reject_with_code(
        &mut self,
        account: AccountId,
        reason: RejectReason,
        code: u16,
        events: &mut Vec<Event>,
    ) {
        let numbered = self.numbered_refusal(account, code);
        let rejected = CommandRejected { account, reason, in_cancel: false, numbered };
        events.push(Event::CommandRejected(rejected));
    }

    fn numbered_refusal(&mut self, account: AccountId, code: u16) -> Option<NumberedRefusal> {
        let cl_ord_id = self.numbered_name()?;
        let account_seq = self.accounts.get_mut(account.0 as usize)?.next_seq();
        Some(NumberedRefusal { account_seq, cl_ord_id, code })
    }
}
