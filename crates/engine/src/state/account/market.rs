//! An account's open orders in one instrument.

use types::OrderType;

use crate::book::slab::NONE;

/// An account's open orders in one instrument.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct AccountMarket {
    pub(crate) open_orders: u32,
    /// The stop orders that wait for their trigger, or for their list to place them.
    pub(crate) stop_orders: u32,
    pub(crate) iceberg_orders: u32,
    /// Indexed by [`types::Side`].
    pub(in crate::state) lists: [OrderList; 2],
}

/// The orders of one account and side, linked through [`crate::state::orders::record::OpenOrder`]
/// in order of their ids.
#[derive(Clone, Copy, Debug)]
pub(in crate::state) struct OrderList {
    pub(in crate::state) head: u32,
    pub(in crate::state) tail: u32,
}

impl AccountMarket {
    pub(super) const EMPTY: Self = Self {
        open_orders: 0,
        stop_orders: 0,
        iceberg_orders: 0,
        lists: [OrderList { head: NONE, tail: NONE }; 2],
    };

    /// A stop order begins to wait, or no longer does. Other orders do not count.
    pub(crate) fn count_stop(&mut self, order_type: OrderType, waits: bool) {
        let stop = u32::from(order_type.is_stop());
        self.stop_orders = if waits { self.stop_orders + stop } else { self.stop_orders - stop };
    }
}
