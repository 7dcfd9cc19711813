//! Candles of any interval in any time zone, from those of days, hours, minutes and seconds.

use marketdata::Window;
use rusqlite::{Connection, OptionalExtension, params};
use types::{Candle, InstrumentId, Price};

use crate::compose::kline::{Plan, Span, spans_since, sum};
use crate::question::{Klines, WindowSince};
use crate::sqlite::column::{self, Columns, int};

pub(super) fn klines(connection: &Connection, asked: &Klines) -> rusqlite::Result<Vec<Candle>> {
    let candles = Candles { connection, instrument: asked.instrument };
    let Some(first_ns) = candles.first()? else { return Ok(Vec::new()) };
    let Some(plan) = Plan::new(asked, first_ns) else { return Ok(Vec::new()) };
    let parts = candles.within(&plan.spans)?;
    let close = candles.last_close_before(plan.from_ns())?;
    Ok(plan.candles(&parts, close))
}

pub(super) fn window(connection: &Connection, asked: &WindowSince) -> rusqlite::Result<Window> {
    let candles = Candles { connection, instrument: asked.instrument };
    let candle = sum(candles.within(&spans_since(asked.from_ns))?);
    Ok(Window { candle, before: candles.last_close_before(asked.from_ns)? })
}

/// The kept candles of one instrument.
struct Candles<'a> {
    connection: &'a Connection,
    instrument: InstrumentId,
}

impl Candles<'_> {
    /// When the first one opens.
    fn first(&self) -> rusqlite::Result<Option<u64>> {
        let select = "SELECT open_ns FROM candles WHERE instrument = ? AND interval = '1s' \
                      ORDER BY open_ns LIMIT 1";
        let mut select = self.connection.prepare_cached(select)?;
        select.query_row([self.instrument.0], |row| row.uint(0)).optional()
    }

    fn last_close_before(&self, time_ns: u64) -> rusqlite::Result<Option<Price>> {
        let select = "SELECT close FROM candles WHERE instrument = ? AND interval = '1s' \
                      AND open_ns < ? ORDER BY open_ns DESC LIMIT 1";
        let key = params![self.instrument.0, int(time_ns)];
        self.connection.prepare_cached(select)?.query_row(key, |row| row.price(0)).optional()
    }

    fn within(&self, spans: &[Span]) -> rusqlite::Result<Vec<Candle>> {
        let select = "SELECT * FROM candles WHERE instrument = ? AND interval = ? \
                      AND open_ns >= ? AND open_ns < ? ORDER BY open_ns";
        let mut select = self.connection.prepare_cached(select)?;
        let mut candles = Vec::new();
        for Span { level, from_ns, to_ns } in spans {
            let to_ns = i64::try_from(*to_ns).unwrap_or(i64::MAX);
            let key = params![self.instrument.0, level.name(), int(*from_ns), to_ns];
            for candle in select.query_map(key, column::candle)? {
                candles.push(candle?);
            }
        }
        Ok(candles)
    }
}
