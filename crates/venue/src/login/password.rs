//! Passwords, of which the venue keeps a slow hash (argon2id).

use std::fmt;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use types::{Reader, Wire};

use crate::key::secret::fill_random;

/// Shortest password, in characters.
pub const PASSWORD_LEN_MIN: usize = 12;
/// Longest password, in bytes.
pub const PASSWORD_LEN_MAX: usize = 256;
/// Characters of a password for OUCH: SoupBinTCP has a field of ten.
const OUCH_PASSWORD_LEN: std::ops::RangeInclusive<usize> = 8..=10;

/// Least work that OWASP recommends for argon2id: 19 MiB of memory, written twice. One core takes
/// about 20 ms for it.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;

const SALT_SIZE: usize = 16;
const HASH_SIZE: usize = 32;

/// A password that is good enough for a login.
pub struct Password(String);

/// Why a text is no password of this venue.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum PasswordError {
    #[error("the password has {0} characters, and must have at least {PASSWORD_LEN_MIN}")]
    TooShort(usize),
    #[error("the password has {0} bytes, and may have at most {PASSWORD_LEN_MAX}")]
    TooLong(usize),
    #[error("a password for OUCH has 8 to 10 visible ASCII characters, in letters of any case")]
    NotOfOuch,
}

impl Password {
    pub fn new(text: String) -> Result<Self, PasswordError> {
        let characters = text.chars().count();
        if characters < PASSWORD_LEN_MIN {
            return Err(PasswordError::TooShort(characters));
        }
        if text.len() > PASSWORD_LEN_MAX {
            return Err(PasswordError::TooLong(text.len()));
        }
        Ok(Self(text))
    }

    /// A password for OUCH, which compares letters in any case.
    pub fn for_ouch(text: &str) -> Result<Self, PasswordError> {
        let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_visible || !OUCH_PASSWORD_LEN.contains(&text.len()) {
            return Err(PasswordError::NotOfOuch);
        }
        Ok(Self(text.to_ascii_lowercase()))
    }
}

/// The hash of a password, with its salt and its cost.
#[derive(Clone, Eq, PartialEq)]
pub struct PasswordHash {
    memory_kib: u32,
    passes: u32,
    salt: [u8; SALT_SIZE],
    hash: [u8; HASH_SIZE],
}

impl PasswordHash {
    /// Takes as long as [`password_matches`].
    pub fn of(password: &Password) -> Self {
        let mut salt = [0; SALT_SIZE];
        fill_random(&mut salt);
        let params = params(MEMORY_KIB, PASSES).expect("the costs are within the limits");
        let hash = derive(params, password.0.as_bytes(), &salt);
        Self { memory_kib: MEMORY_KIB, passes: PASSES, salt, hash }
    }

    fn matches(&self, attempt: &str) -> bool {
        let params = params(self.memory_kib, self.passes).expect("checked when it was read");
        let found = derive(params, attempt.as_bytes(), &self.salt);
        // This comparison takes the same time wherever the two differ.
        blake3::Hash::from_bytes(found) == blake3::Hash::from_bytes(self.hash)
    }
}

/// Whether an attempt is the password of a login. Takes as long when there is no such login, so
/// that the time does not reveal which user names exist. To be called where it may take a core for
/// some 20 ms.
pub fn password_matches(hash: Option<&PasswordHash>, attempt: &str) -> bool {
    if attempt.len() > PASSWORD_LEN_MAX {
        return false;
    }
    match hash {
        Some(hash) => hash.matches(attempt),
        None => {
            let (salt, hash) = ([0; SALT_SIZE], [0; HASH_SIZE]);
            let nobody = PasswordHash { memory_kib: MEMORY_KIB, passes: PASSES, salt, hash };
            std::hint::black_box(nobody.matches(attempt));
            false
        }
    }
}

/// `None` if argon2 does not allow such a cost.
fn params(memory_kib: u32, passes: u32) -> Option<Params> {
    Params::new(memory_kib, passes, LANES, Some(HASH_SIZE)).ok()
}

fn derive(params: Params, password: &[u8], salt: &[u8]) -> [u8; HASH_SIZE] {
    let mut blocks = vec![Block::default(); params.block_count()];
    let mut hash = [0; HASH_SIZE];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(password, salt, &mut hash, &mut blocks)
        .expect("the lengths are within the limits");
    hash
}

impl Wire for PasswordHash {
    fn write(&self, out: &mut Vec<u8>) {
        self.memory_kib.write(out);
        self.passes.write(out);
        self.salt.write(out);
        self.hash.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (memory_kib, passes) = r.read()?;
        params(memory_kib, passes)?;
        Some(Self { memory_kib, passes, salt: r.read()?, hash: r.read()? })
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(hidden)")
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(text: &str) -> Password {
        Password::new(text.to_owned()).unwrap()
    }

    #[test]
    fn only_the_password_matches_its_hash() {
        let hash = PasswordHash::of(&password("correct horse"));
        assert!(password_matches(Some(&hash), "correct horse"));
        for wrong in ["correct horsf", "correct horse ", "", &"x".repeat(PASSWORD_LEN_MAX + 1)] {
            assert!(!password_matches(Some(&hash), wrong), "{wrong}");
        }
        assert!(!password_matches(None, "correct horse"));
        let other = PasswordHash::of(&password("correct horse"));
        assert_ne!(hash, other, "each has a salt of its own");
    }

    #[test]
    fn a_hash_survives_its_bytes_and_no_other_cost_is_read() {
        let hash = PasswordHash::of(&password("correct horse"));
        let mut bytes = Vec::new();
        hash.write(&mut bytes);
        assert_eq!(Reader(&bytes).read(), Some(hash));
        bytes[..4].fill(0);
        assert_eq!(Reader(&bytes).read::<PasswordHash>(), None);
    }

    /// Of the tests of the reference implementation.
    #[test]
    fn the_hash_is_argon2id() {
        let hash = derive(params(65_536, 2).unwrap(), b"password", b"somesalt");
        let text: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(text, "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7");
    }

    #[test]
    fn a_password_is_neither_short_nor_endless() {
        let refused = |text: String| Password::new(text).unwrap_err();
        assert_eq!(refused("elevenchars".into()), PasswordError::TooShort(11));
        assert_eq!(refused("ä".repeat(11)), PasswordError::TooShort(11));
        assert!(Password::new("ä".repeat(12)).is_ok());
        assert!(Password::new("x".repeat(256)).is_ok());
        assert_eq!(refused("x".repeat(257)), PasswordError::TooLong(257));
        assert_eq!(format!("{:?}", password("correct horse")), "Password(hidden)");
        for text in ["short12", "eleven-char", "no blank", "ümlaut123"] {
            assert_eq!(Password::for_ouch(text).unwrap_err(), PasswordError::NotOfOuch, "{text}");
        }
        let hash = PasswordHash::of(&Password::for_ouch("Swordfish1").unwrap());
        assert!(password_matches(Some(&hash), "swordfish1"));
    }
}
