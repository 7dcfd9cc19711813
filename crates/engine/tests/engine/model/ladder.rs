//! Chapter 12: the ladder of checks. The model lists all faults of an order, and the lowest number
//! counts.

use types::*;

use super::rung::Together;
use super::{BPS, Key, Model, ModelMarket, is_set};

impl Model {
    pub(super) fn check(&self, account: AccountId, request: &NewOrder) -> Result<(), RejectReason> {
        first(self.faults(account, request, Together::ALONE, Qty::ZERO)?)
    }

    /// The checks of a triggered market order.
    pub(super) fn can_pay_one_lot(&self, order: &Order) -> bool {
        let instrument = &self.market(order.instrument).instrument;
        let one_lot = Qty::from_lots(1);
        let best = self.best(order.instrument, order.side.opposite());
        let cost = match (order.side, best) {
            (Side::Sell, _) => instrument.base_amount(one_lot),
            (Side::Buy, None) => Amount::ZERO,
            (Side::Buy, Some(best)) => instrument.notional(Price::from_ticks(best), one_lot),
        };
        let pays_in = self.paid_in(order.instrument, order.side);
        !order.order_type.is_market()
            || !self.is_cash(order.account)
            || cost.minor() <= self.free(order.account, pays_in)
    }

    /// The checks of an order that its list places.
    pub(super) fn check_placed(&self, key: Key) -> Result<(), RejectReason> {
        let order = self.at(key).order;
        let request = as_requested(&order);
        let at = self.list_of(&order).unwrap();
        let legs =
            self.siblings(at, &order).into_iter().map(|key| as_requested(&self.at(key).order));
        let legs: Vec<NewOrder> = legs.collect();
        let together = Together::OPEN.beside(self.market(key.0), &request, legs.iter());
        first(self.without(&[key]).faults(order.account, &request, together, Qty::ZERO)?)
    }

    /// The terms that count only on entry are not checked again, and only the remainder must still
    /// be paid.
    pub(super) fn check_modified(
        &self,
        key: Key,
        cl_ord_id: ClOrdId,
        order_qty: Qty,
        price: Price,
    ) -> Result<(), RejectReason> {
        let order = self.at(key).order;
        let by_market = order.order_type.is_market();
        let terms = order.terms.map(|OrderTerms { terms, .. }| {
            if by_market {
                Terms { expire_ns: 0, ..terms }
            } else {
                Terms { display_qty: terms.display_qty, hidden: terms.hidden, ..Terms::default() }
            }
        });
        let order_type = match order.order_type {
            OrderType::LimitMaker => OrderType::LimitMaker,
            order_type if by_market => order_type,
            _ => OrderType::Limit,
        };
        let size = OrderSize::Base(order_qty);
        let time_in_force = TimeInForce::Gtc;
        let requested = as_requested(&order);
        let request =
            NewOrder { cl_ord_id, size, price, order_type, time_in_force, terms, ..requested };
        let mut faults =
            self.without(&[key]).faults(order.account, &request, Together::OPEN, order.cum_qty)?;
        // It is open already, and its trigger has passed.
        let not_these = [
            RejectReason::WouldTriggerImmediately,
            RejectReason::TooManyOpenOrders,
            RejectReason::TooManyAccountOrders,
            RejectReason::TooManyStopOrders,
            RejectReason::TooManyIcebergOrders,
            RejectReason::OpenOrdersAboveLimit,
        ];
        faults.retain(|fault| !not_these.contains(fault));
        if self.is_in_list(&order) {
            // A modify only lowers it, and it shares its hold.
            faults.retain(|fault| *fault != RejectReason::InsufficientBalance);
        }
        first(faults)
    }

    /// The state of the ladder without some orders.
    pub(super) fn without(&self, keys: &[Key]) -> Self {
        let mut without = self.for_questions();
        without.open.retain(|open| !keys.contains(&open.key()));
        without
    }

