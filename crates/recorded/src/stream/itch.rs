//! Files of ITCH 5.0: messages, each after its length in two bytes.
//!
//! A length of zero stands for the length of the message's kind: some programs write files so.
//! Executions and cancels name an order by its number only, so the reader keeps the resting orders.

use std::collections::HashMap;
use std::io::{self, Read};

use protocol::itch::{self, Head, Message};
use types::Side;

use super::{Batch, Source};
use crate::event::{Event, Kind};
use crate::fault::{Fault, Place, ReadError};
use crate::moment::Day;
use crate::units::{Decimal, Units};

const BUFFER_BYTES: usize = 64 << 10;
const LENGTH_BYTES: usize = 2;
const PRICE_DECIMALS: u8 = 4;

#[derive(Debug)]
pub(super) struct Itch<R> {
    frames: Frames<R>,
    orders: HashMap<u64, Resting>,
    /// Positions of instruments by locate code.
    instruments: HashMap<u16, u16>,
    midnight_ns: i64,
    units: Units,
}

#[derive(Clone, Copy, Debug)]
struct Resting {
    price: u32,
    shares: u32,
    side: Side,
}

impl<R: Read> Itch<R> {
    pub(super) fn open(source: R, units: Units, day: Day) -> Self {
        Self {
            frames: Frames::new(source),
            orders: HashMap::new(),
            instruments: HashMap::new(),
            midnight_ns: day.new_york_midnight_ns(),
            units,
        }
    }

    fn push(&mut self, head: Head, message: Message, batch: &mut Batch) -> Result<(), Fault> {
        if message == Message::Other {
            return Ok(());
        }
        let named = match message {
            Message::StockDirectory { symbol }
            | Message::AddOrder { symbol, .. }
            | Message::Trade { symbol, .. }
            | Message::CrossTrade { symbol, .. } => Some(symbol),
            _ => None,
        };
        let event = Out {
            head,
            midnight_ns: self.midnight_ns,
            units: self.units,
            instrument: self.instrument(head.locate, named, batch)?,
        };
        match message {
            Message::AddOrder { order, side, shares, price, .. } => {
                self.orders.insert(order, Resting { price, shares, side });
                event.push(Kind::Add, order, price, shares.into(), Some(side), batch)
            }
            Message::OrderExecuted { order, shares, .. } => {
                let Resting { price, side, .. } = self.take(order, shares)?;
                event.push(Kind::Execute, order, price, shares.into(), Some(side), batch)
            }
            Message::OrderExecutedWithPrice { order, shares, price, .. } => {
                let Resting { side, .. } = self.take(order, shares)?;
                event.push(Kind::Execute, order, price, shares.into(), Some(side), batch)
            }
            Message::OrderCancel { order, shares } => {
                let Resting { price, side, .. } = self.take(order, shares)?;
                event.push(Kind::Cancel, order, price, shares.into(), Some(side), batch)
            }
            Message::OrderDelete { order } => {
                let Resting { price, shares, side } = self.take(order, u32::MAX)?;
                event.push(Kind::Delete, order, price, shares.into(), Some(side), batch)
            }
            Message::OrderReplace { order, new_order, shares, price } => {
                let old = self.take(order, u32::MAX)?;
                let side = Some(old.side);
                event.push(Kind::Delete, order, old.price, old.shares.into(), side, batch)?;
                self.orders.insert(new_order, Resting { price, shares, side: old.side });
                event.push(Kind::Add, new_order, price, shares.into(), side, batch)
            }
            Message::Trade { shares, price, .. } => {
                event.push(Kind::Trade, 0, price, shares.into(), None, batch)
            }
            // An auction without an execution has no shares.
            Message::CrossTrade { shares: shares @ 1.., price, .. } => {
                event.push(Kind::Trade, 0, price, shares, None, batch)
            }
            Message::CrossTrade { .. } | Message::StockDirectory { .. } | Message::Other => Ok(()),
        }
    }

    /// The position of an instrument. One that only a reference to an order names has none; the
    /// order is unknown then, too.
    fn instrument(
        &mut self,
        locate: u16,
        named: Option<[u8; 8]>,
        batch: &mut Batch,
    ) -> Result<u16, Fault> {
        if let Some(position) = self.instruments.get(&locate) {
            return Ok(*position);
        }
        let Some(symbol) = named else { return Ok(0) };
        let position = batch.add_instrument(String::from_utf8_lossy(&symbol).trim_end())?;
        self.instruments.insert(locate, position);
        Ok(position)
    }

