//! What can be asked, by subject.

pub(crate) mod blocks;
mod kline;
mod order;
mod trade;

pub use self::kline::Klines;
pub use self::order::{ListFilter, OrderFilter, PreventedFilter};
pub use self::trade::{AggFilter, TradeFilter};

/// From when to when, both inclusive, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Times {
    pub start_ns: Option<u64>,
    pub end_ns: Option<u64>,
}

impl Times {
    /// As columns hold them: whatever is later than any of theirs is their last.
    pub(crate) fn bounds(self) -> (i64, i64) {
        let bound = |time: u64| i64::try_from(time).unwrap_or(i64::MAX);
        (self.start_ns.map_or(i64::MIN, bound), self.end_ns.map_or(i64::MAX, bound))
    }
}

/// How a number that a client sent compares with those in a column.
pub(crate) fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A page of at most so many rows.
pub(crate) fn page(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
