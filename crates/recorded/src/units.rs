//! Numbers of a file as whole ticks and lots.

use types::{Increment, PRICE_MAX, Price, QTY_MAX, Qty};

use crate::fault::Fault;

/// Powers of ten that fit into 64 bits.
const POWERS: [i64; 19] = {
    let mut powers = [1; 19];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// The finest decimals of a file whose decimals are not known yet.
pub(crate) const DECIMALS_MAX: u8 = 9;

/// An exact decimal: `units` of 10^-`decimals`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Decimal {
    pub(crate) units: i64,
    pub(crate) decimals: u8,
}

impl Decimal {
    pub(crate) const fn whole(units: i64) -> Self {
        Self { units, decimals: 0 }
    }

    /// Parses a plain decimal, with a minus for negative numbers and an exponent as programs print
    /// small floats (`1e-05`). `None` if the text is anything else, or has more than 18 digits.
    #[inline]
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let (is_negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let (mut units, mut taken, mut point) = (0_i64, 0_usize, None);
        for (at, &byte) in digits.iter().enumerate() {
            let digit = byte.wrapping_sub(b'0');
            if digit < 10 {
                taken += usize::from(units > 0 || digit > 0);
                if taken >= POWERS.len() {
                    return Self::parse_long(is_negative, digits);
                }
                units = units * 10 + i64::from(digit);
            } else if byte == b'.' && point.is_none() && at > 0 {
                point = Some(at);
            } else {
                return Self::parse_exponent(is_negative, digits, at);
            }
        }
        let decimals = point.map_or(0, |point| digits.len() - point - 1);
        if digits.is_empty() || point == Some(digits.len() - 1) || decimals >= POWERS.len() {
            return Self::parse_long(is_negative, digits);
        }
        Some(Self { units: if is_negative { -units } else { units }, decimals: decimals as u8 })
    }

    /// The same without trailing zeros, if there are any.
    #[cold]
    fn parse_long(is_negative: bool, digits: &[u8]) -> Option<Self> {
        let point = digits.iter().position(|&byte| byte == b'.')?;
        let end = digits.iter().rposition(|&byte| byte != b'0')? + 1;
        let shorter = &digits[..end.max(point + 2).min(digits.len())];
        if shorter.len() == digits.len() {
            return None;
        }
        Self::parse(shorter).map(|found| if is_negative { found.negative() } else { found })
    }

    #[cold]
    fn parse_exponent(is_negative: bool, digits: &[u8], at: usize) -> Option<Self> {
        if !digits[at].eq_ignore_ascii_case(&b'e') || at == 0 {
            return None;
        }
        let exponent: i16 = std::str::from_utf8(&digits[at + 1..]).ok()?.parse().ok()?;
        let mantissa = Self::parse(&digits[..at])?;
        let decimals = i16::from(mantissa.decimals).checked_sub(exponent)?;
        let found = if decimals >= 0 {
            let decimals = u8::try_from(decimals).ok()?;
            Self { units: mantissa.units, decimals }
        } else {
            let power = POWERS.get(usize::from(decimals.unsigned_abs()))?;
            Self { units: mantissa.units.checked_mul(*power)?, decimals: 0 }
        };
        Some(if is_negative { found.negative() } else { found })
    }

    fn negative(self) -> Self {
        Self { units: -self.units, ..self }
    }

    /// The decimal that a float stands for: the shortest that reads as this float. `None` if it has
    /// more than [`DECIMALS_MAX`] places, or is not finite, or too large.
    #[inline]
    pub(crate) fn of_float(float: f64) -> Option<Self> {
        // Most quantities have at most three places; more than that is found the long way.
        for decimals in 0..=DECIMALS_MAX {
            let power = POWERS[usize::from(decimals)] as f64;
            let units = (float * power).round();
            if units.abs() >= 9e15 {
                return None;
            }
            if units / power == float {
                return Some(Self { units: units as i64, decimals });
            }
        }
        None
    }

    /// The decimal as a number of increments; `None` unless that number is whole.
    #[inline]
    pub(crate) fn count(self, increment: Increment) -> Option<i64> {
        let units = if self.decimals <= increment.decimals {
            let power = POWERS.get(usize::from(increment.decimals - self.decimals))?;
            self.units.checked_mul(*power)?
        } else {
            let power = usize::from(self.decimals - increment.decimals);
            match POWERS.get(power) {
                Some(power) if self.units % power == 0 => self.units / power,
                Some(power) => self.without_noise(*power)?,
                None if self.units == 0 => 0,
                _ => return None,
            }
        };
        if increment.units == 1 {
            return Some(units);
        }
        let size = i64::try_from(increment.units).ok()?;
        (units % size == 0).then_some(units / size)
    }

    /// The number of `power` units that a program had in a double, which errs in the last of its 16
    /// or 17 digits: `218102.59507500002` is 218102.595075. `None` if the rest is more than that.
    #[cold]
    fn without_noise(self, power: i64) -> Option<i64> {
        const DIGITS_OF_A_DOUBLE: i64 = 1_000_000_000_000_000;
        const NOISE_SHIFT: u32 = 51;
        let units = i128::from(self.units);
        let nearest = (units + i128::from(power / 2)).div_euclid(power.into());
        let rest = (units - nearest * i128::from(power)).unsigned_abs();
        let is_noise = self.units.unsigned_abs() >= DIGITS_OF_A_DOUBLE.unsigned_abs()
            && rest << NOISE_SHIFT <= units.unsigned_abs();
        is_noise.then(|| i64::try_from(nearest).ok()).flatten()
    }

