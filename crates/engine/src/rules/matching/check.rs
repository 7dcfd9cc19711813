//! The ladder of refusals for a new order: what is checked, in which order.

use types::{
    AccountId, Amount, Instrument, NewOrder, OrderSize, OrderType, Phase, Price, Qty, RejectReason,
    Side, Terms, TimeInForce,
};

use crate::book::node::NodeId;
use crate::rules::account::limits::Limited;
use crate::rules::market::phase::check_phase;
use crate::rules::matching::context::{EntryContext, is_iceberg};
use crate::state::Engine;
use crate::state::account::Account;
use crate::state::market::Market;
use crate::state::orders::Leaving;
use crate::state::orders::record::Standing;
use crate::state::orders::terms::Requested;
use crate::state::triggers::direction::TRAILING_DELTA_END_BPS;

/// An order that passed the rungs of its state, with the records that the other rungs need.
#[derive(Clone, Copy)]
struct Entering<'a> {
    account: &'a Account,
    market: &'a Market,
    order: &'a NewOrder,
    /// The best price of the other side.
    best: Option<Price>,
    context: EntryContext,
}

/// The price of an order, and its measures if the account has limits.
type Priced<'a> = (Price, Option<Limited<'a>>);

/// Each part of an iceberg is a trade of its own: with more parts, one order could occupy the venue
/// without bound.
const ICEBERG_PARTS_MAX: u64 = 1_000;

/// Basis points in one.
const BPS: i128 = 10_000;

impl Engine {
    /// Whether the engine would accept an order now. Reads only; `order/test` calls it too.
    pub fn check_new_order(
        &self,
        account: AccountId,
        order: &NewOrder,
    ) -> Result<(), RejectReason> {
        self.check_order(account, order, EntryContext::ALONE)
    }

    /// The ladder is the specification: one rung per reason, in the order of [`RejectReason`].
    pub(crate) fn check_order(
        &self,
        account_id: AccountId,
        order: &NewOrder,
        context: EntryContext,
    ) -> Result<(), RejectReason> {
        let entering = self.check_state(account_id, order, context, true)?;
        let priced = self.check_bounds(&entering)?;
        let same_name = self.orders.by_cl_ord_id(account_id, order.instrument, &order.cl_ord_id);
        if same_name.is_some() && same_name != context.own {
            return Err(RejectReason::DuplicateClOrdId);
        }
        if context.later {
            return Ok(());
        }
        let own = context.own.map(|own| (own, context.placed));
        let account = (account_id, entering.account);
        self.check_funds(entering.market, account, order, priced.0, own)?;
        self.check_positions(&entering, &priced)?;
        self.check_at_once(&entering, &priced)
    }

    /// The rungs that a replace checks ahead of its cancel: all that need not wait for what the
    /// cancel frees. Those for names, funds and the state of the book follow the cancel.
    /// `is_over_rate` skips the order rate.
    #[inline(never)]
    pub(crate) fn check_ahead_of_cancel(
        &self,
        account_id: AccountId,
        order: &NewOrder,
        leaving: Leaving,
        is_over_rate: bool,
    ) -> Result<(), RejectReason> {
        if !is_over_rate && self.passes_fast_path(account_id, order) {
            return Ok(());
        }
        let context = EntryContext { leaving, ..EntryContext::ALONE };
        let entering = self.check_state(account_id, order, context, !is_over_rate)?;
        let priced = self.check_bounds(&entering)?;
        self.check_positions(&entering, &priced)
    }

