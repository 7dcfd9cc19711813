//! Accounts: balances, open orders, and what the engine keeps for queries.

mod arena;
mod balances;
pub(crate) mod extra;
mod market;
pub(crate) mod rate;
pub(crate) mod retries;
pub(crate) mod risk;
mod table;

use std::collections::{BTreeMap, VecDeque};

use types::{
    AccountMode, AccountName, AccountRisk, AccountSpec, Amount, AssetId, Balance, FeeRates,
    Instrument, InstrumentId, Order, Qty, RejectReason, Side,
};

use crate::book::prefetch::prefetch;
use crate::book::slab::NONE;
use crate::state::account::arena::Row;
use crate::state::account::balances::Balances;
use crate::state::account::extra::AccountExtra;
use crate::state::account::market::AccountMarket;
use crate::state::account::rate::OrderRate;
use crate::state::account::retries::Retries;
use crate::state::account::risk::{Exposure, MarketRisk};
use crate::state::account::table::Table;
use crate::state::fee::FeeHold;
use crate::state::orders::finished::{FinishedOrder, KeptTrade};
use crate::state::orders::kept::Kept;

/// The fields that every order touches come first, in the fewest cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Account {
    pub(super) account_seq: u64,
    pub(crate) balances: Balances,
    /// The open orders by instrument.
    pub(crate) markets: Table<AccountMarket>,
    /// State that few accounts have. The check for a plain cash account reads only this field.
    pub(crate) extra: Option<Box<AccountExtra>>,
    pub(crate) finished: Kept<FinishedOrder>,
    pub(crate) trades: Kept<KeptTrade>,
    pub(crate) open_orders: u32,
    pub(crate) spec: AccountSpec,
    /// Oldest first; the limit is that of finished orders.
    pub(crate) done_lists: VecDeque<types::OrderList>,
    /// What each reference was used for first.
    pub(crate) external_refs: BTreeMap<Box<[u8]>, Transferred>,
    pub(crate) retries: Retries,
}

/// The first transfer of an external reference.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Transferred {
    pub(crate) kind: TransferKind,
    pub(crate) asset: AssetId,
    pub(crate) amount: Amount,
    pub(crate) sequence: u64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub(crate) enum TransferKind {
    Deposit = 1,
    Withdrawal = 2,
    /// A withdrawal in two steps.
    Request = 3,
}

const _: () = assert!(std::mem::offset_of!(Account, spec) <= 192);

/// Orders that the first fill of one takes off the counts of the order rate.
const TAKER_FILL_ORDERS: u32 = 1;
const MAKER_FILL_ORDERS: u32 = 5;

/// Limit of the finished orders, and of the trades, that an account can have the venue keep.
const KEPT_MAX: u32 = 1_000_000;

impl Account {
    pub(crate) fn new(spec: AccountSpec) -> Self {
        Self {
            account_seq: 0,
            balances: Balances::default(),
            markets: Table::default(),
            extra: None,
            finished: Kept::default(),
            trades: Kept::default(),
            open_orders: 0,
            spec,
            done_lists: VecDeque::new(),
            external_refs: BTreeMap::new(),
            retries: Retries::default(),
        }
    }

    /// The account's risk settings.
    pub(crate) fn risk(&self) -> AccountRisk {
        self.extra.as_ref().map_or(AccountRisk::PLAIN, |extra| extra.risk)
    }

    /// Accounts of one group do not trade with each other; zero is no group.
    #[inline]
    pub(crate) fn stp_group(&self) -> u32 {
        self.extra.as_ref().map_or(0, |extra| extra.risk.stp_group)
    }

    pub(crate) fn extra_mut(&mut self) -> &mut AccountExtra {
        self.extra.get_or_insert_default()
    }

    /// The venue's own account, which receives the fees.
    pub(super) fn of_venue() -> Self {
        Self::new(AccountSpec {
            name: AccountName::parse("venue").expect("a valid name"),
            fees: None,
            max_open_orders: 0,
            finished_orders_kept: 0,
            trades_kept: 0,
        })
    }

    pub(crate) fn next_seq(&mut self) -> u64 {
        self.account_seq += 1;
        self.account_seq
    }

    pub(crate) fn balance(&self, asset: AssetId) -> Balance {
        self.balances.get(asset)
    }

    #[inline(always)]
    pub(crate) fn balance_mut(&mut self, asset: AssetId) -> &mut Balance {
        self.balances.get_or_make(asset)
    }

    pub(crate) fn market(&self, instrument: InstrumentId) -> AccountMarket {
        self.markets.get(instrument.0).copied().unwrap_or(AccountMarket::EMPTY)
    }

    /// Those with open orders, and maybe others, in order.
    pub(crate) fn instruments(&self) -> impl Iterator<Item = InstrumentId> + use<> {
        self.markets.keys().into_iter().map(InstrumentId)
    }

    #[inline]
    pub(crate) fn open_orders_in(&self, instrument: InstrumentId) -> u32 {
        self.markets.get(instrument.0).map_or(0, |market| market.open_orders)
    }

