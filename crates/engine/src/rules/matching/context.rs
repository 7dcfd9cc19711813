//! The circumstances in which an order enters, for its checks.

use types::{NewOrder, Qty};

use crate::book::node::NodeId;

/// The circumstances in which an order enters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryContext {
    pub(super) together: Together,
    /// The quantity on its side of those that enter beside it.
    pub(super) beside: Qty,
    /// Its list places it later, and it pays then.
    pub(super) later: bool,
    /// It is open already: its own hold counts as free, and the limits do not count the order
    /// twice.
    pub(super) own: Option<NodeId>,
    /// It has waited for its list to place it, without a hold.
    pub(super) placed: bool,
}

/// The number of orders that enter together, and of stop orders and icebergs among them. An order
/// counts itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Together {
    pub(super) orders: u32,
    pub(super) stops: u32,
    pub(super) icebergs: u32,
}

impl Together {
    const ONE: Self = Self { orders: 1, stops: 1, icebergs: 1 };

    pub(crate) fn of<'a>(orders: impl Iterator<Item = &'a NewOrder>) -> Self {
        let none = Self { orders: 0, stops: 0, icebergs: 0 };
        orders.fold(none, |together, order| Self {
            orders: together.orders + 1,
            stops: together.stops + u32::from(order.order_type.is_stop()),
            icebergs: together.icebergs + u32::from(is_iceberg(order)),
        })
    }
}

impl EntryContext {
    pub(super) const ALONE: Self =
        Self { together: Together::ONE, beside: Qty::ZERO, later: false, own: None, placed: false };

    pub(crate) const fn with_list(together: Together, beside: Qty, later: bool) -> Self {
        Self { together, beside, later, ..Self::ALONE }
    }

    pub(crate) const fn again(own: NodeId) -> Self {
        Self { own: Some(own), ..Self::ALONE }
    }

    pub(crate) const fn placed(own: NodeId, beside: Qty) -> Self {
        Self { beside, own: Some(own), placed: true, ..Self::ALONE }
    }
}

pub(super) fn is_iceberg(order: &NewOrder) -> bool {
    order.terms.is_some_and(|terms| !terms.display_qty.is_zero())
}
