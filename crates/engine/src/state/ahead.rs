//! The last announced commands.

use types::{InstrumentId, OrderId, Price, Side};

use crate::book::node::NodeId;

/// The last announced commands.
#[derive(Clone, Debug)]
pub(crate) struct Ahead {
    pub(crate) aims: [Aim; AIMS],
    pub(crate) last: usize,
}

pub(crate) const AIMS: usize = 16;

/// The memory that a command will touch. All kinds of commands have the same form, because the
/// processor would mispredict the kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Aim {
    pub(crate) account: u32,
    pub(crate) instrument: InstrumentId,
    /// Zero for a new order.
    pub(crate) order_id: OrderId,
    pub(crate) side: Side,
    pub(crate) price: Price,
    pub(crate) name: u32,
    /// The order's node, once it was looked up.
    pub(crate) node: NodeId,
}

impl Default for Ahead {
    fn default() -> Self {
        Self { aims: [Aim::default(); AIMS], last: 0 }
    }
}
