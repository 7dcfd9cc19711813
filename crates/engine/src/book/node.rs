//! A resting order, as matching needs it.

use types::{Order, OrderId, Qty, Side};

use crate::book::slab::{NONE, Slab};

/// Number of a resting order; reused once the order is gone.
pub type NodeId = u32;

/// The resting orders of all books: one slab, so that a slot freed in one book serves another.
pub type Nodes = Slab<Node, NODES_RESERVED>;

pub(crate) const NODES_RESERVED: usize = 1 << 22;

/// A resting order, as matching needs it, in half a cache line. Its page and slot imply its price.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Node {
    pub(super) leaves: u64,
    pub(super) order_id: OrderId,
    pub(super) next: u32,
    pub(super) prev: u32,
    pub(super) page: u32,
    pub(super) slot: u8,
    pub(super) side: Side,
}

const _: () = assert!(size_of::<Node>() == 32);

impl Node {
    /// An order that is on no book.
    pub(crate) fn off_book(order: &Order) -> Self {
        let Order { order_id, side, .. } = *order;
        let leaves = order.leaves_qty().lots();
        Self { leaves, order_id, next: NONE, prev: NONE, page: NONE, slot: 0, side }
    }

    /// Sets the remaining quantity of an order that is on no book.
    pub(crate) fn set_leaves(&mut self, leaves_qty: Qty) {
        debug_assert!(self.page == NONE, "a level knows the sum of its orders");
        self.leaves = leaves_qty.lots();
    }

    #[inline]
    pub fn leaves_qty(&self) -> Qty {
        Qty::from_lots(self.leaves)
    }

    #[inline]
    pub fn order_id(&self) -> OrderId {
        self.order_id
    }

    pub fn side(&self) -> Side {
        self.side
    }

    /// The next order in the queue at its price, or [`NONE`](super::slab::NONE).
    #[inline]
    pub(crate) fn next(&self) -> NodeId {
        self.next
    }
}
