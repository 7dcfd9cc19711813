//! What few orders have: triggers, pegs, hidden quantities, dates, order lists.

use crate::id::{AccountId, InstrumentId, OrderId, OrderListId};
use crate::number::{Price, Qty};
use crate::text::ClOrdId;
use crate::wire::{numbered, record};

record! {
    /// Special terms as a client asks for them. Zero and `None` mean that there is none.
    #[derive(Default)]
    pub struct Terms {
        /// The price at which a stop or take-profit order takes part; for a trailing one the
        /// price from which it trails, at once if there is none.
        pub stop_price: Option<Price>,
        /// How far behind the best price since then its trigger trails, in basis points.
        pub trailing_delta_bps: u32,
        pub peg: Option<Peg>,
        /// Iceberg: so much is shown, and shown anew at the back of the queue when it has traded.
        pub display_qty: Qty,
        /// Shows nothing, and stands behind all that is shown at its price.
        pub hidden: bool,
        /// As it enters, at least so much must trade at once, or it expires.
        pub min_qty: Qty,
        /// When an order good till date expires, in nanoseconds since 1970.
        pub expire_ns: u64,
    }
}

record! {
    /// A price that follows the book. The order's own price is where it stands now.
    pub struct Peg {
        pub reference: PegReference,
        /// Ticks added to the reference; positive is upwards for both sides.
        pub offset_ticks: i32,
        /// The worst price that it follows to.
        pub limit: Option<Price>,
    }
}

numbered! {
    /// What a peg follows: quotes that are shown and are not pegged themselves.
    pub enum PegReference: u8 {
        /// The best price of its own side.
        Primary = 0,
        /// The best price of the other side.
        Market = 1,
        /// Half-way between both, rounded away from the other side.
        Mid = 2,
    }
}

record! {
    /// Special terms of an order, and what has become of them.
    #[derive(Default)]
    pub struct OrderTerms {
        pub terms: Terms,
        /// Zero if it is in none.
        pub order_list: OrderListId,
        /// When its trigger was reached; zero if that has not happened.
        pub triggered_ns: u64,
        /// What self-trade prevention took off `order_qty`.
        pub prevented_qty: Qty,
    }
}

/// The most orders in one list.
pub const LIST_ORDERS_MAX: usize = 3;

numbered! {
    pub enum OrderListKind: u8 {
        /// One cancels the other: either ends the other when it trades or is triggered.
        Oco = 0,
        /// One triggers the other: the second is placed when the first has filled.
        Oto = 1,
        /// One triggers an OCO: the second and third are placed when the first has filled.
        Otoco = 2,
    }
}

impl OrderListKind {
    pub const fn order_count(self) -> usize {
        match self {
            Self::Oco | Self::Oto => 2,
            Self::Otoco => 3,
        }
    }
}

numbered! {
    pub enum OrderListStatus: u8 {
        /// An order of it is open, or waits for the first to fill.
        Executing = 0,
        AllDone = 1,
    }
}

record! {
    /// A list of orders as a report tells of it.
    pub struct OrderList {
        pub instrument: InstrumentId,
        pub account: AccountId,
        pub order_list: OrderListId,
        /// The client's name for the list.
        pub cl_ord_id: ClOrdId,
        pub kind: OrderListKind,
        pub status: OrderListStatus,
        pub orders: [Option<OrderId>; LIST_ORDERS_MAX],
        pub created_ns: u64,
        pub updated_ns: u64,
    }
}
