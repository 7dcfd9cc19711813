//! Messages of Nasdaq TotalView-ITCH 5.0 that change a book or report a trade.
//!
//! Each message begins with its kind, the instrument's number of the day (its locate code), a
//! tracking number and the time since midnight in 48 bits. Numbers are big-endian, prices are
//! dollars times 10,000.
//!
//! # Known limits
//! Of the other messages only the kind and the length are checked.

use types::Side;

/// What all messages begin with.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Head {
    pub kind: u8,
    /// The instrument's number on this day; zero for the market as a whole.
    pub locate: u16,
    /// Nanoseconds since midnight in New York.
    pub time_ns: u64,
}

/// A message without its [`Head`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Message {
    /// Names the instrument of a locate code.
    StockDirectory {
        symbol: [u8; 8],
    },
    /// An order enters the book; with or without the name of its participant.
    AddOrder {
        order: u64,
        side: Side,
        shares: u32,
        symbol: [u8; 8],
        price: u32,
    },
    /// Some shares were executed at the order's price.
    OrderExecuted {
        order: u64,
        shares: u32,
        match_number: u64,
    },
    /// Some shares were executed at another price; `printable` is false if a later message reports
    /// their volume.
    OrderExecutedWithPrice {
        order: u64,
        shares: u32,
        match_number: u64,
        printable: bool,
        price: u32,
    },
    /// Some shares were canceled.
    OrderCancel {
        order: u64,
        shares: u32,
    },
    OrderDelete {
        order: u64,
    },
    /// The order loses its place, and gets another number.
    OrderReplace {
        order: u64,
        new_order: u64,
        shares: u32,
        price: u32,
    },
    /// An execution against an order that was not displayed. The side is that order's; since 2014
    /// it is always `Buy`.
    Trade {
        side: Side,
        shares: u32,
        symbol: [u8; 8],
        price: u32,
        match_number: u64,
    },
    /// The execution of an auction.
    CrossTrade {
        shares: u64,
        symbol: [u8; 8],
        price: u32,
        match_number: u64,
    },
    /// Neither a change of the book nor a trade.
    Other,
}

/// Why a message cannot be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unreadable {
    UnknownKind(u8),
    /// Its length is not that of its kind.
    Length {
        expected: usize,
        found: usize,
    },
    Side(u8),
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownKind(kind) => write!(f, "kind \"{}\" is unknown", kind.escape_ascii()),
            Self::Length { expected, found } => {
                write!(f, "{found} bytes where {expected} are expected")
            }
            Self::Side(side) => write!(f, "side \"{}\" is unknown", side.escape_ascii()),
        }
    }
}

impl std::error::Error for Unreadable {}

/// Bytes of a message of this kind; `None` if the kind is unknown.
#[inline]
pub const fn size_of_kind(kind: u8) -> Option<usize> {
    Some(match kind {
        b'S' | b'W' => 12,
        b'R' => 39,
        b'H' => 25,
        b'Y' | b'N' => 20,
        b'L' => 26,
        b'V' | b'J' | b'U' => 35,
        b'K' => 28,
        b'h' => 21,
        b'A' | b'C' => 36,
        b'F' | b'Q' => 40,
        b'E' => 31,
        b'X' => 23,
        b'D' | b'B' => 19,
        b'P' => 44,
        b'I' => 50,
        b'O' => 48,
        _ => return None,
    })
}

/// Reads a whole message.
#[inline]
pub fn read(message: &[u8]) -> Result<(Head, Message), Unreadable> {
    let found = message.len();
    let kind = *message.first().ok_or(Unreadable::Length { expected: 1, found })?;
    let expected = size_of_kind(kind).ok_or(Unreadable::UnknownKind(kind))?;
    if found != expected {
        return Err(Unreadable::Length { expected, found });
    }
    let head = Head { kind, locate: short(message, 1), time_ns: long(message, 3) & TIME_MASK };
    Ok((head, body(kind, message)?))
}

/// Two bytes of the tracking number are in front of the time.
const TIME_MASK: u64 = (1 << 48) - 1;

