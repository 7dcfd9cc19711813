//! Limits of questions as columns hold them.

use crate::question::Times;

/// Whatever is later than any of the columns' times is their last.
pub(crate) fn bounds(times: Times) -> (i64, i64) {
    (times.start_ns.map_or(i64::MIN, bound), times.end_ns.map_or(i64::MAX, bound))
}

/// How a number that a client sent compares with those in a column.
pub(crate) fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A page of at most `limit` rows.
pub(crate) fn page(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
