//! The best levels after each change, as the levels that differ from the record before.

use std::io::Read;

use ::dbn::{BidAskPair, Mbp1Msg, Mbp10Msg, RecordHeader};
use types::{Price, Qty, Side};

use super::super::{Batch, Source};
use super::{NO_PRICE, RecordReader, check_gap, form, price, side, time};
use crate::event::{Event, Kind};
use crate::fault::{Fault, Place, ReadError};
use crate::units::{Decimal, Units};

/// The number of levels; zero for records of trades that have the quote before them.
#[derive(Debug)]
pub(super) struct Levels<const DEPTH: usize, R> {
    record: RecordReader<R>,
    /// The known levels of each instrument and side, the best first.
    books: Vec<[Vec<(Price, Qty)>; 2]>,
    next: Vec<(Price, Qty)>,
}

/// A record, whatever its number of levels.
struct Message<'a> {
    header: &'a RecordHeader,
    ts_recv: u64,
    price: i64,
    size: u32,
    action: u8,
    side: std::ffi::c_char,
    levels: &'a [BidAskPair],
}

impl<const DEPTH: usize, R: Read> Levels<DEPTH, R> {
    pub(super) fn new(record: RecordReader<R>) -> Self {
        Self { record, books: Vec::new(), next: Vec::with_capacity(DEPTH) }
    }

    fn push(
        books: &mut Vec<[Vec<(Price, Qty)>; 2]>,
        next: &mut Vec<(Price, Qty)>,
        message: &Message<'_>,
        instrument: u16,
        units: Units,
        batch: &mut Batch,
    ) -> Result<(), Fault> {
        let mut event = Event {
            exchange_ns: time(message.header.ts_event)?,
            local_ns: time(message.ts_recv)?,
            order: 0,
            price: Price::default(),
            quantity: Qty::ZERO,
            instrument,
            kind: Kind::Level,
            side: None,
        };
        if message.action == b'T' {
            event.kind = Kind::Trade;
            event.price = price(units, message.price)?;
            event.quantity = units.quantity(Decimal::whole(message.size.into()))?;
            event.side = side(message.side)?;
            batch.push(event)?;
            event.kind = Kind::Level;
        }
        if DEPTH == 0 {
            return Ok(());
        }
        while books.len() <= usize::from(instrument) {
            books.push([const { Vec::new() }; 2]);
        }
        for (of, own) in
            [Side::Buy, Side::Sell].into_iter().zip(&mut books[usize::from(instrument)])
        {
            next.clear();
            for level in message.levels {
                let (at, size) = match of {
                    Side::Buy => (level.bid_px, level.bid_sz),
                    Side::Sell => (level.ask_px, level.ask_sz),
                };
                if at != NO_PRICE && size > 0 {
                    let quantity = units.quantity(Decimal::whole(size.into()))?;
                    next.push((price(units, at)?, quantity));
                }
            }
            event.side = Some(of);
            let gone = own.iter().filter(|(at, _)| !next.iter().any(|(kept, _)| kept == at));
            let gone = gone.map(|(at, _)| (*at, Qty::ZERO));
            let changed = next.iter().filter(|level| !own.contains(level)).copied();
            for (price, quantity) in gone.chain(changed) {
                batch.push(Event { price, quantity, ..event })?;
            }
            std::mem::swap(own, next);
        }
        Ok(())
    }
}

macro_rules! source {
    ($depth:literal, $message:ty) => {
        impl<R: Read + Send> Source for Levels<$depth, R> {
            fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
                let RecordReader { file, units, instruments } = &mut self.record;
                while !batch.is_full() {
                    let place = Place::Record(file.record);
                    let Some(found) = file.next::<$message>().map_err(form)? else {
                        return Ok(false);
                    };
                    let message = Message {
                        header: &found.hd,
                        ts_recv: found.ts_recv,
                        price: found.price,
                        size: found.size,
                        action: found.action.cast_unsigned(),
                        side: found.side,
                        levels: &found.levels,
                    };
                    let (books, next) = (&mut self.books, &mut self.next);
                    instruments
                        .position(&found.hd, batch)
                        .and_then(|at| Self::push(books, next, &message, at, *units, batch))
                        .and_then(|()| check_gap(found.flags))
                        .map_err(|fault| place.fault(fault))?;
                }
                Ok(true)
            }
        }
    };
}

source!(0, Mbp1Msg);
source!(1, Mbp1Msg);
source!(10, Mbp10Msg);
