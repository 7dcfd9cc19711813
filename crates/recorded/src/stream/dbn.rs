//! DBN records as events: orders, levels, trades and bars.

mod levels;
mod order;

use std::io::Read;

use ::dbn::{FlagSet, OhlcvMsg, RecordHeader, Schema, TradeMsg};
use types::Side;

use super::bars::push_bar;
use super::{Batch, Known, Source};
use crate::dbn::{File, open as open_file};
use crate::event::{Event, Kind};
use crate::fault::{Fault, Place, ReadError};
use crate::units::{Decimal, Units};

const READABLE: &str = "mbo, mbp-1, mbp-10, tbbo, trades and ohlcv of 1s, 1m, 1h and 1d";
const PRICE_DECIMALS: u8 = 9;
/// The price of a record without one.
const NO_PRICE: i64 = i64::MAX;

/// Opens a file of any kind with market data.
pub(super) fn open<R: Read + Send + 'static>(
    source: R,
    units: Units,
    known: &Known,
    batch: &mut Batch,
) -> Result<Box<dyn Source>, ReadError> {
    let is_readable = |schema: &Option<Schema>| {
        matches!(
            schema,
            None | Some(
                Schema::Mbo
                    | Schema::Mbp1
                    | Schema::Mbp10
                    | Schema::Tbbo
                    | Schema::Trades
                    | Schema::Ohlcv1S
                    | Schema::Ohlcv1M
                    | Schema::Ohlcv1H
                    | Schema::Ohlcv1D
            )
        )
    };
    let file = open_file(source, is_readable, READABLE).map_err(form)?;
    let instruments = Instruments::new(&file.symbols, known, batch);
    let record = RecordReader { file, units, instruments };
    Ok(match record.file.schema {
        Schema::Mbp1 => Box::new(levels::Levels::<1, _>::new(record)),
        Schema::Mbp10 => Box::new(levels::Levels::<10, _>::new(record)),
        Schema::Tbbo => Box::new(levels::Levels::<0, _>::new(record)),
        Schema::Trades => Box::new(Trades(record)),
        Schema::Ohlcv1S | Schema::Ohlcv1M | Schema::Ohlcv1H | Schema::Ohlcv1D => {
            Box::new(Bars(record))
        }
        _ => Box::new(order::Orders::new(record)),
    })
}

/// The message names its record.
fn form(error: crate::dbn::ReadError) -> ReadError {
    Place::File.fault(Fault::Form(error.to_string()))
}

/// What the readers of all kinds of records need.
#[derive(Debug)]
struct RecordReader<R> {
    file: File<R>,
    units: Units,
    instruments: Instruments,
}

/// Positions of instruments by publisher and number.
#[derive(Debug)]
struct Instruments {
    symbols: Vec<(u32, String)>,
    known: Vec<(u16, u32)>,
    /// Of a file without symbols and with one instrument.
    name: String,
    last: usize,
}

impl Instruments {
    fn new(symbols: &[(u32, String)], known: &Known, batch: &mut Batch) -> Self {
        debug_assert!(batch.names.is_empty(), "the first records name the instruments");
        Self { symbols: symbols.to_vec(), known: Vec::new(), name: known.name.clone(), last: 0 }
    }

    #[inline]
    fn position(&mut self, header: &RecordHeader, batch: &mut Batch) -> Result<u16, Fault> {
        let key = (header.publisher_id, header.instrument_id);
        if self.known.get(self.last) == Some(&key) {
            return Ok(self.last as u16);
        }
        self.find(key, batch)
    }

    #[cold]
    fn find(&mut self, key: (u16, u32), batch: &mut Batch) -> Result<u16, Fault> {
        if let Some(at) = self.known.iter().position(|known| *known == key) {
            self.last = at;
            return Ok(at as u16);
        }
        let symbol = self.symbols.iter().find(|(number, _)| *number == key.1);
        let mut name = match symbol {
            Some((_, symbol)) => symbol.clone(),
            None if self.known.is_empty() => self.name.clone(),
            None => format!("{}-{}", self.name, key.1),
        };
        if batch.names.contains(&name) {
            name = format!("{name}@{}", key.0); // Another publisher's.
        }
        self.last = self.known.len();
        self.known.push(key);
        batch.add_instrument(name)
    }
}

fn price(units: Units, price: i64) -> Result<types::Price, Fault> {
    units.price(Decimal { units: price, decimals: PRICE_DECIMALS })
}

fn side(letter: ::std::ffi::c_char) -> Result<Option<Side>, Fault> {
    match letter.cast_unsigned() {
        b'B' => Ok(Some(Side::Buy)),
        b'A' => Ok(Some(Side::Sell)),
        b'N' => Ok(None),
        found => Err(Fault::Row(format!("side {found:#04x} is unknown"))),
    }
}

fn time(ns: u64) -> Result<i64, Fault> {
    // The largest number stands for no time.
    i64::try_from(ns).map_err(|_| Fault::Row("has no time".to_owned()))
}

/// Checks a record that is pushed already. Databento marks those after which its channel has lost
/// messages; numbers of messages have gaps by themselves, because a channel has many instruments.
fn check_gap(flags: FlagSet) -> Result<(), Fault> {
    if flags.is_maybe_bad_book() {
        return Err(Fault::Gap("the recorder's channel has lost messages".to_owned()));
    }
    Ok(())
}

#[derive(Debug)]
struct Trades<R>(RecordReader<R>);

impl<R: Read + Send> Source for Trades<R> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        let RecordReader { file, units, instruments } = &mut self.0;
        while !batch.is_full() {
            let place = Place::Record(file.record);
            let Some(trade) = file.next::<TradeMsg>().map_err(form)? else { return Ok(false) };
            let pushed = (|| {
                let instrument = instruments.position(&trade.hd, batch)?;
                batch.push(Event {
                    exchange_ns: time(trade.hd.ts_event)?,
                    local_ns: time(trade.ts_recv)?,
                    order: 0,
                    price: price(*units, trade.price)?,
                    quantity: units.quantity(Decimal::whole(trade.size.into()))?,
                    instrument,
                    kind: Kind::Trade,
                    side: side(trade.side)?,
                })?;
                check_gap(trade.flags)
            })();
            pushed.map_err(|fault| place.fault(fault))?;
        }
        Ok(true)
    }
}

#[derive(Debug)]
struct Bars<R>(RecordReader<R>);

impl<R: Read + Send> Source for Bars<R> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        let RecordReader { file, units, instruments } = &mut self.0;
        while !batch.is_full() {
            let place = Place::Record(file.record);
            let Some(bar) = file.next::<OhlcvMsg>().map_err(form)? else { return Ok(false) };
            let pushed = (|| {
                let time_ns = time(bar.hd.ts_event)?;
                let volume = i64::try_from(bar.volume).unwrap_or(i64::MAX);
                let quantity = units.quantity(Decimal::whole(volume))?;
                let instrument = instruments.position(&bar.hd, batch)?;
                let event = |kind, price| Event {
                    exchange_ns: time_ns,
                    local_ns: time_ns,
                    order: 0,
                    price,
                    quantity,
                    instrument,
                    kind,
                    side: None,
                };
                let [open, high, low, close] = [bar.open, bar.high, bar.low, bar.close];
                let prices = [
                    price(*units, open)?,
                    price(*units, high)?,
                    price(*units, low)?,
                    price(*units, close)?,
                ];
                push_bar(prices, event, batch)
            })();
            pushed.map_err(|fault| place.fault(fault))?;
        }
        Ok(true)
    }
}
