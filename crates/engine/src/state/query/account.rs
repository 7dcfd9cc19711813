//! Queries about one account.

use types::{
    AccountId, AccountLimits, AccountRisk, AccountTrade, Amount, AssetId, Balance, InstrumentId,
    KeyId, Order, Withdrawal,
};

use crate::state::Engine;
use crate::state::account::rate::OrderRate;
use crate::state::account::{Account, TransferKind};

impl Engine {
    /// An account's balances, by asset; unused assets may be missing at the end.
    pub fn balances(&self, account: AccountId) -> impl Iterator<Item = Balance> {
        let owner = self.accounts.get(account.0 as usize);
        owner.into_iter().flat_map(|owner| owner.balances.iter())
    }

    /// An account's balance of one asset.
    pub fn balance(&self, account: AccountId, asset: AssetId) -> Balance {
        let owner = self.accounts.get(account.0 as usize);
        owner.map_or_else(Balance::default, |owner| owner.balance(asset))
    }

    /// The number of an account's last event.
    pub fn account_seq(&self, account: AccountId) -> Option<u64> {
        self.account(account).map(|account| account.account_seq)
    }

    /// An account's finished orders that are still kept, oldest first.
    pub fn finished_orders(&self, account: AccountId) -> impl DoubleEndedIterator<Item = Order> {
        self.account(account).into_iter().flat_map(move |owner| owner.finished.iter(account))
    }

    /// An account's trades that are still kept, oldest first.
    pub fn account_trades(
        &self,
        account: AccountId,
    ) -> impl DoubleEndedIterator<Item = AccountTrade> {
        self.account(account).into_iter().flat_map(move |owner| owner.trades.iter(account))
    }
}

impl Engine {
    /// The risk settings of an account.
    pub fn account_risk(&self, account: AccountId) -> Option<AccountRisk> {
        self.account(account).map(Account::risk)
    }

    /// The limits of an account, by instrument.
    pub fn limits(
        &self,
        account: AccountId,
    ) -> impl Iterator<Item = (InstrumentId, &AccountLimits)> {
        let extra = self.account(account).and_then(|account| account.extra.as_ref());
        let all = extra.into_iter().flat_map(|extra| &extra.markets);
        all.map(|(id, risk)| (*id, &risk.limits))
            .filter(|(_, limits)| **limits != AccountLimits::default())
    }

    /// The positions of an account without balances, in lots, negative if short.
    pub fn positions(&self, account: AccountId) -> impl Iterator<Item = (InstrumentId, i128)> {
        let extra = self.account(account).and_then(|account| account.extra.as_ref());
        let all = extra.into_iter().flat_map(|extra| &extra.markets);
        all.map(|(id, risk)| (*id, risk.position)).filter(|(_, position)| *position != 0)
    }

    /// The counters of an account's accepted orders. Only accounts with an order rate or other rare
    /// settings have them.
    pub fn order_rate(&self, account: AccountId) -> Option<OrderRate> {
        let extra = self.account(account)?.extra.as_ref();
        Some(extra.map(|extra| extra.rate).unwrap_or_default().at(self.now_ns))
    }

    /// Whether an account's kill switch is on.
    pub fn is_killed(&self, account: AccountId) -> bool {
        self.account(account).is_some_and(Account::is_killed)
    }
}

/// The first transfer of an external reference.
#[derive(Clone, Copy, Debug)]
pub struct KnownTransfer<'a> {
    pub external_ref: &'a str,
    /// Else it is a withdrawal.
    pub is_deposit: bool,
    pub asset: AssetId,
    pub amount: Amount,
}

impl Engine {
    /// All transfers of an account, in order of their references.
    pub fn transfers(&self, account: AccountId) -> impl Iterator<Item = KnownTransfer<'_>> {
        let known = self.account(account).into_iter().flat_map(|owner| &owner.external_refs);
        known.map(|(external_ref, transfer)| KnownTransfer {
            external_ref: std::str::from_utf8(external_ref).expect("a reference is ASCII"),
            is_deposit: transfer.kind == TransferKind::Deposit,
            asset: transfer.asset,
            amount: transfer.amount,
        })
    }
}

impl Engine {
    /// An account's open withdrawals, oldest first.
    pub fn open_withdrawals(&self, account: AccountId) -> impl Iterator<Item = &Withdrawal> {
        let known = self.withdrawals.get(&account).into_iter().flatten();
        known.filter(|withdrawal| withdrawal.is_open())
    }

    /// Operators other than the requester that must approve a withdrawal.
    pub fn withdrawal_approvals(&self) -> u8 {
        // The first command of a new venue brings the newest rules.
        let is_new = self.sequence() == 0;
        if is_new || self.has_approvals() { self.withdrawal_approvals } else { 0 }
    }

    /// Approvals that a withdrawal lacks. That of a key that is revoked by now is none; an operator
    /// through the admin socket has no key.
    pub fn approvals_missing(&self, withdrawal: &Withdrawal) -> usize {
        let is_valid = |key: &KeyId| {
            let key = (key.0 as usize).checked_sub(1).and_then(|at| self.keys.get(at));
            key.is_none_or(|key| !key.revoked)
        };
        let valid = withdrawal.approved_by.iter().flatten().filter(|key| is_valid(key));
        usize::from(self.withdrawal_approvals()).saturating_sub(valid.count())
    }
}

impl Engine {
    /// Whether an account is debtor or creditor of a receivable.
    pub(crate) fn has_receivables(&self, account: AccountId) -> bool {
        self.receivables().any(|open| open.debtor == account || open.creditor == account)
    }
}
