//! The pegged orders of an instrument.

use std::collections::BTreeSet;
use std::ops::Bound;

use types::{NewOrder, OrderId};

/// Limit of the pegged orders of an instrument, because one command may have to move all of them.
const PEGGED_ORDERS_MAX: usize = 1_000;

/// The pegged orders of an instrument.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pegs {
    ids: BTreeSet<OrderId>,
    /// The last order that an unfinished round has handled; zero between rounds.
    pub(crate) cursor: OrderId,
}

impl Pegs {
    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Whether a pegged order finds no room.
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
