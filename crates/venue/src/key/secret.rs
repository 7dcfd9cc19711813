//! The secrets of clients, and random texts.

use std::fmt;

use types::RetryKey;

/// The shared secret of an HMAC key.
#[derive(Clone, Eq, PartialEq)]
pub struct Secret(String);

impl Secret {
    const LEN_MAX: usize = 64;

    /// 64 random letters and digits, as Binance makes them.
    pub fn generate() -> Self {
        Self(random_text(Self::LEN_MAX))
    }

    /// `None` when it would not fit into the log.
    pub fn from_text(text: &str) -> Option<Self> {
        (text.len() <= Self::LEN_MAX).then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Under this the log and the engine know an API key.
pub fn api_key_hash(api_key: &str) -> [u8; 16] {
    short_hash("buttonwood api key", api_key.as_bytes())
}

/// Under this the engine remembers an `Idempotency-Key`.
pub fn retry_key(idempotency_key: &[u8]) -> RetryKey {
    short_hash("buttonwood retry key", idempotency_key)
}

/// Under this a request is remembered that is good once.
pub fn request_hash(request: &[u8]) -> [u8; 16] {
    short_hash("buttonwood request", request)
}

pub(super) fn short_hash(context: &'static str, bytes: &[u8]) -> [u8; 16] {
    let hash = blake3::derive_key(context, bytes);
    *hash.first_chunk().expect("a hash has 32 bytes")
}

/// Random letters and digits.
pub fn random_text(len: usize) -> String {
    const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut text = String::with_capacity(len);
    let mut bytes = [0; 64];
    while text.len() < len {
        fill_random(&mut bytes);
        // Bytes from 248 up would make the first letters likelier.
        let fair = bytes.iter().filter(|byte| **byte < 248);
        let letters = fair.map(|byte| char::from(ALPHABET[usize::from(*byte % 62)]));
        text.extend(letters.take(len - text.len()));
    }
    text
}

pub(crate) fn fill_random(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the operating system gives random bytes");
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_texts_have_their_length_and_differ() {
        assert_eq!(random_text(22).len(), 22);
        assert_ne!(random_text(64), random_text(64));
    }
}
