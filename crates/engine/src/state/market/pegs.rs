//! The pegged orders of an instrument.

use std::collections::BTreeSet;
use std::ops::Bound;

use types::{NewOrder, OrderId};

/// Pegged orders on one instrument's books: one command can have to move them all.
const PEGGED_ORDERS_MAX: usize = 1_000;

/// A market's pegged orders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pegs {
    ids: BTreeSet<OrderId>,
    /// The last one that was looked at in a round that is not over; zero between rounds.
    pub(crate) cursor: OrderId,
}

impl Pegs {
    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Whether there is no room for an order because it is pegged.
    pub(crate) fn are_full(&self, order: &NewOrder) -> bool {
        self.ids.len() >= PEGGED_ORDERS_MAX && order.terms.is_some_and(|terms| terms.peg.is_some())
    }

    pub(crate) fn insert(&mut self, order_id: OrderId) {
        self.ids.insert(order_id);
    }

    pub(super) fn remove(&mut self, order_id: OrderId) {
        self.ids.remove(&order_id);
    }

    pub(in crate::state) fn has(&self, order_id: OrderId) -> bool {
        self.ids.contains(&order_id)
    }

    pub(in crate::state) fn ids(&self) -> impl ExactSizeIterator<Item = OrderId> {
        self.ids.iter().copied()
    }

    pub(crate) fn next(&self) -> Option<OrderId> {
        let later = (Bound::Excluded(self.cursor), Bound::Unbounded);
        self.ids.range(later).next().copied()
    }
}
