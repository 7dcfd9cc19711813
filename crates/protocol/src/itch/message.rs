//! Messages, and the head which all have in common.

use thiserror::Error;

use crate::layout::{Field, layouts};

/// A text of a fixed length, padded with spaces on the right.
pub type Alpha<const N: usize> = [u8; N];

/// What each message has after its type.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Head {
    /// The instrument's number of the day; zero for all.
    pub locate: u16,
    /// For the venue's own use.
    pub tracking: u16,
    /// Nanoseconds since midnight, in six bytes.
    pub timestamp: u64,
}

impl Head {
    const SIZE: usize = 10;
    /// The times that have room.
    pub const TIMESTAMP_MAX: u64 = (1 << 48) - 1;
}

impl Field for Head {
    const SIZE: usize = Self::SIZE;

    #[inline(always)]
    fn get(bytes: &[u8]) -> Self {
        let whole: &[u8; Self::SIZE] = bytes.try_into().expect("the width of the field");
        let [l0, l1, t0, t1, n0, n1, n2, n3, n4, n5] = *whole;
        Self {
            locate: u16::from_be_bytes([l0, l1]),
            tracking: u16::from_be_bytes([t0, t1]),
            timestamp: u64::from_be_bytes([0, 0, n0, n1, n2, n3, n4, n5]),
        }
    }

    #[inline(always)]
    fn put(self, bytes: &mut [u8]) {
        debug_assert!(self.timestamp <= Self::TIMESTAMP_MAX);
        self.locate.put(&mut bytes[..2]);
        self.tracking.put(&mut bytes[2..4]);
        bytes[4..].copy_from_slice(&self.timestamp.to_be_bytes()[2..]);
    }
}

layouts! {
    SystemEvent = b'S', 12 {
        1 head: Head,
        11 event: u8,
    }

    /// An instrument of the day.
    StockDirectory = b'R', 39 {
        1 head: Head,
        11 stock: Alpha<8>,
        19 market_category: u8,
        20 financial_status: u8,
        21 round_lot_size: u32,
        25 round_lots_only: u8,
        26 issue_classification: u8,
        27 issue_sub_type: Alpha<2>,
        29 authenticity: u8,
        30 short_sale_threshold: u8,
        31 is_new: u8,
        32 price_band_tier: u8,
        33 is_exchange_traded_product: u8,
        34 leverage: u32,
        38 is_inverse: u8,
    }

    TradingAction = b'H', 25 {
        1 head: Head,
        11 stock: Alpha<8>,
        19 trading_state: u8,
        20 reserved: u8,
        21 reason: Alpha<4>,
    }

    ShortSaleRestriction = b'Y', 20 {
        1 head: Head,
        11 stock: Alpha<8>,
        19 action: u8,
    }

    ParticipantPosition = b'L', 26 {
        1 head: Head,
        11 participant: Alpha<4>,
        15 stock: Alpha<8>,
        23 is_primary: u8,
        24 mode: u8,
        25 state: u8,
    }

    /// The levels at which the whole market halts, with eight decimals.
    DeclineLevels = b'V', 35 {
        1 head: Head,
        11 level_1: u64,
        19 level_2: u64,
        27 level_3: u64,
    }

    DeclineStatus = b'W', 12 {
        1 head: Head,
        11 breached: u8,
    }

    /// When a new instrument's orders may be quoted.
    QuotingPeriod = b'K', 28 {
        1 head: Head,
        11 stock: Alpha<8>,
        /// Seconds since midnight.
        19 release_time: u32,
        23 qualifier: u8,
        24 price: u32,
    }

    AuctionCollar = b'J', 35 {
        1 head: Head,
        11 stock: Alpha<8>,
        19 reference_price: u32,
        23 upper_price: u32,
        27 lower_price: u32,
        31 extensions: u32,
    }

    OperationalHalt = b'h', 21 {
        1 head: Head,
        11 stock: Alpha<8>,
        19 market: u8,
        20 action: u8,
    }

    /// An order enters the book.
    AddOrder = b'A', 36 {
        1 head: Head,
        11 order_ref: u64,
        19 side: u8,
        20 shares: u32,
        24 stock: Alpha<8>,
        32 price: u32,
    }

    /// Likewise, with the participant.
    AddOrderAttributed = b'F', 40 {
        1 head: Head,
        11 order_ref: u64,
        19 side: u8,
        20 shares: u32,
        24 stock: Alpha<8>,
        32 price: u32,
        36 attribution: Alpha<4>,
    }

    /// An order was executed at its price.
    OrderExecuted = b'E', 31 {
        1 head: Head,
        11 order_ref: u64,
        19 shares: u32,
        23 match_number: u64,
    }

    /// An order was executed at another price.
    OrderExecutedAtPrice = b'C', 36 {
        1 head: Head,
        11 order_ref: u64,
        19 shares: u32,
        23 match_number: u64,
        31 printable: u8,
        32 price: u32,
    }

    /// A part of an order was canceled.
    OrderCanceled = b'X', 23 {
        1 head: Head,
        11 order_ref: u64,
        19 shares: u32,
    }

    OrderDeleted = b'D', 19 {
        1 head: Head,
        11 order_ref: u64,
    }

    /// An order has another reference, quantity and price, and lost its place.
    OrderReplaced = b'U', 35 {
        1 head: Head,
        11 order_ref: u64,
        19 new_order_ref: u64,
        27 shares: u32,
        31 price: u32,
    }

    /// An order that was not displayed traded.
    Trade = b'P', 44 {
        1 head: Head,
        11 order_ref: u64,
        19 side: u8,
        20 shares: u32,
        24 stock: Alpha<8>,
        32 price: u32,
        36 match_number: u64,
    }

    /// An auction traded.
    CrossTrade = b'Q', 40 {
        1 head: Head,
        11 shares: u64,
        19 stock: Alpha<8>,
        27 price: u32,
        31 match_number: u64,
        39 cross_type: u8,
    }

    BrokenTrade = b'B', 19 {
        1 head: Head,
        11 match_number: u64,
    }

    /// What an auction would do now.
    Imbalance = b'I', 50 {
        1 head: Head,
        11 paired_shares: u64,
        19 imbalance_shares: u64,
        27 direction: u8,
        28 stock: Alpha<8>,
        36 far_price: u32,
        40 near_price: u32,
        44 reference_price: u32,
        48 cross_type: u8,
        49 price_variation: u8,
    }

    RetailInterest = b'N', 20 {
        1 head: Head,
        11 stock: Alpha<8>,
        19 interest: u8,
    }

    /// Prices of a new instrument that raises capital.
    DirectListing = b'O', 48 {
        1 head: Head,
        11 stock: Alpha<8>,
        19 is_eligible: u8,
        20 minimum_price: u32,
        24 maximum_price: u32,
        28 near_price: u32,
        32 near_time: u64,
        40 lower_price: u32,
        44 upper_price: u32,
    }
}

