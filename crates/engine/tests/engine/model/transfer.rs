//! Chapter 13: deposits and withdrawals.

use types::*;

use super::Model;

impl Model {
    pub(super) fn deposit(&mut self, request: &Deposit) -> Result<(), RejectReason> {
        let Deposit { account, asset, amount, external_ref } = *request;
        self.trader(account)?;
        if self.repeats_transfer('d', account, asset, amount, &external_ref) {
            return Ok(());
        }
        self.check_transfer(account, asset, amount, &external_ref)?;
        let (account_seq, free) = self.transfer(account, asset, amount.minor(), &external_ref);
        let deposited = Deposited { account_seq, account, asset, amount, external_ref, free };
        self.events.push(Event::Deposited(deposited));
        loop {
            let mut all = self.receivables.iter();
            let debt = all.position(|debt| (debt.debtor, debt.asset) == (account, asset));
            match debt {
                Some(at) if self.free(account, asset) > 0 => self.pay_off(at),
                _ => return Ok(()),
            }
        }
    }

    pub(super) fn withdraw(&mut self, request: &Withdraw) -> Result<(), RejectReason> {
        let Withdraw { account, asset, amount, external_ref } = *request;
        if self.repeats_transfer('w', account, asset, amount, &external_ref) {
            return Ok(());
        }
        self.check_transfer(account, asset, amount, &external_ref)?;
        if self.approvals > 0 {
            return Err(RejectReason::WithdrawalNeedsRequest);
        }
        if self.free(account, asset) < amount.minor() {
            return Err(RejectReason::WithdrawalAboveFree);
        }
        let (account_seq, free) = self.transfer(account, asset, -amount.minor(), &external_ref);
        let withdrawn = Withdrawn { account_seq, account, asset, amount, external_ref, free };
        self.events.push(Event::Withdrawn(withdrawn));
        Ok(())
    }

    /// Answers a repeat of the same transfer.
    fn repeats_transfer(
        &mut self,
        kind: char,
        account: AccountId,
        asset: AssetId,
        amount: Amount,
        external_ref: &ExternalRef,
    ) -> bool {
        let owner = self.accounts.get(account.0 as usize);
        let Some((of, in_asset, minor, first_sequence)) =
            owner.and_then(|owner| owner.refs.get(external_ref.as_str())).copied()
        else {
            return false;
        };
        let is_same = (of, in_asset, minor) == (kind, asset.0, amount.minor());
        if is_same {
            let repeated = CommandRepeated { account, first_sequence };
            self.events.push(Event::CommandRepeated(repeated));
        }
        is_same
    }

    pub(super) fn check_transfer(
        &self,
        account: AccountId,
        asset: AssetId,
        amount: Amount,
        external_ref: &ExternalRef,
    ) -> Result<(), RejectReason> {
        let owner = self.accounts.get(account.0 as usize).ok_or(RejectReason::UnknownAccount)?;
        if usize::from(asset.0) >= self.assets.len() {
            return Err(RejectReason::UnknownAsset);
        }
        if amount.minor() <= 0 {
            return Err(RejectReason::AmountNotPositive);
        }
        if amount > AMOUNT_MAX {
            return Err(RejectReason::AmountAboveMax);
        }
        if owner.refs.contains_key(external_ref.as_str()) {
            return Err(RejectReason::DuplicateExternalRef);
        }
        if !self.is_cash(account) {
            return Err(RejectReason::OwnsNoBalances);
        }
        Ok(())
    }

    fn transfer(
        &mut self,
        account: AccountId,
        asset: AssetId,
        amount: i128,
        external_ref: &ExternalRef,
    ) -> (u64, Amount) {
        let kind = if amount > 0 { 'd' } else { 'w' };
        let first = (kind, asset.0, amount.abs(), self.sequence);
        let owner = self.owner_mut(account);
        *owner.owned.entry(asset.0).or_default() += amount;
        owner.refs.insert(external_ref.to_string(), first);
        (self.account_seq(account), Amount::from_minor(self.free(account, asset)))
    }
}