    /// The rungs for the state of account and instrument, and for terms that contradict each other.
    fn check_state<'a>(
        &'a self,
        account_id: AccountId,
        order: &'a NewOrder,
        context: EntryContext,
        has_rate: bool,
    ) -> Result<Entering<'a>, RejectReason> {
        let account = self.account(account_id).ok_or(RejectReason::UnknownAccount)?;
        let market = self.market(order.instrument).ok_or(RejectReason::UnknownInstrument)?;
        if account.is_killed() {
            return Err(RejectReason::AccountKilled);
        }
        self.check_open(market)?;
        check_phase(market.trading.phase, order)?;
        let is_new = context.own.is_none() && has_rate;
        if is_new && !account.order_rate_allows(context.together.orders, self.now_ns) {
            return Err(RejectReason::OrderRateAboveMax);
        }
        if !Requested::from(order).is_valid() {
            return Err(RejectReason::OrderTermsInvalid);
        }
        let best = market.best_price(order.side.opposite());
        Ok(Entering { account, market, order, best, context })
    }

    /// The rungs for prices, quantities, notional and numbers of open orders.
    fn check_bounds<'a>(&self, entering: &Entering<'a>) -> Result<Priced<'a>, RejectReason> {
        let Entering { account, market, order, best, context } = *entering;
        let (price, limited) = self.check_prices(entering)?;
        if !context.sized_later {
            match order.size {
                OrderSize::Base(qty) => check_qty(market, order, qty)?,
                OrderSize::Quote(amount) => self.check_qty_by_quote(market, order.side, amount)?,
            }
            if let Some(limited) = &limited {
                limited.check_qty()?;
            }
            let by_average = market.trading.rules.notional_by_avg_price;
            let measured_at = if by_average { market.trading.avg_price(self.now_ns) } else { best };
            check_notional(&market.instrument, account, order, price, measured_at)?;
            if let Some(limited) = &limited {
                limited.check_notional()?;
            }
        }
        let is_stop = order.order_type.is_stop();
        let stays = is_stop || (!order.order_type.is_market() && order.time_in_force.may_rest());
        if stays && (context.own.is_none() || context.placed) {
            check_counts(entering, limited.as_ref(), &self.discounted(entering))?;
        }
        if stays && let Some(limited) = &limited {
            limited.check_open_notional(context.beside.notional)?;
        }
        Ok((price, limited))
    }

    fn check_positions(
        &self,
        entering: &Entering<'_>,
        (_, limited): &Priced<'_>,
    ) -> Result<(), RejectReason> {
        let Entering { market, order, context, .. } = *entering;
        if !market.trading.rules.max_position.is_zero() && order.side == Side::Buy {
            self.check_max_position(entering)?;
        }
        match limited {
            Some(limited) => limited.check_position(context.beside.limited),
            None => Ok(()),
        }
    }

    /// The rungs for what the book does to the order at once.
    fn check_at_once(
        &self,
        entering: &Entering<'_>,
        (price, _): &Priced<'_>,
    ) -> Result<(), RejectReason> {
        let Entering { market, order, best, context, .. } = *entering;
        if order.order_type == OrderType::Market
            && (best.is_none() || self.lacks_min_qty(market, order))
        {
            return Err(RejectReason::NoLiquidity);
        }
        let trades = market.trading.phase == Phase::Continuous
            && best.is_some_and(|best| order.side.crosses(*price, best));
        if order.order_type == OrderType::LimitMaker && trades {
            return Err(RejectReason::WouldTakeLiquidity);
        }
        let waits = context.own.is_some() && !context.placed;
        if order.order_type.is_stop() && !waits && Self::triggers_at_once(market, order) {
            return Err(RejectReason::WouldTriggerImmediately);
        }
        Ok(())
    }

    /// The open orders that the limits do not count.
    fn discounted(&self, entering: &Entering<'_>) -> Discounted {
        let mut discounted = Discounted::default();
        if entering.context.placed {
            let itself = Discounted { here: 1, all: 1, stops: 1, icebergs: 1 };
            return itself;
        }
        for node in entering.context.leaving.into_iter().flatten() {
            discounted.all += 1;
            if self.orders.record(node).instrument == entering.order.instrument {
                let is_iceberg = !self.orders.terms(node).terms.display_qty.is_zero();
                discounted.here += 1;
                discounted.icebergs += u32::from(is_iceberg);
                discounted.stops += u32::from(self.waits_as_stop(node));
            }
        }
        discounted
    }

    fn waits_as_stop(&self, node: NodeId) -> bool {
        matches!(self.orders.standing(node), Standing::Trigger | Standing::List)
            && self.orders.record(node).order_type.is_stop()
    }

    /// The rungs for prices, triggers and dates. Returns the order's price, and its measures if the
    /// account has limits.
    fn check_prices<'a>(&self, entering: &Entering<'a>) -> Result<Priced<'a>, RejectReason> {
        let Entering { account, market, order, best, context } = *entering;
        let instrument = &market.instrument;
        let price =
            if takes_reference(order) { self.reference_price(order) } else { Some(order.price) };
        check_price(instrument, order, price)?;
        let limited = self.limited(account, order, price, best, (context.own, context.leaving));
        if let Some(terms) = &order.terms {
            check_trigger(market, terms)?;
        }
        check_percent_price(market, order, price, self.now_ns)?;
        if let Some(limited) = &limited {
            limited.check_collar(market.trading.last_price)?;
        }
        let price = price.ok_or(RejectReason::NoPegReference)?;
        if order.time_in_force == TimeInForce::Gtd && order.special().expire_ns <= self.now_ns {
            return Err(RejectReason::ExpireTimePast);
        }
        Ok((price, limited))
    }

    /// The position of an account and its open buys, counted only if the instrument bounds
    /// positions. The number of its open orders there is bounded too.
    #[cold]
    fn check_max_position(&self, entering: &Entering<'_>) -> Result<(), RejectReason> {
        let Entering { account, market, order, best, context } = *entering;
        let instrument = &market.instrument;
        let qty = match order.size {
            OrderSize::Base(qty) => qty,
            OrderSize::Quote(amount) => instrument.lots_for(amount, best.unwrap_or_default()),
        };
        let done = context.own.map_or(Qty::ZERO, |own| self.orders.order(own).cum_qty);
        let buys = self.orders.of_side(account, instrument.id, Side::Buy);
        let others = buys.filter(|node| {
            !context.discounts(*node) && self.orders.standing(*node) != Standing::List
        });
        let open: i128 = others.map(|node| i128::from(self.orders.leaves_qty(node).lots())).sum();
        let rest = i128::from(qty.lots()) - i128::from(done.lots().min(qty.lots()));
        let rest = rest + i128::from(context.beside.all.lots());
        let max = i128::from(market.trading.rules.max_position.lots());
        let above = account.position(instrument).saturating_add(open + rest) > max;
        if above { Err(RejectReason::PositionAboveMax) } else { Ok(()) }
    }

    /// The price of an order without a price of its own: the best opposite price, or its peg.
    #[cold]
    pub(super) fn reference_price(&self, order: &NewOrder) -> Option<Price> {
        match order.special().peg {
            Some(peg) => self.peg_price(order.instrument, order.side, order.order_type, &peg),
            None => self.market(order.instrument)?.best_price(order.side.opposite()),
        }
    }
}

