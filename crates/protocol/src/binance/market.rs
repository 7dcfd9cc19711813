use types::{Amount, Asset, AssetId, ClOrdId, Instrument, Price, Qty};

/// An instrument together with its assets: all that is needed to read and print its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Market {
    pub instrument: Instrument,
    pub base: Asset,
    pub quote: Asset,
}

/// Finds a market by its symbol.
pub type Markets<'a> = &'a dyn Fn(&str) -> Option<Market>;

impl Market {
    pub fn symbol(&self) -> &str {
        self.instrument.spec.symbol.as_str()
    }

    pub fn price(&self, price: Price) -> String {
        self.instrument.format_price(price, self.quote.decimals)
    }

    pub fn qty(&self, qty: Qty) -> String {
        self.instrument.format_qty(qty, self.base.decimals)
    }

    pub fn quote_amount(&self, amount: Amount) -> String {
        self.quote.format_amount(amount)
    }

    /// The base or the quote asset: fees are taken from one of the two.
    pub fn asset(&self, id: AssetId) -> &Asset {
        match id == self.instrument.spec.base {
            true => &self.base,
            false => &self.quote,
        }
    }
}

/// A name for an order whose client gave none: 20 letters and digits, which the engine packs into
/// 16 bytes. The randomness is the caller's.
pub fn generated_cl_ord_id(random: [u8; 16]) -> ClOrdId {
    const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const LEN: usize = 20; // 62^20 is just above 2^119
    let mut rest = u128::from_le_bytes(random);
    let mut text = String::with_capacity(LEN);
    for _ in 0..LEN {
        text.push(char::from(ALPHABET[(rest % 62) as usize]));
        rest /= 62;
    }
    ClOrdId::parse(&text).expect("20 letters and digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_have_20_characters_and_differ() {
        let zero = generated_cl_ord_id([0; 16]);
        let ones = generated_cl_ord_id([0xff; 16]);
        assert_eq!(zero.as_str(), "0".repeat(20));
        assert_eq!(ones.as_str().len(), 20);
        assert_ne!(generated_cl_ord_id([1; 16]), generated_cl_ord_id([2; 16]));
        assert!(ones.pack().is_some(), "every resting order has one");
    }
}
