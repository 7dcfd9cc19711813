//! Orders of a strategy, and what a market answers to them.

use types::{OrderId, Price, Qty, Side};

/// Accounts of a run at most.
pub const ACCOUNTS_MAX: usize = 256;
/// An order's id has its account above this bit, and its number in the account below.
const ACCOUNT_BIT: u32 = 48;

/// The id of the order before an account's first one.
pub(crate) fn base_id(account: usize) -> u64 {
    debug_assert!(account < ACCOUNTS_MAX);
    (account as u64) << ACCOUNT_BIT
}

/// The account of an order, as its place among those of the run.
#[inline]
pub(crate) fn account_of(id: OrderId) -> usize {
    (id.0 >> ACCOUNT_BIT) as usize
}

/// The number of an order in its account.
pub(crate) fn number_in_account(id: OrderId) -> u64 {
    id.0 & (base_id(1) - 1)
}

/// A new order, as a strategy sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewOrder {
    pub instrument: u16,
    pub side: Side,
    /// Ignored by a market order.
    pub price: Price,
    pub qty: Qty,
    pub terms: Terms,
}

impl NewOrder {
    pub fn limit(instrument: u16, side: Side, price: Price, qty: Qty) -> Self {
        Self { instrument, side, price, qty, terms: Terms::Limit }
    }

    pub fn post_only(instrument: u16, side: Side, price: Price, qty: Qty) -> Self {
        Self { terms: Terms::PostOnly, ..Self::limit(instrument, side, price, qty) }
    }

    pub fn ioc(instrument: u16, side: Side, price: Price, qty: Qty) -> Self {
        Self { terms: Terms::Ioc, ..Self::limit(instrument, side, price, qty) }
    }

    pub fn market(instrument: u16, side: Side, qty: Qty) -> Self {
        let terms = Terms::Market;
        Self { terms, ..Self::limit(instrument, side, Price::from_ticks(0), qty) }
    }

    pub fn stop(instrument: u16, side: Side, price: Price, qty: Qty) -> Self {
        Self { terms: Terms::Stop, ..Self::limit(instrument, side, price, qty) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// Good till canceled.
    Limit,
    /// Expires instead of trading at once.
    PostOnly,
    /// Trades at once; the remainder expires.
    Ioc,
    /// Trades at once and in full, or expires.
    Fok,
    Market,
    /// A market order once the market has traded at `price` or beyond. In bars only.
    Stop,
}

/// An order as the strategy knows it: the market may be ahead by the latency of its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    pub id: OrderId,
    pub instrument: u16,
    pub side: Side,
    pub terms: Terms,
    pub price: Price,
    pub leaves_qty: Qty,
    pub cum_qty: Qty,
    /// What was sent and has no answer yet.
    pub pending: Option<Pending>,
    pub sent_ns: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    New,
    Replace,
    Cancel,
}

/// What travels from the strategy to the market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub id: OrderId,
    pub instrument: u16,
    pub sent_ns: i64,
    pub action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    New {
        side: Side,
        price: Price,
        qty: Qty,
        terms: Terms,
    },
    /// `qty` is what is left to trade afterwards.
    Replace {
        price: Price,
        qty: Qty,
    },
    Cancel,
}

/// What travels from the market to the strategy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    pub id: OrderId,
    pub instrument: u16,
    /// The market's time.
    pub exchange_ns: i64,
    pub outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    Accepted,
    Replaced {
        price: Price,
        qty: Qty,
    },
    Canceled,
    Expired(Expired),
    /// The request had no effect.
    Rejected(Rejected),
    Filled(Execution),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expired {
    /// A post-only order would have traded.
    WouldTrade,
    /// What an immediate order could not trade.
    Unfilled,
    /// The market was cleared.
    Cleared,
    /// The data ended.
    EndOfData,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// No order of this id is open: it was filled or canceled before the request arrived.
    NotOpen,
    /// The latency file has a rejection at this time.
    Overloaded,
    /// The mode has no such orders.
    TermsUnknown,
    /// The venue refused it, by its code.
    ByVenue { code: i32 },
}

/// One execution of an order in the market.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Execution {
    pub price: Price,
    pub qty: Qty,
    pub is_maker: bool,
    pub cause: FillCause,
    /// Time in the queue, zero for a taker.
    pub waited_ns: i64,
}

/// Why an order filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FillCause {
    /// A trade at the order's price, after all that was queued ahead of it.
    Queue,
    /// A trade at a worse price for the order's owner than the order's own.
    TradedThrough,
    /// The best price of the other side reached the order's price.
    Crossed,
    /// The order took what rested.
    Took,
    /// A recorded order, or one of another account, traded with this one in the matching engine.
    Matched,
    /// A bar opened at the order's price or better.
    Open,
    /// The path inside a bar reached the order's price.
    Path,
    /// The path inside a bar reached the order's stop price.
    Stopped,
    /// A trade of the venue on which the strategy runs live.
    Venue,
}

impl FillCause {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::TradedThrough => "traded_through",
            Self::Crossed => "crossed",
            Self::Took => "took",
            Self::Matched => "matched",
            Self::Open => "open",
            Self::Path => "path",
            Self::Stopped => "stopped",
            Self::Venue => "venue",
        }
    }
}

/// A fill as the strategy receives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    pub order_id: OrderId,
    pub instrument: u16,
    pub side: Side,
    pub price: Price,
    pub qty: Qty,
    pub leaves_qty: Qty,
    pub is_maker: bool,
    pub cause: FillCause,
    pub exchange_ns: i64,
    pub local_ns: i64,
    pub waited_ns: i64,
    /// Negative for a rebate. See [`crate::Fees`] for the unit.
    pub fee: i128,
}
