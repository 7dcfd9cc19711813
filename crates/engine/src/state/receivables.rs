//! What accounts owe each other since trades were undone or given another price.

use std::collections::{BTreeMap, BTreeSet};

use types::{AccountId, AssetId, Receivable, ReceivableId};

#[derive(Clone, Debug, Default)]
pub(crate) struct Receivables {
    pub(crate) last_id: u64,
    pub(crate) open: BTreeMap<ReceivableId, Receivable>,
    by_debtor: BTreeSet<(AccountId, AssetId, ReceivableId)>,
}

impl Receivables {
    pub(crate) fn insert(&mut self, owed: Receivable) {
        self.by_debtor.insert((owed.debtor, owed.asset, owed.receivable));
        self.open.insert(owed.receivable, owed);
    }

    pub(crate) fn remove(&mut self, owed: &Receivable) {
        self.by_debtor.remove(&(owed.debtor, owed.asset, owed.receivable));
        self.open.remove(&owed.receivable);
    }

    pub(crate) fn oldest_of(&self, debtor: AccountId, asset: AssetId) -> Option<Receivable> {
        let from = (debtor, asset, ReceivableId(0));
        let first = self.by_debtor.range(from..).next()?;
        let is_his = (first.0, first.1) == (debtor, asset);
        is_his.then(|| self.open[&first.2])
    }
}