    pub(super) fn check_list(
        &self,
        account: AccountId,
        request: &NewOrderList,
    ) -> Result<(), RejectReason> {
        use RejectReason::*;
        self.trader(account)?;
        let market = self.known(request.instrument)?;
        let number = |is: fn(&&NewOrder) -> bool| request.orders.iter().filter(is).count() as u64;
        let together = Together {
            count: request.orders.len() as u32,
            stops: number(|order| order.order_type.is_stop()),
            icebergs: number(|order| !order.special().display_qty.is_zero()),
            ..Together::ALONE
        };
        let is_oco = request.kind == OrderListKind::Oco;
        let mut faults = Vec::new();
        for (at, order) in request.orders.iter().enumerate() {
            let others =
                request.orders.iter().enumerate().filter(|(other, _)| is_oco && *other != at);
            let others = others.map(|(_, other)| other);
            let together = together.beside(market, order, others);
            let mut of_this = self.faults(account, order, together, Qty::ZERO)?;
            if at > 0 && !is_oco {
                // An order that is placed later gets these checks then.
                of_this.retain(|reason| *reason < InsufficientBalance);
                if request.kind.pays_later_orders() {
                    let of_size = OrderQtyBelowMin..=NotionalAboveLimit;
                    of_this.retain(|reason| !of_size.contains(reason));
                }
            }
            faults.extend(of_this);
        }
        let open_lists = self.lists.iter().filter(|list| {
            list.status == OrderListStatus::Executing
                && (list.account, list.instrument) == (account, request.instrument)
        });
        let max_lists = u64::from(market.rules.max_order_lists);
        let mut fault = |wrong: bool, reason| {
            if wrong {
                faults.push(reason);
            }
        };
        fault(is_set(max_lists, open_lists.clone().count() as u64 + 1), TooManyOrderLists);
        let whole = request.orders.len() == request.kind.order_count()
            && legs_go_together(request)
            && is_beyond_last_price(market, request);
        fault(!whole, OrderListInvalid);
        let mut names: Vec<&[u8]> = request.orders.iter().map(|o| o.cl_ord_id.as_bytes()).collect();
        names.sort_unstable();
        names.dedup();
        fault(names.len() < request.orders.len(), DuplicateClOrdId);
        let mut named = open_lists;
        fault(named.any(|list| list.cl_ord_id == request.cl_ord_id), DuplicateListClOrdId);
        first(faults)
    }

    pub(super) fn is_outside_percent(&self, market: &ModelMarket, request: &NewOrder) -> bool {
        let Some(average) = self.average_price(market) else { return false };
        let percent = &market.rules.percent_price;
        let (max, min) = match request.side {
            Side::Buy => (percent.buy_max_bps, percent.buy_min_bps),
            Side::Sell => (percent.sell_max_bps, percent.sell_min_bps),
        };
        let (price, average) = (i128::from(self.first_price(request)), i128::from(average));
        let (above, below) = (i128::from(max) - BPS, i128::from(min) - BPS);
        (max > 0 && (price - average) * BPS > average.abs() * above)
            || (min > 0 && (price - average) * BPS < average.abs() * below)
    }

    /// Whether a price is farther through the last one than the account's collar.
    pub(super) fn is_outside_collar(
        &self,
        account: AccountId,
        market: &ModelMarket,
        side: Side,
        price: i64,
    ) -> bool {
        let bps = i128::from(self.limits(account, market.instrument.id).collar_bps);
        let (Some(last), true) = (market.last_price, bps > 0) else { return false };
        let (price, last) = (i128::from(price), i128::from(last));
        match side {
            Side::Buy => (price - last) * BPS > last.abs() * bps,
            Side::Sell => (last - price) * BPS > last.abs() * bps,
        }
    }