/// Whether an order takes its price from the book.
pub(super) fn takes_reference(order: &NewOrder) -> bool {
    order.order_type == OrderType::MarketToLimit
        || order.terms.is_some_and(|terms| terms.peg.is_some())
}

#[cold]
fn check_trigger(market: &Market, terms: &Terms) -> Result<(), RejectReason> {
    let spec = &market.instrument.spec;
    let bounds = spec.min_price..=spec.max_price;
    if terms.stop_price.is_some_and(|stop_price| !bounds.contains(&stop_price)) {
        return Err(RejectReason::StopPriceOutOfRange);
    }
    let rules = &market.trading.rules;
    let delta_max = match rules.trailing_delta_max_bps {
        0 => TRAILING_DELTA_END_BPS - 1,
        max => max.min(TRAILING_DELTA_END_BPS - 1),
    };
    let delta_bps = terms.trailing_delta_bps;
    if delta_bps > 0 && !(rules.trailing_delta_min_bps..=delta_max).contains(&delta_bps) {
        return Err(RejectReason::TrailingDeltaOutOfRange);
    }
    Ok(())
}

/// Numbers of open orders that the limits do not count: here, in all instruments, and of two kinds
/// here.
#[derive(Clone, Copy, Default)]
struct Discounted {
    here: u32,
    all: u32,
    stops: u32,
    icebergs: u32,
}

/// The rungs that count open orders, for an order that may rest or wait.
fn check_counts(
    entering: &Entering<'_>,
    limited: Option<&Limited<'_>>,
    discounted: &Discounted,
) -> Result<(), RejectReason> {
    let Entering { account, market, order, context, .. } = *entering;
    let here = account.market(order.instrument);
    let together = context.together;
    let has_room = |entering: u32, open: u32, max: u32| max.saturating_sub(open) >= entering;
    let open_here = here.open_orders - discounted.here;
    if !has_room(together.orders, open_here, market.max_open_orders())
        || market.special.pegs.are_full(order)
    {
        return Err(RejectReason::TooManyOpenOrders);
    }
    let open = account.open_orders - discounted.all;
    if !has_room(together.orders, open, account.spec.max_open_orders) {
        return Err(RejectReason::TooManyAccountOrders);
    }
    let max_stops = market.trading.rules.max_stop_orders;
    if order.order_type.is_stop()
        && max_stops > 0
        && !has_room(together.stops, here.stop_orders - discounted.stops, max_stops)
    {
        return Err(RejectReason::TooManyStopOrders);
    }
    let max_icebergs = market.trading.rules.max_iceberg_orders;
    if is_iceberg(order)
        && max_icebergs > 0
        && !has_room(together.icebergs, here.iceberg_orders - discounted.icebergs, max_icebergs)
    {
        return Err(RejectReason::TooManyIcebergOrders);
    }
    if let Some(limited) = limited {
        limited.check_open_orders(open_here, together.orders)?;
    }
    Ok(())
}

/// The price of a pegged order is within the bounds by construction; its limit must be within them
/// too.
fn check_price(
    instrument: &Instrument,
    order: &NewOrder,
    price: Option<Price>,
) -> Result<(), RejectReason> {
    let limit = match &order.terms {
        Some(Terms { peg: Some(peg), .. }) => peg.limit,
        _ => price,
    };
    let Some(price) = limit.filter(|_| !order.order_type.is_market()) else { return Ok(()) };
    if price < instrument.spec.min_price {
        return Err(RejectReason::PriceBelowMin);
    }
    if price > instrument.spec.max_price {
        return Err(RejectReason::PriceAboveMax);
    }
    Ok(())
}

