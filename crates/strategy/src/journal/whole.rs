//! Several accounts as one: their equity together, and the sums of their counts.
//!
//! Fills, round trips and mark-outs are those of each account, and are not here.

use super::{Journal, Sample, Totals};

impl Journal {
    /// For accounts whose run begins.
    pub(crate) fn whole<'a>(accounts: impl Iterator<Item = &'a Self>) -> Self {
        Self::new(accounts.map(|journal| journal.capital).sum())
    }

    /// Adds the samples that all accounts have taken at one time, once.
    pub(crate) fn add_all<'a>(&mut self, accounts: impl Iterator<Item = &'a Self>) {
        let together = |sum: Sample, next: Sample| Sample {
            pnl: sum.pnl + next.pnl,
            position: sum.position.saturating_add(next.position),
            ..sum
        };
        let Some(sample) = accounts.filter_map(|journal| journal.last).reduce(together) else {
            return;
        };
        if self.last.is_none_or(|last| last.at_ns < sample.at_ns) {
            self.add(sample);
        }
    }

    /// Adds the counts of an account whose run has ended.
    pub(crate) fn count(&mut self, account: &Totals) {
        let totals = &mut self.totals;
        totals.orders += account.orders;
        totals.fills += account.fills;
        totals.maker_fills += account.maker_fills;
        totals.orders_filled += account.orders_filled;
        totals.canceled += account.canceled;
        totals.expired += account.expired;
        totals.rejected += account.rejected;
        totals.lots_sent += account.lots_sent;
        totals.lots_filled += account.lots_filled;
        totals.maker_lots += account.maker_lots;
        totals.waited_ns += account.waited_ns;
    }
}
