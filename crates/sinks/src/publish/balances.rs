//! Where a publisher gets balances, which no event has in full.

use std::fmt;

use types::{AccountId, AssetId, Balance};

/// Answers with the balances of accounts, and the last command that they include. `None` while the
/// venue does not answer.
pub trait Balances: fmt::Debug + Send + Sync {
    fn of(&self, accounts: Vec<AccountId>) -> Option<BalancesThen>;
}

pub type BalancesThen = (u64, Vec<(AccountId, Vec<(AssetId, Balance)>)>);
