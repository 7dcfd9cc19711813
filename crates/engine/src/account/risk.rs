//! What few accounts have: a mode of their own, limits, positions, an order rate, a kill switch,
//! fees held on top of prices.

use std::collections::{BTreeMap, BTreeSet};

use types::{
    AMOUNT_MAX, AccountId, AccountLimits, AccountLimitsSet, AccountMode, AccountRisk,
    AccountRiskSet, Amount, Event, FeeRates, FeeSchedule, Instrument, InstrumentId, Order, OrderId,
    Qty, Reader, RejectReason, SetAccountLimits, SetAccountRisk, Side, TradeId, Wire,
};

use crate::account::fee::{FeeHold, Volume, fee, schedule_valid};
use crate::account::{Account, held};
use crate::engine::Engine;
use crate::market::Market;
use crate::state::write_list;

/// What an account has beyond balances, orders and trades. A plain cash account has none of it.
#[derive(Clone, Debug)]
pub(crate) struct AccountExtra {
    pub(crate) risk: AccountRisk,
    /// Its kill switch is on.
    pub(crate) killed: bool,
    pub(crate) rate: OrderRate,
    /// Where it has limits; and where an account without balances has traded.
    pub(crate) markets: BTreeMap<InstrumentId, MarketRisk>,
    /// Where fees go by volume.
    pub(crate) volumes: BTreeMap<InstrumentId, Volume>,
    /// Of open buys whose fee comes on top.
    pub(crate) fee_holds: BTreeMap<(InstrumentId, OrderId), FeeHold>,
    /// Trades that were undone, of those that are kept.
    pub(crate) busted: BTreeSet<(InstrumentId, TradeId)>,
}

/// What an account may do in an instrument, and what it has under way.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct MarketRisk {
    pub(crate) limits: AccountLimits,
    pub(crate) exposure: Exposure,
    /// In lots, short below zero; of an account with balances always zero.
    pub(crate) position: i128,
}

/// What open orders come to, as far as they hold anything. Modulo 2^128, which only absurd orders
/// reach: it comes out right again as they end.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Exposure {
    /// In lots, indexed by [`Side`].
    pub(crate) open_qty: [i128; 2],
    pub(crate) open_notional: i128,
}

/// Orders taken on in the current window of ten seconds, and on the current day (UTC).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct OrderRate {
    /// The windows before this one, since 1970.
    pub window: u64,
    pub in_window: u32,
    /// The days before this one, since 1970.
    pub day: u64,
    pub in_day: u32,
}

const WINDOW_NS: u64 = 10_000_000_000;
pub(crate) const DAY_NS: u64 = 86_400_000_000_000;

impl Default for AccountExtra {
    fn default() -> Self {
        Self {
            risk: AccountRisk::PLAIN,
            killed: false,
            rate: OrderRate::default(),
            markets: BTreeMap::new(),
            volumes: BTreeMap::new(),
            fee_holds: BTreeMap::new(),
            busted: BTreeSet::new(),
        }
    }
}

impl AccountExtra {
    fn is_cash(&self) -> bool {
        self.risk.mode == AccountMode::Cash
    }

    /// Where an instrument's open orders are counted, if they are.
    fn exposure_mut(&mut self, instrument: InstrumentId) -> Option<&mut Exposure> {
        let risk = match self.risk.mode {
            AccountMode::Limits => self.markets.entry(instrument).or_default(),
            AccountMode::Cash | AccountMode::None => self.markets.get_mut(&instrument)?,
        };
        Some(&mut risk.exposure)
    }
}

impl OrderRate {
    /// The counts as they stand at a time.
    pub(crate) fn at(mut self, now_ns: u64) -> Self {
        let (window, day) = (now_ns / WINDOW_NS, now_ns / DAY_NS);
        if self.window != window {
            (self.window, self.in_window) = (window, 0);
        }
        if self.day != day {
            (self.day, self.in_day) = (day, 0);
        }
        self
    }
}