    /// Without trailing zeros.
    fn shortest(mut self) -> Self {
        while self.decimals > 0 && self.units % 10 == 0 {
            self = Self { units: self.units / 10, decimals: self.decimals - 1 };
        }
        self
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { units, decimals } = self.shortest();
        f.write_str(&types::format_decimal(units.into(), decimals, decimals))
    }
}

/// The tick and the lot of an instrument.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Units {
    pub(crate) tick: Increment,
    pub(crate) lot: Increment,
}

impl Units {
    #[inline]
    pub(crate) fn price(self, price: Decimal) -> Result<Price, Fault> {
        let Some(ticks) = price.count(self.tick) else {
            return Err(Fault::OffTick { price: price.to_string(), tick: self.tick });
        };
        // Spreads and some energy markets have prices of zero and below.
        if ticks.abs() > PRICE_MAX.ticks() {
            return Err(Fault::PriceOutOfRange { price: price.to_string() });
        }
        Ok(Price::from_ticks(ticks))
    }

    #[inline]
    pub(crate) fn quantity(self, quantity: Decimal) -> Result<Qty, Fault> {
        let Some(lots) = quantity.count(self.lot) else {
            return Err(Fault::OffLot { quantity: quantity.to_string(), lot: self.lot });
        };
        match u64::try_from(lots) {
            Ok(lots) if lots <= QTY_MAX.lots() => Ok(Qty::from_lots(lots)),
            Ok(_) => Err(Fault::QuantityOutOfRange { quantity: quantity.to_string() }),
            Err(_) => Err(Fault::Row(format!("quantity {quantity} is negative"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let found = Decimal::parse(text.as_bytes()).map(|found| found.to_string());
        assert_eq!(found.as_deref().unwrap_or("refused"), expect, "{text:?}");
    }

    #[test]
    fn decimals_are_parsed_exactly_or_refused() {
        check("58710.20", "58710.2");
        check("0.014", "0.014");
        check("-37.63", "-37.63");
        check("0", "0");
        check("00.10", "0.1");
        check("1e-05", "0.00001");
        check("1.5E3", "1500");
        check("-2e0", "-2");
        check("123456789012345678", "123456789012345678");
        check("1.00000000000000000000000", "1");
        check("100.50000000000000000000", "100.5");
        check("1234567890123456789", "refused");
        check("0.1234567890123456789", "refused");
        for text in ["", "-", ".", "1.", ".5", "+1", " 1", "1.2.3", "1e", "e5", "1e99", "nan", "٣"]
        {
            check(text, "refused");
        }
    }

    #[test]
    fn only_whole_ticks_count() {
        let quarter = Increment { units: 25, decimals: 2 };
        let count = |text: &str| Decimal::parse(text.as_bytes()).unwrap().count(quarter);
        assert_eq!(count("4810.25"), Some(19_241));
        assert_eq!(count("4810.250000000"), Some(19_241));
        assert_eq!(count("-0.5"), Some(-2));
        assert_eq!(count("4810"), Some(19_240));
        assert_eq!(count("4810.26"), None);
        assert_eq!(count("4810.255"), None);
        assert_eq!(count("999999999999999999"), None);
        // The noise of a double, and more than that.
        let hundredth = Increment { units: 1, decimals: 2 };
        let count = |text: &str| Decimal::parse(text.as_bytes()).unwrap().count(hundredth);
        assert_eq!(count("218102.59000000003"), Some(21_810_259));
        assert_eq!(count("-0.3000000000000000"), Some(-30));
        assert_eq!(count("218102.59000000103"), None);
        assert_eq!(count("218102.591"), None);
    }

    proptest! {
        #[test]
        fn a_decimal_in_a_float_is_found_again(units in -9_000_000_000_i64..9_000_000_000, decimals in 0_u8..=6) {
            let decimal = Decimal { units, decimals };
            let float: f64 = decimal.to_string().parse().unwrap();
            let found = Decimal::of_float(float).expect("it is short");
            prop_assert_eq!(found.shortest(), decimal.shortest());
        }

        #[test]
        fn parsing_agrees_with_the_decimals_of_the_venue(text in "[0-9]{1,9}(\\.[0-9]{1,9})?") {
            let found = Decimal::parse(text.as_bytes()).unwrap();
            let increment = Increment { units: 1, decimals: 9 };
            let expected = types::parse_decimal(&text, 9).and_then(|units| i64::try_from(units).ok());
            prop_assert_eq!(found.count(increment), expected);
        }

        #[test]
        fn arbitrary_text_never_panics(text in ".{0,30}", digits in "[-0-9.eE]{0,40}") {
            for text in [text, digits] {
                if let Some(found) = Decimal::parse(text.as_bytes()) {
                    let _ = found.count(Increment { units: 25, decimals: 2 });
                }
            }
        }
    }
}
