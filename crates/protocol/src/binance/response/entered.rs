//! What one command did to an order that it entered.

use smallvec::SmallVec;
use types::{
    Event, Fill, InstrumentId, Order, OrderId, OrderList, OrderListId, OrderListKind,
    TradeExecuted, TradePrevented,
};

use crate::binance::response::facts::OrderFacts;

/// An order as it was after its entry: when it rests, waits or has ended. What befalls it later in
/// the same command, as a maker for instance, is for its events to report. Events of other orders
/// stand between those of this one: of orders that it prevented, triggered, or that depended on
/// these.
pub(super) struct Entered<'a> {
    /// As it stood after its entry.
    pub(super) order: Order,
    pub(super) facts: OrderFacts,
    /// Each trade that it made as the taker, and its side of it.
    pub(super) fills: SmallVec<[(&'a TradeExecuted, &'a Fill); 4]>,
    /// Trades that it would have made as the taker.
    pub(super) prevented: Vec<&'a TradePrevented>,
}

impl<'a> Entered<'a> {
    /// The first order that was entered; `None` if there was none.
    pub(super) fn find(events: &'a [Event]) -> Option<Self> {
        let (at, order) = events.iter().enumerate().find_map(|(at, event)| match event {
            Event::OrderAccepted(accepted) => Some((at, accepted.order)),
            _ => None,
        })?;
        Some(Self::follow_all(order, OrderFacts::of(&order), &events[at + 1..]))
    }

    /// The orders of a list, in their order.
    pub(super) fn of_list(events: &'a [Event], list: &OrderList) -> Vec<Self> {
        let of_id = |order_id: OrderId| {
            events.iter().enumerate().find_map(|(at, event)| match event {
                Event::OrderAccepted(accepted)
                    if is_in(&accepted.order, list.instrument, list.order_list)
                        && accepted.order.order_id == order_id =>
                {
                    Some((at, accepted.order))
                }
                _ => None,
            })
        };
        let entered = |(place, (at, order)): (usize, (usize, Order))| {
            let facts = if place > 0 && list.kind != OrderListKind::Oco {
                OrderFacts::pending(&order)
            } else {
                OrderFacts::of(&order)
            };
            Self::follow_all(order, facts, &events[at + 1..])
        };
        let found = list.orders.into_iter().flatten().filter_map(of_id);
        found.enumerate().map(entered).collect()
    }

    fn follow_all(order: Order, facts: OrderFacts, events: &'a [Event]) -> Self {
        let mut entered = Self { order, facts, fills: SmallVec::new(), prevented: Vec::new() };
        for event in events {
            if !entered.follow(event) {
                break;
            }
        }
        // Self-trade prevention lowers the amount; the client sees the one that it sent.
        entered.order.quote_order_qty = order.quote_order_qty;
        entered
    }

    /// Whether the order may still be entering.
    fn follow(&mut self, event: &'a Event) -> bool {
        match event {
            Event::TradeExecuted(trade) if self.is(&trade.taker.order) => {
                self.order = trade.taker.order;
                self.fills.push((trade, &trade.taker));
            }
            // It is a maker where it rests and an order that it triggered trades.
            Event::TradeExecuted(trade) => return !self.is(&trade.maker.order),
            Event::OrderRested(rested) => return !self.is_of(rested.instrument, rested.order_id),
            Event::OrderTriggered(triggered) if self.is(&triggered.order) => {
                self.order = triggered.order;
                self.facts.working_ns = Some(self.order.updated_ns);
            }
            Event::TradePrevented(prevented) if prevented.instrument == self.order.instrument => {
                if prevented.taker_order_id == self.order.order_id {
                    self.prevented.push(prevented);
                }
                return prevented.maker_order_id != self.order.order_id;
            }
            Event::OrderDecremented(decremented) if self.is(&decremented.order) => {
                self.order = decremented.order;
            }
            Event::OrderExpired(expired) if self.is(&expired.order) => {
                self.order = expired.order;
                self.facts.expired = Some(expired.cause);
            }
            Event::OrderCanceled(canceled) if self.is(&canceled.order) => {
                self.order = canceled.order;
            }
            // A peg moves only where it rests.
            Event::OrderRepriced(repriced) => return !self.is(&repriced.order),
            _ => {}
        }
        true
    }

    fn is(&self, order: &Order) -> bool {
        self.is_of(order.instrument, order.order_id)
    }

    fn is_of(&self, instrument: InstrumentId, order_id: OrderId) -> bool {
        self.order.order_id == order_id && self.order.instrument == instrument
    }
}

pub(super) fn is_in(order: &Order, instrument: InstrumentId, order_list: OrderListId) -> bool {
    let of_order = order.terms.map(|terms| terms.order_list);
    order.instrument == instrument && of_order == Some(order_list)
}
