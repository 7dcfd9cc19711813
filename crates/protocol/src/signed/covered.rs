//! Signatures that cover a whole request: method, path, query, body, and a nonce that makes it good
//! once.

use ring::digest::{SHA256, digest};

use crate::signed::ApiError;
use crate::signed::sign::{RECV_WINDOW_DEFAULT_US, SigningClock, Window};

const NONCE_LEN: std::ops::RangeInclusive<usize> = 16..=64;
const NONCE_LEGAL: &str = "^[A-Za-z0-9_-]{16,64}$";

/// All that a signature covers, byte for byte as it is sent.
#[derive(Clone, Copy, Debug)]
pub struct Covered<'a> {
    pub method: &'a str,
    pub path: &'a str,
    /// Without the `?`; empty if there is none.
    pub query: &'a str,
    pub body: &'a [u8],
    /// In milliseconds since 1970.
    pub timestamp: &'a str,
    pub nonce: &'a str,
}

impl Covered<'_> {
    /// The bytes to sign: six lines, without an end of the last one.
    pub fn payload(&self) -> String {
        let Self { method, path, query, body, timestamp, nonce } = self;
        let body: String =
            digest(&SHA256, body).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        [*method, path, query, &body, timestamp, nonce].join("\n")
    }
}

/// Checks the form of a nonce, which the request has under this name.
pub fn check_nonce(name: &str, nonce: &str) -> Result<(), ApiError> {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if NONCE_LEN.contains(&nonce.len()) && nonce.bytes().all(is_legal) {
        Ok(())
    } else {
        Err(ApiError::illegal_characters(name, NONCE_LEGAL))
    }
}

/// Checks that a request is neither late nor early, by its time under this name.
pub fn check_time(
    name: &str,
    timestamp: &str,
    clock: impl Into<SigningClock>,
) -> Result<Window, ApiError> {
    let timestamp_ms: u64 = timestamp.parse().map_err(|_| ApiError::mandatory(name))?;
    clock.into().check(timestamp_ms.saturating_mul(1_000), RECV_WINDOW_DEFAULT_US)
}
