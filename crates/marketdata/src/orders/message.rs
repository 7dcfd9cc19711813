//! Messages, in the words of no protocol.

use types::{InstrumentId, OrderId, Phase, Price, Qty, Side, TradeId};

/// One message of a feed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct OrderMessage {
    /// The numbering day, which is the session of a feed.
    pub day: u32,
    /// From 1 on each day, without a gap.
    pub number: u64,
    pub sequenced_ns: u64,
    pub said: Said,
}

/// What a message says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Said {
    Session(SessionEvent),
    /// The whole market is halted, at this level.
    VenueHalted(u8),
    Of(InstrumentId, Fact),
}

/// The begin and the end of a day, in their order.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SessionEvent {
    StartOfMessages,
    StartOfSystemHours,
    StartOfMarketHours,
    EndOfMarketHours,
    EndOfSystemHours,
    EndOfMessages,
}

/// Of an instrument.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fact {
    Listed,
    Status(TradingStatus),
    Added {
        order_id: OrderId,
        side: Side,
        price: Price,
        qty: u32,
    },
    /// An order traded at its price.
    Executed {
        order_id: OrderId,
        qty: u32,
        trade_id: TradeId,
    },
    /// An order traded at another price, or in an auction, whose volume [`Fact::Crossed`] has.
    ExecutedAt {
        order_id: OrderId,
        qty: u32,
        trade_id: TradeId,
        price: Price,
        in_auction: bool,
    },
    /// A part of an order was taken off the book.
    Reduced {
        order_id: OrderId,
        qty: u32,
    },
    Deleted {
        order_id: OrderId,
    },
    /// Another order stands in the place of one, on the same side.
    Replaced {
        order_id: OrderId,
        new_order_id: OrderId,
        price: Price,
        qty: u32,
    },
    /// An order that the book did not show traded. The side is its own.
    Traded {
        side: Side,
        price: Price,
        qty: u32,
        trade_id: TradeId,
    },
    /// An auction traded.
    Crossed {
        auction: Phase,
        price: Price,
        volume: Qty,
        /// The number of its event among those of the instrument.
        instrument_seq: u64,
    },
    /// A trade was undone.
    Broken {
        trade_id: TradeId,
    },
    /// The result of an auction if it traded now.
    Indicated {
        auction: Phase,
        price: Option<Price>,
        volume: Qty,
        surplus: Qty,
        surplus_side: Side,
    },
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TradingStatus {
    In(Phase),
    /// With all others, at this level.
    VenueHalted(u8),
    Delisted,
}
