//! One-time codes by time (RFC 6238): six digits, a new code every 30 seconds, with SHA-1, which is
//! what every authenticator app does.

use std::fmt;

use ring::hmac::{HMAC_SHA1_FOR_LEGACY_USE_ONLY, Key, sign};
use types::UserName;

use crate::key::secret::fill_random;

const STEP_NS: u64 = 30_000_000_000;
const CODES: u32 = 1_000_000;
const DIGITS: usize = 6;

/// What a login and its authenticator app share. As long as the hash, as RFC 4226 recommends.
#[derive(Clone, Eq, PartialEq)]
pub struct TotpSecret([u8; Self::SIZE]);

impl TotpSecret {
    pub(crate) const SIZE: usize = 20;

    pub fn generate() -> Self {
        let mut secret = [0; Self::SIZE];
        fill_random(&mut secret);
        Self(secret)
    }

    pub(crate) const fn from_bytes(bytes: [u8; Self::SIZE]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; Self::SIZE] {
        &self.0
    }

    /// The number of the 30 seconds that a code belongs to: those now, or the ones before or after,
    /// as clocks differ and typing takes time. `None` for a wrong code.
    ///
    /// A code is good once: the caller refuses a number that is not above that of the last sign-in.
    pub fn step_of(&self, code: &str, now_ns: u64) -> Option<u64> {
        if code.len() != DIGITS || !code.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let code: u32 = code.parse().ok()?;
        let now = now_ns / STEP_NS;
        (now.saturating_sub(1)..=now + 1).find(|step| self.code(*step) == code)
    }

    /// The code that an authenticator app shows at a time.
    pub fn code_at(&self, now_ns: u64) -> String {
        format!("{:06}", self.code(now_ns / STEP_NS))
    }

    /// RFC 4226: 31 bits of the hash, from a place that its last byte names.
    fn code(&self, step: u64) -> u32 {
        let key = Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, &self.0);
        let tag = sign(&key, &step.to_be_bytes());
        let hash = tag.as_ref();
        let at = usize::from(hash[hash.len() - 1] & 0x0f);
        let word = hash[at..].first_chunk().expect("the hash has 20 bytes");
        (u32::from_be_bytes(*word) & 0x7fff_ffff) % CODES
    }

    /// What an authenticator app reads, mostly as a picture.
    pub fn uri(&self, user: &UserName) -> String {
        let user = user.as_str().replace('+', "%2B").replace('@', "%40");
        let secret = base32(&self.0);
        format!("otpauth://totp/Buttonwood:{user}?secret={secret}&issuer=Buttonwood")
    }
}

/// Five bits a character (RFC 4648).
fn base32(bytes: &[u8; TotpSecret::SIZE]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut text = String::new();
    for five in bytes.chunks(5) {
        let bits = five.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        let characters =
            (0..8).rev().map(|at| char::from(ALPHABET[(bits >> (5 * at)) as usize % 32]));
        text.extend(characters);
    }
    text
}

impl fmt::Debug for TotpSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TotpSecret(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;
    /// Of both RFCs.
    const SECRET: TotpSecret = TotpSecret::from_bytes(*b"12345678901234567890");

    #[test]
    fn codes_are_those_of_rfc_6238() {
        // Appendix B, of whose eight digits these are the last six.
        for (time_s, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
        ] {
            assert_eq!(SECRET.code_at(time_s * SECOND_NS), code, "at {time_s}");
        }
        // RFC 4226, appendix D.
        let codes = [755_224, 287_082, 359_152, 969_429, 338_314, 254_676, 287_922, 162_583];
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|step| SECRET.code(step)), codes);
    }

    #[test]
    fn a_code_is_good_for_its_half_minute_and_the_ones_beside_it() {
        let code = SECRET.code_at(59 * SECOND_NS);
        for (time_s, step) in
            [(29, Some(1)), (30, Some(1)), (89, Some(1)), (90, None), (0, Some(1))]
        {
            assert_eq!(SECRET.step_of(&code, time_s * SECOND_NS), step, "at {time_s}");
        }
        for wrong in ["", "28708", "2870820", "287083", "+28708", "28708a", "２８７０８２"] {
            assert_eq!(SECRET.step_of(wrong, 59 * SECOND_NS), None, "{wrong}");
        }
    }

    #[test]
    fn an_app_reads_the_secret_in_base32() {
        let user = UserName::parse("alice+x@example.com").unwrap();
        assert_eq!(
            SECRET.uri(&user),
            "otpauth://totp/Buttonwood:alice%2Bx%40example.com\
             ?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Buttonwood"
        );
        assert_eq!(format!("{SECRET:?}"), "TotpSecret(hidden)");
    }
}
