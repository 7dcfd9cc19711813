//! Keys of clients: what proves who signs, sealed by the venue's master key.

pub(crate) mod credential;
pub(crate) mod keyring;
pub(crate) mod master;
pub(crate) mod secret;
