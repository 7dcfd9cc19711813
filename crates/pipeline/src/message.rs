//! Messages of a market, and the updates that they carry.

use protocol::fix::tag_value::{self, Writer, parse_decimal, parse_u64};
use protocol::itch;
use types::Side;

/// The encoding of messages and of orders.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Wire {
    /// Messages of ITCH 5.0, each after its length in two bytes, and orders of OUCH 5.0.
    Binary,
    /// FIX 4.4: market data refreshes of one entry, and new single orders.
    Fix,
}

/// A change of the book, or a trade.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Update {
    /// The exchange's id of the order, zero for a trade.
    pub order: u64,
    /// In units of 10^-4; zero where the order is enough.
    pub price: u32,
    pub quantity: u32,
    pub kind: Kind,
    pub side: Side,
    /// The number of the message, and for some messages the time at which it was queued.
    pub(crate) number: u64,
    pub(crate) queued_ns: u64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    Add,
    /// Takes `quantity` off the order.
    Reduce,
    /// Leaves `quantity` of the order.
    Change,
    Delete,
    /// Of an order that was not shown.
    Trade,
    /// Changes nothing.
    Other,
}

pub(crate) const PRICE_DECIMALS: u8 = 4;
const LENGTH_BYTES: usize = 2;
const MD_UPDATE_ACTION: u32 = 279;
const MD_ENTRY_TYPE: u32 = 269;
const MD_ENTRY_ID: u32 = 278;
const MD_ENTRY_PX: u32 = 270;
const MD_ENTRY_SIZE: u32 = 271;

impl Update {
    pub(crate) const fn new(kind: Kind, side: Side, order: u64, price: u32, quantity: u32) -> Self {
        Self { order, price, quantity, kind, side, number: 0, queued_ns: 0 }
    }
}

impl Wire {
    /// Reads the message at the front of `bytes`, and returns its size. `None` if it is wrong or
    /// not whole.
    #[inline]
    pub fn read(self, bytes: &[u8]) -> Option<(Update, usize)> {
        match self {
            Self::Binary => read_binary(bytes),
            Self::Fix => read_fix(bytes),
        }
    }
}

#[inline]
fn read_binary(bytes: &[u8]) -> Option<(Update, usize)> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>()?;
    let length = usize::from(u16::from_be_bytes(*length));
    let (_, message) = itch::read(rest.get(..length)?).ok()?;
    let of = |kind, order, quantity| Update::new(kind, Side::Buy, order, 0, quantity);
    let update = match message {
        itch::Message::AddOrder { order, side, shares, price, .. } => {
            Update::new(Kind::Add, side, order, price, shares)
        }
        itch::Message::OrderExecuted { order, shares, .. }
        | itch::Message::OrderExecutedWithPrice { order, shares, .. }
        | itch::Message::OrderCancel { order, shares } => of(Kind::Reduce, order, shares),
        itch::Message::OrderDelete { order } => of(Kind::Delete, order, 0),
        itch::Message::Trade { side, shares, price, .. } => {
            Update::new(Kind::Trade, side, 0, price, shares)
        }
        _ => of(Kind::Other, 0, 0),
    };
    Some((update, LENGTH_BYTES + length))
}

#[inline]
fn read_fix(bytes: &[u8]) -> Option<(Update, usize)> {
    let message = tag_value::read(bytes).ok()??;
    let mut update = Update::new(Kind::Other, Side::Buy, 0, 0, 0);
    let (mut is_trade, mut action) = (false, 0);
    for field in message.fields() {
        let field = field.ok()?;
        match field.tag {
            MD_UPDATE_ACTION => action = field.value[0],
            MD_ENTRY_TYPE => match field.value {
                b"0" => update.side = Side::Buy,
                b"1" => update.side = Side::Sell,
                b"2" => is_trade = true,
                _ => return None,
            },
            MD_ENTRY_ID => update.order = parse_u64(field.value)?,
            MD_ENTRY_PX => {
                let units = parse_decimal(field.value, PRICE_DECIMALS)?;
                update.price = u32::try_from(units).ok()?;
            }
            MD_ENTRY_SIZE => update.quantity = parse_u64(field.value)?.try_into().ok()?,
            _ => {}
        }
    }
    update.kind = match action {
        b'0' if is_trade => Kind::Trade,
        b'0' => Kind::Add,
        b'1' => Kind::Change,
        b'2' => Kind::Delete,
        _ => Kind::Other,
    };
    Some((update, message.size()))
}

/// Appends a message with this update. `leaves` is what the order has after it.
pub(crate) fn write(wire: Wire, update: &Update, leaves: u32, number: u64, out: &mut Vec<u8>) {
    match wire {
        Wire::Binary => write_binary(update, number, out),
        Wire::Fix => write_fix(update, leaves, number, out),
    }
}

fn write_binary(update: &Update, number: u64, out: &mut Vec<u8>) {
    const HEAD: [u8; 4] = [0, 1, 0, 0]; // Locate code 1, no tracking number.
    const SYMBOL: &[u8; 8] = b"BTCUSDT ";
    let begin = out.len();
    out.extend_from_slice(&[0; LENGTH_BYTES]);
    out.push(match update.kind {
        Kind::Add => b'A',
        Kind::Reduce => b'E',
        Kind::Trade => b'P',
        _ => b'D',
    });
    out.extend_from_slice(&HEAD);
    out.extend_from_slice(&(number * 1_000).to_be_bytes()[2..]);
    out.extend_from_slice(&update.order.to_be_bytes());
    match update.kind {
        Kind::Add | Kind::Trade => {
            out.push(if update.side == Side::Buy { b'B' } else { b'S' });
            out.extend_from_slice(&update.quantity.to_be_bytes());
            out.extend_from_slice(SYMBOL);
            out.extend_from_slice(&update.price.to_be_bytes());
        }
        Kind::Reduce => out.extend_from_slice(&update.quantity.to_be_bytes()),
        _ => {}
    }
    if matches!(update.kind, Kind::Trade | Kind::Reduce) {
        out.extend_from_slice(&number.to_be_bytes());
    }
    let length = (out.len() - begin - LENGTH_BYTES) as u16;
    out[begin..begin + LENGTH_BYTES].copy_from_slice(&length.to_be_bytes());
}

fn write_fix(update: &Update, leaves: u32, number: u64, out: &mut Vec<u8>) {
    let mut writer = Writer::begin(out, b"FIX.4.4", b"X");
    writer.field(49, b"VENUE");
    writer.field(56, b"CLIENT");
    writer.number(34, number + 1);
    writer.field(52, b"20240808-12:00:00.000");
    writer.number(268, 1);
    let (action, size) = match update.kind {
        Kind::Add | Kind::Trade => (0, update.quantity),
        Kind::Reduce if leaves > 0 => (1, leaves),
        _ => (2, 0),
    };
    writer.number(MD_UPDATE_ACTION, action);
    let entry = match (update.kind, update.side) {
        (Kind::Trade, _) => b"2",
        (_, Side::Buy) => b"0",
        (_, Side::Sell) => b"1",
    };
    writer.field(MD_ENTRY_TYPE, entry);
    writer.number(MD_ENTRY_ID, update.order);
    writer.field(55, b"BTCUSDT");
    if action == 0 {
        writer.decimal(MD_ENTRY_PX, update.price.into(), PRICE_DECIMALS);
    }
    writer.number(MD_ENTRY_SIZE, size.into());
    writer.finish();
}
