//! The quantity that an order could trade at once, for fill-or-kill and minimum quantities.

use types::{Amount, ExpireCause, Order, Price, QTY_MAX, Qty, Side, StpMode, TimeInForce};

use crate::state::Engine;
use crate::state::fee::{fee, without_fee};
use crate::state::market::Market;

/// Limit of the resting orders that are read.
pub(super) const REACH_MAX: usize = 1_000;

impl Engine {
    /// The cause for which an entering order must not trade at all: it could not trade enough.
    #[inline]
    pub(super) fn fok_unfillable(&self, order: &Order) -> Option<ExpireCause> {
        if order.time_in_force != TimeInForce::Fok && order.terms.is_none() {
            return None;
        }
        self.fok_unfillable_uncommon(order)
    }

    #[cold]
    fn fok_unfillable_uncommon(&self, order: &Order) -> Option<ExpireCause> {
        if order.time_in_force == TimeInForce::Fok && !self.can_trade(order, order.order_qty) {
            return Some(ExpireCause::FillOrKill);
        }
        let mut min_qty = order.terms.unwrap_or_default().terms.min_qty;
        if order.quote_order_qty.is_zero() {
            min_qty = min_qty.min(order.order_qty); // it may have been lowered while it waited
        }
        let is_there = min_qty.is_zero() || self.can_trade(order, min_qty);
        (!is_there).then_some(ExpireCause::MinQty)
    }

    /// Whether an order could trade `qty` at once.
    fn can_trade(&self, order: &Order, qty: Qty) -> bool {
        let market = &self.markets[order.instrument.0 as usize];
        if order.stp_mode == StpMode::None && !order.order_type.is_market() {
            // This few lots are at most as many orders, and displayed quantity can always trade.
            let few = qty.lots() <= REACH_MAX as u64 && !market.trading.has_bands();
            if few && market.book.can_fill(order.side, Some(order.price), qty) {
                return true;
            }
        }
        let mut reach = Reach::new(self, market, order, qty);
        self.walk(order, &mut reach);
        reach.found >= qty
    }

    /// Whether an account can pay for all that a market order would trade at once. Beyond the
    /// orders that are read, the rest of its quantity counts at the last price.
    pub(super) fn covers_market_order(&self, order: &Order) -> bool {
        let market = &self.markets[order.instrument.0 as usize];
        let by_quote = !order.quote_order_qty.is_zero();
        let qty = if by_quote { QTY_MAX } else { order.order_qty };
        let mut reach = Reach { room: QTY_MAX, ..Reach::new(self, market, order, qty) };
        if let Some(price) = self.walk(order, &mut reach) {
            reach.take(price, qty);
        }
        !reach.is_short
    }

    /// Simulates the trades of an order, until it has what it wants or nothing more can trade.
    /// Returns the last price if not all orders were read.
    fn walk(&self, order: &Order, reach: &mut Reach<'_>) -> Option<Price> {
        let market = reach.market;
        let mut last: Option<Price> = None;
        // The first and the last price of its simulated trades, which move the bands.
        let mut traded: Option<(Price, Price)> = None;
        // The reserve of icebergs, which trades after all displayed orders at their price.
        let mut reserve = Qty::ZERO;
        let mut line = market.in_line(&self.orders, order.side.opposite());
        for (node, is_shown) in line.by_ref().take(REACH_MAX) {
            let price = self.orders.price(node);
            if last != Some(price) || !is_shown {
                reach.take(last.unwrap_or(price), std::mem::take(&mut reserve));
                last = Some(price);
            }
            if reach.found >= reach.wants || reach.is_spent_at(price) {
                return None;
            }
            if !order.order_type.is_market() && !order.side.crosses(order.price, price) {
                return None;
            }
            if self.prevents(order, node) {
                match order.stp_mode {
                    StpMode::ExpireMaker => continue,
                    _ => return None,
                }
            }
            if !market.trading.would_allow(traded, price) {
                return None;
            }
            traded = Some((traded.map_or(price, |(first, _)| first), price));
            let shown = self.orders.nodes[node].leaves_qty();
            reach.take(price, shown);
            reserve += self.orders.leaves_qty(node) - shown;
        }
        let price = last?;
        reach.take(price, reserve);
        line.next().map(|_| price)
    }
}

