//! Recorded orders that are in the book.

use std::collections::HashMap;

use recorded::Event;
use types::{Price, Side};

use super::{Desk, MarketStep};

#[derive(Debug, Default)]
pub(super) struct Orders {
    /// By the exchange's id.
    standing: HashMap<u64, Standing>,
    is_used: bool,
}

/// An order as the record has it, whatever other accounts have taken off it.
#[derive(Clone, Copy, Debug)]
struct Standing {
    number: u64,
    side: Side,
    price: Price,
    /// In the recording's lots, with what was executed.
    order_lots: u64,
    left_lots: u64,
}

impl Orders {
    /// Whether the data have orders.
    pub(super) fn is_used(&self) -> bool {
        self.is_used
    }

    pub(super) fn add(&mut self, event: &Event, desk: &mut Desk, out: &mut Vec<MarketStep>) {
        self.is_used = true;
        let Some(side) = event.side else { return };
        let lots = event.quantity.lots();
        let number = desk.rest(side, event.price, lots, out);
        let price = event.price;
        let standing = Standing { number, side, price, order_lots: lots, left_lots: lots };
        if let Some(before) = self.standing.insert(event.order, standing) {
            desk.cancel(before.number, out);
        }
    }

    pub(super) fn cancel(&mut self, event: &Event, desk: &Desk, out: &mut Vec<MarketStep>) {
        let Some(order) = self.standing.get_mut(&event.order) else { return };
        let lots = event.quantity.lots();
        if lots >= order.left_lots {
            return self.delete(event, desk, out);
        }
        order.left_lots -= lots;
        order.order_lots -= lots;
        desk.reduce(order.number, order.order_lots, out);
    }

    pub(super) fn delete(&mut self, event: &Event, desk: &Desk, out: &mut Vec<MarketStep>) {
        if let Some(order) = self.standing.remove(&event.order) {
            desk.cancel(order.number, out);
        }
    }

    pub(super) fn modify(&mut self, event: &Event, desk: &mut Desk, out: &mut Vec<MarketStep>) {
        let Some(order) = self.standing.get_mut(&event.order) else {
            return self.add(event, desk, out);
        };
        let lots = event.quantity.lots();
        if lots == 0 {
            return self.delete(event, desk, out);
        }
        if order.price == event.price && lots <= order.left_lots {
            order.order_lots -= order.left_lots - lots;
            order.left_lots = lots;
            return desk.reduce(order.number, order.order_lots, out);
        }
        let (side, price) = (order.side, event.price);
        let number = desk.replace(order.number, side, price, lots, out);
        *order = Standing { number, side, price, order_lots: lots, left_lots: lots };
    }

    pub(super) fn execute(&mut self, event: &Event, desk: &mut Desk, out: &mut Vec<MarketStep>) {
        let lots = event.quantity.lots();
        let side = match self.standing.get_mut(&event.order) {
            Some(order) => {
                order.left_lots = order.left_lots.saturating_sub(lots);
                Some(order.side)
            }
            None => event.side,
        };
        if self.standing.get(&event.order).is_some_and(|order| order.left_lots == 0) {
            self.standing.remove(&event.order);
        }
        if let Some(side) = side {
            desk.execute(side.opposite(), event.price, lots, out);
        }
    }

    /// Forgets the orders of a side, or of both, and cancels them.
    pub(super) fn clear(&mut self, side: Option<Side>, desk: &Desk, out: &mut Vec<MarketStep>) {
        if self.is_used {
            self.standing.retain(|_, order| side.is_some_and(|side| side != order.side));
            desk.cancel_side(side, out);
        }
    }
}
