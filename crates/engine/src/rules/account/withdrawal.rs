//! Withdrawals in two steps: the amount is reserved, until it leaves or is free again.
//!
//! The requester identifies a withdrawal by its external reference. A repeated request gets the
//! reply that it was carried out, so that a lost reply does no harm.
//!
//! An amount leaves only if as many operators other than the requester have approved it as the
//! venue's setting asks for. The setting and the keys count as they are at the confirmation: an
//! approval of a key that was revoked since is none. Under rules 1 nothing is approved, and no
//! withdrawal has a requester.
//!
//! # Known limits
//! Of the ended withdrawals, an account keeps its latest [`WITHDRAWALS_KEPT`]. It keeps all
//! references, so that no withdrawal is carried out again.

use types::{
    AccountId, Amount, ApproveWithdrawal, AssetId, CancelWithdrawal, CommandRepeated,
    ConfirmWithdrawal, Event, ExternalRef, KeyId, RejectReason, RequestWithdrawal,
    SetWithdrawalApprovals, WITHDRAWAL_APPROVALS_MAX, Withdrawal, WithdrawalApprovalsSet,
    WithdrawalApproved, WithdrawalCanceled, WithdrawalCompleted, WithdrawalRequested,
    WithdrawalStatus,
};

use crate::state::Engine;
use crate::state::account::{TransferKind, Transferred};
use crate::state::withdrawals::{WITHDRAWALS_KEPT, WITHDRAWALS_OPEN_MAX};

impl Engine {
    pub(crate) fn request_withdrawal(
        &mut self,
        request: &RequestWithdrawal,
        requested_by: KeyId,
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
        let requested_by = if self.has_approvals() { requested_by } else { KeyId(0) };
        self.withdrawals.entry(account).or_default().push(Withdrawal {
            account,
            asset,
            amount,
            external_ref,
            status: WithdrawalStatus::Requested,
            sequence: self.sequence,
            requested_by,
            approved_by: [None; WITHDRAWAL_APPROVALS_MAX],
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

    pub(crate) fn approve_withdrawal(
        &mut self,
        request: &ApproveWithdrawal,
        approved_by: KeyId,
        events: &mut Vec<Event>,
    ) {
        let ApproveWithdrawal { account, external_ref } = *request;
        let approval = match self.free_approval(request, approved_by) {
            Ok(approval) => approval,
            Err(reason) => return self.reject(account, reason, events),
        };
        *approval = Some(approved_by);
        let approved = WithdrawalApproved { account, external_ref, approved_by };
        events.push(Event::WithdrawalApproved(approved));
    }

    /// The setting holds for open withdrawals too.
    pub(crate) fn set_withdrawal_approvals(
        &mut self,
        set: &SetWithdrawalApprovals,
        events: &mut Vec<Event>,
    ) -> Result<(), RejectReason> {
        let SetWithdrawalApprovals { approvals } = *set;
        if usize::from(approvals) > WITHDRAWAL_APPROVALS_MAX || !self.has_approvals() {
            return Err(RejectReason::WithdrawalApprovalsAboveMax);
        }
        self.withdrawal_approvals = approvals;
        events.push(Event::WithdrawalApprovalsSet(WithdrawalApprovalsSet { approvals }));
        Ok(())
    }

    pub(crate) fn confirm_withdrawal(
        &mut self,
        request: &ConfirmWithdrawal,
        events: &mut Vec<Event>,
    ) {
        let ConfirmWithdrawal { account, external_ref } = *request;
        let at = match self.may_leave(account, &external_ref) {
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

    /// The place for an operator's approval of an open withdrawal.
    fn free_approval(
        &mut self,
        request: &ApproveWithdrawal,
        approved_by: KeyId,
    ) -> Result<&mut Option<KeyId>, RejectReason> {
        let ApproveWithdrawal { account, external_ref } = *request;
        let at = self.open_withdrawal(account, &external_ref)?;
        if !self.has_approvals() {
            return Err(RejectReason::TooManyApprovals);
        }
        let known = self.withdrawals.get_mut(&account).expect("it was found there");
        let withdrawal = &mut known[at];
        if withdrawal.requested_by == approved_by {
            return Err(RejectReason::WithdrawalIsOwn);
        }
        if withdrawal.approved_by.contains(&Some(approved_by)) {
            return Err(RejectReason::WithdrawalApprovedAlready);
        }
        let free = withdrawal.approved_by.iter_mut().find(|approval| approval.is_none());
        free.ok_or(RejectReason::TooManyApprovals)
    }

    /// Index of an open withdrawal that can be paid out.
    fn may_leave(
        &self,
        account: AccountId,
        external_ref: &ExternalRef,
    ) -> Result<usize, RejectReason> {
        if self.accounts.get(account.0 as usize).is_some_and(|owner| owner.is_killed()) {
            return Err(RejectReason::AccountKilled);
        }
        let at = self.open_withdrawal(account, external_ref)?;
        match self.approvals_missing(&self.withdrawals[&account][at]) {
            0 => Ok(at),
            _ => Err(RejectReason::WithdrawalNotApproved),
        }
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
