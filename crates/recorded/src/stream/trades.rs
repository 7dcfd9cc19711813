//! Trades as CSV: tables of vendors and exchanges with a header, and files of LEAN without one.

use std::io::BufRead;

use types::Side;

use super::table::{Column, Row, Table, TimeColumn};
use super::{Batch, Known, Source};
use crate::event::{Event, Kind};
use crate::fault::{Fault, ReadError};
use crate::lines::Lines;
use crate::names::{BUYER_IS_MAKER, LOCAL_TIME, PRICE, QUANTITY, SIDE, SYMBOL, TIME, TRADE_ID};
use crate::units::{Decimal, Units};

#[derive(Debug)]
pub(super) struct Trades<R> {
    table: Table<R>,
    columns: Places,
    units: Units,
    symbol: Symbol,
    ids: Ids,
}

#[derive(Clone, Copy, Debug)]
struct Places {
    count: usize,
    exchange: TimeColumn,
    local: TimeColumn,
    side: Option<Column>,
    buyer_is_maker: Option<Column>,
    price: Column,
    quantity: Column,
}

impl<R: BufRead> Trades<R> {
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
            side: table.column(SIDE),
            buyer_is_maker: table.column(BUYER_IS_MAKER),
            price: table.needed(PRICE)?,
            quantity: table.needed(QUANTITY)?,
        };
        let symbol = Symbol::new(table.column(SYMBOL), known, batch)
            .map_err(|fault| table.lines.place().fault(fault))?;
        let ids = Ids::new(columns.buyer_is_maker.and_then(|_| table.column(TRADE_ID)));
        Ok(Self { table, columns, units, symbol, ids })
    }
}

impl<R: BufRead + Send> Source for Trades<R> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        while !batch.is_full() {
            let Some(line) = self.table.lines.next()? else { return Ok(false) };
            let row = Row::new(line);
            let (columns, units, symbol) = (&self.columns, self.units, &mut self.symbol);
            let pushed = (|| {
                row.expect_columns(columns.count)?;
                let instrument = symbol.position(&row, batch)?;
                batch.push(event(&row, columns, units, instrument)?)?;
                self.ids.check(&row, instrument)
            })();
            pushed.map_err(|fault| self.table.lines.place().fault(fault))?;
        }
        Ok(true)
    }
}

fn event(row: &Row<'_>, at: &Places, units: Units, instrument: u16) -> Result<Event, Fault> {
    let (exchange_ns, local_ns) = row.times(at.exchange, at.local)?;
    Ok(Event {
        exchange_ns,
        local_ns,
        order: 0,
        price: units.price(row.decimal(at.price)?)?,
        quantity: units.quantity(row.decimal(at.quantity)?)?,
        instrument,
        kind: Kind::Trade,
        side: side(row, at)?,
    })
}

fn side(row: &Row<'_>, at: &Places) -> Result<Option<Side>, Fault> {
    if let Some(column) = at.buyer_is_maker {
        return match row.text(column) {
            text if text.eq_ignore_ascii_case(b"true") || text == b"1" => Ok(Some(Side::Sell)),
            text if text.eq_ignore_ascii_case(b"false") || text == b"0" => Ok(Some(Side::Buy)),
            _ => Err(row.wrong(column, "true or false")),
        };
    }
    let Some(column) = at.side else { return Ok(None) };
    let text = row.text(column);
    let is_one_of =
        |names: &[&str]| names.iter().any(|it| text.eq_ignore_ascii_case(it.as_bytes()));
    if is_one_of(&["b", "buy", "buyer", "bid", "1"]) {
        Ok(Some(Side::Buy))
    } else if is_one_of(&["s", "sell", "seller", "a", "ask", "-1"]) {
        Ok(Some(Side::Sell))
    } else if is_one_of(&["", "n", "none", "unknown", "no_aggressor", "0"]) {
        Ok(None)
    } else {
        Err(row.wrong(column, "a side"))
    }
}

/// The numbers of trades. Only Binance's, whose tables state whether the buyer was the maker, are
/// known to have no gaps: elsewhere instruments share them, or they are no numbers.
#[derive(Debug)]
struct Ids {
    column: Option<Column>,
    /// The last one of each instrument.
    last: Vec<Option<u64>>,
}

impl Ids {
    fn new(column: Option<Column>) -> Self {
        Self { column, last: Vec::new() }
    }

