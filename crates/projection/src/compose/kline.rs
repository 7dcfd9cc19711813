//! Candles of any interval in any time zone, put together of those of days, hours, minutes and
//! seconds.

use types::{Candle, Interval, Price, TimeZone};

use crate::changes::LEVELS;
use crate::question::Klines;

/// The kept candles of one interval that open within these times, the second one exclusive.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Span {
    pub level: Interval,
    pub from_ns: u64,
    pub to_ns: u64,
}

/// The candles that are wanted, and the kept ones that they are made up of.
#[derive(Clone, Debug)]
pub struct Plan {
    /// When they open; there is at least one.
    periods: Vec<u64>,
    end_ns: u64,
    /// To be read one after the other.
    pub spans: Vec<Span>,
}

impl Plan {
    /// `first_ns` is the beginning of the first second with a trade. `None` if no candle is wanted.
    pub fn new(asked: &Klines, first_ns: u64) -> Option<Self> {
        let periods = periods(asked, first_ns);
        let (first, last) = (*periods.first()?, *periods.last()?);
        let end_ns = asked.interval.end_ns(asked.zone, last);
        let spans = match aligned(asked) {
            Some(level) => vec![Span { level, from_ns: first, to_ns: end_ns }],
            None => within_each(&periods, end_ns),
        };
        Some(Self { periods, end_ns, spans })
    }

    /// The close of the last second before this time is needed too.
    pub fn from_ns(&self) -> u64 {
        self.periods[0]
    }

    /// From the candles of all spans, and the last close before.
    pub fn candles(&self, parts: &[Candle], close: Option<Price>) -> Vec<Candle> {
        put_together(&self.periods, self.end_ns, parts, close)
    }
}

/// All that is kept from this time on.
pub fn spans_since(from_ns: u64) -> Vec<Span> {
    // Later than all that is kept.
    let end_ns = Interval::Day1.end_ns(TimeZone::UTC, i64::MAX.unsigned_abs() / 2);
    let mut spans = Vec::new();
    cover(&LEVELS, from_ns, end_ns, &mut spans);
    spans
}

/// All of them as one.
pub fn sum(parts: Vec<Candle>) -> Option<Candle> {
    parts.into_iter().reduce(|mut sum, part| {
        sum.add(&part);
        sum
    })
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

/// As few as possible that together are all between the periods' edges.
fn within_each(periods: &[u64], end_ns: u64) -> Vec<Span> {
    let mut spans = Vec::new();
    let ends = periods.iter().skip(1).copied().chain([end_ns]);
    for (from_ns, to_ns) in periods.iter().copied().zip(ends) {
        cover(&LEVELS, from_ns, to_ns, &mut spans);
    }
    spans
}

/// Of the longest intervals first, and on both sides of these of shorter ones.
fn cover(levels: &[Interval], from_ns: u64, to_ns: u64, spans: &mut Vec<Span>) {
    let Some((level, shorter)) = levels.split_first() else { return };
    if from_ns >= to_ns {
        return;
    }
    let edge_at = |time_ns| level.open_ns(TimeZone::UTC, time_ns);
    let first_ns =
        if edge_at(from_ns) == from_ns { from_ns } else { level.end_ns(TimeZone::UTC, from_ns) };
    let last_ns = edge_at(to_ns);
    if first_ns >= last_ns {
        return cover(shorter, from_ns, to_ns, spans);
    }
    cover(shorter, from_ns, first_ns, spans);
    spans.push(Span { level: *level, from_ns: first_ns, to_ns: last_ns });
    cover(shorter, last_ns, to_ns, spans);
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