/// `message` has the length of its kind.
#[inline]
fn body(kind: u8, message: &[u8]) -> Result<Message, Unreadable> {
    let order = || long(message, 11);
    let symbol = |at: usize| *message[at..].first_chunk().expect("the length is checked");
    Ok(match kind {
        b'R' => Message::StockDirectory { symbol: symbol(11) },
        b'A' | b'F' => Message::AddOrder {
            order: order(),
            side: side(message[19])?,
            shares: word(message, 20),
            symbol: symbol(24),
            price: word(message, 32),
        },
        b'E' => Message::OrderExecuted {
            order: order(),
            shares: word(message, 19),
            match_number: long(message, 23),
        },
        b'C' => Message::OrderExecutedWithPrice {
            order: order(),
            shares: word(message, 19),
            match_number: long(message, 23),
            printable: message[31] == b'Y',
            price: word(message, 32),
        },
        b'X' => Message::OrderCancel { order: order(), shares: word(message, 19) },
        b'D' => Message::OrderDelete { order: order() },
        b'U' => Message::OrderReplace {
            order: order(),
            new_order: long(message, 19),
            shares: word(message, 27),
            price: word(message, 31),
        },
        b'P' => Message::Trade {
            side: side(message[19])?,
            shares: word(message, 20),
            symbol: symbol(24),
            price: word(message, 32),
            match_number: long(message, 36),
        },
        b'Q' => Message::CrossTrade {
            shares: long(message, 11),
            symbol: symbol(19),
            price: word(message, 27),
            match_number: long(message, 31),
        },
        _ => Message::Other,
    })
}

#[inline]
fn side(letter: u8) -> Result<Side, Unreadable> {
    match letter {
        b'B' => Ok(Side::Buy),
        b'S' => Ok(Side::Sell),
        _ => Err(Unreadable::Side(letter)),
    }
}

#[inline]
fn short(message: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(*message[at..].first_chunk().expect("the length is checked"))
}

#[inline]
fn word(message: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(*message[at..].first_chunk().expect("the length is checked"))
}

#[inline]
fn long(message: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(*message[at..].first_chunk().expect("the length is checked"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A message from numbers of the given widths in bytes, after kind, locate code and time.
    fn message(kind: u8, fields: &[(u64, usize)]) -> Vec<u8> {
        let mut bytes = vec![kind, 0, 7, 0, 1, 0, 0, 0, 0, 0, 9];
        for (number, width) in fields {
            bytes.extend_from_slice(&number.to_be_bytes()[8 - width..]);
        }
        bytes
    }

    #[track_caller]
    fn check(bytes: &[u8], expect: Message) {
        let head = Head { kind: bytes[0], locate: 7, time_ns: 9 };
        assert_eq!(read(bytes), Ok((head, expect)));
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut]).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn fields_are_where_the_specification_has_them() {
        let symbol = *b"AAPL    ";
        let name = (u64::from_be_bytes(symbol), 8);
        let buy = (u64::from(b'B'), 1);
        let fields = [(1, 8), buy, (100, 4), name, (1_502_500, 4)];
        let (side, shares, price) = (Side::Buy, 100, 1_502_500);
        let add = Message::AddOrder { order: 1, side, shares, symbol, price };
        check(&message(b'A', &fields), add);
        check(&message(b'F', &[&fields[..], &[(0, 4)]].concat()), add);
        let executed = Message::OrderExecuted { order: 1, shares, match_number: 3 };
        check(&message(b'E', &[(1, 8), (100, 4), (3, 8)]), executed);
        let (match_number, printable) = (3, false);
        let at_price =
            Message::OrderExecutedWithPrice { order: 1, shares, match_number, printable, price };
        let no = (u64::from(b'N'), 1);
        check(&message(b'C', &[(1, 8), (100, 4), (3, 8), no, (1_502_500, 4)]), at_price);
        let cancel = Message::OrderCancel { order: 1, shares };
        check(&message(b'X', &[(1, 8), (100, 4)]), cancel);
        check(&message(b'D', &[(1, 8)]), Message::OrderDelete { order: 1 });
        let replace = Message::OrderReplace { order: 1, new_order: 2, shares, price };
        check(&message(b'U', &[(1, 8), (2, 8), (100, 4), (1_502_500, 4)]), replace);
        let trade = Message::Trade { side, shares, symbol, price, match_number };
        let fields = [(0, 8), buy, (100, 4), name, (1_502_500, 4), (3, 8)];
        check(&message(b'P', &fields), trade);
        let cross = Message::CrossTrade { shares: 100, symbol, price, match_number };
        check(&message(b'Q', &[(100, 8), name, (1_502_500, 4), (3, 8), (0, 1)]), cross);
        check(&message(b'R', &[name, (0, 8), (0, 8), (0, 4)]), Message::StockDirectory { symbol });
    }

    #[test]
    fn what_is_unknown_is_refused() {
        assert_eq!(read(b"?"), Err(Unreadable::UnknownKind(b'?')));
        let sideless = message(b'A', &[(1, 8), (0, 1), (1, 4), (0, 8), (1, 4)]);
        assert_eq!(read(&sideless), Err(Unreadable::Side(0)));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(
            kind in prop::sample::select(&b"SRHYLVWKJhAFECXDUPQBINO"[..]),
            mut bytes in prop::collection::vec(any::<u8>(), 1..60),
        ) {
            bytes[0] = kind;
            bytes.resize(size_of_kind(kind).unwrap(), 0);
            let _ = read(&bytes);
        }
    }
}
