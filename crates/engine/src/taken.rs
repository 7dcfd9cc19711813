//! Names that are given once.

use std::collections::HashSet;

use types::AccountName;

use crate::engine::Engine;

/// What accounts and keys are called, so that a new one need not be held against all others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    pub(crate) accounts: HashSet<AccountName>,
    pub(crate) api_key_hashes: HashSet<[u8; 16]>,
}

impl Taken {
    /// `None` if two have the same name.
    pub(crate) fn of(engine: &Engine) -> Option<Self> {
        let accounts: HashSet<_> =
            engine.accounts.iter().map(|account| account.spec.name).collect();
        let api_key_hashes: HashSet<_> =
            engine.keys.iter().map(|key| key.spec.api_key_hash).collect();
        let is_sound =
            accounts.len() == engine.accounts.len() && api_key_hashes.len() == engine.keys.len();
        is_sound.then_some(Self { accounts, api_key_hashes })
    }
}
