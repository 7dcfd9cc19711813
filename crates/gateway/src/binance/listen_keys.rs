//! Listen keys: the older way to a user data stream. A listen key lets its holder subscribe to one
//! account, and nothing else. It expires after an hour without a keep-alive.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use protocol::signed::ApiError;
use types::{AccountId, KeyId};

use crate::clock::instant;
use crate::door::generate::generate;

const ALIVE_FOR: Duration = Duration::from_secs(3600);

#[derive(Debug, Default)]
pub(crate) struct ListenKeys(Mutex<HashMap<Arc<str>, ListenKey>>);

#[derive(Clone, Copy, Debug)]
pub(crate) struct ListenKey {
    pub(crate) account: AccountId,
    pub(crate) key: KeyId,
    alive_until: Instant,
}

impl ListenKeys {
    /// The listen key of this name, unless it has expired.
    pub(crate) fn find(&self, listen_key: &str) -> Option<(Arc<str>, ListenKey)> {
        let keys = self.keys();
        let (name, found) = keys.get_key_value(listen_key)?;
        (found.alive_until > instant()).then(|| (Arc::clone(name), *found))
    }

    /// The listen key of this API key: kept alive, or a new one.
    pub(crate) fn begin(&self, account: AccountId, key: KeyId) -> Arc<str> {
        let alive_until = instant() + ALIVE_FOR;
        let mut keys = self.keys();
        let own = |(_, listen_key): &(&Arc<str>, &mut ListenKey)| listen_key.key == key;
        if let Some((name, listen_key)) = keys.iter_mut().find(own) {
            listen_key.alive_until = alive_until;
            return Arc::clone(name);
        }
        let name: Arc<str> = random_name().into();
        keys.insert(Arc::clone(&name), ListenKey { account, key, alive_until });
        name
    }

    pub(crate) fn keep_alive(&self, listen_key: &str, key: KeyId) -> Result<(), ApiError> {
        let mut keys = self.keys();
        let found = keys.get_mut(listen_key).filter(|found| found.key == key);
        found.ok_or_else(ApiError::no_such_listen_key)?.alive_until = instant() + ALIVE_FOR;
        Ok(())
    }

    pub(crate) fn end(&self, listen_key: &str, key: KeyId) -> Result<ListenKey, ApiError> {
        let mut keys = self.keys();
        let found = keys.get(listen_key).copied().filter(|found| found.key == key);
        let found = found.ok_or_else(ApiError::no_such_listen_key)?;
        keys.remove(listen_key);
        Ok(found)
    }

    /// Removes the listen keys that have expired.
    pub(crate) fn expire(&self) -> Vec<(Arc<str>, ListenKey)> {
        let now = instant();
        self.keys().extract_if(|_, listen_key| listen_key.alive_until <= now).collect()
    }

    fn keys(&self) -> MutexGuard<'_, HashMap<Arc<str>, ListenKey>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// 60 characters that cannot be guessed.
fn random_name() -> String {
    let half = || generate().to_string();
    format!("{}{}{}", half(), half(), half())
}
