//! The bytes of what accounts owe each other.

use std::collections::BTreeMap;

use types::{AMOUNT_MAX, AccountId, Amount, Reader, Receivable, ReceivableId, Wire};

use crate::state::Engine;
use crate::state::account::Account;
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
        let open: BTreeMap<ReceivableId, Receivable> = read_map(r)?;
        for (id, receivable) in open {
            if receivable.receivable != id {
                return None;
            }
            self.receivables.insert(receivable);
        }
        Some(())
    }

    pub(super) fn receivable_is_sound(&self, receivable: &Receivable) -> bool {
        let account = |id: AccountId| self.accounts.get(id.0 as usize);
        (1..=self.receivables.last_id).contains(&receivable.receivable.0)
            && account(receivable.debtor).is_some_and(Account::is_cash)
            && account(receivable.creditor).is_some()
            && self.asset(receivable.asset).is_some()
            && self.market(receivable.instrument).is_some()
            && Amount::ZERO < receivable.amount
            && receivable.amount <= AMOUNT_MAX + AMOUNT_MAX
    }
}
