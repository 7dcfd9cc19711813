//! gRPC: a connection for the stubs of [`v1`], and the metadata that a call is signed with.

mod channel;
pub(crate) mod tunnel;

use protocol::signed::covered::Covered;
use protocol::signed::sign::sign;
use tonic::Request;
use tonic::metadata::{AsciiMetadataValue, MetadataMap};

pub use proto::{ErrorInfo, Message, details_of, v1};

pub use self::channel::Channel;
use crate::http::now_ms;
use crate::venue::fresh_name;
use crate::{Credentials, Error};

/// Signs a call of this path, such as `/buttonwood.v1.Trading/PlaceOrder`. The signature is good
/// once.
pub fn sign_call<T>(request: &mut Request<T>, path: &str, credentials: &Credentials) {
    let (timestamp, nonce) = (now_ms().to_string(), format!("{}{}", fresh_name(), fresh_name()));
    let covered = Covered {
        method: "POST",
        path,
        query: "",
        body: b"",
        timestamp: &timestamp,
        nonce: &nonce,
    };
    let signature = sign(credentials.secret_key.as_bytes(), covered.payload().as_bytes());
    let metadata = request.metadata_mut();
    insert(metadata, "x-bw-api-key", &credentials.api_key);
    insert(metadata, "x-bw-timestamp", &timestamp);
    insert(metadata, "x-bw-nonce", &nonce);
    insert(metadata, "x-bw-signature", &signature);
}

/// Names the token of a login.
pub fn with_token<T>(message: T, token: &str) -> Request<T> {
    let mut request = Request::new(message);
    insert(request.metadata_mut(), "authorization", &format!("Bearer {token}"));
    request
}

fn insert(metadata: &mut MetadataMap, name: &'static str, value: &str) {
    // What cannot be in a header is no key of any venue, which refuses the call without it.
    if let Ok(value) = AsciiMetadataValue::try_from(value) {
        metadata.insert(name, value);
    }
}

/// The status of a call as an error.
pub(crate) fn error_of(status: &tonic::Status) -> Error {
    let reason = details_of(status).map(|info| info.reason).unwrap_or_default();
    let is_lost = reason.is_empty() || reason == "OUTCOME_UNKNOWN";
    if is_lost {
        return Error::transport(status.to_string());
    }
    let (code, msg) = (status.code() as i32, status.message().to_owned());
    Error::Refused { code, reason, msg }
}
