//! Candles of any interval in any time zone, put together of those of days, hours, minutes and
//! seconds.

use marketdata::Window;
use rusqlite::{Connection, OptionalExtension, params};
use types::{Candle, InstrumentId, Interval, Price, TimeZone};

use crate::changes::LEVELS;
use crate::question::{Klines, WindowSince};
use crate::sqlite::column::{self, Columns, int};

pub(super) fn klines(connection: &Connection, asked: &Klines) -> rusqlite::Result<Vec<Candle>> {
    let candles = Candles { connection, instrument: asked.instrument };
    let Some(first_ns) = candles.first()? else { return Ok(Vec::new()) };
    let periods = periods(asked, first_ns);
    let (Some(first), Some(last)) = (periods.first(), periods.last()) else {
        return Ok(Vec::new());
    };
    let end_ns = asked.interval.end_ns(asked.zone, *last);
    let parts = match aligned(asked) {
        Some(level) => candles.between(level, *first, end_ns)?,
        None => candles.within_each(&periods, end_ns)?,
    };
    let close = candles.last_close_before(*first)?;
    Ok(put_together(&periods, end_ns, &parts, close))
}

pub(super) fn window(connection: &Connection, asked: &WindowSince) -> rusqlite::Result<Window> {
    let candles = Candles { connection, instrument: asked.instrument };
    let mut parts = Vec::new();
    // Later than all that is kept.
    let end_ns = Interval::Day1.end_ns(TimeZone::UTC, i64::MAX.unsigned_abs() / 2);
    candles.cover(&LEVELS, asked.from_ns, end_ns, &mut parts)?;
    let candle = parts.into_iter().reduce(|mut sum, part| {
        sum.add(&part);
        sum
    });
    Ok(Window { candle, before: candles.last_close_before(asked.from_ns)? })
}

/// When the candles open that are wanted.
fn periods(asked: &Klines, first_ns: u64) -> Vec<u64> {
    let Klines { interval, zone, times, limit, now_ns, .. } = *asked;
    let first_ns = interval.open_ns(zone, first_ns);
    let last_ns = interval.open_ns(zone, times.end_ns.unwrap_or(now_ns).min(now_ns));
    let mut periods = Vec::new();
    match times.start_ns {
        Some(start_ns) => {
            let mut next_ns = interval.open_ns(zone, start_ns);
            if next_ns < start_ns {
                next_ns = interval.end_ns(zone, start_ns);
            }
            next_ns = next_ns.max(first_ns);
            while next_ns <= last_ns && periods.len() < limit {
                periods.push(next_ns);
                next_ns = interval.end_ns(zone, next_ns);
            }
        }
        None => {
            let mut next_ns = Some(last_ns);
            while let Some(open_ns) = next_ns.filter(|open_ns| *open_ns >= first_ns)
                && periods.len() < limit
            {
                periods.push(open_ns);
                next_ns = open_ns.checked_sub(1).map(|before| interval.open_ns(zone, before));
            }
            periods.reverse();
        }
    }
    periods
}

/// The longest interval that is kept and of which all periods are made up; `None` if that
/// is so short that there would be too many.
fn aligned(asked: &Klines) -> Option<Interval> {
    let Klines { interval, zone, .. } = *asked;
    let is_whole_hours = zone.minutes() % 60 == 0;
    if interval < Interval::Minute1 {
        Some(Interval::Second1)
    } else if interval < Interval::Hour1 {
        Some(Interval::Minute1)
    } else if zone == TimeZone::UTC && interval >= Interval::Day1 {
        Some(Interval::Day1)
    } else if is_whole_hours && interval <= Interval::Day1 {
        Some(Interval::Hour1)
    } else {
        None
    }
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

    /// Those of one interval that open within these times, the second one exclusive.
    fn between(&self, level: Interval, from_ns: u64, to_ns: u64) -> rusqlite::Result<Vec<Candle>> {
        let select = "SELECT * FROM candles WHERE instrument = ? AND interval = ? \
                      AND open_ns >= ? AND open_ns < ? ORDER BY open_ns";
        let to_ns = i64::try_from(to_ns).unwrap_or(i64::MAX);
        let key = params![self.instrument.0, level.name(), int(from_ns), to_ns];
        self.connection.prepare_cached(select)?.query_map(key, column::candle)?.collect()
    }

    /// As few as possible that together are all between the periods' edges.
    fn within_each(&self, periods: &[u64], end_ns: u64) -> rusqlite::Result<Vec<Candle>> {
        let mut parts = Vec::new();
        let ends = periods.iter().skip(1).copied().chain([end_ns]);
        for (from_ns, to_ns) in periods.iter().copied().zip(ends) {
            self.cover(&LEVELS, from_ns, to_ns, &mut parts)?;
        }
        Ok(parts)
    }

    /// Of the longest intervals first, and on both sides of these of shorter ones.
    fn cover(
        &self,
        levels: &[Interval],
        from_ns: u64,
        to_ns: u64,
        parts: &mut Vec<Candle>,
    ) -> rusqlite::Result<()> {
        let Some((level, shorter)) = levels.split_first() else { return Ok(()) };
        if from_ns >= to_ns {
            return Ok(());
        }
        let edge_at = |time_ns| level.open_ns(TimeZone::UTC, time_ns);
        let first_ns = if edge_at(from_ns) == from_ns {
            from_ns
        } else {
            level.end_ns(TimeZone::UTC, from_ns)
        };
        let last_ns = edge_at(to_ns);
        if first_ns >= last_ns {
            return self.cover(shorter, from_ns, to_ns, parts);
        }
        self.cover(shorter, from_ns, first_ns, parts)?;
        parts.extend(self.between(*level, first_ns, last_ns)?);
        self.cover(shorter, last_ns, to_ns, parts)
    }
}

fn put_together(
    periods: &[u64],
    end_ns: u64,
    parts: &[Candle],
    mut close: Option<Price>,
) -> Vec<Candle> {
    let mut parts = parts.iter().peekable();
    let ends = periods.iter().skip(1).copied().chain([end_ns]);
    let mut candles = Vec::with_capacity(periods.len());
    for (open_ns, end_ns) in periods.iter().copied().zip(ends) {
        let mut candle: Option<Candle> = None;
        while let Some(part) = parts.next_if(|part| part.open_ns < end_ns) {
            match &mut candle {
                Some(candle) => candle.add(part),
                None => candle = Some(Candle { open_ns, ..*part }),
            }
        }
        let flat = || close.map(|close| Candle::without_trade(open_ns, close));
        // Before the first trade there is no price to stand at.
        let Some(candle) = candle.or_else(flat) else { continue };
        close = Some(candle.close);
        candles.push(candle);
    }
    candles
}
