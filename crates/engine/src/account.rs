//! What an account owns and has under way, and how a trade moves money.

pub(crate) mod bust;
pub(crate) mod fee;
pub(crate) mod limits;
pub(crate) mod risk;
pub(crate) mod rows;
pub(crate) mod withdrawal;

use std::collections::{BTreeSet, VecDeque};
use std::hint::select_unpredictable;

use types::{
    AccountName, AccountRisk, AccountSpec, Amount, AssetId, Balance, Instrument, InstrumentId,
    Order, Price, Qty, RetryKey, Side,
};

use crate::account::risk::AccountExtra;
use crate::account::rows::Rows;
use crate::book::prefetch::prefetch;
use crate::book::slab::NONE;
use crate::market::Market;
use crate::orders::finished::{FinishedOrder, KeptTrade};
use crate::orders::kept::Kept;

/// What every order touches comes first, in the fewest cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Account {
    pub(crate) account_seq: u64,
    /// Indexed by asset, as far as the account has had to do with them.
    pub(crate) balances: Rows<Balance>,
    /// Indexed by instrument, likewise.
    pub(crate) markets: Rows<AccountMarket>,
    /// What few accounts have. Of a plain cash account this is all that is asked.
    pub(crate) extra: Option<Box<AccountExtra>>,
    pub(crate) finished: Kept<FinishedOrder>,
    pub(crate) trades: Kept<KeptTrade>,
    pub(crate) open_orders: u32,
    pub(crate) spec: AccountSpec,
    /// Oldest first, as many as of finished orders.
    pub(crate) done_lists: VecDeque<types::OrderList>,
    pub(crate) external_refs: BTreeSet<Box<[u8]>>,
    /// Oldest first.
    pub(crate) retries: VecDeque<Retry>,
}

const _: () = assert!(std::mem::offset_of!(Account, spec) <= 192);

/// An account's open orders in one instrument.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct AccountMarket {
    pub(crate) open_orders: u32,
    /// Those of them that wait for a trigger.
    pub(crate) stop_orders: u32,
    pub(crate) iceberg_orders: u32,
    /// Indexed by [`Side`].
    pub(crate) lists: [OrderList; 2],
}

/// Orders of one account and side, as a list through [`crate::orders::OpenOrder`] in the order of
/// their ids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderList {
    pub(crate) head: u32,
    pub(crate) tail: u32,
}

/// A command that may come again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retry {
    pub(crate) key: RetryKey,
    pub(crate) sequence: u64,
    pub(crate) expires_ns: u64,
}

impl AccountMarket {
    pub(crate) const EMPTY: Self = Self {
        open_orders: 0,
        stop_orders: 0,
        iceberg_orders: 0,
        lists: [OrderList { head: NONE, tail: NONE }; 2],
    };
}

impl Account {
    pub(crate) fn new(spec: AccountSpec) -> Self {
        Self {
            account_seq: 0,
            balances: Rows::default(),
            markets: Rows::default(),
            extra: None,
            finished: Kept::default(),
            trades: Kept::default(),
            open_orders: 0,
            spec,
            done_lists: VecDeque::new(),
            external_refs: BTreeSet::new(),
            retries: VecDeque::new(),
        }
    }

    /// How it is looked after.
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

    /// The venue's own, which receives the fees.
    pub(crate) fn of_venue() -> Self {
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
        self.balances.get(usize::from(asset.0)).copied().unwrap_or_default()
    }

    #[inline(always)]
    pub(crate) fn balance_mut(&mut self, asset: AssetId) -> &mut Balance {
        self.balances.get_or_make(usize::from(asset.0))
    }

    pub(crate) fn market(&self, instrument: InstrumentId) -> AccountMarket {
        self.markets.get(instrument.0 as usize).copied().unwrap_or(AccountMarket::EMPTY)
    }

    #[inline]
    pub(crate) fn open_orders_in(&self, instrument: InstrumentId) -> u32 {
        self.markets.get(instrument.0 as usize).map_or(0, |market| market.open_orders)
    }

    #[inline]
    pub(crate) fn market_mut(&mut self, instrument: InstrumentId) -> &mut AccountMarket {
        self.markets.get_or_make(instrument.0 as usize)
    }

    /// Has the account itself brought near, as far as orders touch it.
    #[inline]
    pub(crate) fn prefetch(&self) {
        prefetch(&self.account_seq);
        prefetch(&self.finished);
        prefetch(&self.spec);
    }

    /// The youngest open order on a side, which the next one is put behind; [`NONE`] if there is
    /// none.
    #[inline]
    pub(crate) fn last_open(&self, instrument: InstrumentId, side: Side) -> u32 {
        let market = self.markets.get(instrument.0 as usize);
        market.map_or(NONE, |market| market.lists[side as usize].tail)
    }