impl Exposure {
    pub(crate) fn add(&mut self, instrument: &Instrument, order: &Order, qty: Qty) {
        let open = &mut self.open_qty[order.side as usize];
        *open = open.wrapping_add(i128::from(qty.lots()));
        let notional = instrument.notional(order.price, qty).minor().abs();
        self.open_notional = self.open_notional.wrapping_add(notional);
    }

    pub(crate) fn subtract(&mut self, instrument: &Instrument, order: &Order, qty: Qty) {
        let open = &mut self.open_qty[order.side as usize];
        *open = open.wrapping_sub(i128::from(qty.lots()));
        let notional = instrument.notional(order.price, qty).minor().abs();
        self.open_notional = self.open_notional.wrapping_sub(notional);
    }
}

impl Account {
    /// Owns balances, and pays out of them.
    pub(crate) fn is_cash(&self) -> bool {
        self.extra.as_ref().is_none_or(|extra| extra.is_cash())
    }

    /// What bounds the account in an instrument. Nothing bounds one without balances and limits.
    pub(crate) fn market_risk(&self, instrument: InstrumentId) -> Option<&MarketRisk> {
        let extra = self.extra.as_ref().filter(|extra| extra.risk.mode != AccountMode::None)?;
        extra.markets.get(&instrument)
    }