/// An order in simulated trades, at the current rates of its account.
struct Reach<'a> {
    market: &'a Market,
    order: &'a Order,
    /// The free balance that is left, for a market order, which has no hold.
    free: Option<Amount>,
    /// The remaining amount of an order by quote.
    quote: Option<Amount>,
    /// The lots that the position limit leaves.
    room: Qty,
    /// The fee rate on top of the price: for the free balance that must suffice, and for the
    /// payment.
    rate_free: u32,
    rate: u32,
    wants: Qty,
    found: Qty,
    /// The free balance did not pay for all that was there and wanted.
    is_short: bool,
}

impl<'a> Reach<'a> {
    fn new(engine: &Engine, market: &'a Market, order: &'a Order, wants: Qty) -> Self {
        let instrument = &market.instrument;
        let account = &engine.accounts[order.account.0 as usize];
        let pays_in = match order.side {
            Side::Buy => instrument.spec.quote,
            Side::Sell => instrument.spec.base,
        };
        let pays_as_it_goes = order.order_type.is_market();
        let room = match account.market_risk(instrument.id) {
            Some(risk) if pays_as_it_goes => {
                account.position_room(instrument, order.side, &risk.exposure)
            }
            _ => None,
        };
        let rate_free = account.fee_rate_on_top(market, order.side, engine.now_ns);
        let rate = account.fee_rates(market, engine.now_ns).taker.max(0).unsigned_abs();
        let by_quote = !order.quote_order_qty.is_zero();
        Self {
            market,
            order,
            free: (pays_as_it_goes && account.is_cash()).then(|| account.balance(pays_in).free),
            quote: by_quote.then(|| order.quote_order_qty - order.cum_quote),
            room: room.unwrap_or(QTY_MAX),
            rate_free,
            rate: rate.min(rate_free),
            wants,
            found: Qty::ZERO,
            is_short: false,
        }
    }

    /// Whether an order by quote has filled, because its rest buys no lot at the next price.
    fn is_spent_at(&self, price: Price) -> bool {
        let lots = |quote| self.market.instrument.lots_for(quote, price);
        !self.found.is_zero() && self.quote.is_some_and(|quote| lots(quote).is_zero())
    }

    fn take(&mut self, price: Price, there: Qty) {
        let instrument = &self.market.instrument;
        let mut qty = there.min(self.wants - self.found).min(self.room);
        if let Some(quote) = &mut self.quote {
            let lots = instrument.lots_for(*quote, price);
            if lots < qty {
                // The rest of the amount buys no lot at this price: the order has filled.
                qty = lots;
                self.wants = self.found + lots;
            }
            *quote -= instrument.notional(price, qty);
        }
        if let Some(free) = &mut self.free {
            let is_paid = price.ticks() > 0;
            let affords = match self.order.side {
                Side::Buy if is_paid => {
                    instrument.lots_for(without_fee(*free, self.rate_free), price)
                }
                Side::Buy => qty,
                Side::Sell if is_paid => instrument.lots_in(*free),
                Side::Sell => Qty::ZERO, // the seller would pay
            };
            // A seller that would have to pay is not short of what it sells.
            self.is_short |= affords < qty && is_paid;
            qty = qty.min(affords);
            let notional = instrument.notional(price, qty);
            *free -= match self.order.side {
                Side::Buy if is_paid => notional + fee(notional, self.rate),
                Side::Buy => notional,
                Side::Sell => instrument.base_amount(qty),
            };
        }
        self.room -= qty;
        self.found += qty;
    }
}
