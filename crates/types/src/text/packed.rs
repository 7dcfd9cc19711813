//! Client order ids in 16 bytes, into which most of them fit: every order stores one.

use std::num::NonZeroU64;

use super::ClOrdId;

/// A [`ClOrdId`] of at most 15 characters, or of at most 20 that are letters, digits, `-` or `_`.
/// Packed ids are equal if and only if the ids are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PackedClOrdId {
    low: u64,
    /// Its highest byte is the length.
    high: NonZeroU64,
}

const _: () = assert!(size_of::<Option<PackedClOrdId>>() == 16);

/// Up to this length the characters are stored unchanged.
const PLAIN_MAX: u8 = 15;

/// Up to this length they are stored in six bits each, the first one lowest.
const SIX_BIT_MAX: u8 = 20;

const LEN_SHIFT: u32 = 56;

/// The bits below the length.
const CHARACTERS: u64 = (1 << LEN_SHIFT) - 1;

pub(super) const ALPHABET: &[u8; 64] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

/// The index of each byte in [`ALPHABET`]; [`NO_INDEX`] for other bytes. The zeros after an id's
/// last character add nothing.
pub(super) const INDEXES: [u8; 256] = {
    let mut indexes = [NO_INDEX; 256];
    indexes[0] = 0;
    let mut at = 0;
    while at < ALPHABET.len() {
        indexes[ALPHABET[at] as usize] = at as u8;
        at += 1;
    }
    indexes
};

const NO_INDEX: u8 = 64;

impl ClOrdId {
    /// `None` if 16 bytes do not suffice.
    #[inline]
    pub fn pack(&self) -> Option<PackedClOrdId> {
        if self.len <= PLAIN_MAX {
            let (low, rest) = self.bytes.split_first_chunk::<8>()?;
            let high = u64::from_le_bytes(*rest.first_chunk::<8>()?);
            return Some(packed(u64::from_le_bytes(*low), high, self.len));
        }
        self.pack_six_bit()
    }

    #[inline(never)]
    fn pack_six_bit(&self) -> Option<PackedClOrdId> {
        if self.len > SIX_BIT_MAX {
            return None;
        }
        let (first, rest) = self.bytes.split_first_chunk()?;
        let bits = in_six_bits(first)? | in_six_bits(rest.first_chunk()?)? << 60;
        Some(packed(bits as u64, (bits >> 64) as u64, self.len))
    }
}

/// Packs ten indexes into one word, in registers.
#[inline]
fn in_six_bits(characters: &[u8; SIX_BIT_MAX as usize / 2]) -> Option<u128> {
    let (mut bits, mut all) = (0_u64, 0);
    for (at, byte) in characters.iter().enumerate() {
        let index = INDEXES[usize::from(*byte)];
        bits |= u64::from(index) << (6 * at);
        all |= index;
    }
    (all & NO_INDEX == 0).then_some(u128::from(bits))
}

fn packed(low: u64, high: u64, len: u8) -> PackedClOrdId {
    let high = NonZeroU64::new(high | u64::from(len) << LEN_SHIFT).expect("no id is empty");
    PackedClOrdId { low, high }
}

impl PackedClOrdId {
    #[inline]
    pub fn unpack(self) -> ClOrdId {
        let high = self.high.get();
        let len = (high >> LEN_SHIFT) as u8;
        let all = u128::from(high & CHARACTERS) << 64 | u128::from(self.low);
        // Both arms return the characters in registers. If one arm wrote to memory, all characters
        // would go through memory and stall the load that follows.
        let (first, last) = if len > PLAIN_MAX {
            (six_bit(all, FIRST), six_bit(all >> (6 * FIRST), len - FIRST))
        } else {
            (all, 0)
        };
        let mut bytes = [0; ClOrdId::LEN_MAX];
        bytes[..16].copy_from_slice(&first.to_le_bytes());
        bytes[16..32].copy_from_slice(&last.to_le_bytes());
        ClOrdId { len, bytes }
    }

    /// All its bits, as input of a hash.
    pub fn words(self) -> [u64; 2] {
        [self.low, self.high.get()]
    }
}

/// The number of six-bit characters in the first word.
const FIRST: u8 = 16;

/// `len` characters out of `bits`, six bits each, the first one lowest.
#[inline(never)]
fn six_bit(mut bits: u128, len: u8) -> u128 {
    let mut bytes = [0; FIRST as usize];
    for byte in &mut bytes[..usize::from(len)] {
        *byte = ALPHABET[(bits % 64) as usize];
        bits >>= 6;
    }
    u128::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_comes_back_as_it_was_packed() {
        let letters = "zZ9-_aA0kK5bB1cC2dD3x";
        for len in 1..=20 {
            let id = ClOrdId::parse(&letters[..len]).unwrap();
            assert_eq!(id.pack().unwrap().unpack(), id);
        }
        for text in ["a", ".:/_-", "a.b:c/d_e-f1234", "00000000000000000000"] {
            let id = ClOrdId::parse(text).unwrap();
            assert_eq!(id.pack().unwrap().unpack(), id);
        }
        for text in [letters, "sixteen.with.dot", &"x".repeat(36)] {
            assert_eq!(ClOrdId::parse(text).unwrap().pack(), None, "{text}");
        }
    }

    #[test]
    fn packed_ids_differ_where_ids_do() {
        let pack = |text: &str| ClOrdId::parse(text).unwrap().pack().unwrap();
        let texts = ["0", "00", "000000000000000", "0000000000000000", "00000000000000000", "1"];
        for (at, one) in texts.iter().enumerate() {
            for (other_at, other) in texts.iter().enumerate() {
                assert_eq!(pack(one) == pack(other), at == other_at, "{one} {other}");
            }
        }
    }
}
