//! A book that is built from messages alone.

use std::collections::{BTreeMap, HashMap};

use protocol::itch::Message;

/// Quantity and orders of each level, by instrument, side and price.
pub(super) type Levels = BTreeMap<(u16, u8, u32), (u64, u32)>;

#[derive(Clone, Copy)]
struct Standing {
    locate: u16,
    side: u8,
    price: u32,
    shares: u32,
}

#[derive(Default)]
pub(super) struct Book(HashMap<u64, Standing>);

impl Book {
    pub(super) fn apply(&mut self, message: &Message) {
        match *message {
            Message::AddOrder(m) => {
                let locate = m.head.locate;
                assert_eq!(m.order_ref >> 48, u64::from(locate));
                let added = Standing { locate, side: m.side, price: m.price, shares: m.shares };
                assert!(self.0.insert(m.order_ref, added).is_none(), "an order twice");
            }
            Message::OrderExecuted(m) => self.reduce(m.order_ref, m.shares),
            Message::OrderExecutedAtPrice(m) => self.reduce(m.order_ref, m.shares),
            Message::OrderCanceled(m) => self.reduce(m.order_ref, m.shares),
            Message::OrderDeleted(m) => drop(self.remove(m.order_ref)),
            Message::OrderReplaced(m) => {
                let old = self.remove(m.order_ref);
                let new = Standing { price: m.price, shares: m.shares, ..old };
                assert!(self.0.insert(m.new_order_ref, new).is_none(), "an order twice");
            }
            _ => {}
        }
    }

    pub(super) fn levels(&self) -> Levels {
        let mut levels = Levels::new();
        for Standing { locate, side, price, shares } in self.0.values() {
            let (qty, orders) = levels.entry((*locate, *side, *price)).or_default();
            *qty += u64::from(*shares);
            *orders += 1;
        }
        levels
    }

    fn reduce(&mut self, order_ref: u64, shares: u32) {
        let order = self.0.get_mut(&order_ref).expect("an order that was added");
        order.shares = order.shares.checked_sub(shares).expect("shares that it has");
        if order.shares == 0 {
            self.remove(order_ref);
        }
    }

    fn remove(&mut self, order_ref: u64) -> Standing {
        self.0.remove(&order_ref).expect("an order that was added")
    }
}
