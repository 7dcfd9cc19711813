//! Keys: that of a login, what proves it, and those of a session's two directions.

use std::fmt;

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce as Iv, UnboundKey};
use ring::{hkdf, hmac};

use crate::udp::handshake::Nonce;

pub const KEY_SIZE: usize = 32;
pub const TAG_SIZE: usize = 16;
pub const PROOF_SIZE: usize = 32;

/// The key of a login, which both sides have.
#[derive(Clone, Eq, PartialEq)]
pub struct LoginKey([u8; KEY_SIZE]);

/// What the key of a login gives. It is made once for many sessions.
pub struct Secrets {
    proof: hmac::Key,
    base: hkdf::Prk,
}

/// Which side sends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Side {
    Client,
    Server,
}

/// The keys of a session, from one side: what it sends is sealed with another key than what it
/// receives.
pub struct Keys {
    seal: LessSafeKey,
    open: LessSafeKey,
}

impl LoginKey {
    pub const fn from_bytes(bytes: [u8; KEY_SIZE]) -> Self {
        Self(bytes)
    }

    pub const fn as_bytes(&self) -> &[u8; KEY_SIZE] {
        &self.0
    }

    /// 64 hexadecimal digits.
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        let mut bytes = [0; KEY_SIZE];
        if digits.len() != 2 * KEY_SIZE {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let value = |digit: u8| char::from(digit).to_digit(16);
            *byte = u8::try_from(value(pair[0])? << 4 | value(pair[1])?).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Debug for LoginKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoginKey(..)")
    }
}

impl Secrets {
    pub fn of(key: &LoginKey) -> Self {
        let base = hkdf::Salt::new(hkdf::HKDF_SHA256, SALT).extract(&key.0);
        let proof = base.expand(&[b"proof"], hmac::HMAC_SHA256).expect("a hash is long enough");
        Self { proof: proof.into(), base }
    }

    /// Proves that a side has the key.
    pub(super) fn prove(&self, side: Side, bytes: &[u8]) -> [u8; PROOF_SIZE] {
        let tag = hmac::sign(&self.proof, &[side.label(), bytes].concat());
        tag.as_ref().try_into().expect("SHA-256 has 32 bytes")
    }

    pub(super) fn is_proof(&self, side: Side, bytes: &[u8], proof: &[u8]) -> bool {
        hmac::verify(&self.proof, &[side.label(), bytes].concat(), proof).is_ok()
    }

    /// The keys of a session. Nonces of both sides make them new for each.
    pub fn keys(&self, side: Side, client: &Nonce, server: &Nonce) -> Keys {
        let of = |sender: Side| {
            let info: [&[u8]; 4] = [b"session", sender.label(), client, server];
            let key = self.base.expand(&info, &AES_256_GCM).map(UnboundKey::from);
            LessSafeKey::new(key.expect("a hash is long enough"))
        };
        let (seal, open) = match side {
            Side::Client => (Side::Client, Side::Server),
            Side::Server => (Side::Server, Side::Client),
        };
        Keys { seal: of(seal), open: of(open) }
    }
}

const SALT: &[u8] = b"buttonwood udp 1";

impl Side {
    const fn label(self) -> &'static [u8] {
        match self {
            Self::Client => b"client",
            Self::Server => b"server",
        }
    }
}

impl Keys {
    /// Seals what follows the first `head` bytes of a datagram, and appends the tag. No sequence is
    /// used twice.
    pub fn seal(&self, sequence: u64, head: usize, datagram: &mut Vec<u8>) {
        let (aad, text) = datagram.split_at_mut(head);
        let tag = self.seal.seal_in_place_separate_tag(iv(sequence), Aad::from(&*aad), text);
        datagram.extend_from_slice(tag.expect("a datagram is short").as_ref());
    }

    /// Opens what follows the first `head` bytes; `None` if it was not sealed by the other side.
    pub(super) fn open<'a>(
        &self,
        sequence: u64,
        head: usize,
        datagram: &'a mut [u8],
    ) -> Option<&'a [u8]> {
        let (aad, sealed) = datagram.split_at_mut_checked(head)?;
        let text = self.open.open_in_place(iv(sequence), Aad::from(&*aad), sealed).ok()?;
        Some(text)
    }
}

fn iv(sequence: u64) -> Iv {
    let mut bytes = [0; 12];
    bytes[4..].copy_from_slice(&sequence.to_be_bytes());
    Iv::assume_unique_for_key(bytes)
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(..)")
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys(..)")
    }
}
