//! Logins of persons: their passwords and one-time codes, sealed by the venue's master key.

pub(crate) mod datagram_key;
pub(crate) mod password;
pub(crate) mod secret;
pub(crate) mod totp;
