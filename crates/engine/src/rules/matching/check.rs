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
use crate::state::fee::fee;
use crate::state::holds::held;
use crate::state::market::Market;
use crate::state::orders::record::Standing;
use crate::state::triggers::direction::TRAILING_DELTA_END_BPS;

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
        let own = context.own;
        let account = self.account(account_id).ok_or(RejectReason::UnknownAccount)?;
        let market = self.market(order.instrument).ok_or(RejectReason::UnknownInstrument)?;
        let best = market.best_price(order.side.opposite());
        if account.is_killed() {
            return Err(RejectReason::AccountKilled);
        }
        self.check_open(market)?;
        check_phase(market.trading.phase, order)?;
        if own.is_none() && !account.order_rate_allows(context.together.orders, self.now_ns) {
            return Err(RejectReason::OrderRateAboveMax);
        }
        if !terms_valid(order) {
            return Err(RejectReason::OrderTermsInvalid);
        }
        let (price, limited) = self.check_prices(account, market, order, best, own)?;
        check_qty(market, order)?;
        if let Some(limited) = &limited {
            limited.check_qty()?;
        }
        let by_average = market.trading.rules.notional_by_avg_price;
        let measured_at = if by_average { market.trading.avg_price(self.now_ns) } else { best };
        check_notional(&market.instrument, account, order, price, measured_at)?;
        if let Some(limited) = &limited {
            limited.check_notional()?;
        }
        let is_stop = order.order_type.is_stop();
        let stays = is_stop || (!order.order_type.is_market() && order.time_in_force.may_rest());
        if stays && (own.is_none() || context.placed) {
            check_counts(market, account, order, limited.as_ref(), context)?;
        }
        if stays && let Some(limited) = &limited {
            limited.check_open_notional()?;
        }
        let same_name = self.orders.by_cl_ord_id(account_id, order.instrument, &order.cl_ord_id);
        if same_name.is_some() && same_name != own {
            return Err(RejectReason::DuplicateClOrdId);
        }
        if context.later {
            return Ok(());
        }
        let paid = own.map_or((Amount::ZERO, Qty::ZERO), |own| self.paid_by_open(own));
        // A modify of an order in a list can only lower its cost.
        let costs_less = own.is_some_and(|own| self.is_node_in_list(own)) && !context.placed;
        if !costs_less && !can_pay(market, account, order, price, best, paid, self.now_ns) {
            return Err(RejectReason::InsufficientBalance);
        }
        if !market.trading.rules.max_position.is_zero() && order.side == Side::Buy {
            self.check_max_position(account, market, order, best, context)?;
        }
        if let Some(limited) = &limited {
            limited.check_position(context.beside.limited)?;
        }
        let trades = market.trading.phase == Phase::Continuous
            && best.is_some_and(|best| order.side.crosses(price, best));
        if order.order_type == OrderType::LimitMaker && trades {
            return Err(RejectReason::WouldTakeLiquidity);
        }
        let waits = own.is_some() && !context.placed;
        if is_stop && !waits && Self::triggers_at_once(market, order) {
            return Err(RejectReason::WouldTriggerImmediately);
        }
        Ok(())
    }

    /// The rungs for prices, triggers and dates. Returns the order's price, and its measures if the
    /// account has limits.
    fn check_prices<'a>(
        &self,
        account: &'a Account,
        market: &Market,
        order: &NewOrder,
        best: Option<Price>,
        own: Option<NodeId>,
    ) -> Result<(Price, Option<Limited<'a>>), RejectReason> {
        let instrument = &market.instrument;
        let price =
            if takes_reference(order) { self.reference_price(order) } else { Some(order.price) };
        check_price(instrument, order, price)?;
        let limited = self.limited(account, order, price, best, own);
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
    fn check_max_position(
        &self,
        account: &Account,
        market: &Market,
        order: &NewOrder,
        best: Option<Price>,
        EntryContext { own, beside, .. }: EntryContext,
    ) -> Result<(), RejectReason> {
        let instrument = &market.instrument;
        let qty = match order.size {
            OrderSize::Base(qty) => qty,
            OrderSize::Quote(amount) => instrument.lots_for(amount, best.unwrap_or_default()),
        };
        let done = own.map_or(Qty::ZERO, |own| self.orders.order(own).cum_qty);
        let buys = self.orders.of_side(account, instrument.id, Side::Buy);
        let others =
            buys.filter(|node| Some(*node) != own && self.orders.standing(*node) != Standing::List);
        let open: i128 = others.map(|node| i128::from(self.orders.leaves_qty(node).lots())).sum();
        let rest = i128::from(qty.lots()) - i128::from(done.lots().min(qty.lots()));
        let rest = rest + i128::from(beside.all.lots());
        let max = i128::from(market.trading.rules.max_position.lots());
        let above = account.position(instrument).saturating_add(open + rest) > max;
        if above { Err(RejectReason::PositionAboveMax) } else { Ok(()) }
    }

    /// The amount that an open order holds, and the quantity that has traded.
    #[cold]
    fn paid_by_open(&self, node: NodeId) -> (Amount, Qty) {
        let order = self.orders.order(node);
        let instrument = &self.markets[order.instrument.0 as usize].instrument;
        let account = &self.accounts[order.account.0 as usize];
        let is_pending = self.orders.standing(node) == Standing::List;
        let holds = if order.order_type.is_market() || is_pending {
            Amount::ZERO
        } else {
            let (_, amount) = held(instrument, &order, order.leaves_qty());
            amount + account.fee_held(instrument, &order)
        };
        (holds, order.cum_qty)
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

/// Whether price, size, time in force and special terms are compatible with the order's type.
fn terms_valid(order: &NewOrder) -> bool {
    use OrderType::{
        Limit, LimitMaker, Market, MarketToLimit, StopLoss, StopLossLimit, TakeProfit,
        TakeProfitLimit,
    };
    use TimeInForce::{AtClose, AtOpen, Day, Gtc, Gtd};
    let by_base = matches!(order.size, OrderSize::Base(_));
    let no_price = order.price == Price::default();
    let time_in_force = order.time_in_force;
    let plain = match order.order_type {
        Market => no_price && time_in_force == Gtc,
        StopLoss | TakeProfit => no_price && by_base && matches!(time_in_force, Gtc | Day | Gtd),
        LimitMaker => by_base && matches!(time_in_force, Gtc | Day | Gtd),
        MarketToLimit => no_price && by_base && !matches!(time_in_force, AtOpen | AtClose),
        StopLossLimit | TakeProfitLimit => by_base && !matches!(time_in_force, AtOpen | AtClose),
        Limit => by_base,
    };
    plain
        && match &order.terms {
            Some(terms) => special_terms_valid(order, terms),
            None => !order.order_type.is_stop() && time_in_force != Gtd,
        }
}

#[cold]
fn special_terms_valid(order: &NewOrder, terms: &Terms) -> bool {
    use OrderType::{Limit, LimitMaker};
    use TimeInForce::{Day, Gtc, Gtd};
    let stays = !order.order_type.is_market() && order.time_in_force.may_rest();
    let pegged = terms.peg.is_none()
        || (matches!(order.order_type, Limit | LimitMaker)
            && matches!(order.time_in_force, Gtc | Day | Gtd)
            && order.price == Price::default());
    let displayed = terms.display_qty.is_zero() || (stays && !terms.hidden);
    let hidden = !terms.hidden || stays;
    let least = terms.min_qty.is_zero() || order.order_type != LimitMaker;
    let triggered = terms.stop_price.is_some() || terms.trailing_delta_bps > 0;
    let dated = (terms.expire_ns > 0) == (order.time_in_force == Gtd);
    pegged && displayed && hidden && least && triggered == order.order_type.is_stop() && dated
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

/// The rungs that count open orders, for an order that may rest or wait.
fn check_counts(
    market: &Market,
    account: &Account,
    order: &NewOrder,
    limited: Option<&Limited<'_>>,
    context: EntryContext,
) -> Result<(), RejectReason> {
    let here = account.market(order.instrument);
    let EntryContext { together, placed, .. } = context;
    let itself = u32::from(placed);
    let has_room =
        |entering: u32, open: u32, max: u32| max.saturating_sub(open - itself) >= entering;
    if !has_room(together.orders, here.open_orders, market.max_open_orders())
        || market.special.pegs.are_full(order)
    {
        return Err(RejectReason::TooManyOpenOrders);
    }
    if !has_room(together.orders, account.open_orders, account.spec.max_open_orders) {
        return Err(RejectReason::TooManyAccountOrders);
    }
    let max_stops = market.trading.rules.max_stop_orders;
    if order.order_type.is_stop()
        && max_stops > 0
        && !has_room(together.stops, here.stop_orders, max_stops)
    {
        return Err(RejectReason::TooManyStopOrders);
    }
    let max_icebergs = market.trading.rules.max_iceberg_orders;
    if is_iceberg(order)
        && max_icebergs > 0
        && !has_room(together.icebergs, here.iceberg_orders, max_icebergs)
    {
        return Err(RejectReason::TooManyIcebergOrders);
    }
    if let Some(limited) = limited {
        limited.check_open_orders(here.open_orders - itself, together.orders)?;
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

fn check_qty(market: &Market, order: &NewOrder) -> Result<(), RejectReason> {
    let OrderSize::Base(qty) = order.size else { return Ok(()) };
    let spec = &market.instrument.spec;
    let market_min_qty = spec.min_qty.max(market.trading.rules.market_min_qty);
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

/// A limit order must be able to hold its largest cost. A market order pays for each trade, so the
/// account must own its size, or at least the cost of one lot. For a replaced order its hold counts
/// as free, and its traded part as paid.
fn can_pay(
    market: &Market,
    account: &Account,
    order: &NewOrder,
    price: Price,
    best: Option<Price>,
    (held, traded): (Amount, Qty),
    now_ns: u64,
) -> bool {
    if !account.is_cash() || (order.order_type.is_market() && order.order_type.is_stop()) {
        return true; // a stop market order pays when it is triggered
    }
    let instrument = &market.instrument;
    let free_base = account.balance(instrument.spec.base).free + held;
    let free_quote = account.balance(instrument.spec.quote).free + held;
    let one_lot = Qty::from_lots(1);
    let rate = account.fee_rate_on_top(market, order.side, now_ns);
    let pays = |notional: Amount| notional + fee(notional, rate) <= free_quote;
    match (order.side, order.size, order.order_type) {
        (Side::Sell, OrderSize::Base(qty), _) => instrument.base_amount(qty - traded) <= free_base,
        (Side::Sell, OrderSize::Quote(_), _) => instrument.base_amount(one_lot) <= free_base,
        (Side::Buy, OrderSize::Quote(amount), _) => amount <= free_quote && pays(amount),
        (Side::Buy, OrderSize::Base(_), OrderType::Market) => {
            best.is_none_or(|best| pays(instrument.notional(best, one_lot)))
        }
        (Side::Buy, OrderSize::Base(qty), _) => pays(instrument.notional(price, qty - traded)),
    }
}
