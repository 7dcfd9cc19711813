//! Directions of triggers, and their common keys.

use types::{OrderId, OrderType, Price, Side};

/// A delta of the whole price would never be reached.
pub(crate) const TRAILING_DELTA_END_BPS: u32 = 10_000;

/// The direction in which the price must move to reach an order.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Direction {
    Rise = 0,
    Fall = 1,
}

pub(crate) const DIRECTIONS: [Direction; 2] = [Direction::Rise, Direction::Fall];

impl Direction {
    /// The direction of an order of this type with a stop price.
    pub(crate) fn of(order_type: OrderType, side: Side) -> Self {
        let stop_loss = matches!(order_type, OrderType::StopLoss | OrderType::StopLossLimit);
        if (side == Side::Buy) == stop_loss { Self::Rise } else { Self::Fall }
    }

    /// The direction in which the price must turn for an order that trails it.
    pub(crate) fn trailing(side: Side) -> Self {
        match side {
            Side::Buy => Self::Rise,
            Side::Sell => Self::Fall,
        }
    }

    pub(crate) fn key(self, price: Price) -> Key {
        match self {
            Self::Rise => price.ticks(),
            Self::Fall => -price.ticks(),
        }
    }
}

pub(in crate::state) type Key = i64;

/// The ladder's key of a waiting order: the last one is the lowest key, and the oldest order at it.
pub(super) fn rung(key: Key, order_id: OrderId) -> (Key, u64) {
    (!key, !order_id.0)
}

/// The extreme of an order that has seen no price yet.
pub(in crate::state) const NO_PRICE: Key = Key::MAX;

/// Trailing orders trigger after other orders at the same key.
pub(in crate::state) const TRAILING_TURN: u64 = 1 << 63;
