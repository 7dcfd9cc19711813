//! Listen keys: the older way to a user data stream. Whoever knows one may listen to its account,
//! and nothing else, until nobody has kept it alive for an hour.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use protocol::binance::request::{ListenKeyRequest, NoParams};
use protocol::binance::response::{Empty, encode};
use protocol::binance::user_stream::{BegunStream, Moment};
use protocol::signed::{ApiError, TimeUnit};
use types::{AccountId, KeyId};

use crate::ask::ask_views;
use crate::call::{Answer, Call, json};
use crate::directory::Permission;
use crate::{Shared, now_ns};

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
    /// Whose it is.
    pub(crate) fn find(&self, listen_key: &str) -> Option<(Arc<str>, ListenKey)> {
        let keys = self.keys();
        let (name, found) = keys.get_key_value(listen_key)?;
        (found.alive_until > Instant::now()).then(|| (Arc::clone(name), *found))
    }

    /// The key's listen key, kept alive, or a new one.
    fn begin(&self, account: AccountId, key: KeyId) -> Arc<str> {
        let alive_until = Instant::now() + ALIVE_FOR;
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

    fn keep_alive(&self, listen_key: &str, key: KeyId) -> Result<(), ApiError> {
        match self.keys().get_mut(listen_key) {
            Some(found) if found.key == key => {
                found.alive_until = Instant::now() + ALIVE_FOR;
                Ok(())
            }
            _ => Err(ApiError::no_such_listen_key()),
        }
    }

    fn end(&self, listen_key: &str, key: KeyId) -> Result<ListenKey, ApiError> {
        let mut keys = self.keys();
        match keys.get(listen_key) {
            Some(found) if found.key == key => Ok(keys.remove(listen_key).expect("it is there")),
            _ => Err(ApiError::no_such_listen_key()),
        }
    }

    /// Takes away those that nobody has kept alive.
    pub(crate) fn expire(&self) -> Vec<(Arc<str>, ListenKey)> {
        let now = Instant::now();
        self.keys().extract_if(|_, listen_key| listen_key.alive_until <= now).collect()
    }

    fn keys(&self) -> MutexGuard<'_, HashMap<Arc<str>, ListenKey>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// 60 characters that nobody guesses.
fn random_name() -> String {
    let half = || crate::call::generate().to_string();
    format!("{}{}{}", half(), half(), half())
}

/// `POST /api/v3/userDataStream`
pub(crate) async fn begin(mut call: Call) -> Answer {
    let signer = call.keyed(Permission::UserData).await?;
    NoParams::parse(call.params)?;
    let name = call.shared.listen_keys.begin(signer.account, signer.key);
    Ok(json(encode(&BegunStream { listen_key: &name })))
}

/// `PUT /api/v3/userDataStream`
pub(crate) async fn keep_alive(mut call: Call) -> Answer {
    let signer = call.keyed(Permission::UserData).await?;
    let ListenKeyRequest { listen_key } = ListenKeyRequest::parse(call.params)?;
    call.shared.listen_keys.keep_alive(&listen_key, signer.key)?;
    Ok(json(encode(&Empty {})))
}

/// `DELETE /api/v3/userDataStream`
pub(crate) async fn end(mut call: Call) -> Answer {
    let signer = call.keyed(Permission::UserData).await?;
    let ListenKeyRequest { listen_key } = ListenKeyRequest::parse(call.params)?;
    let ended = call.shared.listen_keys.end(&listen_key, signer.key)?;
    forget(&call.shared, listen_key.into(), ended.account, None).await?;
    Ok(json(encode(&Empty {})))
}

/// Ends the streams of what has expired.
pub(crate) async fn expire(shared: &Shared) {
    for (name, listen_key) in shared.listen_keys.expire() {
        let at = Moment { event_ns: now_ns(), unit: TimeUnit::default() };
        if let Err(error) = forget(shared, name, listen_key.account, Some(at)).await {
            tracing::warn!(%error, "the streams of a listen key that has expired go on");
        }
    }
}

async fn forget(
    shared: &Shared,
    name: Arc<str>,
    account: AccountId,
    expired: Option<Moment>,
) -> Result<(), ApiError> {
    let known = Arc::clone(&shared.known);
    ask_views(shared, move |_, _| known.users().end_listen_key(account, &name, expired)).await
}
