//! Names that must be unique.

use std::collections::HashSet;

use types::{AccountName, UserName};

/// The names of accounts, keys and logins, as an index for new ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    pub(crate) accounts: HashSet<AccountName>,
    pub(crate) api_key_hashes: HashSet<[u8; 16]>,
    /// Of the valid logins: a revoked one leaves its user name to others.
    pub(crate) users: HashSet<UserName>,
}
