//! Chapter 12: the rungs of the ladder, a method for each group of reasons.

use RejectReason::*;
use types::*;

use super::ladder::{phase_takes, terms_go_together};
use super::{BPS, Key, Model, ModelMarket, Open, Owner, Standing, is_set};

/// The largest number of an iceberg's parts in any instrument.
const ICEBERG_PARTS_MAX: u64 = 1_000;

/// An order whose state and terms are valid, with its measures for the other rungs.
struct Candidate<'a> {
    model: &'a Model,
    /// The venue without the orders that a replace is about to cancel.
    counted: &'a Model,
    account: AccountId,
    owner: &'a Owner,
    market: &'a ModelMarket,
    limits: AccountLimits,
    request: &'a NewOrder,
    terms: Terms,
    together: Together,
    /// The best price of the other side.
    opposite: Option<i64>,
    price: i64,
    /// The price at which limits measure a market order, or the order's own price.
    measured_at: i64,
    /// Its lots; an order by quote amount counts the lots of its amount.
    qty: u64,
    /// The lots that are still to trade.
    rest: u64,
}

/// The orders that enter together: their number, zero for an order that is open already; the stop
/// orders and icebergs among them; and the quantity of the others on the order's side.
#[derive(Clone, Copy)]
pub(super) struct Together {
    pub(super) count: u32,
    pub(super) stops: u64,
    pub(super) icebergs: u64,
    pub(super) beside: u64,
    /// Those without a limit included.
    pub(super) beside_all: u64,
    /// The notional of those with a limit.
    pub(super) beside_notional: i128,
}

impl Together {
    pub(super) const ALONE: Self =
        Self { count: 1, stops: 1, icebergs: 1, beside: 0, beside_all: 0, beside_notional: 0 };
    pub(super) const OPEN: Self = Self { count: 0, ..Self::ALONE };
}

impl Model {
    /// All reasons to refuse an order with this filled quantity. `Err` is a reason after which no
    /// other check is possible.
    pub(super) fn faults(
        &self,
        account: AccountId,
        request: &NewOrder,
        together: Together,
        filled: Qty,
    ) -> Result<Vec<RejectReason>, RejectReason> {
        self.faults_as(account, request, together, filled, self)
    }

    /// Likewise, but no limit counts these open orders. Prices are those of the book with them.
    pub(super) fn faults_without(
        &self,
        account: AccountId,
        request: &NewOrder,
        leaving: &[Key],
    ) -> Result<Vec<RejectReason>, RejectReason> {
        self.faults_as(account, request, Together::ALONE, Qty::ZERO, &self.without(leaving))
    }

    fn faults_as(
        &self,
        account: AccountId,
        request: &NewOrder,
        together: Together,
        filled: Qty,
        counted: &Self,
    ) -> Result<Vec<RejectReason>, RejectReason> {
        let owner = self.trader(account)?;
        let market = self.known(request.instrument)?;
        let early = which([
            (owner.killed, AccountKilled),
            (market.delisted, InstrumentDelisted),
            (self.halted.is_some(), VenueHalted),
            (!phase_takes(market.phase, request), PhaseForbids),
            (together.count > 0 && self.is_above_rate(account, together.count), OrderRateAboveMax),
            (!terms_go_together(request), OrderTermsInvalid),
        ]);
        if !early.is_empty() {
            return Ok(early);
        }
        let candidate = Candidate::new(self, counted, account, request, (together, filled));
        let groups = [
            candidate.prices(),
            candidate.quantities(),
            candidate.notional(),
            candidate.open_orders(),
            candidate.cost(),
            candidate.at_once(),
        ];
        Ok(groups.concat())
    }
}

