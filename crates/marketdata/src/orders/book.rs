//! The displayed orders of all instruments, one by one, as messages leave them.

use std::collections::{BTreeMap, HashMap};

use types::{InstrumentId, OrderId, Price, Side};

use crate::orders::message::{Fact, OrderMessage, Said};

/// An order as the book shows it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ShownOrder {
    pub order_id: OrderId,
    pub side: Side,
    pub price: Price,
    pub qty: u32,
}

/// Follows messages. It begins with the orders of a venue that opens.
#[derive(Clone, Debug, Default)]
pub struct ShownOrders {
    instruments: HashMap<InstrumentId, OrdersOf>,
}

#[derive(Clone, Debug, Default)]
struct OrdersOf {
    /// By their time on the book: at one price, the first trades first.
    by_place: BTreeMap<u64, ShownOrder>,
    places: HashMap<OrderId, u64>,
    next_place: u64,
}

impl ShownOrders {
    /// Adds an order behind all others.
    pub fn add(&mut self, instrument: InstrumentId, order: ShownOrder) {
        self.instruments.entry(instrument).or_default().add(order);
    }

    pub fn apply(&mut self, message: &OrderMessage) {
        let Said::Of(instrument, fact) = message.said else { return };
        match fact {
            Fact::Added { order_id, side, price, qty } => {
                self.add(instrument, ShownOrder { order_id, side, price, qty });
            }
            Fact::Executed { order_id, qty, .. }
            | Fact::ExecutedAt { order_id, qty, .. }
            | Fact::Reduced { order_id, qty } => {
                self.of(instrument).reduce(order_id, qty);
            }
            Fact::Deleted { order_id } => drop(self.of(instrument).remove(order_id)),
            Fact::Replaced { order_id, new_order_id, price, qty } => {
                let of = self.of(instrument);
                if let Some(old) = of.remove(order_id) {
                    of.add(ShownOrder { order_id: new_order_id, side: old.side, price, qty });
                }
            }
            Fact::Listed
            | Fact::Status(_)
            | Fact::Traded { .. }
            | Fact::Crossed { .. }
            | Fact::Broken { .. }
            | Fact::Indicated { .. } => {}
        }
    }

    /// The orders of an instrument, by their time on the book.
    pub fn orders(&self, instrument: InstrumentId) -> impl Iterator<Item = &ShownOrder> {
        self.instruments.get(&instrument).into_iter().flat_map(|of| of.by_place.values())
    }

    /// Of all instruments.
    pub fn len(&self) -> usize {
        self.instruments.values().map(|of| of.by_place.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn of(&mut self, instrument: InstrumentId) -> &mut OrdersOf {
        self.instruments.entry(instrument).or_default()
    }
}

impl OrdersOf {
    fn add(&mut self, order: ShownOrder) {
        self.places.insert(order.order_id, self.next_place);
        self.by_place.insert(self.next_place, order);
        self.next_place += 1;
    }

    fn reduce(&mut self, order_id: OrderId, qty: u32) {
        let Some(order) = self.places.get(&order_id).and_then(|at| self.by_place.get_mut(at))
        else {
            return;
        };
        order.qty = order.qty.saturating_sub(qty);
        if order.qty == 0 {
            self.remove(order_id);
        }
    }

    fn remove(&mut self, order_id: OrderId) -> Option<ShownOrder> {
        self.by_place.remove(&self.places.remove(&order_id)?)
    }
}
