//! Records of open orders.

use types::{
    AccountId, Amount, InstrumentId, Order, OrderId, OrderStatus, OrderTerms, OrderType,
    PackedClOrdId, Price, Qty, Reader, Side, StpMode, TimeInForce, Wire,
};

use crate::book::slab::NONE;

/// The data of an open order besides its node, which has id, side and leaves: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct OpenOrder {
    pub(super) cl_ord_id: Name,
    /// Its limit, also while it is on no book.
    pub(crate) price: Price,
    /// Without the quantity that amends removed.
    pub(crate) order_qty: Qty,
    pub(super) created_ns: u64,
    pub(crate) account: AccountId,
    pub(crate) instrument: InstrumentId,
    /// The account's next and previous open order on the same side of the same instrument.
    pub(super) next: u32,
    pub(super) prev: u32,
    pub(super) extra: u32,
    pub(crate) order_type: OrderType,
    pub(super) time_in_force: TimeInForce,
    pub(super) stp_mode: StpMode,
    pub(crate) status: OrderStatus,
}

const _: () = assert!(size_of::<OpenOrder>() == 64);

impl OpenOrder {
    /// Whether it is on the book unchanged, and only its owner or a trade ends it.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.extra == NONE && self.time_in_force == TimeInForce::Gtc
    }
}

/// Data of an order that was changed since it entered, or that has uncommon terms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extra {
    pub(crate) updated_ns: u64,
    pub(crate) cum_quote: Amount,
    pub(super) strategy_id: Option<i64>,
    pub(super) strategy_type: Option<i32>,
    pub(crate) terms: Option<OrderTerms>,
    pub(crate) standing: Standing,
    /// An iceberg's reserve: its node has the displayed part.
    pub(crate) reserve: Qty,
    /// The number of its amends.
    pub(crate) amends: u32,
}

/// Location of an open order.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub(crate) enum Standing {
    /// On the published book.
    Book = 0,
    /// On the book of hidden orders.
    Dark = 1,
    /// Waits for its trigger.
    Trigger = 2,
    /// Waits for the first order of its list to fill.
    List = 3,
    /// Waits for the closing auction.
    Close = 4,
    /// Enters the book, between two steps of one command.
    Entering = 5,
}

impl Standing {
    const OFF_BOOK: [Self; 4] = [Self::Trigger, Self::List, Self::Close, Self::Entering];

    pub(crate) fn is_off_book(self) -> bool {
        Self::OFF_BOOK.contains(&self)
    }
}

impl Wire for Standing {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(*self as u8);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let number: u8 = r.read()?;
        let all = [Self::Book, Self::Dark].into_iter().chain(Self::OFF_BOOK);
        all.into_iter().find(|standing| *standing as u8 == number)
    }
}

/// Identity of an open order: account, instrument, id and side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenId {
    pub(crate) account: AccountId,
    pub(crate) instrument: InstrumentId,
    pub(crate) order_id: OrderId,
    pub(crate) side: Side,
}

impl From<&Order> for OpenId {
    #[inline]
    fn from(order: &Order) -> Self {
        let Order { account, instrument, order_id, side, .. } = *order;
        Self { account, instrument, order_id, side }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Name {
    Packed(PackedClOrdId),
    /// Index into `long_names`.
    Long(u32),
}

const _: () = assert!(size_of::<Name>() == 16);

/// A client id for lookups, with its stored form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought {
    pub(super) packed: Option<PackedClOrdId>,
    pub(crate) hash: u32,
}
