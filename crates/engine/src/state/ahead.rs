//! The last commands that were announced.

use types::{InstrumentId, OrderId, Price, Side};

use crate::book::node::NodeId;

/// The last commands that were announced.
#[derive(Clone, Debug)]
pub(crate) struct Ahead {
    pub(crate) aims: [Aim; AIMS],
    pub(crate) last: usize,
}

pub(crate) const AIMS: usize = 16;

/// What a command is about. Which kind of command it is, a processor would guess wrong, so all
/// are treated alike from here on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Aim {
    pub(crate) account: u32,
    pub(crate) instrument: InstrumentId,
    /// Zero, which is none, for a new order.
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
