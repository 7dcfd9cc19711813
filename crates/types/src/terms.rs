//! Special terms of orders: triggers, pegs, hidden quantities, dates, order lists.

use crate::id::{AccountId, InstrumentId, OrderId, OrderListId};
use crate::number::{Price, Qty};
use crate::text::ClOrdId;
use crate::wire::{numbered, record};

record! {
    /// Special terms as a client requests them. Zero and `None` mean that a term is absent.
    #[derive(Default)]
    pub struct Terms {
        /// The price at which a stop or take-profit order takes part. A trailing order trails from
        /// this price, or at once without one.
        pub stop_price: Option<Price>,
        /// Distance of a trailing trigger from the best price since then, in basis points.
        pub trailing_delta_bps: u32,
        pub peg: Option<Peg>,
        /// Displayed quantity of an iceberg; each next part enters at the back of the queue.
        pub display_qty: Qty,
        /// Shows nothing, and queues after all displayed orders at its price.
        pub hidden: bool,
        /// The least quantity that must trade at once when the order enters; else it expires.
        pub min_qty: Qty,
        /// When an order good till date expires, in nanoseconds since 1970.
        pub expire_ns: u64,
        /// A market order trades as far as the balance pays for it; otherwise one that the balance
        /// cannot pay for in full is refused.
        pub within_balance: bool,
        /// The client asked for the price of a market-to-limit order as a peg that is fixed on
        /// entry. Reports show it; the order is the same.
        pub fixed_peg: bool,
    }
}

impl Terms {
    /// Whether an order with these terms trails the price from its entry on.
    pub const fn trails_at_once(&self) -> bool {
        self.trailing_delta_bps > 0 && self.stop_price.is_none()
    }
}

record! {
    /// A price that follows the book. The order's own price is its current one.
    pub struct Peg {
        pub reference: PegReference,
        /// Ticks added to the reference; positive is upwards for both sides.
        pub offset_ticks: i32,
        /// The worst price that it follows to.
        pub limit: Option<Price>,
    }
}

numbered! {
    /// The reference of a peg: displayed quotes that are not pegged themselves.
    pub enum PegReference: u8 {
        /// The best price of its own side.
        Primary = 0,
        /// The best price of the other side.
        Market = 1,
        /// The middle of both, rounded away from the other side.
        Mid = 2,
    }
}

record! {
    /// Special terms of an order, and their current state.
    #[derive(Default)]
    pub struct OrderTerms {
        pub terms: Terms,
        /// Zero if it is in no list.
        pub order_list: OrderListId,
        /// Time at which its trigger was reached; zero until then.
        pub triggered_ns: u64,
        /// Time since which its trigger trails the price; zero until then.
        pub trailing_ns: u64,
        /// The quantity that self-trade prevention took off `order_qty`.
        pub prevented_qty: Qty,
        /// The last prevented trade that took quantity off it; zero without one.
        pub prevented_match_id: u64,
    }
}

/// The most orders in one list.
pub const LIST_ORDERS_MAX: usize = 3;

numbered! {
    pub enum OrderListKind: u8 {
        /// One cancels the other: each ends the other when it trades or is triggered.
        Oco = 0,
        /// One triggers the other: the second is placed when the first has filled.
        Oto = 1,
        /// One triggers an OCO: the second and third are placed when the first has filled.
        Otoco = 2,
        /// One pays the other: an OTO whose second order sells what the first has bought.
        Opo = 3,
        /// One pays an OCO: an OTOCO whose legs sell what the first order has bought.
        Opoco = 4,
    }
}

impl OrderListKind {
    pub const fn order_count(self) -> usize {
        match self {
            Self::Oco | Self::Oto | Self::Opo => 2,
            Self::Otoco | Self::Opoco => 3,
        }
    }

    /// Whether the later orders have no quantity until the first has bought it.
    pub const fn pays_later_orders(self) -> bool {
        matches!(self, Self::Opo | Self::Opoco)
    }
}

numbered! {
    pub enum OrderListStatus: u8 {
        /// An order of it is open, or waits for the first to fill.
        Executing = 0,
        AllDone = 1,
    }
}

numbered! {
    /// Why a list is reported.
    pub enum OrderListChange: u8 {
        /// It was accepted.
        Entered = 0,
        /// An order of it has another client id.
        Renamed = 1,
        /// Its last order has ended.
        Done = 2,
    }
}

record! {
    /// A list of orders as a report shows it.
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
