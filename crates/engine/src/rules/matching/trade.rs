//! Trades of an order against the book, one maker after another, until it rests or stops.

use types::{
    Event, ExpireCause, Order, OrderRested, OrderStatus, Phase, Prevented, Price, Qty, Side,
    TradeExecuted,
};

use crate::book::Front;
use crate::rules::event::emit;
use crate::rules::matching::matched::{Match, count_fill, count_fill_by_quote, rest_by_quote};
use crate::state::Engine;
use crate::state::market::Market;

/// The reason for which an order stops trading.
pub(super) enum Stop {
    Filled,
    /// The other side has nothing at its price.
    NoneLeft,
    /// The next price must not trade now, for this reason.
    Forbidden(ExpireCause),
    /// It cannot buy or sell another lot, for this reason.
    Unable(ExpireCause),
    /// Self-trade prevention took all that was left of it.
    Prevented(Prevented),
    /// The command's work is used up; a `Continue` resumes the order.
    Suspended,
}

impl Engine {
    pub(super) fn trade(&mut self, order: &mut Order, events: &mut Vec<Event>) -> Stop {
        self.trade_plain(order, events);
        if order.status == OrderStatus::Filled {
            return Stop::Filled;
        }
        let resting_side = order.side.opposite();
        let limit = (!order.order_type.is_market()).then_some(order.price);
        loop {
            let market = &self.markets[order.instrument.0 as usize];
            let Some(front) = market.front(&self.orders.nodes, resting_side) else {
                return Stop::NoneLeft;
            };
            if limit.is_some_and(|limit| !order.side.crosses(limit, front.price)) {
                return Stop::NoneLeft;
            }
            let allowed = market.trading.allows(front.price);
            if !allowed && market.trading.phase != Phase::Continuous {
                return Stop::Forbidden(ExpireCause::Phase);
            }
            if self.prevents(order, front.node) {
                if !self.spend_work() {
                    return Stop::Suspended;
                }
                match self.prevent(order, front, events) {
                    Some(stop) => return stop,
                    None => continue,
                }
            }
            if !allowed {
                return Stop::Forbidden(ExpireCause::PriceBand);
            }
            let takes = match self.takes(market, order, front.price) {
                Ok(qty) => qty,
                Err(cause) => return Stop::Unable(cause),
            };
            let qty = takes.min(front.leaves_qty);
            if self.has_clearing && !self.can_clear(order, front, qty) {
                return Stop::Unable(ExpireCause::NotAllowed);
            }
            if !self.spend_work() {
                return Stop::Suspended;
            }
            self.fill(order, front, qty, events);
            if order.status == OrderStatus::Filled {
                return Stop::Filled;
            }
        }
    }

    /// The lots that an order would take at `price`, at least one.
    pub(super) fn takes(
        &self,
        market: &Market,
        order: &Order,
        price: Price,
    ) -> Result<Qty, ExpireCause> {
        let by_quote = !order.quote_order_qty.is_zero();
        let instrument = &market.instrument;
        let wants = if by_quote {
            rest_by_quote(instrument, order, price)
        } else {
            order.order_qty - order.cum_qty
        };
        if wants.is_zero() {
            return Err(ExpireCause::BelowOneLot);
        }
        if !order.order_type.is_market() {
            return Ok(wants); // it holds its largest cost
        }
        let account = &self.accounts[order.account.0 as usize];
        if account.extra.is_some() | market.fee_schedule.is_some() | (price.ticks() <= 0) {
            return self.takes_uncommon(market, order, price, wants);
        }
        let (base, quote) = (instrument.spec.base, instrument.spec.quote);
        let (free, cost) = match order.side {
            Side::Buy => (account.balance(quote).free, instrument.notional(price, wants)),
            Side::Sell => (account.balance(base).free, instrument.base_amount(wants)),
        };
        if cost <= free {
            return Ok(wants); // nearly always, and without a division
        }
        let affords = match order.side {
            Side::Buy => instrument.lots_for(free, price),
            Side::Sell => instrument.lots_in(free),
        };
        match affords {
            Qty::ZERO => Err(ExpireCause::BalanceExhausted),
            qty => Ok(qty),
        }
    }

    /// One match, at the maker's price.
    fn fill(&mut self, taker: &mut Order, front: Front, qty: Qty, events: &mut Vec<Event>) {
        self.prefetch_makers(self.orders.nodes[front.node].next());
        let Self { markets, accounts, orders, now_ns, .. } = self;
        let market = &mut markets[taker.instrument.0 as usize];
        let Front { node, price, leaves_qty } = front;
        let quote = market.instrument.notional(price, qty);
        let mut maker = orders.order(node);
        count_fill(&mut maker, qty, quote, *now_ns);
        let mut reduced = None;
        if maker.terms.is_some() {
            reduced = Some(self.fill_special(node, &maker, qty, quote));
        } else {
            if qty == leaves_qty {
                market.index.remove(maker.order_id.0);
                orders.detach(&mut accounts[maker.account.0 as usize], node);
            } else {
                orders.count_fill(node, quote, *now_ns);
            }
            market.book.reduce(&mut orders.nodes, node, qty);
        }
        count_fill(taker, qty, quote, self.now_ns);
        let market = &mut self.markets[taker.instrument.0 as usize];
        if !taker.quote_order_qty.is_zero() {
            let next = market.best_price(taker.side.opposite());
            count_fill_by_quote(taker, &market.instrument, next);
        }

        market.record_price(price);
        market.trading.record_trade(price, qty, self.now_ns);
        let (instrument_seq, trade_id) = (market.next_seq(), market.next_trade_id());
        let base = market.instrument.base_amount(qty);
        let matched = Match { trade_id, price, qty, base, quote };
        let (for_maker, for_taker) = self.settle(&maker, taker, &matched);
        self.keep_trade((&maker).into(), true, &matched, &for_maker);
        self.keep_trade((&*taker).into(), false, &matched, &for_taker);
        emit(events, || {
            Event::TradeExecuted(TradeExecuted {
                instrument_seq,
                instrument: taker.instrument,
                trade_id,
                price,
                qty,
                quote,
                side: taker.side,
                maker: for_maker.fill(&maker),
                taker: for_taker.fill(taker),
            })
        });
        if let Some(reduced) = reduced {
            self.emit_less(&maker, qty, reduced, events);
        }
        if maker.status == OrderStatus::Filled {
            self.finish(&maker, events);
        }
        self.trade_in_list(&maker, events);
        self.trade_in_list(taker, events);
        self.keep_received([(&maker, &for_maker), (taker, &for_taker)], base);
        if let Some(reduced) = reduced {
            self.emit_next(&maker, reduced, events);
        }
    }

    pub(super) fn rest(&mut self, order: &Order, events: &mut Vec<Event>) {
        if order.terms.is_some() {
            return self.rest_special(order, None, events);
        }
        let market = &mut self.markets[order.instrument.0 as usize];
        let leaves_qty = order.leaves_qty();
        let nodes = &mut self.orders.nodes;
        let node = market.book.rest(nodes, order.order_id, order.side, order.price, leaves_qty);
        market.index.insert(order.order_id.0, node);
        self.orders.attach(&mut self.accounts[order.account.0 as usize], node, order);
        let instrument_seq = market.next_seq();
        emit(events, || {
            Event::OrderRested(OrderRested {
                instrument_seq,
                instrument: order.instrument,
                order_id: order.order_id,
                side: order.side,
                price: order.price,
                leaves_qty,
            })
        });
        self.mark_book_changed(order.instrument);
    }
}
