//! Deposits and withdrawals.

use types::{
    AMOUNT_MAX, AccountId, Amount, AssetId, CommandRepeated, Deposit, Deposited, Event,
    ExternalRef, RejectReason, Withdraw, Withdrawn,
};

use crate::state::Engine;
use crate::state::account::{TransferKind, Transferred};

impl Engine {
    pub(crate) fn deposit(&mut self, request: &Deposit, events: &mut Vec<Event>) {
        let Deposit { account, asset, amount, external_ref } = *request;
        if self.account(account).is_none() {
            return self.reject(account, RejectReason::UnknownAccount, events);
        }
        let transfer = self.transferred(TransferKind::Deposit, asset, amount);
        if let Err(reason) = self.check_transfer(account, asset, amount, &external_ref) {
            return self.refuse_transfer(account, &external_ref, transfer, reason, events);
        }
        let supply = &mut self.supply[usize::from(asset.0)];
        if *supply + amount > AMOUNT_MAX {
            return self.reject(account, RejectReason::SupplyAboveMax, events);
        }
        *supply += amount;
        let owner = &mut self.accounts[account.0 as usize];
        owner.external_refs.insert(external_ref.as_bytes().into(), transfer);
        let account_seq = owner.next_seq();
        let balance = owner.balance_mut(asset);
        balance.free += amount;
        let free = balance.free;
        let deposited = Deposited { account_seq, account, asset, amount, external_ref, free };
        events.push(Event::Deposited(deposited));
        self.settle_debts(account, asset, events);
    }

    pub(crate) fn withdraw(&mut self, request: &Withdraw, events: &mut Vec<Event>) {
        let Withdraw { account, asset, amount, external_ref } = *request;
        let transfer = self.transferred(TransferKind::Withdrawal, asset, amount);
        if let Err(reason) = self.check_transfer(account, asset, amount, &external_ref) {
            return self.refuse_transfer(account, &external_ref, transfer, reason, events);
        }
        if self.withdrawal_approvals() > 0 {
            return self.reject(account, RejectReason::WithdrawalNeedsRequest, events);
        }
        let owner = &mut self.accounts[account.0 as usize];
        if owner.balance(asset).free < amount {
            return self.reject(account, RejectReason::WithdrawalAboveFree, events);
        }
        self.supply[usize::from(asset.0)] -= amount;
        owner.external_refs.insert(external_ref.as_bytes().into(), transfer);
        let account_seq = owner.next_seq();
        let balance = owner.balance_mut(asset);
        balance.free -= amount;
        let free = balance.free;
        let withdrawn = Withdrawn { account_seq, account, asset, amount, external_ref, free };
        events.push(Event::Withdrawn(withdrawn));
    }

    fn transferred(&self, kind: TransferKind, asset: AssetId, amount: Amount) -> Transferred {
        Transferred { kind, asset, amount, sequence: self.sequence }
    }

    /// A repeat of the same transfer is answered with the first one, and changes nothing.
    #[cold]
    fn refuse_transfer(
        &mut self,
        account: AccountId,
        external_ref: &ExternalRef,
        transfer: Transferred,
        reason: RejectReason,
        events: &mut Vec<Event>,
    ) {
        if reason == RejectReason::DuplicateExternalRef
            && let Some(first) = self.account(account)
            && let Some(first) = first.external_refs.get(external_ref.as_bytes())
            && *first == (Transferred { sequence: first.sequence, ..transfer })
        {
            let first_sequence = first.sequence;
            let repeated = CommandRepeated { account, first_sequence };
            return events.push(Event::CommandRepeated(repeated));
        }
        self.reject(account, reason, events);
    }

    /// An operator may withdraw the revenue of the venue's own account, but cannot deposit there.
    pub(crate) fn check_transfer(
        &self,
        account: AccountId,
        asset: AssetId,
        amount: Amount,
        external_ref: &ExternalRef,
    ) -> Result<(), RejectReason> {
        let owner = self.accounts.get(account.0 as usize).ok_or(RejectReason::UnknownAccount)?;
        self.asset(asset).ok_or(RejectReason::UnknownAsset)?;
        if amount <= Amount::ZERO {
            return Err(RejectReason::AmountNotPositive);
        }
        if amount > AMOUNT_MAX {
            return Err(RejectReason::AmountAboveMax);
        }
        if owner.external_refs.contains_key(external_ref.as_bytes()) {
            return Err(RejectReason::DuplicateExternalRef);
        }
        if !owner.is_cash() {
            return Err(RejectReason::OwnsNoBalances);
        }
        Ok(())
    }
}
