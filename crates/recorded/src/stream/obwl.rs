//! Workloads as events.
//!
//! A workload has commands without times and without results: an `Add` may cross the book, and a
//! `Trade` is an order that takes up to its quantity at its price or a better one. A market order's
//! price is the largest or the smallest of all. Commands are a microsecond apart.

use std::io::Read;

use types::{PRICE_MAX, Price, QTY_MAX, Qty, Side};

use super::{Batch, Source};
use crate::event::{Event, Kind};
use crate::fault::{Fault, Place, ReadError};
use crate::obwl::{Op, Record, Records, records};

const NS_PER_COMMAND: i64 = 1_000;

#[derive(Debug)]
pub(super) struct Obwl<R> {
    records: Records<R>,
    count: u64,
}

impl<R: Read> Obwl<R> {
    pub(super) fn open(source: R, batch: &mut Batch) -> Result<Self, ReadError> {
        let records = records(source).map_err(form)?;
        for number in 0..records.header().symbol_count {
            batch
                .add_instrument(format!("symbol{number}"))
                .map_err(|fault| Place::File.fault(fault))?;
        }
        Ok(Self { records, count: 0 })
    }
}

impl<R: Read + Send> Source for Obwl<R> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        while !batch.is_full() {
            let Some(record) = self.records.next() else { return Ok(false) };
            let time_ns = self.count.cast_signed() * NS_PER_COMMAND;
            let place = Place::Record(self.count);
            self.count += 1;
            event(&record.map_err(form)?, time_ns)
                .and_then(|event| batch.push(event))
                .map_err(|fault| place.fault(fault))?;
        }
        Ok(true)
    }
}

/// The message names its place.
fn form(error: crate::obwl::ReadError) -> ReadError {
    Place::File.fault(Fault::Form(error.to_string()))
}

fn event(record: &Record, time_ns: i64) -> Result<Event, Fault> {
    let (kind, qty) = match record.op {
        Op::Limit => (Kind::Add, record.qty),
        Op::Cancel => (Kind::Delete, 0),
        Op::Ioc | Op::Market => (Kind::Trade, record.qty),
    };
    let price = match (record.op, record.side) {
        (Op::Market, Side::Buy) => PRICE_MAX,
        (Op::Market, Side::Sell) => Price::from_ticks(0),
        _ => i64::try_from(record.price)
            .ok()
            .map(Price::from_ticks)
            .filter(|price| *price <= PRICE_MAX)
            .ok_or_else(|| Fault::PriceOutOfRange { price: record.price.to_string() })?,
    };
    let quantity = Qty::from_lots(qty.into());
    debug_assert!(quantity <= QTY_MAX, "32 bits");
    Ok(Event {
        exchange_ns: time_ns,
        local_ns: time_ns,
        order: if kind == Kind::Trade { 0 } else { record.order_id },
        price,
        quantity,
        instrument: record.symbol as u16,
        kind,
        side: Some(record.side),
    })
}
