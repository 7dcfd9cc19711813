//! Keys of clients: what verifies a signature, sealed by the venue's master key.

pub(crate) mod credential;
pub(crate) mod keyring;
pub(crate) mod master;
pub(crate) mod secret;
