//! Chapter 13: withdrawals in two steps.

use types::*;

use super::Model;

const OPEN_MAX: usize = 100;
const KEPT: usize = 1_000;

impl Model {
    pub(super) fn request_withdrawal(
        &mut self,
        request: &RequestWithdrawal,
        requested_by: KeyId,
    ) -> Result<(), RejectReason> {
        let RequestWithdrawal { account, asset, amount, external_ref } = *request;
        if let Some(at) = self.known_withdrawal(account, external_ref) {
            let known = self.withdrawals[at];
            if (known.asset, known.amount) == (asset, amount) {
                let repeated = CommandRepeated { account, first_sequence: known.sequence };
                self.events.push(Event::CommandRepeated(repeated));
                return Ok(());
            }
        }
        if self.accounts.get(account.0 as usize).is_some_and(|owner| owner.killed) {
            return Err(RejectReason::AccountKilled);
        }
        self.check_transfer(account, asset, amount, &external_ref)?;
        if amount.minor() > self.free(account, asset) {
            return Err(RejectReason::WithdrawalAboveFree);
        }
        let own = self.withdrawals.iter().filter(|other| other.account == account);
        if own.filter(|other| other.status == WithdrawalStatus::Requested).count() == OPEN_MAX {
            return Err(RejectReason::TooManyWithdrawals);
        }
        let first = ('r', asset.0, amount.minor(), self.sequence);
        self.owner_mut(account).refs.insert(external_ref.to_string(), first);
        self.withdrawals.push(Withdrawal {
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
        let account_seq = self.account_seq(account);
        let free = Amount::from_minor(self.free(account, asset));
        self.events.push(Event::WithdrawalRequested(WithdrawalRequested {
            account_seq,
            account,
            asset,
            amount,
            external_ref,
            free,
        }));
        Ok(())
    }

    pub(super) fn approve_withdrawal(
        &mut self,
        request: &ApproveWithdrawal,
        approved_by: KeyId,
    ) -> Result<(), RejectReason> {
        let ApproveWithdrawal { account, external_ref } = *request;
        let at = self.open_withdrawal(account, external_ref)?;
        let withdrawal = &mut self.withdrawals[at];
        let so_far: Vec<KeyId> = withdrawal.approved_by.into_iter().flatten().collect();
        if withdrawal.requested_by == approved_by {
            return Err(RejectReason::WithdrawalIsOwn);
        }
        if so_far.contains(&approved_by) {
            return Err(RejectReason::WithdrawalApprovedAlready);
        }
        if so_far.len() == WITHDRAWAL_APPROVALS_MAX {
            return Err(RejectReason::TooManyApprovals);
        }
        withdrawal.approved_by[so_far.len()] = Some(approved_by);
        let approved = WithdrawalApproved { account, external_ref, approved_by };
        self.events.push(Event::WithdrawalApproved(approved));
        Ok(())
    }

    pub(super) fn set_withdrawal_approvals(
        &mut self,
        request: &SetWithdrawalApprovals,
    ) -> Result<(), RejectReason> {
        let SetWithdrawalApprovals { approvals } = *request;
        if usize::from(approvals) > WITHDRAWAL_APPROVALS_MAX {
            return Err(RejectReason::WithdrawalApprovalsAboveMax);
        }
        self.approvals = approvals.into();
        self.events.push(Event::WithdrawalApprovalsSet(WithdrawalApprovalsSet { approvals }));
        Ok(())
    }

    pub(super) fn confirm_withdrawal(
        &mut self,
        request: &ConfirmWithdrawal,
    ) -> Result<(), RejectReason> {
        let ConfirmWithdrawal { account, external_ref } = *request;
        if self.accounts.get(account.0 as usize).is_some_and(|owner| owner.killed) {
            return Err(RejectReason::AccountKilled);
        }
        let at = self.open_withdrawal(account, external_ref)?;
        let approvals = self.withdrawals[at].approved_by.into_iter().flatten();
        let revoked = (1..).zip(&self.keys).filter(|(_, (_, revoked))| *revoked);
        let revoked: Vec<u32> = revoked.map(|(id, _)| id).collect();
        if approvals.filter(|key| !revoked.contains(&key.0)).count() < self.approvals {
            return Err(RejectReason::WithdrawalNotApproved);
        }
        let ended = self.end_withdrawal(account, external_ref, WithdrawalStatus::Completed)?;
        let Withdrawal { asset, amount, .. } = ended;
        *self.owner_mut(account).owned.entry(asset.0).or_default() -= amount.minor();
        let account_seq = self.account_seq(account);
        let free = Amount::from_minor(self.free(account, asset));
        self.events.push(Event::WithdrawalCompleted(WithdrawalCompleted {
            account_seq,
            account,
            asset,
            amount,
            external_ref,
            free,
        }));
        Ok(())
    }

    pub(super) fn cancel_withdrawal(
        &mut self,
        request: &CancelWithdrawal,
    ) -> Result<(), RejectReason> {
        let CancelWithdrawal { account, external_ref } = *request;
        let ended = self.end_withdrawal(account, external_ref, WithdrawalStatus::Canceled)?;
        let Withdrawal { asset, amount, .. } = ended;
        let account_seq = self.account_seq(account);
        let free = Amount::from_minor(self.free(account, asset));
        self.events.push(Event::WithdrawalCanceled(WithdrawalCanceled {
            account_seq,
            account,
            asset,
            amount,
            external_ref,
            free,
        }));
        Ok(())
    }

    /// The requested amounts of an account that have not left it.
    pub(super) fn waits_to_leave(&self, account: AccountId, asset: AssetId) -> i128 {
        let waits = self.withdrawals.iter().filter(|withdrawal| {
            withdrawal.status == WithdrawalStatus::Requested
                && (withdrawal.account, withdrawal.asset) == (account, asset)
        });
        waits.map(|withdrawal| withdrawal.amount.minor()).sum()
    }

    /// All kept withdrawals, in the form of the engine's query.
    pub(crate) fn withdrawals(&self) -> Vec<Withdrawal> {
        let mut all = self.withdrawals.clone();
        all.sort_by_key(|withdrawal| withdrawal.account);
        all
    }

    fn known_withdrawal(&self, account: AccountId, external_ref: ExternalRef) -> Option<usize> {
        let mut all = self.withdrawals.iter();
        all.position(|known| (known.account, known.external_ref) == (account, external_ref))
    }

    fn open_withdrawal(
        &self,
        account: AccountId,
        external_ref: ExternalRef,
    ) -> Result<usize, RejectReason> {
        if account.0 as usize >= self.accounts.len() {
            return Err(RejectReason::UnknownAccount);
        }
        let at = self.known_withdrawal(account, external_ref);
        let at = at.ok_or(RejectReason::WithdrawalNotFound)?;
        match self.withdrawals[at].status {
            WithdrawalStatus::Requested => Ok(at),
            WithdrawalStatus::Completed => Err(RejectReason::WithdrawalCompletedAlready),
            WithdrawalStatus::Canceled => Err(RejectReason::WithdrawalCanceledAlready),
        }
    }

    fn end_withdrawal(
        &mut self,
        account: AccountId,
        external_ref: ExternalRef,
        status: WithdrawalStatus,
    ) -> Result<Withdrawal, RejectReason> {
        let at = self.open_withdrawal(account, external_ref)?;
        let now_ns = self.now_ns;
        let withdrawal = &mut self.withdrawals[at];
        (withdrawal.status, withdrawal.ended_ns) = (status, now_ns);
        let ended = *withdrawal;
        let has_ended = |known: &Withdrawal| {
            known.account == account && known.status != WithdrawalStatus::Requested
        };
        if self.withdrawals.iter().filter(|known| has_ended(known)).count() > KEPT {
            let oldest = self.withdrawals.iter().position(has_ended).unwrap();
            self.withdrawals.remove(oldest);
        }
        Ok(ended)
    }
}
