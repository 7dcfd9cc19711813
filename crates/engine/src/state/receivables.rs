//! Receivables between accounts, from busted and corrected trades.

use std::collections::{BTreeMap, BTreeSet};

use types::{AccountId, AssetId, Receivable, ReceivableId};

#[derive(Clone, Debug, Default)]
pub(crate) struct Receivables {
    pub(crate) last_id: u64,
    pub(crate) open: BTreeMap<ReceivableId, Receivable>,
    by_debtor: BTreeSet<(AccountId, AssetId, ReceivableId)>,
}

impl Receivables {
    pub(crate) fn insert(&mut self, receivable: Receivable) {
        self.by_debtor.insert((receivable.debtor, receivable.asset, receivable.receivable));
        self.open.insert(receivable.receivable, receivable);
    }

    pub(crate) fn remove(&mut self, receivable: &Receivable) {
        self.by_debtor.remove(&(receivable.debtor, receivable.asset, receivable.receivable));
        self.open.remove(&receivable.receivable);
    }

    pub(crate) fn oldest_of(&self, debtor: AccountId, asset: AssetId) -> Option<Receivable> {
        let from = (debtor, asset, ReceivableId(0));
        let first = self.by_debtor.range(from..).next()?;
        let matches = (first.0, first.1) == (debtor, asset);
        matches.then(|| self.open[&first.2])
    }
}
