//! The master key, and what it seals.
//!
//! A key's [`Credential`] lies in the log sealed by the master key (XChaCha20-Poly1305, a fresh
//! random nonce before the sealed bytes, the API key's hash as associated data, so that a sealed
//! secret cannot be moved to another key). Of the API key itself the log has a hash only. A login's
//! [`LoginSecret`] lies there in the same way, bound to its user name.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use engine::Engine;
use types::{MasterKeyInUse, Sealed, UserName};

use crate::key::credential::{CREDENTIAL_LEN_MAX, Credential};
use crate::key::secret::{fill_random, short_hash};
use crate::login::secret::LoginSecret;

const NONCE_SIZE: usize = 24;

/// Seals and opens the secrets of a venue. Kept outside the data folder, and never printed.
#[derive(Clone)]
pub struct MasterKey([u8; 32]);

/// Why there is no master key.
#[derive(Debug, thiserror::Error)]
pub enum MasterKeyError {
    #[error(
        "no master key: make one with `buttonwood admin new-master-key FILE` and name it \
         with --master-key FILE, or run a trial venue with --demo"
    )]
    Missing,
    #[error("the master key {file} is neither 64 hex digits nor a file that can be read: {error}")]
    Unreadable { file: PathBuf, error: std::io::Error },
    #[error(
        "other users can write the master key {file} (mode {mode:o}), so it may be another one: \
         check it, and `chmod 600` it"
    )]
    Writable { file: PathBuf, mode: u32 },
    #[error("the master key in {origin} is not 64 hex digits")]
    NotHex { origin: String },
    /// It is well-formed, but the secrets in the log were sealed by another one.
    #[error(
        "this master key does not open the secrets in the data folder: start with the one \
         they were sealed with"
    )]
    Wrong,
    /// The master key was rotated to another one.
    #[error(
        "this master key (fingerprint {}) was rotated out: the one in use has the fingerprint \
         {}; start with the file that `rotate-master-key` was given",
        hex(.given),
        hex(&.in_use.fingerprint)
    )]
    Rotated { given: [u8; 16], in_use: MasterKeyInUse },
    /// It opens a secret that this program does not understand.
    #[error(
        "the data folder has keys or logins that were made by version {0} of the sealed form, which this \
         build cannot read: start the build that made them"
    )]
    Newer(u8),
    /// There is more to a key than can be sealed.
    #[error(
        "a key of this kind cannot be bound to that many networks: name fewer or larger ones, or \
         give it a shorter name"
    )]
    TooLarge,
    /// More keys than can be sealed anew at once.
    #[error(
        "{0} keys and logins are more than can be sealed anew at once: revoke those that are not \
         needed any more"
    )]
    TooManyKeys(usize),
}

impl MasterKey {
    pub fn generate() -> Self {
        let mut key = [0; 32];
        fill_random(&mut key);
        Self(key)
    }

