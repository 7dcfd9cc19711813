//! What few accounts have: a mode of their own, limits, positions, an order rate, a kill switch.

use types::{
    AccountId, AccountRisk, AccountRiskSet, Event, Reader, RejectReason, SetAccountRisk, Wire,
};

use crate::account::Account;
use crate::engine::Engine;
use crate::state::{read_list, write_list};

/// What an account has beyond balances, orders and trades. A plain cash account has none of it.
#[derive(Clone, Debug)]
pub(crate) struct AccountExtra {
    pub(crate) risk: AccountRisk,
}

impl Default for AccountExtra {
    fn default() -> Self {
        Self { risk: AccountRisk::PLAIN }
    }
}

impl Engine {
    pub(crate) fn set_account_risk(&mut self, request: &SetAccountRisk, events: &mut Vec<Event>) {
        let SetAccountRisk { account, risk } = *request;
        let result = match self.account(account) {
            None => Err(RejectReason::UnknownAccount),
            Some(owner) if owner.risk().mode != risk.mode && !is_flat(owner) => {
                Err(RejectReason::AccountNotFlat)
            }
            Some(_) => Ok(()),
        };
        if let Err(reason) = result {
            return self.reject(account, reason, events);
        }
        let owner = &mut self.accounts[account.0 as usize];
        owner.extra_mut().risk = risk;
        let account_seq = owner.next_seq();
        events.push(Event::AccountRiskSet(AccountRiskSet { account_seq, account, risk }));
    }

    /// What few accounts have, by account.
    pub(crate) fn write_risk(&self, out: &mut Vec<u8>) {
        let accounts = (0..).map(AccountId).zip(&self.accounts);
        let uncommon = accounts.filter_map(|(id, account)| Some((id, account.extra.as_ref()?)));
        write_list(uncommon, out, |(id, extra), out| {
            id.write(out);
            extra.write(out);
        });
    }

    pub(crate) fn read_risk(&mut self, r: &mut Reader<'_>) -> Option<()> {
        let mut last = AccountId::VENUE;
        read_list(r, |r| {
            let id: AccountId = r.read()?;
            (id > std::mem::replace(&mut last, id)).then_some(())?;
            self.accounts.get_mut(id.0 as usize)?.extra = Some(Box::new(r.read()?));
            Some(())
        })?;
        Some(())
    }

    /// How an account is looked after.
    pub fn account_risk(&self, account: AccountId) -> Option<AccountRisk> {
        self.account(account).map(Account::risk)
    }
}

/// Whether nothing says in which mode an account has been.
fn is_flat(account: &Account) -> bool {
    account.open_orders == 0 && account.balances.iter().all(|balance| balance.total().is_zero())
}

impl Wire for AccountExtra {
    fn write(&self, out: &mut Vec<u8>) {
        self.risk.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self { risk: r.read()? })
    }
}
