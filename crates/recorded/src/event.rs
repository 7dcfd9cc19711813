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
    /// Of a trade the aggressor's, else the level's or the order's. `None` where it is unknown.
    pub side: Option<Side>,
}

impl Event {
    /// The book of an instrument is void.
    pub const fn cleared(instrument: u16, exchange_ns: i64, local_ns: i64) -> Self {
        Self {
            exchange_ns,
            local_ns,
            order: 0,
            price: Price::from_ticks(0),
            quantity: Qty::from_lots(0),
            instrument,
            kind: Kind::Clear,
            side: None,
        }
    }

    /// A level or a trade of the same instrument at the same time.
    pub const fn then(self, kind: Kind, side: Side, price: Price, quantity: Qty) -> Self {
        Self { kind, side: Some(side), price, quantity, ..self }
    }
}

/// The change that an [`Event`] reports. The numbers are those of the columnar file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A level of the book has this total.
    Level = 0,
    /// A level of a picture of the whole book, which follows a `Clear`.
    SnapshotLevel = 1,
    /// All levels and orders of `side`, or of both, are gone. With a price, as Binance recordings
    /// have it, the levels from the best one up to that price.
    Clear = 2,
    /// A trade that no `Execute` reports: of data without orders, of a hidden order, in an auction.
    /// It changes no level and no order.
    Trade = 3,
    /// An order enters the book.
    Add = 4,
    /// `quantity` is taken off the order, which keeps its place.
    Cancel = 5,
    /// The order is gone; `quantity` is what the file states that it had, zero if it states none.
    Delete = 6,
    /// The order has this price and quantity, and keeps its place only if its price stays and its
    /// quantity does not grow.
    Modify = 7,
    /// `quantity` of the resting order was executed at this price.
    Execute = 8,
    /// A bar: four events in the order open, high, low, close, each with the bar's volume and the
    /// time that the file states.
    Open = 9,
    High = 10,
    Low = 11,
    Close = 12,
}

impl Kind {
    pub const ALL: [Self; 13] = [
        Self::Level,
        Self::SnapshotLevel,
        Self::Clear,
        Self::Trade,
        Self::Add,
        Self::Cancel,
        Self::Delete,
        Self::Modify,
        Self::Execute,
        Self::Open,
        Self::High,
        Self::Low,
        Self::Close,
    ];
}
