//! Chapter 12: the ladder of checks. The model lists all faults of an order, and the lowest number
//! counts.

use types::*;

use super::{BPS, Key, Model, ModelMarket, Standing, is_set};

/// The largest number of an iceberg's parts in any instrument.
const ICEBERG_PARTS_MAX: u64 = 1_000;

impl Model {
    pub(super) fn check(&self, account: AccountId, request: &NewOrder) -> Result<(), RejectReason> {
        first(self.faults(account, request, 1, Qty::ZERO)?)
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
        first(self.without(key).faults(order.account, &request, 0, Qty::ZERO)?)
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
        let mut faults = self.without(key).faults(order.account, &request, 0, order.cum_qty)?;
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

    /// The state of the ladder without an order.
    fn without(&self, key: Key) -> Self {
        let mut without = self.for_questions();
        without.open.retain(|open| open.key() != key);
        without
    }

    pub(super) fn check_list(
        &self,
        account: AccountId,
        request: &NewOrderList,
    ) -> Result<(), RejectReason> {
        use RejectReason::*;
        let count = request.orders.len() as u32;
        self.trader(account)?;
        let market = self.known(request.instrument)?;
        let mut faults = Vec::new();
        for (at, order) in request.orders.iter().enumerate() {
            let mut of_this = self.faults(account, order, count, Qty::ZERO)?;
            if at > 0 && request.kind != OrderListKind::Oco {
                // An order that is placed later gets these checks then.
                of_this.retain(|reason| *reason < InsufficientBalance);
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
        let orders = if request.kind == OrderListKind::Otoco { 3 } else { 2 };
        let whole = request.orders.len() == orders && legs_go_together(request);
        fault(!whole, OrderListInvalid);
        let mut names: Vec<&[u8]> = request.orders.iter().map(|o| o.cl_ord_id.as_bytes()).collect();
        names.sort_unstable();
        names.dedup();
        fault(names.len() < request.orders.len(), DuplicateClOrdId);
        let mut named = open_lists;
        fault(named.any(|list| list.cl_ord_id == request.cl_ord_id), DuplicateListClOrdId);
        first(faults)
    }

    /// All reasons to refuse an order with this filled quantity. `Err` is a reason after which no
    /// other check is possible.
    fn faults(
        &self,
        account: AccountId,
        request: &NewOrder,
        counts: u32,
        filled: Qty,
    ) -> Result<Vec<RejectReason>, RejectReason> {
        use RejectReason::*;
        let owner = self.trader(account)?;
        let market = self.known(request.instrument)?;
        let (spec, rules) = (&market.instrument.spec, &market.rules);
        let terms = request.special();
        let kind = request.order_type;
        let opposite = self.best(request.instrument, request.side.opposite());
        let mut faults = Vec::new();
        let mut fault = |wrong: bool, reason| {
            if wrong {
                faults.push(reason);
            }
        };

        fault(owner.killed, AccountKilled);
        fault(market.delisted, InstrumentDelisted);
        fault(self.halted.is_some(), VenueHalted);
        fault(!phase_takes(market.phase, request), PhaseForbids);
        fault(counts > 0 && self.is_above_rate(account, counts), OrderRateAboveMax);
        fault(!terms_go_together(request), OrderTermsInvalid);
        if !faults.is_empty() {
            return Ok(faults);
        }
        let mut fault = |wrong: bool, reason| {
            if wrong {
                faults.push(reason);
            }
        };

        // Prices.
        let limited = !kind.is_market() && terms.peg.is_none();
        let price = self.first_price(request);
        let found = kind != OrderType::MarketToLimit || opposite.is_some();
        fault(limited && found && price < spec.min_price.ticks(), PriceBelowMin);
        fault(limited && found && price > spec.max_price.ticks(), PriceAboveMax);
        let peg_limit = terms.peg.and_then(|peg| peg.limit);
        fault(peg_limit.is_some_and(|limit| limit < spec.min_price), PriceBelowMin);
        fault(peg_limit.is_some_and(|limit| limit > spec.max_price), PriceAboveMax);
        let bounds = spec.min_price..=spec.max_price;
        fault(terms.stop_price.is_some_and(|stop| !bounds.contains(&stop)), StopPriceOutOfRange);
        let delta = u64::from(terms.trailing_delta_bps);
        let too_small = delta > 0 && delta < u64::from(rules.trailing_delta_min_bps);
        let too_large = delta >= BPS as u64 || is_set(rules.trailing_delta_max_bps.into(), delta);
        fault(too_small || too_large, TrailingDeltaOutOfRange);
        fault(limited && found && self.is_outside_percent(market, request), PriceOutsidePercent);
        let reference = match (terms.peg, kind) {
            (Some(_), _) => self.peg_price(request),
            (None, OrderType::MarketToLimit) => opposite,
            _ => Some(0),
        };
        let far = self.is_outside_collar(account, market, request.side, price);
        fault(!kind.is_market() && reference.is_some() && far, PriceOutsideCollar);
        fault(reference.is_none(), NoPegReference);
        let dated = request.time_in_force == TimeInForce::Gtd;
        fault(dated && terms.expire_ns <= self.now_ns, ExpireTimePast);

        // Quantities.
        let (base, quote) = match request.size {
            OrderSize::Base(qty) => (Some(qty), None),
            OrderSize::Quote(amount) => (None, Some(amount.minor())),
        };
        if let Some(qty) = base {
            let market_min = spec.min_qty.max(rules.market_min_qty);
            fault(!kind.is_market() && qty < spec.min_qty, OrderQtyBelowMin);
            fault(!kind.is_market() && qty > spec.max_qty, OrderQtyAboveMax);
            fault(kind.is_market() && qty < market_min, MarketQtyBelowMin);
            fault(kind.is_market() && qty > spec.market_max_qty, MarketQtyAboveMax);
            let display = terms.display_qty;
            let shown_badly = display < spec.min_qty || display >= qty;
            fault(!display.is_zero() && shown_badly, DisplayQtyOutOfRange);
            if !display.is_zero() {
                let parts = qty.lots().div_ceil(display.lots());
                let max = match rules.iceberg_parts_max {
                    0 => ICEBERG_PARTS_MAX,
                    max => ICEBERG_PARTS_MAX.min(max.into()),
                };
                fault(parts > max, TooManyIcebergParts);
            }
            fault(terms.min_qty > qty, MinQtyAboveOrderQty);
        }
        let limits = self.limits(account, request.instrument);
        let lot = i128::from(market.instrument.tick_lot_minor);
        let cost = |price: i64, qty: u64| i128::from(price) * i128::from(qty) * lot;
        // The price at which limits measure a market order; an order by quote amount counts the
        // lots of its amount.
        let measured_at = if kind.is_market() { opposite.unwrap_or(0) } else { price };
        let by_quote = |amount: i128| match cost(measured_at, 1) {
            ..=0 => 0,
            of_one => u64::try_from(amount.max(0) / of_one).unwrap_or(u64::MAX),
        };
        let qty = base.map_or_else(|| by_quote(quote.unwrap()), Qty::lots);
        fault(is_set(limits.max_order_qty.lots(), qty), OrderQtyAboveLimit);

        // Notional. An account with balances must buy for a positive amount; for others only the
        // magnitude counts.
        let at_price = match kind {
            kind if kind.is_market() && rules.notional_by_avg_price => self.average_price(market),
            kind if kind.is_market() => opposite,
            _ => Some(price),
        };
        let notional = quote.or_else(|| at_price.map(|price| cost(price, qty)));
        let signed = quote.is_some() || self.is_cash(account);
        let size = notional.map(|notional| if signed { notional } else { notional.abs() });
        let is_nothing = signed && size.is_some_and(|size| size <= 0);
        let is_small = size.is_some_and(|size| size < spec.min_notional.minor());
        fault(is_nothing || is_small, NotionalBelowMin);
        fault(size.is_some_and(|size| size > spec.max_notional.minor()), NotionalAboveMax);
        let limit = limits.max_order_notional.minor();
        let measured = quote.unwrap_or_else(|| cost(measured_at, qty)).abs();
        fault(limit > 0 && measured > limit, NotionalAboveLimit);

        // Counts.
        let own = self.of_account(account, request.instrument);
        let all = self.open.iter().filter(|open| open.order.account == account).count();
        let stays =
            kind.is_stop() || (kind != OrderType::Market && request.time_in_force.may_rest());
        let together = counts.max(1) as usize;
        let has_room = |open: usize, max: u32| open + together <= max as usize;
        let bounded = !rules.max_position.is_zero();
        let max = if bounded { spec.max_open_orders.min(1_000) } else { spec.max_open_orders };
        fault(stays && !has_room(own.len(), max), TooManyOpenOrders);
        fault(stays && !has_room(all, owner.spec.max_open_orders), TooManyAccountOrders);
        let stops = own.iter().filter(|open| open.place == Standing::Stop).count();
        fault(
            kind.is_stop() && is_set(rules.max_stop_orders.into(), stops as u64 + 1),
            TooManyStopOrders,
        );
        let icebergs = own.iter().filter(|open| !open.terms().display_qty.is_zero()).count();
        let is_iceberg = !terms.display_qty.is_zero();
        fault(
            is_iceberg && is_set(rules.max_iceberg_orders.into(), icebergs as u64 + 1),
            TooManyIcebergOrders,
        );
        fault(
            stays && is_set(limits.max_open_orders.into(), own.len() as u64 + 1),
            OpenOrdersAboveLimit,
        );
        let held = own.iter().filter(|open| !open.order.order_type.is_market());
        let held = held.filter(|open| open.place != Standing::List);
        let open_notional: i128 =
            held.map(|open| cost(open.order.price.ticks(), open.leaves()).abs()).sum();
        let limit = limits.max_open_notional.minor();
        let rest = cost(measured_at, qty - filled.lots().min(qty)).abs();
        fault(stays && limit > 0 && open_notional + rest > limit, OpenNotionalAboveLimit);

        // Names.
        fault(own.iter().any(|open| open.order.cl_ord_id == request.cl_ord_id), DuplicateClOrdId);

        // The largest cost of its remainder.
        let measured_qty = qty - filled.lots().min(qty);
        let size = base.map_or(request.size, |_| OrderSize::Base(Qty::from_lots(measured_qty)));
        let request = &NewOrder { size, ..*request };
        if self.is_cash(account) {
            let needs = self.needs(account, market, request, opposite);
            let pays_in = self.paid_in(request.instrument, request.side);
            fault(needs > self.free(account, pays_in), InsufficientBalance);
        }
        let rest = Qty::from_lots(measured_qty);
        let above = self.is_above_position(account, market, request.side, rest);
        fault(above, PositionAboveMax);
        let room = self.position_room(account, request.instrument, request.side);
        fault(room.is_some_and(|room| i128::from(rest.lots()) > room), PositionAboveLimit);

        // Whether it would trade or trigger at once.
        let crosses = opposite.is_some_and(|best| {
            request.side.crosses(Price::from_ticks(price), Price::from_ticks(best))
        });
        let trades = market.phase == Phase::Continuous;
        fault(kind == OrderType::LimitMaker && trades && crosses, WouldTakeLiquidity);
        fault(kind.is_stop() && self.triggers_at_once(request), WouldTriggerImmediately);
        Ok(faults)
    }

    fn is_outside_percent(&self, market: &ModelMarket, request: &NewOrder) -> bool {
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
    fn is_outside_collar(
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
    fn needs(
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
        match (request.side, request.size) {
            (Side::Sell, OrderSize::Base(qty)) => instrument.base_amount(qty).minor(),
            (Side::Sell, OrderSize::Quote(_)) => instrument.base_amount(one_lot).minor(),
            (Side::Buy, OrderSize::Quote(amount)) => {
                let rate = self.rate_to_hold(account, request.instrument);
                amount.minor() + super::money::part(amount.minor(), rate.into())
            }
            (Side::Buy, OrderSize::Base(qty)) => {
                let (price, qty) = match kind {
                    OrderType::Market => (opposite.unwrap_or(0), one_lot),
                    _ => (self.first_price(request), qty),
                };
                let cost = instrument.notional(Price::from_ticks(price), qty).minor();
                let rate = self.rate_to_hold(account, request.instrument);
                cost + super::money::part(cost, rate.into())
            }
        }
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

fn phase_takes(phase: Phase, request: &NewOrder) -> bool {
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
fn terms_go_together(request: &NewOrder) -> bool {
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
    }
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
