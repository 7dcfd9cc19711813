//! Keys that a signed-in browser registers: it holds the private key, and trades with it as any
//! other client does.

use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use protocol::signed::ApiError;
use serde::{Deserialize, Serialize};
use types::{KeyId, RejectReason};
use venue::Verifier;

use crate::clock::now_ns;
use crate::door::browser_keys::{BrowserKey, NewBrowserKey, NoBrowserKey};
use crate::door::identity::Signer;
use crate::web::WebState;
use crate::web::request::Posted;
use crate::web::user::User;

/// For how long a key signs.
const KEY_LIFE: Duration = Duration::from_secs(30 * 24 * 3600);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Registration {
    public_key: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Registered<'a> {
    api_key: &'a str,
    expires_at: u64,
}

/// `POST /web/v1/keys`
pub(crate) async fn register(
    web: &WebState,
    posted: &Posted,
    Registration { public_key }: Registration,
) -> Result<String, ApiError> {
    let not_signed_in = || ApiError::new(401, -1002, "You are not signed in: sign in first.");
    let current = web.session(&posted.headers).ok_or_else(not_signed_in)?;
    let verifier = read_public_key(&public_key)?;
    let turn = web.registrations.begin(current.user.login.login, Instant::now());
    let _turn = turn.map_err(|slowed| slowed.error("This login registers too many keys"))?;
    let life_ns = u64::try_from(KEY_LIFE.as_nanos()).expect("it is a constant");
    let expires_ns = now_ns() + life_ns;
    let created = match create(web, posted, &current.user, (verifier.clone(), expires_ns)).await {
        Err(NoBrowserKey::Rejected(RejectReason::TooManyKeysOfLogin)) => {
            make_room(web, posted, &current.user).await?;
            create(web, posted, &current.user, (verifier, expires_ns)).await?
        }
        created => created?,
    };
    // The person may have signed out meanwhile, or an operator may have signed the person out: the
    // directory knows what came before the key once the views have caught up with it.
    let caught_up = web.door.ask_views(|_, _| ()).await;
    let is_signed_in = caught_up.is_ok() && web.session(&posted.headers).is_some();
    if !is_signed_in || !web.sessions.add_key(current.id, created.key) {
        revoke(web, posted, &current.user, [created.key]).await?;
        caught_up?;
        return Err(not_signed_in());
    }
    let registered = Registered { api_key: &created.api_key, expires_at: expires_ns / 1_000_000 };
    Ok(serde_json::to_string(&registered).expect("a text and a number are JSON"))
}

async fn create(
    web: &WebState,
    posted: &Posted,
    user: &User,
    (verifier, expires_ns): (Verifier, u64),
) -> Result<BrowserKey, NoBrowserKey> {
    let (login, address) = (Arc::clone(&user.login), posted.peer);
    let new = NewBrowserKey { login, verifier, expires_ns, address };
    Arc::clone(&web.door).create_browser_key(new).await
}

/// Revokes the keys of a login that have expired, or else the oldest one without a session: its
/// browser was left, and signs in again with the password.
async fn make_room(web: &WebState, posted: &Posted, user: &User) -> Result<(), ApiError> {
    let now_ns = now_ns();
    let keys: Vec<_> = web.door.directory().keys_of_login(user.login.login).collect();
    let has_expired = |key: &&Arc<Signer>| key.credential.has_expired(now_ns);
    let mut unused: Vec<_> = keys.iter().filter(has_expired).map(|key| key.key).collect();
    if unused.is_empty() {
        let used = web.sessions.keys_of(user.login.login);
        unused.extend(keys.iter().map(|key| key.key).find(|key| !used.contains(key)));
    }
    revoke(web, posted, user, unused).await
}

/// Revokes keys of a login. A key that was revoked before stays so.
pub(crate) async fn revoke(
    web: &WebState,
    posted: &Posted,
    user: &User,
    keys: impl IntoIterator<Item = KeyId>,
) -> Result<(), ApiError> {
    for key in keys {
        web.door.revoke_browser_key(user.login.account, key, posted.peer).await?;
        // It signs requests until the listener has heard of that.
        web.door.ask_views(|_, _| ()).await?;
    }
    Ok(())
}

fn read_public_key(text: &str) -> Result<Verifier, ApiError> {
    let bytes = STANDARD.decode(text).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    let bytes = bytes.ok_or_else(|| {
        ApiError::new(400, -1130, "`publicKey` is not the base64 of an Ed25519 key's 32 bytes.")
    })?;
    Verifier::from_ed25519(bytes)
        .map_err(|error| ApiError::new(400, -1130, format!("`publicKey` cannot be used: {error}.")))
}
