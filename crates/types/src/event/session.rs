//! Events of sessions and of the numbers of their logins, and messages that only a login gets.

use crate::id::{AccountId, InstrumentId, LoginId, OrderId, SessionId, TradeId};
use crate::number::{Price, Qty};
use crate::text::ClOrdId;
use crate::wire::record;

record! {
    pub struct SessionOpened {
        pub account_seq: u64,
        pub account: AccountId,
        pub session: SessionId,
        pub cancel_on_disconnect: bool,
        pub numbering: Option<Numbering>,
    }
}

record! {
    /// The numbers that a session goes on with.
    pub struct Numbering {
        pub login: LoginId,
        pub day: u32,
        /// The login has had no session on this day.
        pub is_first: bool,
    }
}

record! {
    /// The numbers of all logins begin anew.
    pub struct NumberingDayBegun {
        pub day: u32,
    }
}

record! {
    /// The answer to a command of a login that no other event answers: a query of its numbers, or a
    /// mass cancel, whose cancels follow.
    pub struct NumbersAnswered {
        pub account_seq: u64,
        pub account: AccountId,
        pub login: LoginId,
        pub day: u32,
        /// The number of the mass cancel; zero for a query.
        pub number: u64,
        /// The highest number before the next one.
        pub highest: u64,
        /// The instrument of the mass cancel, if it has one.
        pub instrument: Option<InstrumentId>,
    }
}

record! {
    /// Its orders are canceled in the events that follow, if it was opened that way.
    pub struct SessionClosed {
        pub account_seq: u64,
        pub account: AccountId,
        pub session: SessionId,
    }
}

record! {
    /// An iceberg shows its next part, at the end of the queue: a message to the login of a
    /// numbered order. Follows the `OrderRested` of that part.
    pub struct OrderRefreshed {
        pub account_seq: u64,
        pub account: AccountId,
        pub instrument: InstrumentId,
        pub order_id: OrderId,
        pub cl_ord_id: ClOrdId,
        /// The quantity that the book shows of it.
        pub shown_qty: Qty,
    }
}

record! {
    /// An operator busted or corrected a trade: a message to the login of a numbered order, if the
    /// account still keeps it. Follows `TradeBusted` or `TradeCorrected`.
    pub struct FillRevised {
        pub account_seq: u64,
        pub account: AccountId,
        pub instrument: InstrumentId,
        pub trade_id: TradeId,
        pub order_id: OrderId,
        /// The order's name at present.
        pub cl_ord_id: ClOrdId,
        /// The trade's corrected price; `None` if it is busted.
        pub price: Option<Price>,
    }
}