    /// 64 hex digits; blanks around them are fine.
    pub fn parse(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text.trim()).ok().map(|parsed| Self(*parsed.as_bytes()))
    }

    pub fn load(file: &Path) -> Result<Self, MasterKeyError> {
        let unreadable = |error| MasterKeyError::Unreadable { file: file.to_path_buf(), error };
        let mode = std::fs::metadata(file).map_err(unreadable)?.permissions().mode() & 0o777;
        if mode & 0o022 != 0 {
            return Err(MasterKeyError::Writable { file: file.to_path_buf(), mode });
        }
        if mode & 0o044 != 0 {
            let (file, mode) = (file.display(), format!("{mode:o}"));
            tracing::warn!(%file, mode, "other users can read the master key: `chmod 600` it");
        }
        let text = std::fs::read_to_string(file).map_err(unreadable)?;
        Self::parse(&text)
            .ok_or_else(|| MasterKeyError::NotHex { origin: file.display().to_string() })
    }

    /// As [`MasterKey::parse`] reads it. For writing it to its own file, nowhere else.
    pub fn to_hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    /// A fingerprint. It reveals nothing about the key, which is as random as it is long.
    pub fn fingerprint(&self) -> [u8; 16] {
        short_hash("buttonwood master key", &self.0)
    }

    /// For a person to compare.
    pub fn fingerprint_text(&self) -> String {
        hex(&self.fingerprint())
    }

    /// Whether it is the one that the venue's secrets are sealed by.
    pub fn check(&self, engine: &Engine) -> Result<(), MasterKeyError> {
        if let Some(in_use) = engine.master_key_in_use() {
            let given = self.fingerprint();
            return if given == in_use.fingerprint {
                Ok(())
            } else {
                Err(MasterKeyError::Rotated { given, in_use })
            };
        }
        // All are sealed by the same one.
        engine.keys().take(1).try_for_each(|(_, spec)| {
            self.open(&spec.sealed_secret, &spec.api_key_hash).map(|_credential| ())
        })?;
        engine.logins().take(1).try_for_each(|(_, spec)| {
            self.open_login(&spec.sealed_secret, &spec.user).map(|_secret| ())
        })
    }

    /// `None` when there are more networks than there is room for.
    pub fn seal(&self, credential: &Credential, api_key_hash: &[u8; 16]) -> Option<Sealed> {
        let bytes = credential.to_bytes();
        if bytes.len() > CREDENTIAL_LEN_MAX {
            return None;
        }
        self.seal_bytes(&bytes, api_key_hash)
    }

    pub fn seal_login(&self, secret: &LoginSecret, user: &UserName) -> Sealed {
        let sealed = self.seal_bytes(&secret.to_bytes(), &login_context(user));
        sealed.expect("the secret of a login is short")
    }

    fn seal_bytes(&self, bytes: &[u8], context: &[u8; 16]) -> Option<Sealed> {
        let mut nonce = [0; NONCE_SIZE];
        fill_random(&mut nonce);
        let payload = Payload { msg: bytes, aad: context };
        let sealed = self
            .cipher()
            .encrypt(&XNonce::from(nonce), payload)
            .expect("sealing a short text in memory cannot fail");
        Sealed::new(&[&nonce[..], &sealed].concat())
    }

    /// Fails unless it was sealed by this master key for this API key.
    pub fn open(
        &self,
        sealed: &Sealed,
        api_key_hash: &[u8; 16],
    ) -> Result<Credential, MasterKeyError> {
        let opened = self.open_bytes(sealed, api_key_hash)?;
        Credential::from_bytes(&opened).map_err(MasterKeyError::Newer)
    }

    /// Fails unless it was sealed by this master key for this user name.
    pub fn open_login(
        &self,
        sealed: &Sealed,
        user: &UserName,
    ) -> Result<LoginSecret, MasterKeyError> {
        let opened = self.open_bytes(sealed, &login_context(user))?;
        LoginSecret::from_bytes(&opened).map_err(MasterKeyError::Newer)
    }

    fn open_bytes(&self, sealed: &Sealed, context: &[u8; 16]) -> Result<Vec<u8>, MasterKeyError> {
        let parts = sealed.as_bytes().split_first_chunk::<NONCE_SIZE>();
        let (nonce, sealed) = parts.ok_or(MasterKeyError::Wrong)?;
        let payload = Payload { msg: sealed, aad: context };
        let opened = self.cipher().decrypt(&XNonce::from(*nonce), payload);
        opened.map_err(|_| MasterKeyError::Wrong)
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&Key::from(self.0))
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(hidden)")
    }
}

/// What a login's secret is bound to, apart from all hashes of API keys.
fn login_context(user: &UserName) -> [u8; 16] {
    short_hash("buttonwood login", user.as_bytes())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::credential::Verifier;
    use crate::key::secret::{Secret, api_key_hash};
    use crate::login::datagram_key::DatagramKey;
    use crate::login::password::{Password, PasswordHash};
    use crate::login::totp::TotpSecret;

    #[test]
    fn only_the_right_master_key_opens_a_secret_and_only_for_its_api_key() {
        let (master_key, other) = (MasterKey::generate(), MasterKey::generate());
        let credential = Credential::new(Verifier::Hmac(Secret::generate()));
        let (hash, other_hash) = (api_key_hash("a"), api_key_hash("b"));
        let sealed = master_key.seal(&credential, &hash).unwrap();
        assert_eq!(master_key.open(&sealed, &hash).unwrap(), credential);
        let wrong = |opened| matches!(opened, Err(MasterKeyError::Wrong));
        assert!(wrong(other.open(&sealed, &hash)));
        assert!(wrong(master_key.open(&sealed, &other_hash)));
        assert!(wrong(master_key.open(&Sealed::new(b"short").unwrap(), &hash)));
    }

    #[test]
    fn only_the_right_master_key_opens_a_login_and_only_for_its_user() {
        let (master_key, other) = (MasterKey::generate(), MasterKey::generate());
        let user = |text| UserName::parse(text).unwrap();
        let password = PasswordHash::of(&Password::new("correct horse".into()).unwrap());
        let secrets = [
            (None, None),
            (Some(TotpSecret::generate()), None),
            (None, Some(DatagramKey::generate())),
        ];
        for (totp, datagram_key) in secrets {
            let secret = LoginSecret { password: password.clone(), totp, datagram_key };
            let sealed = master_key.seal_login(&secret, &user("alice"));
            assert_eq!(master_key.open_login(&sealed, &user("alice")).unwrap(), secret);
            let wrong = |opened| matches!(opened, Err(MasterKeyError::Wrong));
            assert!(wrong(other.open_login(&sealed, &user("alice"))));
            assert!(wrong(master_key.open_login(&sealed, &user("bob"))));
        }
    }

    #[test]
    fn a_master_key_survives_its_file() {
        let master_key = MasterKey::generate();
        let read = MasterKey::parse(&format!(" {}\n", master_key.to_hex())).unwrap();
        assert_eq!(read.0, master_key.0);
        assert!(MasterKey::parse("not hex").is_none());
        assert!(MasterKey::parse(&"a".repeat(63)).is_none());
    }

    #[test]
    fn nothing_secret_is_printed() {
        let printed = format!("{:?} {:?}", MasterKey::generate(), Secret::generate());
        assert_eq!(printed, "MasterKey(hidden) Secret(hidden)");
    }
}