/// Why a message cannot be read.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum Unreadable {
    #[error("a message without bytes")]
    Empty,
    #[error("kind \"{}\" is unknown", .0.escape_ascii())]
    UnknownKind(u8),
    #[error("a message of kind \"{}\" has another length", .0.escape_ascii())]
    Length(u8),
}

macro_rules! any_message {
    ($($name:ident),* $(,)?) => {
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub enum Message {
            $( $name($name), )*
        }

        $(
            impl $name {
                /// Reads a whole message. `None` unless each byte is of its layout.
                #[inline]
                pub fn read(message: &[u8]) -> Option<Self> {
                    Self::of_fixed(message.try_into().ok()?)
                }

                /// Appends the message.
                #[inline]
                pub fn write(&self, out: &mut Vec<u8>) {
                    let mut bytes = [0; Self::SIZE];
                    self.put_fixed(&mut bytes);
                    out.extend_from_slice(&bytes);
                }
            }
        )*

        impl Message {
            /// Reads a whole message.
            #[inline]
            pub fn read(message: &[u8]) -> Result<Self, Unreadable> {
                match *message.first().ok_or(Unreadable::Empty)? {
                    $( $name::KIND => {
                        $name::read(message).map(Self::$name).ok_or(Unreadable::Length($name::KIND))
                    } )*
                    kind => Err(Unreadable::UnknownKind(kind)),
                }
            }

            /// Appends the message.
            pub fn write(&self, out: &mut Vec<u8>) {
                match self {
                    $( Self::$name(message) => message.write(out), )*
                }
            }

            pub fn head(&self) -> &Head {
                match self {
                    $( Self::$name(message) => &message.head, )*
                }
            }

            /// The length of a message by its type.
            pub const fn size_of_kind(kind: u8) -> Option<usize> {
                match kind {
                    $( $name::KIND => Some($name::SIZE), )*
                    _ => None,
                }
            }
        }
    };
}

any_message! {
    SystemEvent, StockDirectory, TradingAction, ShortSaleRestriction, ParticipantPosition,
    DeclineLevels, DeclineStatus, QuotingPeriod, AuctionCollar, OperationalHalt, AddOrder,
    AddOrderAttributed, OrderExecuted, OrderExecutedAtPrice, OrderCanceled, OrderDeleted,
    OrderReplaced, Trade, CrossTrade, BrokenTrade, Imbalance, RetailInterest, DirectListing,
}