impl<'a> Candidate<'a> {
    fn new(
        model: &'a Model,
        counted: &'a Model,
        account: AccountId,
        request: &'a NewOrder,
        (together, filled): (Together, Qty),
    ) -> Self {
        let market = model.market(request.instrument);
        let opposite = model.best(request.instrument, request.side.opposite());
        let price = model.first_price(request);
        let measured_at =
            if request.order_type.is_market() { opposite.unwrap_or(0) } else { price };
        let lot_cost = i128::from(measured_at) * i128::from(market.instrument.tick_lot_minor);
        let qty = match request.size {
            OrderSize::Base(qty) => qty.lots(),
            OrderSize::Quote(_) if lot_cost <= 0 => 0,
            OrderSize::Quote(amount) => {
                u64::try_from(amount.minor().max(0) / lot_cost).unwrap_or(u64::MAX)
            }
        };
        Self {
            model,
            counted,
            account,
            owner: model.owner(account),
            market,
            limits: model.limits(account, request.instrument),
            request,
            terms: request.special(),
            together,
            opposite,
            price,
            measured_at,
            qty,
            rest: qty - filled.lots().min(qty),
        }
    }

    fn prices(&self) -> Vec<RejectReason> {
        let Self { model, market, request, terms, .. } = self;
        let (spec, rules, kind) = (&market.instrument.spec, &market.rules, request.order_type);
        let limited = !kind.is_market() && terms.peg.is_none();
        let found = kind != OrderType::MarketToLimit || self.opposite.is_some();
        let has_limit = limited && found;
        let peg_limit = terms.peg.and_then(|peg| peg.limit);
        let bounds = spec.min_price..=spec.max_price;
        let delta = u64::from(terms.trailing_delta_bps);
        let too_small = delta > 0 && delta < u64::from(rules.trailing_delta_min_bps);
        let too_large = delta >= BPS as u64 || is_set(rules.trailing_delta_max_bps.into(), delta);
        let reference = match (terms.peg, kind) {
            (Some(_), _) => model.peg_price(request),
            (None, OrderType::MarketToLimit) => self.opposite,
            _ => Some(0),
        };
        let far = model.is_outside_collar(self.account, market, request.side, self.price);
        let dated = request.time_in_force == TimeInForce::Gtd;
        which([
            (has_limit && self.price < spec.min_price.ticks(), PriceBelowMin),
            (has_limit && self.price > spec.max_price.ticks(), PriceAboveMax),
            (peg_limit.is_some_and(|limit| limit < spec.min_price), PriceBelowMin),
            (peg_limit.is_some_and(|limit| limit > spec.max_price), PriceAboveMax),
            (terms.stop_price.is_some_and(|stop| !bounds.contains(&stop)), StopPriceOutOfRange),
            (too_small || too_large, TrailingDeltaOutOfRange),
            (has_limit && model.is_outside_percent(market, request), PriceOutsidePercent),
            (!kind.is_market() && reference.is_some() && far, PriceOutsideCollar),
            (reference.is_none(), NoPegReference),
            (dated && terms.expire_ns <= model.now_ns, ExpireTimePast),
        ])
    }

    fn quantities(&self) -> Vec<RejectReason> {
        let (spec, rules) = (&self.market.instrument.spec, &self.market.rules);
        let above_limit = is_set(self.limits.max_order_qty.lots(), self.qty);
        let market_min_qty = spec.min_qty.max(rules.market_min_qty);
        let OrderSize::Base(qty) = self.request.size else {
            let (reached, is_all) = self.reach_by_quote();
            let is_bounded = self.amount() > 0;
            let is_short = reached < market_min_qty.lots() && !is_all;
            return which([
                (is_bounded && is_short, MarketQtyBelowMin),
                (is_bounded && reached > spec.market_max_qty.lots(), MarketQtyAboveMax),
                (above_limit, OrderQtyAboveLimit),
            ]);
        };
        let by_market = self.request.order_type.is_market();
        let display = self.terms.display_qty;
        let is_iceberg = !display.is_zero();
        let shown_badly = display < spec.min_qty || display >= qty;
        let parts = if is_iceberg { qty.lots().div_ceil(display.lots()) } else { 1 };
        let parts_max = match rules.iceberg_parts_max {
            0 => ICEBERG_PARTS_MAX,
            max => ICEBERG_PARTS_MAX.min(max.into()),
        };
        which([
            (!by_market && qty < spec.min_qty, OrderQtyBelowMin),
            (!by_market && qty > spec.max_qty, OrderQtyAboveMax),
            (by_market && qty < market_min_qty, MarketQtyBelowMin),
            (by_market && qty > spec.market_max_qty, MarketQtyAboveMax),
            (is_iceberg && shown_badly, DisplayQtyOutOfRange),
            (parts > parts_max, TooManyIcebergParts),
            (self.terms.min_qty > qty, MinQtyAboveOrderQty),
            (above_limit, OrderQtyAboveLimit),
        ])
    }

