//! Open orders by id, in the order in which they were sent.
//!
//! Strategies have few of them, so that a scan of a small array beats a map.

use types::{OrderId, Qty, Side};

use crate::order::Order;

#[derive(Clone, Debug, Default)]
pub(crate) struct OpenOrders {
    orders: Vec<Order>,
    /// Lots of all open orders by instrument, buys and sells.
    lots: Vec<[u64; 2]>,
}

impl OpenOrders {
    pub(crate) fn all(&self) -> &[Order] {
        &self.orders
    }

    pub(crate) fn get(&self, id: OrderId) -> Option<&Order> {
        self.orders.iter().find(|order| order.id == id)
    }

    pub(crate) fn get_mut(&mut self, id: OrderId) -> Option<&mut Order> {
        self.orders.iter_mut().find(|order| order.id == id)
    }

    pub(crate) fn insert(&mut self, order: Order) {
        *self.lots_mut(order.instrument, order.side) += order.leaves_qty.lots();
        self.orders.push(order);
    }

    pub(crate) fn set_leaves(&mut self, id: OrderId, leaves_qty: Qty) {
        let order = self.get_mut(id).expect("the order is open");
        let before = std::mem::replace(&mut order.leaves_qty, leaves_qty);
        let (instrument, side) = (order.instrument, order.side);
        let lots = self.lots_mut(instrument, side);
        *lots = *lots + leaves_qty.lots() - before.lots();
    }

    pub(crate) fn remove(&mut self, id: OrderId) {
        let at = self.orders.iter().position(|order| order.id == id).expect("the order is open");
        let order = self.orders.remove(at);
        *self.lots_mut(order.instrument, order.side) -= order.leaves_qty.lots();
    }

    pub(crate) fn open_lots(&self, instrument: u16, side: Side) -> u64 {
        self.lots.get(usize::from(instrument)).map_or(0, |lots| lots[usize::from(side as u8)])
    }

    fn lots_mut(&mut self, instrument: u16, side: Side) -> &mut u64 {
        let at = usize::from(instrument);
        if self.lots.len() <= at {
            self.lots.resize(at + 1, [0; 2]);
        }
        &mut self.lots[at][usize::from(side as u8)]
    }
}
