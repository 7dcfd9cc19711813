//! Keys by which the venue recognises a repeated request.

use protocol::signed::ApiError;
use types::RetryKey;

const LEN_MAX: usize = 64;
const LEGAL: &str = "^[ -~]{1,64}$";

/// Hashes a key that was sent under this name.
pub(crate) fn retry_key(name: &str, sent: &[u8]) -> Result<RetryKey, ApiError> {
    let is_legal = |byte: &u8| (b' '..=b'~').contains(byte);
    if (1..=LEN_MAX).contains(&sent.len()) && sent.iter().all(is_legal) {
        Ok(venue::retry_key(sent))
    } else {
        Err(ApiError::illegal_characters(name, LEGAL))
    }
}
