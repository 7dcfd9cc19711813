//! Creation and updates of accounts.

use types::{
    AccountCreated, AccountId, AccountUpdated, CreateAccount, Event, RejectReason, UpdateAccount,
};

use crate::state::Engine;
use crate::state::account::{Account, check_account_spec};

const ACCOUNTS_MAX: usize = 10_000_000;

impl Engine {
    pub(crate) fn create_account(&mut self, request: &CreateAccount, events: &mut Vec<Event>) {
        let spec = request.spec;
        let result = if self.taken.accounts.contains(&spec.name) {
            Err(RejectReason::NameInUse)
        } else if self.accounts.len() >= ACCOUNTS_MAX {
            Err(RejectReason::TooManyAccounts)
        } else {
            check_account_spec(&spec)
        };
        if let Err(reason) = result {
            return self.reject(AccountId::VENUE, reason, events);
        }
        let account = AccountId(u32::try_from(self.accounts.len()).expect("below ACCOUNTS_MAX"));
        let mut created = Account::new(spec);
        let account_seq = created.next_seq();
        self.accounts.push(created);
        self.taken.accounts.insert(spec.name);
        events.push(Event::AccountCreated(AccountCreated { account_seq, account, spec }));
    }

    pub(crate) fn update_account(&mut self, request: &UpdateAccount, events: &mut Vec<Event>) {
        let UpdateAccount { account, spec } = *request;
        let result = match self.account(account) {
            None => Err(RejectReason::UnknownAccount),
            Some(owner) if owner.spec.name != spec.name => Err(RejectReason::NameInUse),
            Some(_) => check_account_spec(&spec),
        };
        if let Err(reason) = result {
            return self.reject(account, reason, events);
        }
        let owner = &mut self.accounts[account.0 as usize];
        owner.spec = spec;
        owner.trades.keep(spec.trades_kept as usize);
        owner.finished.keep(spec.finished_orders_kept as usize);
        let account_seq = owner.next_seq();
        events.push(Event::AccountUpdated(AccountUpdated { account_seq, account, spec }));
    }
}
