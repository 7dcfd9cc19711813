//! Chapters 6 and 13: accounts, their permissions, and their limits.

use std::collections::BTreeMap;

use types::*;

use super::{DAY_NS, Key, Model, SECOND_NS, is_set};

#[derive(Clone)]
pub(crate) struct Owner {
    pub(super) spec: AccountSpec,
    pub(super) seq: u64,
    /// All that the account has, held by orders or not.
    pub(super) owned: BTreeMap<u16, i128>,
    /// What each reference was used for: kind, asset, amount, sequence.
    pub(super) refs: BTreeMap<String, (char, u16, i128, u64)>,
    pub(super) retries: Vec<(RetryKey, u64, u64)>,
    pub(crate) finished: Vec<Order>,
    pub(crate) trades: Vec<AccountTrade>,
    pub(super) risk: AccountRisk,
    pub(super) limits: BTreeMap<InstrumentId, AccountLimits>,
    pub(super) killed: bool,
    pub(super) positions: BTreeMap<InstrumentId, i128>,
    /// In the quote asset, by instrument and day.
    pub(super) volumes: BTreeMap<(InstrumentId, u64), i128>,
    /// Accepted orders: the ten-second window and its count, and the day with its count.
    pub(super) rate: [(u64, u32); 2],
}

impl Owner {
    pub(super) fn new(spec: AccountSpec) -> Self {
        Self {
            spec,
            seq: 0,
            owned: BTreeMap::new(),
            refs: BTreeMap::new(),
            retries: Vec::new(),
            finished: Vec::new(),
            trades: Vec::new(),
            risk: AccountRisk::PLAIN,
            limits: BTreeMap::new(),
            killed: false,
            positions: BTreeMap::new(),
            volumes: BTreeMap::new(),
            rate: [(0, 0); 2],
        }
    }

    pub(super) fn of_venue() -> Self {
        Self::new(AccountSpec {
            name: AccountName::parse("venue").unwrap(),
            fees: None,
            max_open_orders: 0,
            finished_orders_kept: 0,
            trades_kept: 0,
        })
    }

    /// The sides of a trade that the account keeps.
    pub(super) fn named(
        &mut self,
        instrument: InstrumentId,
        trade_id: TradeId,
    ) -> impl Iterator<Item = &mut AccountTrade> {
        let name = (instrument, trade_id);
        self.trades.iter_mut().filter(move |trade| (trade.instrument, trade.trade_id) == name)
    }

    pub(super) fn trim(&mut self) {
        while self.finished.len() > self.spec.finished_orders_kept as usize {
            self.finished.remove(0);
        }
        while self.trades.len() > self.spec.trades_kept as usize {
            self.trades.remove(0);
        }
    }
}

const WINDOWS_NS: [u64; 2] = [10 * SECOND_NS, DAY_NS];

impl Model {
    pub(super) fn is_above_rate(&self, account: AccountId, counts: u32) -> bool {
        let owner = self.owner(account);
        let maxima = [owner.risk.max_orders_per_10s, owner.risk.max_orders_per_day];
        let mut windows = owner.rate.iter().zip(maxima).zip(WINDOWS_NS);
        windows.any(|((counted, max), window_ns)| {
            let so_far = if counted.0 == self.now_ns / window_ns { counted.1 } else { 0 };
            is_set(max.into(), u64::from(so_far + counts))
        })
    }

    pub(super) fn count_rate(&mut self, account: AccountId, counts: u32) {
        self.change_rate(account, |counted| counted + counts);
    }

    /// The first fill of an order gives counts back.
    pub(super) fn uncount_rate(&mut self, account: AccountId, counts: u32) {
        self.change_rate(account, |counted| counted.saturating_sub(counts));
    }

    fn change_rate(&mut self, account: AccountId, change: impl Fn(u32) -> u32) {
        let now_ns = self.now_ns;
        let risk = self.owner(account).risk;
        if risk.max_orders_per_10s == 0 && risk.max_orders_per_day == 0 {
            return;
        }
        for (counted, window_ns) in self.owner_mut(account).rate.iter_mut().zip(WINDOWS_NS) {
            if counted.0 != now_ns / window_ns {
                *counted = (now_ns / window_ns, 0);
            }
            counted.1 = change(counted.1);
        }
    }

    pub(super) fn set_account_risk(
        &mut self,
        request: &SetAccountRisk,
    ) -> Result<(), RejectReason> {
        let SetAccountRisk { account, risk } = *request;
        self.trader(account)?;
        let owner = self.owner(account);
        let is_open = self.open.iter().any(|open| open.order.account == account);
        let has_any = owner.positions.values().chain(owner.owned.values()).any(|of| *of != 0);
        let mut debt = self.receivables.iter();
        let has_debts = debt.any(|debt| debt.debtor == account || debt.creditor == account);
        if risk.mode != owner.risk.mode && (is_open || has_any || has_debts) {
            return Err(RejectReason::AccountNotFlat);
        }
        self.owner_mut(account).risk = risk;
        let account_seq = self.account_seq(account);
        self.events.push(Event::AccountRiskSet(AccountRiskSet { account_seq, account, risk }));
        Ok(())
    }

    pub(super) fn set_account_limits(
        &mut self,
        request: &SetAccountLimits,
    ) -> Result<(), RejectReason> {
        let SetAccountLimits { account, instrument, limits } = *request;
        self.trader(account)?;
        self.known(instrument)?;
        if limits.max_order_notional < Amount::ZERO || limits.max_open_notional < Amount::ZERO {
            return Err(RejectReason::AmountNotPositive);
        }
        self.owner_mut(account).limits.insert(instrument, limits);
        let account_seq = self.account_seq(account);
        let set = AccountLimitsSet { account_seq, account, instrument, limits };
        self.events.push(Event::AccountLimitsSet(set));
        Ok(())
    }

    pub(super) fn set_kill_switch(&mut self, set: &SetKillSwitch) -> Result<(), RejectReason> {
        self.trader(set.account)?;
        self.owner_mut(set.account).killed = set.on;
        let account_seq = self.account_seq(set.account);
        self.events.push(Event::KillSwitchSet(KillSwitchSet { account_seq, set: *set }));
        if set.on {
            self.cancel_named(|order, _| order.account == set.account, CancelCause::KillSwitch);
        }
        Ok(())
    }

    /// Cancels the matching orders, by instrument, within it by side, within it oldest first. Each
    /// has its own name in the report, because the request names none.
    pub(super) fn cancel_named(
        &mut self,
        fits: impl Fn(&Order, SessionId) -> bool,
        cause: CancelCause,
    ) {
        let mut own: Vec<(InstrumentId, Side, OrderId)> = Vec::new();
        for open in self.open.iter().filter(|open| fits(&open.order, open.session)) {
            own.push((open.order.instrument, open.order.side, open.order.order_id));
        }
        own.sort();
        for (instrument, _, order_id) in own {
            let key: Key = (instrument, order_id);
            if let Some(open) = self.find(key) {
                let cl_ord_id = open.order.cl_ord_id;
                self.cancel(key, cl_ord_id, cause);
            }
        }
    }

    pub(super) fn session_of(&self, envelope: &Envelope) -> SessionId {
        match self.sessions.get(&envelope.session) {
            Some(opened) if opened.ends_orders_of(envelope.account) => envelope.session,
            _ => SessionId(0),
        }
    }
}
