//! The values of fields that are one character.

/// A system event.
pub mod event {
    pub const START_OF_MESSAGES: u8 = b'O';
    pub const START_OF_SYSTEM_HOURS: u8 = b'S';
    pub const START_OF_MARKET_HOURS: u8 = b'Q';
    pub const END_OF_MARKET_HOURS: u8 = b'M';
    pub const END_OF_SYSTEM_HOURS: u8 = b'E';
    pub const END_OF_MESSAGES: u8 = b'C';
}

/// Side.
pub mod side {
    use types::Side;

    pub const BUY: u8 = b'B';
    pub const SELL: u8 = b'S';

    pub const fn of_code(code: u8) -> Option<Side> {
        match code {
            BUY => Some(Side::Buy),
            SELL => Some(Side::Sell),
            _ => None,
        }
    }
}

/// State of an instrument's trading.
pub mod trading_state {
    pub const HALTED: u8 = b'H';
    pub const PAUSED: u8 = b'P';
    /// Orders are taken and do not trade.
    pub const QUOTATION_ONLY: u8 = b'Q';
    pub const TRADING: u8 = b'T';
}

/// Whether an execution counts in a tape of trades.
pub mod printable {
    pub const YES: u8 = b'Y';
    pub const NO: u8 = b'N';
}

/// Kind of an auction.
pub mod cross_type {
    pub const OPENING: u8 = b'O';
    pub const CLOSING: u8 = b'C';
    /// Of an instrument that was halted or is new.
    pub const HALTED_OR_NEW: u8 = b'H';
    pub const EXTENDED_CLOSE: u8 = b'A';
}

/// The side with quantity left over in an auction.
pub mod direction {
    pub const BUY: u8 = b'B';
    pub const SELL: u8 = b'S';
    pub const NONE: u8 = b'N';
    /// Too few orders for a price.
    pub const INSUFFICIENT: u8 = b'O';
    pub const PAUSED: u8 = b'P';
}

/// How far an auction's price is from the reference price.
pub mod price_variation {
    pub const NOT_CALCULATED: u8 = b' ';
}

/// Flags of the directory.
pub mod flag {
    pub const YES: u8 = b'Y';
    pub const NO: u8 = b'N';
    pub const NOT_AVAILABLE: u8 = b' ';
}

/// Of the directory: whether the instrument is real.
pub mod authenticity {
    pub const LIVE: u8 = b'P';
    pub const TEST: u8 = b'T';
}