    /// Checks the number of a trade that is pushed already: in spite of a gap it is sound.
    #[inline]
    fn check(&mut self, row: &Row<'_>, instrument: u16) -> Result<(), Fault> {
        let Some(column) = self.column else { return Ok(()) };
        let text = std::str::from_utf8(row.text(column)).ok();
        let Some(id) = text.and_then(|text| text.parse().ok()) else { return Ok(()) };
        let at = usize::from(instrument);
        if self.last.len() <= at {
            self.last.resize(at + 1, None);
        }
        match self.last[at].replace(id) {
            Some(last) if id > last.saturating_add(1) => {
                Err(Fault::Gap(format!("trade {id} follows trade {last}")))
            }
            _ => Ok(()),
        }
    }
}

/// The instrument of a row, by a column or for the whole file.
#[derive(Debug)]
pub(super) struct Symbol {
    column: Option<Column>,
    /// The instrument of the last row, and its position.
    last: Vec<u8>,
    position: u16,
}

impl Symbol {
    pub(super) fn new(
        column: Option<Column>,
        known: &Known,
        batch: &mut Batch,
    ) -> Result<Self, Fault> {
        if column.is_none() {
            batch.add_instrument(&*known.name)?;
        }
        Ok(Self { column, last: Vec::new(), position: 0 })
    }

    #[inline]
    pub(super) fn position(&mut self, row: &Row<'_>, batch: &mut Batch) -> Result<u16, Fault> {
        let Some(column) = self.column else { return Ok(0) };
        let name = row.text(column);
        if name == self.last && !batch.names.is_empty() {
            return Ok(self.position);
        }
        let text = String::from_utf8_lossy(name);
        let known = batch.names.iter().position(|known| *known == text);
        self.position = match known {
            Some(position) => position as u16,
            None => batch.add_instrument(text)?,
        };
        self.last.clear();
        self.last.extend_from_slice(name);
        Ok(self.position)
    }
}

/// Trade ticks of LEAN: milliseconds since midnight in New York, price times 10,000, size,
/// exchange, condition, and whether the trade is suspicious.
#[derive(Debug)]
pub(super) struct Lean<R> {
    lines: Lines<R>,
    midnight_ns: i64,
    units: Units,
}

const LEAN_COLUMNS: usize = 6;
const MS_PER_DAY: i64 = 24 * 60 * 60 * 1_000;

impl<R: BufRead> Lean<R> {
    pub(super) fn open(source: R, units: Units, known: &Known, batch: &mut Batch) -> Self {
        batch.names.push(known.name.clone());
        let midnight_ns = known.day.new_york_midnight_ns();
        Self { lines: Lines::new(source), midnight_ns, units }
    }
}

impl<R: BufRead + Send> Source for Lean<R> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        while !batch.is_full() {
            let Some(line) = self.lines.next()? else { return Ok(false) };
            lean_event(line, self.midnight_ns, self.units)
                .and_then(|event| batch.push(event))
                .map_err(|fault| self.lines.place().fault(fault))?;
        }
        Ok(true)
    }
}

fn lean_event(line: &[u8], midnight_ns: i64, units: Units) -> Result<Event, Fault> {
    let row = Row::new(line);
    row.expect_columns(LEAN_COLUMNS)?;
    let ms = row.decimal(0)?.count(types::Increment { units: 1, decimals: 0 });
    let ms = ms.filter(|ms| (0..MS_PER_DAY).contains(ms));
    let time_ns = midnight_ns + ms.ok_or_else(|| row.wrong(0, "a time of a day"))? * 1_000_000;
    let price = row.decimal(1)?;
    Ok(Event {
        exchange_ns: time_ns,
        local_ns: time_ns,
        order: 0,
        price: units.price(Decimal { decimals: price.decimals + 4, ..price })?,
        quantity: units.quantity(row.decimal(2)?)?,
        instrument: 0,
        kind: Kind::Trade,
        side: None,
    })
}

/// Whether a line without a header is one of LEAN.
pub(crate) fn is_lean(line: &[u8]) -> bool {
    let row = Row::new(line);
    let is_exchange = matches!(row.text(3), [a, ..] if a.is_ascii_alphabetic());
    let (midnight_ns, units) = (
        0,
        Units {
            tick: types::Increment { units: 1, decimals: 4 },
            lot: types::Increment { units: 1, decimals: 0 },
        },
    );
    is_exchange && lean_event(line, midnight_ns, units).is_ok()
}