    /// The quote amount, or zero.
    fn amount(&self) -> i128 {
        match self.request.size {
            OrderSize::Base(_) => 0,
            OrderSize::Quote(amount) => amount.minor(),
        }
    }

    /// The lots that the amount trades on the book, and whether these are all of it.
    fn reach_by_quote(&self) -> (u64, bool) {
        let (mut rest, mut lots) = (self.amount().max(0), 0);
        for maker in self.model.side(self.request.instrument, self.request.side.opposite()) {
            let cost = self.cost_of(maker.order.price.ticks(), 1);
            let wants = if cost > 0 { rest / cost } else { 0 };
            let wants = wants.min(i128::from(QTY_MAX.lots() - lots));
            let takes = wants.min(i128::from(maker.leaves()));
            lots += u64::try_from(takes).unwrap();
            rest -= takes * cost;
            if takes < i128::from(maker.leaves()) || rest == 0 {
                return (lots, false);
            }
        }
        (lots, true)
    }

    /// An account with balances must buy for a positive amount; for others only the magnitude
    /// counts.
    fn notional(&self) -> Vec<RejectReason> {
        let Self { model, market, request, .. } = self;
        let (spec, kind) = (&market.instrument.spec, request.order_type);
        let quote = match request.size {
            OrderSize::Base(_) => None,
            OrderSize::Quote(amount) => Some(amount.minor()),
        };
        let at_price = match kind {
            kind if kind.is_market() && market.rules.notional_by_avg_price => {
                model.average_price(market)
            }
            kind if kind.is_market() => self.opposite,
            _ => Some(self.price),
        };
        let notional = quote.or_else(|| at_price.map(|price| self.cost_of(price, self.qty)));
        let signed = quote.is_some() || model.is_cash(self.account);
        let size = notional.map(|notional| if signed { notional } else { notional.abs() });
        let is_nothing = signed && size.is_some_and(|size| size <= 0);
        let is_small = size.is_some_and(|size| size < spec.min_notional.minor());
        let limit = self.limits.max_order_notional.minor();
        let measured = quote.unwrap_or_else(|| self.cost_of(self.measured_at, self.qty)).abs();
        which([
            (is_nothing || is_small, NotionalBelowMin),
            (size.is_some_and(|size| size > spec.max_notional.minor()), NotionalAboveMax),
            (limit > 0 && measured > limit, NotionalAboveLimit),
        ])
    }

