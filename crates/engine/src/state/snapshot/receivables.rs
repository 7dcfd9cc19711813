//! The bytes of what accounts owe each other.

use std::collections::BTreeMap;

use types::{AMOUNT_MAX, AccountId, Amount, Reader, Receivable, ReceivableId, Wire};

use crate::state::Engine;
use crate::state::codec::{read_map, write_list};

impl Engine {
    pub(super) fn write_receivables(&self, out: &mut Vec<u8>) {
        self.receivables.last_id.write(out);
        write_list(self.receivables.open.iter(), out, |(id, owed), out| {
            id.write(out);
            owed.write(out);
        });
    }

    pub(super) fn read_receivables(&mut self, r: &mut Reader<'_>) -> Option<()> {
        self.receivables.last_id = r.read()?;
        (self.receivables.last_id < 1 << 53).then_some(())?;
        let open: BTreeMap<ReceivableId, Receivable> = read_map(r)?;
        for (id, owed) in open {
            let known = |account: AccountId| (account.0 as usize) < self.accounts.len();
            let sound = owed.receivable == id
                && (1..=self.receivables.last_id).contains(&id.0)
                && known(owed.debtor)
                && known(owed.creditor)
                && self.accounts[owed.debtor.0 as usize].is_cash()
                && self.asset(owed.asset).is_some()
                && self.market(owed.instrument).is_some()
                && Amount::ZERO < owed.amount
                && owed.amount <= AMOUNT_MAX + AMOUNT_MAX;
            sound.then_some(())?;
            self.receivables.insert(owed);
        }
        Some(())
    }
}
