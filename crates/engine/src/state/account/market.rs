//! An account's open orders in one instrument.

use std::sync::Mutex;

use types::{InstrumentId, OrderType};

use crate::book::slab::NONE;
use crate::state::account::arena::{Arena, Row};
use crate::state::account::table::Keyed;

/// An account's open orders in one instrument. Half a cache line, so that no row lies in two.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct AccountMarket {
    pub(super) instrument: InstrumentId,
    pub(crate) open_orders: u32,
    /// The stop orders that wait for their trigger, or for their list to place them.
    pub(crate) stop_orders: u32,
    pub(crate) iceberg_orders: u32,
    /// Indexed by [`types::Side`].
    pub(in crate::state) lists: [OrderList; 2],
}

const _: () = assert!(size_of::<AccountMarket>() == 32);

/// The orders of one account and side, linked through [`crate::state::orders::record::OpenOrder`]
/// in order of their ids.
#[derive(Clone, Copy, Debug)]
pub(in crate::state) struct OrderList {
    pub(in crate::state) head: u32,
    pub(in crate::state) tail: u32,
}

impl AccountMarket {
    const fn without_orders(instrument: InstrumentId) -> Self {
        Self {
            instrument,
            open_orders: 0,
            stop_orders: 0,
            iceberg_orders: 0,
            lists: [OrderList { head: NONE, tail: NONE }; 2],
        }
    }

    /// A stop order begins to wait, or no longer does. Other orders do not count.
    pub(crate) fn count_stop(&mut self, order_type: OrderType, waits: bool) {
        let stop = u32::from(order_type.is_stop());
        self.stop_orders = if waits { self.stop_orders + stop } else { self.stop_orders - stop };
    }
}

impl Row for AccountMarket {
    const EMPTY: Self = Self::without_orders(InstrumentId(Self::NO_KEY));

    fn arena() -> &'static Mutex<Arena<Self>> {
        static ARENA: Mutex<Arena<AccountMarket>> = Mutex::new(Arena::new());
        &ARENA
    }
}

impl Keyed for AccountMarket {
    /// Above the limit of instruments.
    const NO_KEY: u32 = u32::MAX;

    fn of(instrument: u32) -> Self {
        Self::without_orders(InstrumentId(instrument))
    }

    fn key(&self) -> u32 {
        self.instrument.0
    }

    /// Whether it counts any order.
    fn is_used(&self) -> bool {
        self.open_orders | self.stop_orders | self.iceberg_orders > 0
    }
}