    #[inline]
    pub(crate) fn is_killed(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.killed)
    }

    pub(crate) fn fee_hold(&self, order: &Order) -> Option<&FeeHold> {
        self.extra.as_ref()?.fee_holds.get(&(order.instrument, order.order_id))
    }

    /// What a buy holds on top of its price.
    pub(crate) fn fee_held(&self, instrument: &Instrument, order: &Order) -> Amount {
        let hold = self.fee_hold(order);
        hold.map_or(Amount::ZERO, |hold| hold.amount(instrument, order.price))
    }

    /// [`Account::hold`] where an account or an instrument is not a plain one.
    #[cold]
    #[inline(never)]
    pub(crate) fn hold_uncommon(&mut self, market: &Market, order: &Order, qty: Qty, now_ns: u64) {
        let rate = self.fee_rate_on_top(market, order.side, now_ns);
        self.hold_at_rate(&market.instrument, order, qty, rate);
    }

    fn hold_at_rate(&mut self, instrument: &Instrument, order: &Order, qty: Qty, rate: u32) {
        let fee_before = self.fee_held(instrument, order);
        let extra = self.extra_mut();
        if let Some(exposure) = extra.exposure_mut(order.instrument) {
            exposure.add(instrument, order, qty);
        }
        if !extra.is_cash() {
            return;
        }
        let of_order = (order.instrument, order.order_id);
        if rate > 0 || extra.fee_holds.contains_key(&of_order) {
            let hold = extra
                .fee_holds
                .entry(of_order)
                .or_insert(FeeHold { bps_x100: rate, qty: Qty::ZERO });
            hold.qty += qty;
        }
        let (asset, amount) = held(instrument, order, qty);
        let amount = amount + self.fee_held(instrument, order) - fee_before;
        let balance = self.balance_mut(asset);
        balance.free -= amount;
        balance.locked += amount;
        debug_assert!(balance.free >= Amount::ZERO);
    }

    /// [`Account::release`] likewise.
    #[cold]
    #[inline(never)]
    pub(crate) fn release_uncommon(&mut self, instrument: &Instrument, order: &Order, qty: Qty) {
        let fee_before = self.fee_held(instrument, order);
        let extra = self.extra_mut();
        if let Some(exposure) = extra.exposure_mut(order.instrument) {
            exposure.subtract(instrument, order, qty);
        }
        if !extra.is_cash() {
            return;
        }
        let of_order = (order.instrument, order.order_id);
        if let Some(hold) = extra.fee_holds.get_mut(&of_order) {
            hold.qty -= qty;
            if hold.qty.is_zero() {
                extra.fee_holds.remove(&of_order);
            }
        }
        let (asset, amount) = held(instrument, order, qty);
        let amount = amount + fee_before - self.fee_held(instrument, order);
        let balance = self.balance_mut(asset);
        balance.locked -= amount;
        balance.free += amount;
        debug_assert!(balance.locked >= Amount::ZERO);
    }

    /// [`Account::rehold`] likewise. An account that owns balances holds nothing for a price of
    /// zero or less.
    #[cold]
    #[inline(never)]
    pub(crate) fn rehold_uncommon(
        &mut self,
        market: &Market,
        from: &Order,
        to: &Order,
        now_ns: u64,
    ) -> bool {
        let instrument = &market.instrument;
        // Who moves with the book goes on at the rate that he came with.
        let rate = match to.terms.is_some_and(|terms| terms.terms.peg.is_some()) {
            true => self.fee_hold(from).map_or(0, |hold| hold.bps_x100),
            false => self.fee_rate_on_top(market, to.side, now_ns),
        };
        if self.is_cash() {
            let (asset, held_now) = held(instrument, from, from.leaves_qty());
            let (_, needed) = held(instrument, to, to.leaves_qty());
            let free = self.balance(asset).free + held_now + self.fee_held(instrument, from);
            if to.price.ticks() <= 0 || free < needed + fee(needed, rate) {
                return false;
            }
        }
        self.release_uncommon(instrument, from, from.leaves_qty());
        self.hold_at_rate(instrument, to, to.leaves_qty(), rate);
        true
    }

    /// Whether so many more orders may be taken on now.
    pub(crate) fn order_rate_allows(&self, orders: u32, now_ns: u64) -> bool {
        let Some(extra) = &self.extra else { return true };
        let (rate, risk) = (extra.rate.at(now_ns), &extra.risk);
        let allows = |max: u32, taken: u32| max == 0 || taken.saturating_add(orders) <= max;
        allows(risk.max_orders_per_10s, rate.in_window)
            && allows(risk.max_orders_per_day, rate.in_day)
    }

    /// An order was taken on. Where nothing bounds the rate, nothing is counted.
    #[inline]
    pub(crate) fn count_order(&mut self, now_ns: u64) {
        let Some(extra) = &mut self.extra else { return };
        if extra.risk.max_orders_per_10s > 0 || extra.risk.max_orders_per_day > 0 {
            let rate = extra.rate.at(now_ns);
            let (in_window, in_day) =
                (rate.in_window.saturating_add(1), rate.in_day.saturating_add(1));
            extra.rate = OrderRate { in_window, in_day, ..rate };
        }
    }

    /// How far long the account is, in lots: what it owns, or what it has traded.
    pub(crate) fn position(&self, instrument: &Instrument) -> i128 {
        if self.is_cash() {
            let owned = self.balance(instrument.spec.base).total();
            return i128::from(instrument.lots_in(owned).lots());
        }
        self.market_risk(instrument.id).map_or(0, |risk| risk.position)
    }

    /// The lots that a limit on the position leaves for an order, beside the open ones.
    pub(crate) fn position_room(
        &self,
        instrument: &Instrument,
        side: Side,
        exposure: &Exposure,
    ) -> Option<Qty> {
        let risk = self.market_risk(instrument.id)?;
        let max = i128::from(risk.limits.max_position.lots());
        if max == 0 {
            return None;
        }
        let position = self.position(instrument);
        let open = exposure.open_qty[side as usize];
        let room = match side {
            Side::Buy => max.saturating_sub(position),
            Side::Sell => max.saturating_add(position),
        };
        let room = room.saturating_sub(open).max(0);
        Some(Qty::from_lots(u64::try_from(room).unwrap_or(u64::MAX)))
    }
}

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

    /// Whether nothing is left of the mode in which an account has been.
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

    /// What the account's open orders come to, which from now on is counted.
    fn check_account_limits(&self, request: &SetAccountLimits) -> Result<Exposure, RejectReason> {
        let SetAccountLimits { account, instrument, limits } = *request;
        self.account(account).ok_or(RejectReason::UnknownAccount)?;
        self.market(instrument).ok_or(RejectReason::UnknownInstrument)?;
        if limits.max_order_notional < Amount::ZERO || limits.max_open_notional < Amount::ZERO {
            return Err(RejectReason::AmountNotPositive);
        }
        Ok(self.exposure(account, instrument))
    }

    /// Counts what open orders come to, of a state that was read back.
    pub(crate) fn count_exposures(&mut self) {
        for id in (0..).map(AccountId).take(self.accounts.len()) {
            let Some(mut extra) = self.accounts[id.0 as usize].extra.take() else { continue };
            for (instrument, risk) in &mut extra.markets {
                risk.exposure = self.exposure(id, *instrument);
            }
            self.accounts[id.0 as usize].extra = Some(extra);
        }
    }

    /// What open orders come to, counted one by one. A suspended order counts too.
    pub(crate) fn exposure(&self, account: AccountId, instrument: InstrumentId) -> Exposure {
        let mut exposure = Exposure::default();
        let Some(market) = self.market(instrument) else { return exposure };
        let suspended = self.deferred.iter().filter_map(|work| work.held_by(account)).copied();
        let suspended = suspended.filter(|order| order.instrument == instrument);
        let all = self.holding_orders(account, instrument).chain(suspended);
        for order in all.filter(|order| !order.order_type.is_market()) {
            exposure.add(&market.instrument, &order, order.leaves_qty());
        }
        exposure
    }

    /// How an account is looked after.
    pub fn account_risk(&self, account: AccountId) -> Option<AccountRisk> {
        self.account(account).map(Account::risk)
    }

    /// Where an account has limits, and which.
    pub fn limits(
        &self,
        account: AccountId,
    ) -> impl Iterator<Item = (InstrumentId, &AccountLimits)> {
        let extra = self.account(account).and_then(|account| account.extra.as_ref());
        let all = extra.into_iter().flat_map(|extra| &extra.markets);
        all.map(|(id, risk)| (*id, &risk.limits))
            .filter(|(_, limits)| **limits != AccountLimits::default())
    }

    /// The positions of an account without balances, in lots, short below zero.
    pub fn positions(&self, account: AccountId) -> impl Iterator<Item = (InstrumentId, i128)> {
        let extra = self.account(account).and_then(|account| account.extra.as_ref());
        let all = extra.into_iter().flat_map(|extra| &extra.markets);
        all.map(|(id, risk)| (*id, risk.position)).filter(|(_, position)| *position != 0)
    }

    /// The orders that an account has had taken on lately. Counted where the account has an order
    /// rate or anything else that few have.
    pub fn order_rate(&self, account: AccountId) -> Option<OrderRate> {
        let extra = self.account(account)?.extra.as_ref();
        Some(extra.map(|extra| extra.rate).unwrap_or_default().at(self.now_ns))
    }

    /// Whether an account's kill switch is on.
    pub fn is_killed(&self, account: AccountId) -> bool {
        self.account(account).is_some_and(Account::is_killed)
    }
}

