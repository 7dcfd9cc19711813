//! One event of market data, in the units of its instrument.

use types::{Price, Qty, Side};

/// What a reader emits for each change, trade or bar of an instrument, whatever the file's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The exchange's time, in nanoseconds since 1970 UTC.
    pub exchange_ns: i64,
    /// The time at which the event reached the machine that recorded it, in nanoseconds since 1970
    /// UTC; that of the exchange where the file has one clock.
    pub local_ns: i64,
    /// The exchange's id of the order, zero where the data have none.
    pub order: u64,
    pub price: Price,
    /// Of a level its new total, zero removes it; of a trade or an order its own.
    pub quantity: Qty,
    /// Position of the instrument among those of the run.
    pub instrument: u16,
    pub kind: Kind,
    /// Of a trade the aggressor's, `None` where it is unknown.
    pub side: Option<Side>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A level of the book has this total.
    Level,
    /// A level of a picture of the whole book, which follows a `Clear`.
    SnapshotLevel,
    /// All levels and orders of `side`, or of both, are gone.
    Clear,
    Trade,
    /// An order enters the book.
    Add,
    /// `quantity` is taken off the order; zero is all of it.
    Cancel,
    /// The order has this price and quantity, and keeps its place only if its price stays and its
    /// quantity does not grow.
    Modify,
    /// `quantity` of the resting order was executed.
    Execute,
    /// A bar: four events in the order open, high, low, close, each with the bar's volume.
    Open,
    High,
    Low,
    Close,
}
