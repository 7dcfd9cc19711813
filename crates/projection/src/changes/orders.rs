//! The orders that a page changes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use types::{ExpireCause, InstrumentId, Order, OrderId};

/// Orders as their last events left them.
#[derive(Debug, Default)]
pub struct Orders {
    /// In the order of their first events.
    orders: Vec<ChangedOrder>,
    places: HashMap<(InstrumentId, OrderId), usize, BuildHasherDefault<IdHasher>>,
}

#[derive(Clone, Copy, Debug)]
pub struct ChangedOrder {
    pub order: Order,
    pub expire_cause: Option<ExpireCause>,
}

impl Orders {
    /// Keeps the quote amount that the order was entered with: self-trade prevention lowers it.
    pub(super) fn put(&mut self, order: &Order, expire_cause: Option<ExpireCause>) {
        let place = *self.places.entry((order.instrument, order.order_id)).or_insert_with(|| {
            self.orders.push(ChangedOrder { order: *order, expire_cause: None });
            self.orders.len() - 1
        });
        let changed = &mut self.orders[place];
        changed.order = Order { quote_order_qty: changed.order.quote_order_qty, ..*order };
        changed.expire_cause = expire_cause.or(changed.expire_cause);
    }

    pub fn iter(&self) -> impl Iterator<Item = &ChangedOrder> {
        self.orders.iter()
    }

    /// Some of them, by instrument and id.
    pub fn sorted(&self, is_wanted: impl Fn(&Order) -> bool) -> Vec<&ChangedOrder> {
        let mut orders: Vec<_> = self.orders.iter().filter(|it| is_wanted(&it.order)).collect();
        orders.sort_unstable_by_key(|it| (it.order.instrument, it.order.order_id));
        orders
    }
}

/// Spreads ids, which the engine hands out one after the other: no client can choose colliding
/// ones.
#[derive(Debug, Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, _: &[u8]) {
        unreachable!("ids are numbers");
    }

    fn write_u32(&mut self, id: u32) {
        self.write_u64(id.into());
    }

    fn write_u64(&mut self, id: u64) {
        // The table takes its places from the low bits and compares them by the high ones.
        let spread = (self.0 ^ id).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = spread ^ spread >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
