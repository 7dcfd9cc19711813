//! A client's private key, whose signatures are in base64: the other side of
//! [`VerifyingKey`](super::sign::VerifyingKey).

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};

/// An Ed25519 or RSA key that signs requests.
pub struct PrivateKey(Kind);

enum Kind {
    Ed25519(Ed25519KeyPair),
    Rsa(Box<RsaKeyPair>),
}

impl PrivateKey {
    /// A key in PKCS#8, of either kind, or an RSA key in PKCS#1; `None` if it is neither.
    pub fn from_der(der: &[u8]) -> Option<Self> {
        // OpenSSL leaves the public key out of an Ed25519 key.
        if let Ok(pair) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der) {
            return Some(Self(Kind::Ed25519(pair)));
        }
        let pair = RsaKeyPair::from_pkcs8(der).or_else(|_| RsaKeyPair::from_der(der)).ok()?;
        Some(Self(Kind::Rsa(Box::new(pair))))
    }

    /// The signature of a payload; `None` if the system has no random bytes for it.
    pub fn sign(&self, payload: &[u8]) -> Option<String> {
        let signature = match &self.0 {
            Kind::Ed25519(pair) => pair.sign(payload).as_ref().to_vec(),
            Kind::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let random = SystemRandom::new();
                pair.sign(&RSA_PKCS1_SHA256, &random, payload, &mut signature).ok()?;
                signature
            }
        };
        Some(STANDARD.encode(signature))
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use ring::signature::KeyPair;

    use super::*;
    use crate::signed::sign::VerifyingKey;

    #[test]
    fn a_signature_is_what_the_venue_verifies() {
        let der = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let key = PrivateKey::from_der(der.as_ref()).unwrap();
        let Kind::Ed25519(pair) = &key.0 else { panic!("another kind") };
        let public = VerifyingKey::Ed25519(pair.public_key().as_ref().try_into().unwrap());
        let signature = key.sign(b"payload").unwrap();
        assert_eq!(public.verify(b"payload", signature.as_bytes()), Ok(()));
        assert!(public.verify(b"another", signature.as_bytes()).is_err());
        assert!(PrivateKey::from_der(&der.as_ref()[1..]).is_none());
        assert_eq!(format!("{key:?}"), "PrivateKey(hidden)");
    }
}
