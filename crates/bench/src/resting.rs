//! How many orders a book that is kept has over a run.

use serde::Serialize;

/// Orders that rest in a book that is kept.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Resting {
    pub(super) wanted: u64,
    /// Before the first order of the load.
    pub(super) begin: u64,
    /// After its last answer.
    pub(super) end: u64,
    pub(super) least: u64,
    pub(super) most: u64,
    /// Over the run, the first and the last included.
    pub(super) looks: usize,
}

impl Resting {
    pub(super) fn of(wanted: u64, begin: u64, seen: &[u64], end: u64) -> Self {
        let all = || seen.iter().copied().chain([begin, end]);
        Self {
            wanted,
            begin,
            end,
            least: all().fold(u64::MAX, u64::min),
            most: all().fold(0, u64::max),
            looks: all().count(),
        }
    }
}