    fn open_orders(&self) -> Vec<RejectReason> {
        let Self { counted: model, account, request, limits, .. } = self;
        let (spec, rules) = (&self.market.instrument.spec, &self.market.rules);
        let kind = request.order_type;
        let own = model.of_account(*account, request.instrument);
        let all = model.open.iter().filter(|open| open.order.account == *account).count();
        let stays =
            kind.is_stop() || (kind != OrderType::Market && request.time_in_force.may_rest());
        let together = self.together;
        let entering = together.count.max(1);
        let has_room = |open: usize, max: u32| open + entering as usize <= max as usize;
        let bounded = !rules.max_position.is_zero();
        let max = if bounded { spec.max_open_orders.min(1_000) } else { spec.max_open_orders };
        let waits = |open: &&Open| matches!(open.place, Standing::Stop | Standing::List);
        let stops = own.iter().filter(|open| open.order.order_type.is_stop());
        let stops = stops.filter(waits).count() as u64 + together.stops;
        let icebergs = own.iter().filter(|open| !open.terms().display_qty.is_zero()).count() as u64;
        let is_iceberg = !self.terms.display_qty.is_zero();
        let held = own.iter().filter(|open| !open.order.order_type.is_market());
        let held = held.filter(|open| open.place != Standing::List);
        let open_notional: i128 =
            held.map(|open| self.cost_of(open.order.price.ticks(), open.leaves()).abs()).sum();
        let limit = limits.max_open_notional.minor();
        let rest = self.cost_of(self.measured_at, self.rest).abs();
        let beside = together.beside_notional;
        let same_name = own.iter().any(|open| open.order.cl_ord_id == request.cl_ord_id);
        let with_these = own.len() as u64 + u64::from(entering);
        which([
            (stays && !has_room(own.len(), max), TooManyOpenOrders),
            (stays && !has_room(all, self.owner.spec.max_open_orders), TooManyAccountOrders),
            (kind.is_stop() && is_set(rules.max_stop_orders.into(), stops), TooManyStopOrders),
            (
                is_iceberg && is_set(rules.max_iceberg_orders.into(), icebergs + together.icebergs),
                TooManyIcebergOrders,
            ),
            (stays && is_set(limits.max_open_orders.into(), with_these), OpenOrdersAboveLimit),
            (stays && limit > 0 && open_notional + beside + rest > limit, OpenNotionalAboveLimit),
            (same_name, DuplicateClOrdId),
        ])
    }

    /// The largest cost of its remainder.
    fn cost(&self) -> Vec<RejectReason> {
        let Self { model, account, market, request, .. } = self;
        let rest = Qty::from_lots(self.rest);
        let size = match request.size {
            OrderSize::Base(_) => OrderSize::Base(rest),
            by_quote @ OrderSize::Quote(_) => by_quote,
        };
        let remainder = NewOrder { size, ..**request };
        let pays_in = model.paid_in(request.instrument, request.side);
        let short = model.is_cash(*account)
            && model.needs(*account, market, &remainder, self.opposite)
                > model.free(*account, pays_in);
        let counted = self.counted;
        let room = counted.position_room(*account, request.instrument, request.side);
        let limited = self.rest.saturating_add(self.together.beside);
        let all = Qty::from_lots(self.rest.saturating_add(self.together.beside_all));
        let above = counted.is_above_position(*account, market, request.side, all);
        let by_market = request.order_type == OrderType::Market;
        let may_be_short = by_market && !self.terms.within_balance && model.is_cash(*account);
        which([
            (short || may_be_short && model.falls_short(*account, request), InsufficientBalance),
            (above, PositionAboveMax),
            (room.is_some_and(|room| i128::from(limited) > room), PositionAboveLimit),
        ])
    }

    /// Whether it would trade or trigger at once.
    fn at_once(&self) -> Vec<RejectReason> {
        let kind = self.request.order_type;
        let price = Price::from_ticks(self.price);
        let crosses = |best| self.request.side.crosses(price, Price::from_ticks(best));
        let trades = self.market.phase == Phase::Continuous && self.opposite.is_some_and(crosses);
        let triggers = kind.is_stop() && self.model.triggers_at_once(self.request);
        let spec = &self.market.instrument.spec;
        let market_min_qty = spec.min_qty.max(self.market.rules.market_min_qty);
        let by_quote = matches!(self.request.size, OrderSize::Quote(_));
        let lacks_min_qty = by_quote && self.reach_by_quote().0 < market_min_qty.lots();
        which([
            (kind == OrderType::Market && (self.opposite.is_none() || lacks_min_qty), NoLiquidity),
            (kind == OrderType::LimitMaker && trades, WouldTakeLiquidity),
            (triggers, WouldTriggerImmediately),
        ])
    }

    fn cost_of(&self, price: i64, qty: u64) -> i128 {
        let lot = i128::from(self.market.instrument.tick_lot_minor);
        i128::from(price) * i128::from(qty) * lot
    }
}

/// The reasons whose fault is there.
fn which<const N: usize>(faults: [(bool, RejectReason); N]) -> Vec<RejectReason> {
    faults.into_iter().filter(|(wrong, _)| *wrong).map(|(_, reason)| reason).collect()
}
