//! Payment of receivables.

use types::{
    AccountId, Amount, AssetId, Event, Receivable, ReceivableSettled, RejectReason,
    SettleReceivable,
};

use crate::state::Engine;
use crate::state::deferred::Deferred;

impl Engine {
    pub(crate) fn settle_receivable(
        &mut self,
        request: &SettleReceivable,
        events: &mut Vec<Event>,
    ) {
        let Some(receivable) = self.receivables.open.get(&request.receivable).copied() else {
            return self.reject(AccountId::VENUE, RejectReason::ReceivableNotFound, events);
        };
        if !self.pay_off(receivable, events) {
            self.reject(AccountId::VENUE, RejectReason::NothingToSettle, events);
        }
    }

    /// Pays an account's receivables in an asset, oldest first, as far as its free balance goes.
    pub(crate) fn settle_debts(
        &mut self,
        account: AccountId,
        asset: AssetId,
        events: &mut Vec<Event>,
    ) {
        while let Some(receivable) = self.receivables.oldest_of(account, asset) {
            if self.accounts[account.0 as usize].balance(asset).free.is_zero() {
                return;
            }
            if !self.spend_work() {
                return self.deferred.push_front(Deferred::SettleDebts(account, asset));
            }
            self.pay_off(receivable, events);
        }
    }

    /// Returns whether anything was paid.
    fn pay_off(&mut self, mut receivable: Receivable, events: &mut Vec<Event>) -> bool {
        let Receivable { debtor, creditor, asset, amount, .. } = receivable;
        let paid = amount.min(self.accounts[debtor.0 as usize].balance(asset).free);
        if paid.is_zero() {
            return false;
        }
        self.credit(debtor, asset, Amount::ZERO - paid);
        self.credit(creditor, asset, paid);
        self.receivables.remove(&receivable);
        receivable.amount -= paid;
        if !receivable.amount.is_zero() {
            self.receivables.insert(receivable);
        }
        let settled = ReceivableSettled {
            receivable,
            paid,
            debtor_seq: self.accounts[debtor.0 as usize].next_seq(),
            creditor_seq: self.accounts[creditor.0 as usize].next_seq(),
        };
        events.push(Event::ReceivableSettled(settled));
        true
    }
}