    /// The free balance that an account needs for an order.
    pub(super) fn needs(
        &self,
        account: AccountId,
        market: &ModelMarket,
        request: &NewOrder,
        opposite: Option<i64>,
    ) -> i128 {
        let (one_lot, instrument) = (Qty::from_lots(1), &market.instrument);
        let kind = request.order_type;
        if kind.is_market() && kind.is_stop() {
            return 0; // it pays once it is triggered
        }
        if request.special().within_balance && request.side == Side::Sell {
            return instrument.base_amount(one_lot).minor();
        }
        match (request.side, request.size) {
            (Side::Sell, OrderSize::Base(qty)) => instrument.base_amount(qty).minor(),
            (Side::Sell, OrderSize::Quote(_)) => instrument.base_amount(one_lot).minor(),
            (Side::Buy, OrderSize::Quote(amount)) if !request.special().within_balance => {
                let rate = self.rate_to_hold(account, request.instrument);
                amount.minor() + super::money::part(amount.minor(), rate.into())
            }
            (Side::Buy, size) => {
                let (price, qty) = match (kind, size) {
                    (OrderType::Market, _) => (opposite.unwrap_or(0), one_lot),
                    (_, OrderSize::Base(qty)) => (self.first_price(request), qty),
                    (_, OrderSize::Quote(_)) => unreachable!("the terms are checked"),
                };
                let cost = instrument.notional(Price::from_ticks(price), qty).minor();
                let rate = self.rate_to_hold(account, request.instrument);
                cost + super::money::part(cost, rate.into())
            }
        }
    }
}

impl Together {
    /// With the size of others on an order's side.
    fn beside<'a>(
        self,
        market: &ModelMarket,
        order: &NewOrder,
        others: impl Iterator<Item = &'a NewOrder>,
    ) -> Self {
        let mut together = self;
        let tick_lot = i128::from(market.instrument.tick_lot_minor);
        for other in others.filter(|other| other.side == order.side) {
            let OrderSize::Base(qty) = other.size else { continue };
            together.beside_all += qty.lots();
            if !other.order_type.is_market() {
                together.beside += qty.lots();
                let (price, lots) = (i128::from(other.price.ticks()), i128::from(qty.lots()));
                together.beside_notional += (price * lots * tick_lot).abs();
            }
        }
        together
    }
}

/// Whether the limit of an OCO to sell is above the last price, and to buy below it.
fn is_beyond_last_price(market: &ModelMarket, request: &NewOrderList) -> bool {
    let limit = request
        .orders
        .iter()
        .find(|leg| matches!(leg.order_type, OrderType::LimitMaker | OrderType::TakeProfitLimit));
    match (request.kind, limit, market.last_price) {
        (OrderListKind::Oco, Some(leg), Some(last)) => match leg.side {
            Side::Sell => leg.price.ticks() > last,
            Side::Buy => leg.price.ticks() < last,
        },
        _ => true,
    }
}

/// The request of an order.
pub(super) fn as_requested(order: &Order) -> NewOrder {
    let terms = order.terms.map(|terms| terms.terms);
    let named_no_price = terms.is_some_and(|terms| terms.peg.is_some());
    NewOrder {
        instrument: order.instrument,
        cl_ord_id: order.cl_ord_id,
        side: order.side,
        order_type: order.order_type,
        time_in_force: order.time_in_force,
        stp_mode: order.stp_mode,
        price: if named_no_price { Price::default() } else { order.price },
        size: OrderSize::Base(order.order_qty),
        strategy_id: order.strategy_id,
        strategy_type: order.strategy_type,
        terms,
    }
}

fn first(faults: Vec<RejectReason>) -> Result<(), RejectReason> {
    match faults.into_iter().min() {
        Some(reason) => Err(reason),
        None => Ok(()),
    }
}

pub(super) fn phase_takes(phase: Phase, request: &NewOrder) -> bool {
    let immediate = request.order_type == OrderType::Market
        || request.order_type == OrderType::MarketToLimit
        || (!request.order_type.is_stop() && !request.time_in_force.may_rest());
    let terms = request.special();
    let continuous_only = immediate || terms.peg.is_some() || !terms.min_qty.is_zero();
    let opening = matches!(phase, Phase::PreOpen | Phase::OpeningAuction);
    phase.takes_orders()
        && (phase == Phase::Continuous || !continuous_only)
        && (opening || request.time_in_force != TimeInForce::AtOpen)
}

