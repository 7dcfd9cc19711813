//! Client order ids for requests that have none.

use super::ClOrdId;

impl ClOrdId {
    /// A name for an order or a cancel whose client gave none: 20 letters and digits, which the
    /// engine packs into 16 bytes. The first is a digit, since clients know their own names by how
    /// they begin: NautilusTrader takes all that begin with an O for its own. The randomness is the
    /// caller's.
    pub fn generated(random: [u8; 16]) -> Self {
        const ALPHABET: &[u8; 62] =
            b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        const LEN: usize = 20; // 10 * 62^19 is above 2^116
        let mut rest = u128::from_le_bytes(random);
        let mut text = [0; LEN];
        for (at, letter) in text.iter_mut().enumerate() {
            let choices = if at == 0 { 10 } else { 62 };
            *letter = ALPHABET[(rest % choices) as usize];
            rest /= choices;
        }
        let text = std::str::from_utf8(&text).expect("letters and digits");
        Self::parse(text).expect("20 letters and digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_have_20_characters_and_differ() {
        let zero = ClOrdId::generated([0; 16]);
        let ones = ClOrdId::generated([0xff; 16]);
        assert_eq!(zero.as_str(), "0".repeat(20));
        assert_eq!(ones.as_str().len(), 20);
        assert_ne!(ClOrdId::generated([1; 16]), ClOrdId::generated([2; 16]));
        for byte in 0..=u8::MAX {
            let name = ClOrdId::generated([byte; 16]).to_string();
            assert!(name.starts_with(|first: char| first.is_ascii_digit()), "{name}");
        }
        assert!(ones.pack().is_some(), "every resting order has one");
    }
}
