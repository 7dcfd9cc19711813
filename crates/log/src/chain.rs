//! The hash chain through all batches of a log.

use std::fmt;

/// The first 16 bytes of a BLAKE3 hash over a frame, and through it over all frames before.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub struct ChainHash(pub [u8; 16]);

impl ChainHash {
    /// What the first batch of all names as the hash before it.
    pub const GENESIS: Self = Self([0; 16]);
}

impl fmt::Debug for ChainHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
