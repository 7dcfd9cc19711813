//! The sender of a call: by a key and a signature in the metadata, or by a token.
//!
//! A signature covers the path of the call, its time and a nonce that is good once. It does not
//! cover the message: beyond loopback the port has TLS.

use std::net::IpAddr;

use protocol::signed::covered::{self, Covered};
use protocol::signed::{ApiError, sign};
use tonic::metadata::MetadataMap;
use types::AccountId;
use venue::{api_key_hash, request_hash};

use crate::clock::signing_clock;
use crate::door::identity::Permission;
use crate::door::shared::Door;
use crate::door::single_use::NotOnce;
use crate::grpc::holder::Holder;
use crate::grpc::shared::GrpcShared;

pub(super) const API_KEY: &str = "x-bw-api-key";
const TIMESTAMP: &str = "x-bw-timestamp";
const NONCE: &str = "x-bw-nonce";
const SIGNATURE: &str = "x-bw-signature";
const AUTHORIZATION: &str = "authorization";
const BEARER: &str = "Bearer ";

/// A sender that may do what it calls for.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub(super) account: AccountId,
    pub(super) holder: Holder,
    pub(super) permission: Permission,
    /// When the signature ends; never for a token.
    pub(super) expires_us: u64,
}

impl Caller {
    /// Identifies the sender of a call. The refusal gives no reason: only the key's owner may know.
    pub(super) async fn identify(
        shared: &GrpcShared,
        metadata: &MetadataMap,
        path: &str,
        peer: IpAddr,
        permission: Permission,
    ) -> Result<Self, ApiError> {
        let (holder, expires_us) = match token_of(metadata) {
            Some(token) => {
                let holder = shared.tokens.holder(token);
                (holder.ok_or_else(ApiError::api_key_rejected)?, u64::MAX)
            }
            None => signed(&shared.door, metadata, path, peer).await?,
        };
        let found = holder.account(&shared.door, peer);
        let (account, _) = found
            .filter(|(_, role)| permission.is_of(*role))
            .ok_or_else(ApiError::api_key_rejected)?;
        Ok(Self { account, holder, permission, expires_us })
    }

    /// Whether it may go on, on a stream that is open.
    pub(super) fn is_valid(&self, door: &Door, peer: IpAddr) -> bool {
        self.holder.account(door, peer).is_some_and(|(_, role)| self.permission.is_of(role))
    }
}

pub(super) fn token_of(metadata: &MetadataMap) -> Option<&str> {
    text(metadata, AUTHORIZATION)?.strip_prefix(BEARER)
}

/// The text of a value in the metadata.
pub(super) fn text<'a>(metadata: &'a MetadataMap, name: &str) -> Option<&'a str> {
    metadata.get(name)?.to_str().ok()
}

async fn signed(
    door: &Door,
    metadata: &MetadataMap,
    path: &str,
    peer: IpAddr,
) -> Result<(Holder, u64), ApiError> {
    let api_key = sign::check_api_key(text(metadata, API_KEY))?;
    let hash = api_key_hash(api_key);
    let signer = door.signer(hash).await?.filter(|signer| signer.is_valid(peer));
    let signer = signer.ok_or_else(ApiError::api_key_rejected)?;
    let mandatory = |name| text(metadata, name).ok_or_else(|| ApiError::mandatory(name));
    let (timestamp, nonce) = (mandatory(TIMESTAMP)?, mandatory(NONCE)?);
    let signature = mandatory(SIGNATURE)?;
    covered::check_nonce(NONCE, nonce)?;
    let covered = Covered { method: "POST", path, query: "", body: b"", timestamp, nonce };
    signer.verifying_key.verify(covered.payload().as_bytes(), signature.as_bytes())?;
    let clock = signing_clock();
    let window = covered::check_time(TIMESTAMP, timestamp, clock)?;
    let used =
        door.single_uses.use_up(signer.key, request_hash(nonce.as_bytes()), window, clock.now_us);
    used.map_err(|not| match not {
        NotOnce::Repeated => nonce_used(),
        NotOnce::Late => ApiError::outside_recv_window(),
        NotOnce::TooMany => ApiError::overloaded(),
    })?;
    Ok((Holder::Key { key: signer.key, hash }, window.expires_us))
}

fn nonce_used() -> ApiError {
    ApiError::new(400, -1022, format!("{NONCE} was used before: each call needs one of its own."))
}
