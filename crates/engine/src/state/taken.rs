//! Names that must be unique.

use std::collections::HashSet;

use types::AccountName;

/// The names of accounts and keys, as an index for new ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    pub(crate) accounts: HashSet<AccountName>,
    pub(crate) api_key_hashes: HashSet<[u8; 16]>,
}