    #[inline]
    pub(crate) fn market_mut(&mut self, instrument: InstrumentId) -> &mut AccountMarket {
        self.markets.get_or_make(instrument.0)
    }

    /// Prefetches the account itself, as far as orders touch it.
    #[inline]
    pub(crate) fn prefetch(&self) {
        prefetch(&self.account_seq);
        prefetch(&self.finished);
        prefetch(&self.spec);
    }

    /// For prefetching: the youngest open order on a side, after which the next one is linked.
    /// [`NONE`] or another order if the row is not where its search begins.
    #[inline]
    pub(crate) fn last_open(&self, instrument: InstrumentId, side: Side) -> u32 {
        let market = self.markets.home(instrument.0);
        market.map_or(NONE, |market| market.lists[side as usize].tail)
    }

    /// Prefetches the rows of this account that an order in `instrument` touches.
    #[inline]
    pub(crate) fn prefetch_parts(&self, instrument: &Instrument) {
        let spec = &instrument.spec;
        for asset in [spec.base, spec.quote] {
            self.balances.prefetch(asset);
        }
        self.markets.home(instrument.id.0).map(prefetch);
        self.finished.prefetch();
        self.trades.prefetch();
    }

    #[inline(always)]
    pub(crate) fn set_aside(&mut self, asset: AssetId, amount: Amount) {
        let balance = self.balance_mut(asset);
        balance.free -= amount;
        balance.locked += amount;
        debug_assert!(balance.free >= Amount::ZERO);
    }

    #[inline(always)]
    pub(crate) fn give_back(&mut self, asset: AssetId, amount: Amount) {
        let balance = self.balance_mut(asset);
        balance.locked -= amount;
        balance.free += amount;
        debug_assert!(balance.locked >= Amount::ZERO);
    }

    /// Whether the account has balances and pays out of them.
    pub(crate) fn is_cash(&self) -> bool {
        self.extra.as_ref().is_none_or(|extra| extra.is_cash())
    }

    /// The account's limits in an instrument. An account without balances and limits has none.
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

    /// The fee that a buy holds on top of its price.
    pub(crate) fn fee_held(&self, instrument: &Instrument, order: &Order) -> Amount {
        let hold = self.fee_hold(order);
        hold.map_or(Amount::ZERO, |hold| hold.amount(instrument, order.price))
    }

    /// Whether the order rate allows `orders` more orders now.
    pub(crate) fn order_rate_allows(&self, orders: u32, now_ns: u64) -> bool {
        let Some(extra) = &self.extra else { return true };
        let (rate, risk) = (extra.rate.at(now_ns), &extra.risk);
        let allows = |max: u32, taken: u32| max == 0 || taken.saturating_add(orders) <= max;
        allows(risk.max_orders_per_10s, rate.in_window)
            && allows(risk.max_orders_per_day, rate.in_day)
    }

    /// Counts an accepted order, if the account has an order rate.
    #[inline]
    pub(crate) fn count_order(&mut self, now_ns: u64) {
        self.change_rate(now_ns, |count| count.saturating_add(1));
    }

    /// The first fill of an order gives its count back: more of it to a maker, whose order waited.
    pub(crate) fn count_first_fill(&mut self, is_maker: bool, now_ns: u64) {
        let orders = if is_maker { MAKER_FILL_ORDERS } else { TAKER_FILL_ORDERS };
        self.change_rate(now_ns, |count| count.saturating_sub(orders));
    }

    #[inline]
    fn change_rate(&mut self, now_ns: u64, change: impl Fn(u32) -> u32) {
        let Some(extra) = &mut self.extra else { return };
        if extra.risk.max_orders_per_10s > 0 || extra.risk.max_orders_per_day > 0 {
            let rate = extra.rate.at(now_ns);
            let (in_window, in_day) = (change(rate.in_window), change(rate.in_day));
            extra.rate = OrderRate { in_window, in_day, ..rate };
        }
    }

    /// The position in lots: the balance, or the sum of the account's trades.
    pub(crate) fn position(&self, instrument: &Instrument) -> i128 {
        if self.is_cash() {
            let owned = self.balance(instrument.spec.base).total();
            return i128::from(instrument.lots_in(owned).lots());
        }
        self.market_risk(instrument.id).map_or(0, |risk| risk.position)
    }

    /// The lots that a position limit leaves for an order, after the open orders.
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

pub(crate) fn check_account_spec(spec: &AccountSpec) -> Result<(), RejectReason> {
    let fees = spec.fees.unwrap_or(FeeRates::ZERO);
    if fees.maker_fee_bps_x100.max(fees.taker_fee_bps_x100) > FeeRates::MAX_BPS_X100 {
        return Err(RejectReason::FeeTooHigh);
    }
    if spec.finished_orders_kept.max(spec.trades_kept) > KEPT_MAX {
        return Err(RejectReason::AccountLimitsTooHigh);
    }
    Ok(())
}