/// Whether time in force, price, size and special terms are compatible with the order's type.
pub(super) fn terms_go_together(request: &NewOrder) -> bool {
    use OrderType::*;
    use TimeInForce::*;
    let kind = request.order_type;
    let terms = request.special();
    let by_base = matches!(request.size, OrderSize::Base(_));
    let no_price = request.price == Price::default();
    let in_force = match kind {
        Market => request.time_in_force == Gtc,
        LimitMaker | StopLoss | TakeProfit => matches!(request.time_in_force, Gtc | Day | Gtd),
        MarketToLimit | StopLossLimit | TakeProfitLimit => {
            !matches!(request.time_in_force, AtOpen | AtClose)
        }
        Limit => true,
    };
    let priced = match kind {
        Market | StopLoss | TakeProfit | MarketToLimit => no_price,
        _ => terms.peg.is_none() || no_price,
    };
    let sized = by_base || kind == Market;
    let triggered = if kind.is_stop() {
        terms.stop_price.is_some() || terms.trailing_delta_bps > 0
    } else {
        terms.stop_price.is_none() && terms.trailing_delta_bps == 0
    };
    let pegged = terms.peg.is_none()
        || (matches!(kind, Limit | LimitMaker) && matches!(request.time_in_force, Gtc | Day | Gtd));
    let stays = !kind.is_market() && request.time_in_force.may_rest();
    let displayed = terms.display_qty.is_zero() || (stays && !terms.hidden);
    let hidden = !terms.hidden || stays;
    let least = terms.min_qty.is_zero() || kind != LimitMaker;
    let dated = (request.time_in_force == Gtd) == (terms.expire_ns > 0);
    let least = least && (!terms.within_balance || kind == Market);
    let pegged = pegged && (!terms.fixed_peg || kind == MarketToLimit);
    in_force && priced && sized && triggered && pegged && displayed && hidden && least && dated
}

/// Sides, types and prices of a list's orders.
fn legs_go_together(request: &NewOrderList) -> bool {
    let legs = &request.orders;
    let fits = |leg: &NewOrder| {
        leg.instrument == request.instrument
            && leg.special().peg.is_none()
            && leg.order_type != OrderType::MarketToLimit
            && !matches!(leg.time_in_force, TimeInForce::AtOpen | TimeInForce::AtClose)
            && matches!(leg.size, OrderSize::Base(_))
    };
    if !legs.iter().all(fits) {
        return false;
    }
    let works = |leg: &NewOrder| matches!(leg.order_type, OrderType::Limit | OrderType::LimitMaker);
    match request.kind {
        OrderListKind::Oco => is_oco(&legs[0], &legs[1]),
        OrderListKind::Oto => works(&legs[0]),
        OrderListKind::Otoco => works(&legs[0]) && is_oco(&legs[1], &legs[2]),
        OrderListKind::Opo => works(&legs[0]) && pays(legs),
        OrderListKind::Opoco => works(&legs[0]) && pays(legs) && is_oco(&legs[1], &legs[2]),
    }
}

/// The first buys, and the others sell a quantity that they do not have yet.
fn pays(legs: &[NewOrder]) -> bool {
    let nothing = OrderSize::Base(Qty::ZERO);
    legs[0].side == Side::Buy
        && legs[1..].iter().all(|leg| (leg.side, leg.size) == (Side::Sell, nothing))
}

/// One above and one below the market, of one side and quantity.
fn is_oco(one: &NewOrder, other: &NewOrder) -> bool {
    use OrderType::{LimitMaker, StopLoss, StopLossLimit, TakeProfit, TakeProfitLimit};
    let is_stop = |leg: &NewOrder| matches!(leg.order_type, StopLoss | StopLossLimit);
    let is_gain =
        |leg: &NewOrder| matches!(leg.order_type, LimitMaker | TakeProfit | TakeProfitLimit);
    let (gain, stop) = match (is_gain(one) && is_stop(other), is_stop(one) && is_gain(other)) {
        (true, _) => (one, other),
        (_, true) => (other, one),
        _ => return false,
    };
    let gain_price = match gain.order_type {
        LimitMaker => Some(gain.price),
        _ => gain.special().stop_price,
    };
    let stop_price = stop.special().stop_price;
    let apart = match (gain_price, stop_price) {
        (Some(gain_price), Some(stop_price)) if gain.side == Side::Sell => gain_price > stop_price,
        (Some(gain_price), Some(stop_price)) => gain_price < stop_price,
        _ => true, // a trailing stop moves with the market
    };
    apart && one.side == other.side && one.size == other.size
}