    /// Takes shares off an order, and returns it as it was.
    fn take(&mut self, order: u64, shares: u32) -> Result<Resting, Fault> {
        let Some(resting) = self.orders.get_mut(&order) else {
            return Err(Fault::Row(format!("order {order} is unknown")));
        };
        let was = *resting;
        resting.shares = resting.shares.saturating_sub(shares);
        if resting.shares == 0 {
            self.orders.remove(&order);
        }
        Ok(was)
    }
}

impl<R: Read + Send> Source for Itch<R> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        while !batch.is_full() {
            let Some(message) = self.frames.next()? else { return Ok(false) };
            itch::read(message)
                .map_err(|error| Fault::Row(error.to_string()))
                .and_then(|(head, message)| self.push(head, message, batch))
                .map_err(|fault| self.frames.place().fault(fault))?;
        }
        Ok(true)
    }
}

/// What the events of a message have in common.
struct Out {
    head: Head,
    midnight_ns: i64,
    units: Units,
    instrument: u16,
}

impl Out {
    fn push(
        &self,
        kind: Kind,
        order: u64,
        price: u32,
        shares: u64,
        side: Option<Side>,
        batch: &mut Batch,
    ) -> Result<(), Fault> {
        let time_ns = self.midnight_ns + self.head.time_ns.cast_signed();
        let price = Decimal { units: price.into(), decimals: PRICE_DECIMALS };
        let shares = i64::try_from(shares).unwrap_or(i64::MAX);
        batch.push(Event {
            exchange_ns: time_ns,
            local_ns: time_ns,
            order,
            price: self.units.price(price)?,
            quantity: self.units.quantity(Decimal::whole(shares))?,
            instrument: self.instrument,
            kind,
            side,
        })
    }
}

/// Cuts a file into messages, through one buffer of a fixed size.
#[derive(Debug)]
struct Frames<R> {
    source: R,
    buffer: Box<[u8]>,
    begin: usize,
    end: usize,
    /// Bytes of the file in front of the last message, and of all up to its end.
    at: u64,
    next_at: u64,
}

impl<R: Read> Frames<R> {
    fn new(source: R) -> Self {
        let buffer = vec![0; BUFFER_BYTES].into();
        Self { source, buffer, begin: 0, end: 0, at: 0, next_at: 0 }
    }

    fn place(&self) -> Place {
        Place::Byte(self.at)
    }

    /// The next message, `None` at the end.
    fn next(&mut self) -> Result<Option<&[u8]>, ReadError> {
        self.at = self.next_at;
        let place = self.place();
        let form = |text: &str| place.fault(Fault::Form(text.to_owned()));
        let cut = || form("the file ends inside a message");
        match self.fill(LENGTH_BYTES + 1).map_err(|error| place.fault(error))? {
            0 => return Ok(None),
            1..=LENGTH_BYTES => return Err(cut()),
            _ => {}
        }
        let [high, low, kind] = *self.buffer[self.begin..].first_chunk().expect("it is filled");
        let size = match u16::from_be_bytes([high, low]) {
            0 => itch::size_of_kind(kind).ok_or_else(|| form("a message of an unknown kind"))?,
            stated => usize::from(stated),
        };
        let whole = LENGTH_BYTES + size;
        if self.fill(whole).map_err(|error| place.fault(error))? < whole {
            return Err(cut());
        }
        let message = self.begin + LENGTH_BYTES..self.begin + whole;
        self.begin += whole;
        self.next_at += whole as u64;
        Ok(Some(&self.buffer[message]))
    }

    /// Has at least `wanted` bytes ready unless the file ends, and returns how many are.
    fn fill(&mut self, wanted: usize) -> io::Result<usize> {
        while self.end - self.begin < wanted {
            if self.buffer.len() - self.begin < wanted {
                self.buffer.copy_within(self.begin..self.end, 0);
                self.end -= self.begin;
                self.begin = 0;
            }
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(size) => self.end += size,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.end - self.begin)
    }
}

/// Whether a file's first bytes are a message that begins a day.
pub(crate) fn is_itch(head: &[u8]) -> bool {
    let Some((length, message)) = head.split_first_chunk::<LENGTH_BYTES>() else { return false };
    let stated = u16::from_be_bytes(*length);
    let size = message.first().and_then(|kind| itch::size_of_kind(*kind));
    let Some(size) = size.filter(|size| stated == 0 || *size == usize::from(stated)) else {
        return false;
    };
    message.get(..size).is_some_and(|message| itch::read(message).is_ok())
}
