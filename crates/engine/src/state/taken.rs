//! Names that are given once.

use std::collections::HashSet;

use types::AccountName;

/// What accounts and keys are called, so that a new one need not be held against all others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    pub(crate) accounts: HashSet<AccountName>,
    pub(crate) api_key_hashes: HashSet<[u8; 16]>,
}
