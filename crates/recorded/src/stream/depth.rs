//! Recordings of changes of levels and of trades, as Binance sends them, with two clocks.

use std::io::BufRead;

use types::Side;

use super::table::{Column, Row, Table, TimeColumn};
use super::{Batch, Known, Source};
use crate::event::{Event, Kind};
use crate::fault::{Fault, ReadError};
use crate::names::{LOCAL_TIME, PRICE, QUANTITY, SIDE, TIME};
use crate::units::Units;

#[derive(Debug)]
pub(super) struct Depth<R> {
    table: Table<R>,
    columns: Places,
    units: Units,
    instrument: u16,
}

#[derive(Clone, Copy, Debug)]
struct Places {
    count: usize,
    exchange: TimeColumn,
    local: TimeColumn,
    kind: Column,
    side: Column,
    price: Column,
    quantity: Column,
}

impl<R: BufRead> Depth<R> {
    pub(super) fn open(
        source: R,
        units: Units,
        known: &Known,
        batch: &mut Batch,
    ) -> Result<Self, ReadError> {
        let table = Table::open(source)?;
        let exchange = table.needed_time(TIME)?;
        let columns = Places {
            count: table.names.len(),
            exchange,
            local: table.time_column(LOCAL_TIME).unwrap_or(exchange),
            kind: table.needed(&["kind"])?,
            side: table.needed(SIDE)?,
            price: table.needed(PRICE)?,
            quantity: table.needed(QUANTITY)?,
        };
        let instrument =
            batch.add_instrument(&*known.name).map_err(|fault| table.lines.place().fault(fault))?;
        Ok(Self { table, columns, units, instrument })
    }
}

impl<R: BufRead + Send> Source for Depth<R> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        while !batch.is_full() {
            let Some(line) = self.table.lines.next()? else { return Ok(false) };
            let event = event(line, &self.columns, self.units, self.instrument);
            event
                .and_then(|event| batch.push(event))
                .map_err(|fault| self.table.lines.place().fault(fault))?;
        }
        Ok(true)
    }
}

fn event(line: &[u8], at: &Places, units: Units, instrument: u16) -> Result<Event, Fault> {
    let row = Row::new(line);
    row.expect_columns(at.count)?;
    let kind = match row.text(at.kind) {
        b"depth" => Kind::Level,
        b"trade" => Kind::Trade,
        b"snapshot" => Kind::SnapshotLevel,
        b"clear" => Kind::Clear,
        _ => return Err(row.wrong(at.kind, "depth, trade, snapshot or clear")),
    };
    let side = match row.text(at.side) {
        b"B" => Some(Side::Buy),
        b"S" => Some(Side::Sell),
        b"" | b"N" if matches!(kind, Kind::Clear | Kind::Trade) => None,
        _ => return Err(row.wrong(at.side, "B or S")),
    };
    let (exchange_ns, local_ns) = row.times(at.exchange, at.local)?;
    Ok(Event {
        exchange_ns,
        local_ns,
        order: 0,
        price: units.price(row.decimal(at.price)?)?,
        quantity: units.quantity(row.decimal(at.quantity)?)?,
        instrument,
        kind,
        side,
    })
}
