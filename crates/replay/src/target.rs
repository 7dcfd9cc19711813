//! Targets of a replay, and their counters.

use types::Side;

use super::plan::{Auction, Step};
use super::watch::Watch;

pub(crate) trait Target {
    fn execute(&mut self, steps: &[Step], watch: &mut Watch);

    fn tally(&self) -> &Tally;

    /// The best `depth` levels of one side as ticks and lots, best first.
    fn levels(&self, instrument: u32, side: Side, depth: usize) -> Vec<(i64, u64)>;

    fn resting_orders(&self) -> usize;
}

/// Counters since the first step, timed or not. Trades in auctions are not among `trades`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) rejected: u64,
    pub(crate) trades: u64,
    pub(crate) volume: u64,
    /// In ticks times lots.
    pub(crate) notional: u128,
    pub(crate) executions: u64,
    /// Executions that filled the same order as the exchange, and no other.
    pub(crate) maker_agrees: u64,
    /// For a target that finds the auctions' prices.
    pub(crate) auctions: Option<Vec<Auction>>,
}

impl Tally {
    #[inline]
    pub(crate) fn trade(&mut self, price: i64, qty: u64) {
        self.trades += 1;
        self.volume += qty;
        self.notional += u128::from(price.unsigned_abs()) * u128::from(qty);
    }

    /// `trades` is the count ahead of the execution.
    #[inline]
    pub(crate) fn execution(&mut self, trades: u64, maker: u64, last_maker: u64) {
        let once = self.trades == trades + 1;
        self.executions += 1;
        self.maker_agrees += u64::from(once && maker == last_maker);
    }
}
