//! The values of fields that are one character, and the reasons of refusals.

/// Side.
pub mod side {
    pub const BUY: u8 = b'B';
    pub const SELL: u8 = b'S';
    pub const SELL_SHORT: u8 = b'T';
    pub const SELL_SHORT_EXEMPT: u8 = b'E';
}

/// Time in force.
pub mod time_in_force {
    pub const DAY: u8 = b'0';
    pub const IMMEDIATE_OR_CANCEL: u8 = b'3';
    /// Good till the end of extended hours.
    pub const EXTENDED_HOURS: u8 = b'5';
    /// Good till the time of the appendage.
    pub const TILL_TIME: u8 = b'6';
    pub const AFTER_HOURS: u8 = b'E';
}

/// Display.
pub mod display {
    pub const VISIBLE: u8 = b'Y';
    pub const HIDDEN: u8 = b'N';
    pub const ATTRIBUTABLE: u8 = b'A';
}

/// Capacity.
pub mod capacity {
    pub const ALL: &[u8] = b"APRO";
    pub const AGENCY: u8 = b'A';
}

/// Cross type.
pub mod cross_type {
    pub const CONTINUOUS: u8 = b'N';
    pub const OPENING: u8 = b'O';
    pub const CLOSING: u8 = b'C';
}

/// Type of a pegged price, in an appendage.
pub mod price_type {
    pub const LIMIT: u8 = b'L';
    /// To the other side's best price.
    pub const MARKET_PEG: u8 = b'P';
    /// To the own side's best price.
    pub const PRIMARY_PEG: u8 = b'R';
    pub const MIDPOINT_PEG: u8 = b'M';
}

/// State of an accepted order.
pub mod order_state {
    pub const LIVE: u8 = b'L';
    pub const DEAD: u8 = b'D';
}

/// A system event.
pub mod event {
    pub const START_OF_DAY: u8 = b'S';
    pub const END_OF_DAY: u8 = b'E';
}

/// Which part an order had in a trade.
pub mod liquidity {
    pub const ADDED: u8 = b'A';
    pub const REMOVED: u8 = b'R';
    pub const OPENING_CROSS: u8 = b'O';
    /// Added by an order that was not displayed.
    pub const HIDDEN_ADDED: u8 = b'J';
}

/// Why an order was canceled.
pub mod cancel {
    pub const CLOSED: u8 = b'E';
    pub const POST_ONLY: u8 = b'F';
    pub const HALTED: u8 = b'H';
    pub const IMMEDIATE_OR_CANCEL: u8 = b'I';
    pub const MARKET_COLLAR: u8 = b'K';
    pub const SELF_MATCH: u8 = b'Q';
    pub const SUPERVISORY: u8 = b'S';
    pub const TIMEOUT: u8 = b'T';
    pub const USER: u8 = b'U';
    pub const SYSTEM: u8 = b'Z';
}

/// Why a trade was broken.
pub mod broken {
    pub const SUPERVISORY: u8 = b'S';
}

/// Why an order was restated.
pub mod restated {
    /// An iceberg shows its next part.
    pub const REFRESH_OF_DISPLAY: u8 = b'R';
    pub const UPDATE_OF_DISPLAYED_PRICE: u8 = b'P';
    /// A trade of the order has another price. The venue's own: the specification has no message.
    pub const CORRECTION_OF_TRADE: u8 = b'T';
}

/// Strategy against trades with oneself.
pub mod aiq {
    pub const DECREMENT_BOTH: u8 = b'Y';
}

/// Why an order was rejected.
pub mod reject {
    pub const QUOTE_UNAVAILABLE: u16 = 0x01;
    pub const DESTINATION_CLOSED: u16 = 0x02;
    pub const INVALID_DISPLAY: u16 = 0x03;
    pub const INVALID_MAX_FLOOR: u16 = 0x04;
    pub const INVALID_PEG_TYPE: u16 = 0x05;
    pub const FAT_FINGER: u16 = 0x06;
    pub const HALTED: u16 = 0x07;
    pub const ISO_NOT_ALLOWED: u16 = 0x08;
    pub const INVALID_SIDE: u16 = 0x09;
    pub const PROCESSING_ERROR: u16 = 0x0A;
    pub const FIRM_NOT_AUTHORIZED: u16 = 0x0C;
    pub const INVALID_MIN_QUANTITY: u16 = 0x0D;
    pub const OTHER: u16 = 0x0F;
    pub const PEGGING_NOT_ALLOWED: u16 = 0x11;
    pub const INVALID_QUANTITY: u16 = 0x13;
    pub const INVALID_CROSS: u16 = 0x14;
    pub const REPLACE_NOT_ALLOWED: u16 = 0x15;
    pub const ROUTING_NOT_ALLOWED: u16 = 0x16;
    pub const INVALID_SYMBOL: u16 = 0x17;
    pub const INVALID_PRICE: u16 = 0x1D;
    pub const SHARES_ABOVE_LIMIT: u16 = 0x1E;
    pub const NOTIONAL_ABOVE_MAX: u16 = 0x1F;
    pub const EXPOSURE_ABOVE_LIMIT: u16 = 0x20;
    pub const RESTRICTED: u16 = 0x22;
    pub const ORDER_TYPE_RESTRICTED: u16 = 0x24;
    pub const PORT_MESSAGE_RATE: u16 = 0x29;
}
