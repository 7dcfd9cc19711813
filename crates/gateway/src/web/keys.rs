//! Keys that a signed-in browser registers: it holds the private key, and trades with it as any
//! other client does.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use protocol::signed::ApiError;
use serde::{Deserialize, Serialize};
use types::KeyId;
use venue::Verifier;

use crate::clock::now_ns;
use crate::door::browser_keys::NewBrowserKey;
use crate::web::WebState;
use crate::web::request::Posted;

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
    let Some((id, session)) = web.session(&posted.headers) else {
        return Err(ApiError::new(401, -1002, "You are not signed in."));
    };
    let verifier = read_public_key(&public_key)?;
    let now_ns = now_ns();
    let expires_ns = now_ns + u64::try_from(KEY_LIFE.as_nanos()).expect("it is a constant");
    let new = NewBrowserKey {
        account: session.user.account,
        role: session.user.role,
        verifier,
        expires_ns,
        address: posted.peer,
        received_ns: now_ns,
    };
    let created = Arc::clone(&web.door).create_browser_key(new).await?;
    if !web.sessions.add_key(id, created.key) {
        // The person signed out meanwhile.
        web.door.revoke_key(created.key, posted.peer).await?;
        return Err(ApiError::new(401, -1002, "You are not signed in."));
    }
    let registered = Registered { api_key: &created.api_key, expires_at: expires_ns / 1_000_000 };
    Ok(serde_json::to_string(&registered).expect("a text and a number are JSON"))
}

/// Revokes keys. A key that was revoked before is none of these.
pub(crate) async fn revoke(
    web: &WebState,
    posted: &Posted,
    keys: Vec<KeyId>,
) -> Result<(), ApiError> {
    for key in keys {
        web.door.revoke_key(key, posted.peer).await?;
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
