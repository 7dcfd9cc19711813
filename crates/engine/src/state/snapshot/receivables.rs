//! The bytes of what accounts owe each other.

use std::collections::BTreeMap;

use types::{AMOUNT_MAX, AccountId, Amount, Reader, Receivable, ReceivableId, Wire};

use crate::state::Engine;
use crate::state::codec::{read_map, write_list};

impl Engine {
    pub(super) fn write_receivables(&self, out: &mut Vec<u8>) {
        self.receivables.last_id.write(out);
        write_list(self.receivables.open.iter(), out, |(id, receivable), out| {
            id.write(out);
            receivable.write(out);
        });
    }

    pub(super) fn read_receivables(&mut self, r: &mut Reader<'_>) -> Option<()> {
        self.receivables.last_id = r.read()?;
        if self.receivables.last_id >= 1 << 53 {
            return None;
        }
        let open: BTreeMap<ReceivableId, Receivable> = read_map(r)?;
        for (id, receivable) in open {
            let known = |account: AccountId| (account.0 as usize) < self.accounts.len();
            let sound = receivable.receivable == id
                && (1..=self.receivables.last_id).contains(&id.0)
                && known(receivable.debtor)
                && known(receivable.creditor)
                && self.accounts[receivable.debtor.0 as usize].is_cash()
                && self.asset(receivable.asset).is_some()
                && self.market(receivable.instrument).is_some()
                && Amount::ZERO < receivable.amount
                && receivable.amount <= AMOUNT_MAX + AMOUNT_MAX;
            if !sound {
                return None;
            }
            self.receivables.insert(receivable);
        }
        Some(())
    }
}
