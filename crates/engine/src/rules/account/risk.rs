//! An account's mode and its limits, as an operator sets them.

use types::{
    AccountId, AccountLimits, AccountLimitsSet, AccountMode, AccountRiskSet, Amount, Event,
    RejectReason, SetAccountLimits, SetAccountRisk,
};

use crate::state::Engine;
use crate::state::account::Account;
use crate::state::account::extra::AccountExtra;
use crate::state::account::risk::{Exposure, MarketRisk};

impl Engine {
    pub(crate) fn set_account_risk(&mut self, request: &SetAccountRisk, events: &mut Vec<Event>) {
        let SetAccountRisk { account, risk } = *request;
        let result = match self.account(account) {
            None => Err(RejectReason::UnknownAccount),
            Some(owner) if owner.risk().mode != risk.mode && !self.is_flat(account, owner) => {
                Err(RejectReason::AccountNotFlat)
            }
            Some(_) => Ok(()),
        };
        if let Err(reason) = result {
            return self.reject(account, reason, events);
        }
        let owner = &mut self.accounts[account.0 as usize];
        let extra = owner.extra_mut();
        if extra.risk.mode != risk.mode {
            extra.markets.retain(|_, risk| risk.limits != AccountLimits::default());
        }
        extra.risk = risk;
        self.has_clearing |= risk.mode != AccountMode::Cash;
        let account_seq = owner.next_seq();
        events.push(Event::AccountRiskSet(AccountRiskSet { account_seq, account, risk }));
    }

    /// Whether nothing remains that depends on the account's current mode.
    fn is_flat(&self, id: AccountId, account: &Account) -> bool {
        let no_position =
            |extra: &AccountExtra| extra.markets.values().all(|risk| risk.position == 0);
        account.open_orders == 0
            && account.balances.iter().all(|balance| balance.total().is_zero())
            && account.extra.as_ref().is_none_or(|extra| no_position(extra))
            && !self.has_receivables(id)
    }

    pub(crate) fn set_account_limits(
        &mut self,
        request: &SetAccountLimits,
        events: &mut Vec<Event>,
    ) {
        let SetAccountLimits { account, instrument, limits } = *request;
        let exposure = match self.check_account_limits(request) {
            Ok(exposure) => exposure,
            Err(reason) => return self.reject(account, reason, events),
        };
        let owner = &mut self.accounts[account.0 as usize];
        let extra = owner.extra_mut();
        if limits == AccountLimits::default() && extra.risk.mode != AccountMode::Limits {
            extra.markets.remove(&instrument);
        } else {
            let fresh = MarketRisk { exposure, ..MarketRisk::default() };
            extra.markets.entry(instrument).or_insert(fresh).limits = limits;
        }
        let account_seq = owner.next_seq();
        let set = AccountLimitsSet { account_seq, account, instrument, limits };
        events.push(Event::AccountLimitsSet(set));
    }

    /// The exposure of the account's open orders, which is counted from now on.
    fn check_account_limits(&self, request: &SetAccountLimits) -> Result<Exposure, RejectReason> {
        let SetAccountLimits { account, instrument, limits } = *request;
        self.account(account).ok_or(RejectReason::UnknownAccount)?;
        self.market(instrument).ok_or(RejectReason::UnknownInstrument)?;
        if limits.max_order_notional < Amount::ZERO || limits.max_open_notional < Amount::ZERO {
            return Err(RejectReason::AmountNotPositive);
        }
        Ok(self.exposure(account, instrument))
    }
}
