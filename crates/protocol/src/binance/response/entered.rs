//! What one command did to an order that it entered.

use types::{
    Event, Fill, InstrumentId, Order, OrderId, OrderList, OrderListId, OrderListKind,
    TradeExecuted, TradePrevented,
};

use crate::binance::response::facts::OrderFacts;
use crate::binance::response::prevented::prevented_of;

/// An order as a command's events leave it. Events of other orders stand between those of this one:
/// of orders that it prevented, triggered, or that depended on these.
pub(super) struct Entered<'a> {
    /// As it stood in the end.
    pub(super) order: Order,
    pub(super) facts: OrderFacts,
    /// Each trade, and the order's side of it.
    pub(super) fills: Vec<(&'a TradeExecuted, &'a Fill)>,
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
        let mut entered = Self { order, facts, fills: Vec::new(), prevented: Vec::new() };
        for event in events {
            entered.follow(event);
        }
        entered
    }

    fn follow(&mut self, event: &'a Event) {
        match event {
            Event::TradeExecuted(trade) => {
                // It is a maker where it rests and something that it triggered trades.
                let sides = [&trade.taker, &trade.maker];
                if let Some(fill) = sides.into_iter().find(|fill| self.is(&fill.order)) {
                    self.order = fill.order;
                    self.fills.push((trade, fill));
                }
            }
            Event::OrderTriggered(triggered) if self.is(&triggered.order) => {
                self.order = triggered.order;
                self.follow_triggered();
            }
            Event::OrderRepriced(repriced) if self.is(&repriced.order) => {
                self.order = repriced.order;
            }
            Event::TradePrevented(prevented) => self.follow_prevented(prevented),
            Event::OrderExpired(expired) if self.is(&expired.order) => {
                self.order = expired.order;
                self.facts.expired = Some(expired.cause);
            }
            Event::OrderCanceled(canceled) if self.is(&canceled.order) => {
                self.order = canceled.order;
            }
            _ => {}
        }
    }

    /// Published when its list places it, and when its trigger is reached.
    fn follow_triggered(&mut self) {
        let now_ns = self.order.updated_ns;
        if self.facts.is_pending {
            self.facts = OrderFacts::placed(&self.order, now_ns);
        } else {
            self.facts.working_ns = Some(now_ns);
        }
    }

    /// What is prevented appears as a list for the taker, as the last of them for the maker. What
    /// `Decrement` took off the order is in its next event, if it has another.
    fn follow_prevented(&mut self, prevented: &'a TradePrevented) {
        if prevented.instrument != self.order.instrument {
            return;
        }
        let is_taker = prevented.taker_order_id == self.order.order_id;
        if is_taker {
            self.prevented.push(prevented);
        } else if prevented.maker_order_id == self.order.order_id {
            self.facts.prevented_match_id = Some(prevented.prevented_match_id);
        } else {
            return;
        }
        prevented_of(&mut self.order, prevented);
    }

    fn is(&self, order: &Order) -> bool {
        self.order.order_id == order.order_id && self.order.instrument == order.instrument
    }
}

pub(super) fn is_in(order: &Order, instrument: InstrumentId, order_list: OrderListId) -> bool {
    let of_order = order.terms.map(|terms| terms.order_list);
    order.instrument == instrument && of_order == Some(order_list)
}
