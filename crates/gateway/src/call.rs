//! One request, however it came: what is asked for, and who asks.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use bytes::Bytes;
use protocol::signed::sign::{Signed, VerifyingKey};
use protocol::signed::{ApiError, Params, TimeUnit, sign};
use types::{Origin, RetryKey, SessionId};
use venue::{Verifier, api_key_hash};

use crate::ask::ask_views;
use crate::clock::now_us;
use crate::directory::{Permission, Signer};
use crate::shared::Shared;
use crate::socket::connection::Times;
use crate::socket::http::{Reply, header_text};

/// A request that was read to its end.
pub(crate) struct Call {
    pub(crate) shared: Arc<Shared>,
    pub(crate) received_ns: u64,
    /// How long it had waited by then.
    pub(crate) waited: Duration,
    pub(crate) times: Times,
    pub(crate) unit: TimeUnit,
    pub(crate) params: Params,
    pub(crate) peer: IpAddr,
    pub(crate) origin: Origin,
    pub(crate) proof: Proof,
    /// Of the header `Idempotency-Key`. A wrong one matters only where something is to change.
    pub(crate) retry_key: Result<Option<RetryKey>, ApiError>,
}

/// How a request shows who sent it.
#[derive(Debug)]
pub(crate) enum Proof {
    /// A header names the key; query and body are signed as they were sent.
    Http { api_key: Option<HeaderValue>, query: String, body: Bytes },
    /// A message of the WebSocket API: key and signature are among the parameters, and what is
    /// signed are the others. Who has logged on needs neither.
    Message { signed: Option<Signed>, logon: Option<LogonKey> },
}

/// The key that speaks where a message names none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogonKey {
    pub(crate) hash: [u8; 16],
    /// The venue's session, if orders are to end with the connection; else zero.
    pub(crate) session: SessionId,
}

/// A request whose sender is known.
pub(crate) struct SignedCall {
    pub(crate) shared: Arc<Shared>,
    pub(crate) received_ns: u64,
    pub(crate) times: Times,
    pub(crate) unit: TimeUnit,
    pub(crate) params: Params,
    pub(crate) signer: Arc<Signer>,
    pub(crate) session: SessionId,
    pub(crate) origin: Origin,
    pub(crate) retry_key: Result<Option<RetryKey>, ApiError>,
    pub(crate) expires_us: u64,
}

pub(crate) type Answer = Result<Reply, ApiError>;

impl Call {
    /// Finds out who sent it, and that it was sent now and by nobody else; for what a key needs
    /// that may see an account.
    pub(crate) fn signed(self) -> impl Future<Output = Result<SignedCall, ApiError>> + Send {
        self.signed_for(Permission::UserData)
    }

    /// Likewise, with a key of that permission.
    pub(crate) async fn signed_for(
        mut self,
        permission: Permission,
    ) -> Result<SignedCall, ApiError> {
        let session = self.logon().map_or(SessionId(0), |logon| logon.session);
        let signer = self.signer(permission).await?;
        let expires_us = sign::check_time(&mut self.params, now_us())?;
        self.times.checked();
        Ok(SignedCall {
            shared: self.shared,
            received_ns: self.received_ns,
            times: self.times,
            unit: self.unit,
            params: self.params,
            signer,
            session,
            origin: self.origin,
            retry_key: self.retry_key,
            expires_us,
        })
    }

    /// The key that it names, for what needs a key and no signature.
    pub(crate) async fn keyed(&mut self, permission: Permission) -> Result<Arc<Signer>, ApiError> {
        let hash = match &self.proof {
            Proof::Http { api_key, .. } => hash_of(api_key.as_ref().map(header_text))?,
            Proof::Message { logon, .. } => match (self.params.text("apiKey")?, logon) {
                (None, Some(logon)) => logon.hash,
                (api_key, _) => hash_of(api_key.as_deref())?,
            },
        };
        self.find_signer(hash, permission).await
    }

    /// Who has logged on, if this request is his.
    fn logon(&self) -> Option<LogonKey> {
        match self.proof {
            Proof::Message { logon, .. } if !self.params.contains("apiKey") => logon,
            _ => None,
        }
    }

    async fn signer(&mut self, permission: Permission) -> Result<Arc<Signer>, ApiError> {
        let is_logged_on = self.logon().is_some();
        let signer = self.keyed(permission).await?;
        let key = verifying_key(&signer);
        match &self.proof {
            Proof::Http { query, body, .. } => sign::verify(key, query, body)?,
            Proof::Message { .. } if is_logged_on => {}
            Proof::Message { signed, .. } => sign::verify_message(key, signed.as_ref())?,
        }
        Ok(signer)
    }

    /// Who is not let in is not told why: that is for the key's owner to know.
    async fn find_signer(
        &self,
        hash: [u8; 16],
        permission: Permission,
    ) -> Result<Arc<Signer>, ApiError> {
        let may =
            |signer: &Arc<Signer>| permission.is_of(signer.role) && signer.is_valid(self.peer);
        let signer = find_signer(&self.shared, hash).await?;
        Some(signer).filter(may).ok_or_else(ApiError::api_key_rejected)
    }
}

fn verifying_key(signer: &Signer) -> VerifyingKey<'_> {
    match &signer.credential.verifier {
        Verifier::Hmac(secret) => VerifyingKey::Hmac(secret.as_str().as_bytes()),
        Verifier::Ed25519(public) => VerifyingKey::Ed25519(public),
        Verifier::Rsa(modulus) => VerifyingKey::Rsa(modulus),
    }
}

fn hash_of(api_key: Option<&str>) -> Result<[u8; 16], ApiError> {
    sign::check_api_key(api_key).map(api_key_hash)
}

async fn find_signer(shared: &Shared, hash: [u8; 16]) -> Result<Arc<Signer>, ApiError> {
    let known = || shared.known.directory().signer(&hash);
    if let Some(signer) = known() {
        return Ok(signer);
    }
    // Whoever made the key may have been told of it before our listener was.
    ask_views(shared, |_, _| ()).await?;
    known().ok_or_else(ApiError::api_key_rejected)
}