/// The distance of a limit price from the average price. Prices can be negative for accounts
/// without balances: basis points are of the magnitude of the average.
fn check_percent_price(
    market: &Market,
    order: &NewOrder,
    price: Option<Price>,
    now_ns: u64,
) -> Result<(), RejectReason> {
    let percent = &market.trading.rules.percent_price;
    let (max_bps, min_bps) = match order.side {
        Side::Buy => (percent.buy_max_bps, percent.buy_min_bps),
        Side::Sell => (percent.sell_max_bps, percent.sell_min_bps),
    };
    let pegged = || order.terms.is_some_and(|terms| terms.peg.is_some());
    if max_bps | min_bps == 0 || order.order_type.is_market() || pegged() {
        return Ok(());
    }
    let (Some(price), Some(average)) = (price, market.trading.avg_price(now_ns)) else {
        return Ok(());
    };
    let (price, average) = (i128::from(price.ticks()), i128::from(average.ticks()));
    let apart = (price - average) * BPS;
    let above = max_bps > 0 && apart > average.abs() * (i128::from(max_bps) - BPS);
    let below = min_bps > 0 && apart < average.abs() * (i128::from(min_bps) - BPS);
    if above || below { Err(RejectReason::PriceOutsidePercent) } else { Ok(()) }
}

fn check_qty(market: &Market, order: &NewOrder, qty: Qty) -> Result<(), RejectReason> {
    let spec = &market.instrument.spec;
    let market_min_qty = market_min_qty(market);
    match order.order_type {
        kind if kind.is_market() && qty < market_min_qty => Err(RejectReason::MarketQtyBelowMin),
        kind if kind.is_market() && qty > spec.market_max_qty => {
            Err(RejectReason::MarketQtyAboveMax)
        }
        kind if kind.is_market() => Ok(()),
        _ if qty < spec.min_qty => Err(RejectReason::OrderQtyBelowMin),
        _ if qty > spec.max_qty => Err(RejectReason::OrderQtyAboveMax),
        _ => Ok(()),
    }?;
    match &order.terms {
        Some(terms) => check_special_qty(market, terms, qty),
        None => Ok(()),
    }
}

/// The smallest quantity of a market order.
pub(super) fn market_min_qty(market: &Market) -> Qty {
    market.instrument.spec.min_qty.max(market.trading.rules.market_min_qty)
}

#[cold]
fn check_special_qty(market: &Market, terms: &Terms, qty: Qty) -> Result<(), RejectReason> {
    let parts_max = match market.trading.rules.iceberg_parts_max {
        0 => ICEBERG_PARTS_MAX,
        max => ICEBERG_PARTS_MAX.min(max.into()),
    };
    let displays = market.instrument.spec.min_qty <= terms.display_qty && terms.display_qty < qty;
    if !terms.display_qty.is_zero() && !displays {
        return Err(RejectReason::DisplayQtyOutOfRange);
    }
    if displays && qty.lots().div_ceil(terms.display_qty.lots()) > parts_max {
        return Err(RejectReason::TooManyIcebergParts);
    }
    if terms.min_qty > qty {
        return Err(RejectReason::MinQtyAboveOrderQty);
    }
    Ok(())
}

/// A market order is measured at the best price, or at the average. Without such a price it cannot
/// trade. Accounts with balances must buy for a positive amount; for others only the magnitude
/// counts.
fn check_notional(
    instrument: &Instrument,
    account: &Account,
    order: &NewOrder,
    price: Price,
    measured_at: Option<Price>,
) -> Result<(), RejectReason> {
    let notional = match (order.size, order.order_type, measured_at) {
        (OrderSize::Quote(amount), _, _) => amount,
        (OrderSize::Base(qty), kind, Some(price)) if kind.is_market() => {
            instrument.notional(price, qty)
        }
        (OrderSize::Base(_), kind, None) if kind.is_market() => return Ok(()),
        (OrderSize::Base(qty), _, _) => instrument.notional(price, qty),
    };
    let notional = match order.size {
        OrderSize::Base(_) if !account.is_cash() => Amount::from_minor(notional.minor().abs()),
        _ if notional <= Amount::ZERO => return Err(RejectReason::NotionalBelowMin),
        _ => notional,
    };
    if notional < instrument.spec.min_notional {
        return Err(RejectReason::NotionalBelowMin);
    }
    if notional > instrument.spec.max_notional {
        return Err(RejectReason::NotionalAboveMax);
    }
    Ok(())
}
