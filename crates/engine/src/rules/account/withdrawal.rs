//! Withdrawals in two steps: the amount is reserved, until it leaves or is free again.
//!
//! The requester identifies a withdrawal by its external reference. A repeated request gets the
//! reply that it was carried out, so that a lost reply does no harm.
//!
//! # Known limits
//! Of the ended withdrawals, an account keeps its latest [`WITHDRAWALS_KEPT`]. It keeps all
//! references, so that no withdrawal is carried out again.

use types::{
    AccountId, Amount, AssetId, CancelWithdrawal, CommandRepeated, ConfirmWithdrawal, Event,
    ExternalRef, RejectReason, RequestWithdrawal, Withdrawal, WithdrawalCanceled,
    WithdrawalCompleted, WithdrawalRequested, WithdrawalStatus,
};

use crate::state::Engine;
use crate::state::account::{TransferKind, Transferred};
use crate::state::withdrawals::{WITHDRAWALS_KEPT, WITHDRAWALS_OPEN_MAX};

impl Engine {
    pub(crate) fn request_withdrawal(
        &mut self,
        request: &RequestWithdrawal,
        events: &mut Vec<Event>,
    ) {
        let RequestWithdrawal { account, asset, amount, external_ref } = *request;
        if let Some(first_sequence) = self.earlier_request(request) {
            let repeated = CommandRepeated { account, first_sequence };
            return events.push(Event::CommandRepeated(repeated));
        }
        if let Err(reason) = self.check_request_withdrawal(request) {
            return self.reject(account, reason, events);
        }
        self.withdrawals.entry(account).or_default().push(Withdrawal {
            account,
            asset,
            amount,
            external_ref,
            status: WithdrawalStatus::Requested,
            sequence: self.sequence,
            requested_ns: self.now_ns,
            ended_ns: 0,
        });
        let owner = &mut self.accounts[account.0 as usize];
        let (kind, sequence) = (TransferKind::Request, self.sequence);
        let first = Transferred { kind, asset, amount, sequence };
        owner.external_refs.insert(external_ref.as_bytes().into(), first);
        owner.set_aside(asset, amount);
        let account_seq = owner.next_seq();
        let free = owner.balance(asset).free;
        events.push(Event::WithdrawalRequested(WithdrawalRequested {
            account_seq,
            account,
            asset,
            amount,
            external_ref,
            free,
        }));
    }

    pub(crate) fn confirm_withdrawal(
        &mut self,
        request: &ConfirmWithdrawal,
        events: &mut Vec<Event>,
    ) {
        let ConfirmWithdrawal { account, external_ref } = *request;
        let may_leave = match self.accounts.get(account.0 as usize) {
            Some(owner) if owner.is_killed() => Err(RejectReason::AccountKilled),
            _ => self.open_withdrawal(account, &external_ref),
        };
        let at = match may_leave {
            Ok(at) => at,
            Err(reason) => return self.reject(account, reason, events),
        };
        let (asset, amount) = self.end_withdrawal(account, at, WithdrawalStatus::Completed);
        self.supply[usize::from(asset.0)] -= amount;
        let owner = &mut self.accounts[account.0 as usize];
        owner.balance_mut(asset).locked -= amount;
        let account_seq = owner.next_seq();
        let free = owner.balance(asset).free;
        events.push(Event::WithdrawalCompleted(WithdrawalCompleted {
            account_seq,
            account,
            asset,
            amount,
            external_ref,
            free,
        }));
    }

    pub(crate) fn cancel_withdrawal(
        &mut self,
        request: &CancelWithdrawal,
        events: &mut Vec<Event>,
    ) {
        let CancelWithdrawal { account, external_ref } = *request;
        let at = match self.open_withdrawal(account, &external_ref) {
            Ok(at) => at,
            Err(reason) => return self.reject(account, reason, events),
        };
        let (asset, amount) = self.end_withdrawal(account, at, WithdrawalStatus::Canceled);
        let owner = &mut self.accounts[account.0 as usize];
        owner.give_back(asset, amount);
        let account_seq = owner.next_seq();
        let free = owner.balance(asset).free;
        events.push(Event::WithdrawalCanceled(WithdrawalCanceled {
            account_seq,
            account,
            asset,
            amount,
            external_ref,
            free,
        }));
    }

    /// The command that made the same request under the same reference.
    fn earlier_request(&self, request: &RequestWithdrawal) -> Option<u64> {
        let known = self.withdrawals.get(&request.account)?;
        let same = known.iter().find(|withdrawal| {
            let Withdrawal { asset, amount, external_ref, .. } = **withdrawal;
            (asset, amount, external_ref) == (request.asset, request.amount, request.external_ref)
        });
        same.map(|withdrawal| withdrawal.sequence)
    }

    fn check_request_withdrawal(&self, request: &RequestWithdrawal) -> Result<(), RejectReason> {
        let RequestWithdrawal { account, asset, amount, external_ref } = *request;
        let owner = self.accounts.get(account.0 as usize).ok_or(RejectReason::UnknownAccount)?;
        if owner.is_killed() {
            return Err(RejectReason::AccountKilled);
        }
        self.check_transfer(account, asset, amount, &external_ref)?;
        if owner.balance(asset).free < amount {
            return Err(RejectReason::WithdrawalAboveFree);
        }
        if self.open_withdrawals(account).count() >= WITHDRAWALS_OPEN_MAX {
            return Err(RejectReason::TooManyWithdrawals);
        }
        Ok(())
    }

    /// Index of an open withdrawal among those of the account.
    fn open_withdrawal(
        &self,
        account: AccountId,
        external_ref: &ExternalRef,
    ) -> Result<usize, RejectReason> {
        self.accounts.get(account.0 as usize).ok_or(RejectReason::UnknownAccount)?;
        let known = self.withdrawals.get(&account).map_or(&[][..], Vec::as_slice);
        let at = known.iter().position(|withdrawal| withdrawal.external_ref == *external_ref);
        let at = at.ok_or(RejectReason::WithdrawalNotFound)?;
        match known[at].status {
            WithdrawalStatus::Requested => Ok(at),
            WithdrawalStatus::Completed => Err(RejectReason::WithdrawalCompletedAlready),
            WithdrawalStatus::Canceled => Err(RejectReason::WithdrawalCanceledAlready),
        }
    }

    /// Removes the reserved amount from the account's hold.
    fn end_withdrawal(
        &mut self,
        account: AccountId,
        at: usize,
        status: WithdrawalStatus,
    ) -> (AssetId, Amount) {
        let now_ns = self.now_ns;
        let known = self.withdrawals.get_mut(&account).expect("it was found there");
        let withdrawal = &mut known[at];
        (withdrawal.status, withdrawal.ended_ns) = (status, now_ns);
        let held = (withdrawal.asset, withdrawal.amount);
        let ended = || known.iter().enumerate().filter(|(_, withdrawal)| !withdrawal.is_open());
        if ended().count() > WITHDRAWALS_KEPT {
            let (oldest, _) = ended().next().expect("more than WITHDRAWALS_KEPT");
            known.remove(oldest);
        }
        held
    }
}