    /// Has brought near what an order in `instrument` touches of this account.
    #[inline]
    pub(crate) fn prefetch_parts(&self, instrument: &Instrument) {
        let spec = &instrument.spec;
        for asset in [spec.base, spec.quote] {
            self.balances.get(usize::from(asset.0)).map(prefetch);
        }
        self.markets.get(instrument.id.0 as usize).map(prefetch);
        self.finished.prefetch();
        self.trades.prefetch();
    }

    /// Sets aside what a limit order may cost. The check saw that it is there.
    ///
    /// All that an open order may cost goes through here and [`Account::release`], with its price
    /// as it is then: whoever changes a price releases first what the order held.
    pub(crate) fn hold(&mut self, market: &Market, order: &Order, qty: Qty, now_ns: u64) {
        if self.extra.is_some() | market.fee_schedule.is_some() {
            return self.hold_uncommon(market, order, qty, now_ns);
        }
        let (asset, amount) = held(&market.instrument, order, qty);
        self.set_aside(asset, amount);
    }

    #[inline(always)]
    pub(crate) fn set_aside(&mut self, asset: AssetId, amount: Amount) {
        let balance = self.balance_mut(asset);
        balance.free -= amount;
        balance.locked += amount;
        debug_assert!(balance.free >= Amount::ZERO);
    }

    /// Gives back what was set aside for `qty` of a limit order.
    pub(crate) fn release(&mut self, instrument: &Instrument, order: &Order, qty: Qty) {
        if self.extra.is_some() {
            return self.release_uncommon(instrument, order, qty);
        }
        let (asset, amount) = held(instrument, order, qty);
        self.give_back(asset, amount);
    }

    #[inline(always)]
    pub(crate) fn give_back(&mut self, asset: AssetId, amount: Amount) {
        let balance = self.balance_mut(asset);
        balance.locked -= amount;
        balance.free += amount;
        debug_assert!(balance.locked >= Amount::ZERO);
    }

    /// Holds what an open order costs from now on in place of what it did; `false` if there is
    /// not so much, and then nothing changes.
    pub(crate) fn rehold(
        &mut self,
        market: &Market,
        from: &Order,
        to: &Order,
        now_ns: u64,
    ) -> bool {
        if self.extra.is_some() | market.fee_schedule.is_some() | (to.price.ticks() <= 0) {
            return self.rehold_uncommon(market, from, to, now_ns);
        }
        let instrument = &market.instrument;
        let (asset, held_now) = held(instrument, from, from.leaves_qty());
        let (_, needed) = held(instrument, to, to.leaves_qty());
        let balance = self.balance_mut(asset);
        if balance.free + held_now < needed {
            return false;
        }
        balance.free = balance.free + held_now - needed;
        balance.locked = balance.locked + needed - held_now;
        true
    }

    /// Pays for a fill of `qty`, which is `base` and `quote`, and receives what it brought, less
    /// the fee.
    #[inline]
    pub(crate) fn settle(
        &mut self,
        instrument: &Instrument,
        order: &Order,
        qty: Qty,
        base: Amount,
        quote: Amount,
        fee: Amount,
    ) {
        if !order.order_type.is_market() {
            self.release(instrument, order, qty);
        }
        let spec = &instrument.spec;
        let is_buy = order.side == Side::Buy;
        let (bought, sold) = ((spec.base, base), (spec.quote, quote));
        let (got_asset, got) = select_unpredictable(is_buy, bought, sold);
        let (paid_asset, paid) = select_unpredictable(is_buy, sold, bought);
        let paid_from = self.balance_mut(paid_asset);
        paid_from.free -= paid;
        debug_assert!(paid_from.free >= Amount::ZERO);
        self.balance_mut(got_asset).free += got - fee;
    }
}

/// What an open order of this size holds: a buy the quote asset at its limit, a sell the base.
#[inline]
pub(crate) fn held(instrument: &Instrument, order: &Order, qty: Qty) -> (AssetId, Amount) {
    held_at(instrument, order.side, order.price, qty)
}

#[inline(always)]
pub(crate) fn held_at(
    instrument: &Instrument,
    side: Side,
    price: Price,
    qty: Qty,
) -> (AssetId, Amount) {
    // Which side it is, a processor guesses wrong half of the time.
    let notional = instrument.notional(price, qty).minor();
    let base = instrument.base_amount(qty).minor();
    let is_buy = side == Side::Buy;
    let spec = &instrument.spec;
    let asset = select_unpredictable(is_buy, spec.quote, spec.base);
    (asset, Amount::from_minor(select_unpredictable(is_buy, notional, base)))
}

/// The asset that a side receives, from which its fee is taken.
pub(crate) fn received_asset(instrument: &Instrument, side: Side) -> AssetId {
    match side {
        Side::Buy => instrument.spec.base,
        Side::Sell => instrument.spec.quote,
    }
}