/// What few accounts and instruments have, written behind what all have.
impl Engine {
    pub(crate) fn write_risk(&self, out: &mut Vec<u8>) {
        self.clearing.write(out);
        let markets = (0..).map(InstrumentId).zip(&self.markets);
        let schedules =
            markets.filter_map(|(id, market)| Some((id, market.fee_schedule.as_ref()?)));
        write_list(schedules, out, |(id, schedule), out| {
            id.write(out);
            schedule.write(out);
        });
        let accounts = (0..).map(AccountId).zip(&self.accounts);
        let uncommon = accounts.filter_map(|(id, account)| Some((id, account.extra.as_ref()?)));
        write_list(uncommon, out, |(id, extra), out| {
            id.write(out);
            extra.write(out);
        });
    }

    pub(crate) fn read_risk(&mut self, r: &mut Reader<'_>) -> Option<()> {
        self.clearing = r.read()?;
        (self.clearing.len() == self.assets.len()).then_some(())?;
        let limit = AMOUNT_MAX.minor().unsigned_abs();
        let fits = |amount: &Amount| amount.minor().unsigned_abs() <= limit;
        self.clearing.iter().all(fits).then_some(())?;
        let schedules: BTreeMap<InstrumentId, FeeSchedule> = read_map(r)?;
        for (id, schedule) in schedules {
            schedule_valid(&schedule).then_some(())?;
            self.markets.get_mut(id.0 as usize)?.fee_schedule = Some(Box::new(schedule));
        }
        let extras: BTreeMap<AccountId, AccountExtra> = read_map(r)?;
        for (id, extra) in extras {
            let sound = self.account(id).is_some() && self.extra_is_sound(&extra);
            sound.then_some(())?;
            self.has_clearing |= !extra.is_cash();
            self.accounts[id.0 as usize].extra = Some(Box::new(extra));
        }
        self.has_clearing |= self.clearing.iter().any(|amount| !amount.is_zero());
        Some(())
    }

