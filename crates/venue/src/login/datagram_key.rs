//! The key that seals a login's datagrams: a password of ten characters cannot be one.

use std::fmt;

use crate::key::secret::fill_random;

#[derive(Clone, Eq, PartialEq)]
pub struct DatagramKey([u8; Self::SIZE]);

impl DatagramKey {
    pub(crate) const SIZE: usize = 32;

    pub fn generate() -> Self {
        let mut key = [0; Self::SIZE];
        fill_random(&mut key);
        Self(key)
    }

    pub const fn from_bytes(bytes: [u8; Self::SIZE]) -> Self {
        Self(bytes)
    }

    pub const fn as_bytes(&self) -> &[u8; Self::SIZE] {
        &self.0
    }

    /// 64 hexadecimal digits, as clients are given it.
    pub fn to_hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    pub fn from_hex(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|bytes| Self(*bytes.as_bytes()))
    }
}

impl fmt::Debug for DatagramKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatagramKey(..)")
    }
}
