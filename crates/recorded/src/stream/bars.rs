//! Bars as CSV: a row has open, high, low, close and volume.

use std::io::BufRead;

use types::Price;

use super::table::{Column, Row, Table, TimeColumn};
use super::trades::Symbol;
use super::{Batch, Known, Source};
use crate::event::{Event, Kind};
use crate::fault::{Fault, ReadError};
use crate::names::{LOCAL_TIME, QUANTITY, SYMBOL, TIME};
use crate::units::{Decimal, Units};

const KINDS: [Kind; 4] = [Kind::Open, Kind::High, Kind::Low, Kind::Close];

#[derive(Debug)]
pub(super) struct Bars<R> {
    table: Table<R>,
    columns: Places,
    units: Units,
    symbol: Symbol,
}

#[derive(Clone, Copy, Debug)]
struct Places {
    count: usize,
    time: TimeColumn,
    local: TimeColumn,
    prices: [Column; 4],
    volume: Option<Column>,
}

impl<R: BufRead> Bars<R> {
    pub(super) fn open(
        source: R,
        units: Units,
        known: &Known,
        batch: &mut Batch,
    ) -> Result<Self, ReadError> {
        let table = Table::open(source)?;
        let time = table.needed_time(TIME)?;
        let columns = Places {
            count: table.names.len(),
            time,
            local: table.time_column(LOCAL_TIME).unwrap_or(time),
            prices: [
                table.needed(&["open", "o"])?,
                table.needed(&["high", "h"])?,
                table.needed(&["low", "l"])?,
                table.needed(&["close", "c"])?,
            ],
            volume: table.column(&["volume", "vol", "v"]).or_else(|| table.column(QUANTITY)),
        };
        let symbol = Symbol::new(table.column(SYMBOL), known, batch)
            .map_err(|fault| table.lines.place().fault(fault))?;
        Ok(Self { table, columns, units, symbol })
    }
}

impl<R: BufRead + Send> Source for Bars<R> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        while !batch.is_full() {
            let Some(line) = self.table.lines.next()? else { return Ok(false) };
            let row = Row::new(line);
            let (columns, units, symbol) = (&self.columns, self.units, &mut self.symbol);
            let pushed = (|| {
                row.expect_columns(columns.count)?;
                let instrument = symbol.position(&row, batch)?;
                push(&row, columns, units, instrument, batch)
            })();
            pushed.map_err(|fault| self.table.lines.place().fault(fault))?;
        }
        Ok(true)
    }
}

fn push(
    row: &Row<'_>,
    at: &Places,
    units: Units,
    instrument: u16,
    batch: &mut Batch,
) -> Result<(), Fault> {
    let (exchange_ns, local_ns) = row.times(at.time, at.local)?;
    let volume = at.volume.map_or(Ok(Decimal::whole(0)), |column| row.decimal(column))?;
    let quantity = units.quantity(volume)?;
    let mut prices = [Price::default(); 4];
    for (price, column) in prices.iter_mut().zip(at.prices) {
        *price = units.price(row.decimal(column)?)?;
    }
    push_bar(
        prices,
        |kind, price| Event {
            exchange_ns,
            local_ns,
            order: 0,
            price,
            quantity,
            instrument,
            kind,
            side: None,
        },
        batch,
    )
}

/// Emits the four events of a bar, whose prices are open, high, low and close.
pub(super) fn push_bar(
    prices: [Price; 4],
    event: impl Fn(Kind, Price) -> Event,
    batch: &mut Batch,
) -> Result<(), Fault> {
    let [open, high, low, close] = prices;
    if high < open.max(close) || low > open.min(close) {
        return Err(Fault::Row("a bar's high or low is inside its open and close".to_owned()));
    }
    KINDS.into_iter().zip(prices).try_for_each(|(kind, price)| batch.push(event(kind, price)))
}