    fn extra_is_sound(&self, extra: &AccountExtra) -> bool {
        let known = |id: &InstrumentId| self.market(*id).is_some();
        // Beyond this no position comes by trades of at most 2^53 lots.
        let counted = |risk: &MarketRisk| risk.position.unsigned_abs() <= 1 << 117;
        let amounts = |limits: &AccountLimits| {
            limits.max_order_notional >= Amount::ZERO && limits.max_open_notional >= Amount::ZERO
        };
        extra.markets.keys().all(known)
            && extra.volumes.keys().all(known)
            && extra.markets.values().all(|risk| counted(risk) && amounts(&risk.limits))
            && extra.fee_holds.values().all(|hold| hold.bps_x100 <= FeeRates::MAX_BPS_X100)
    }
}

/// Reads back a map in the order of its keys.
pub(crate) fn read_map<K: Wire + Ord, V: Wire>(r: &mut Reader<'_>) -> Option<BTreeMap<K, V>> {
    let list: Vec<(K, V)> = r.read()?;
    list.is_sorted_by(|(one, _), (next, _)| one < next).then(|| list.into_iter().collect())
}

fn write_map<K: Wire + Copy, V: Wire>(map: &BTreeMap<K, V>, out: &mut Vec<u8>) {
    write_list(map.iter(), out, |(key, value), out| {
        key.write(out);
        value.write(out);
    });
}

impl Wire for AccountExtra {
    fn write(&self, out: &mut Vec<u8>) {
        self.risk.write(out);
        self.killed.write(out);
        self.rate.write(out);
        write_map(&self.markets, out);
        write_map(&self.volumes, out);
        write_map(&self.fee_holds, out);
        write_list(self.busted.iter(), out, Wire::write);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            risk: r.read()?,
            killed: r.read()?,
            rate: r.read()?,
            markets: read_map(r)?,
            volumes: read_map(r)?,
            fee_holds: read_map(r)?,
            busted: {
                let list: Vec<(InstrumentId, TradeId)> = r.read()?;
                list.is_sorted_by(|one, next| one < next).then(|| list.into_iter().collect())?
            },
        })
    }
}

impl Wire for OrderRate {
    fn write(&self, out: &mut Vec<u8>) {
        ((self.window, self.in_window), (self.day, self.in_day)).write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let ((window, in_window), (day, in_day)) = r.read()?;
        Some(Self { window, in_window, day, in_day })
    }
}

/// The exposure is not written: it follows from the open orders.
impl Wire for MarketRisk {
    fn write(&self, out: &mut Vec<u8>) {
        self.limits.write(out);
        self.position.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self { limits: r.read()?, exposure: Exposure::default(), position: r.read()? })
    }
}
