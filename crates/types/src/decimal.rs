//! Decimals at the rim: parsed exactly or refused, never rounded.

use std::fmt;
use std::ops::Deref;

use crate::wire::{Reader, Wire};

/// Parses a plain decimal such as `"4810.25"` or `"100.50000000"` into units of 10^-`decimals`.
/// `None` unless it is exact; trailing zeros are fine, since clients send eight of them. No sign,
/// no exponent, no blank.
pub fn parse_decimal(text: &str, decimals: u8) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || fraction.len() > usize::from(decimals) {
        return None;
    }
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let missing_zeros = u32::from(decimals) - u32::try_from(fraction.len()).ok()?;
    let mut units: i128 = 0;
    for digit in whole.bytes().chain(fraction.bytes()) {
        units = units.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    units.checked_mul(10_i128.checked_pow(missing_zeros)?)
}

/// Prints units of 10^-`decimals` with exactly `digits` places after the point, which must be
/// enough to be exact.
pub fn format_decimal(units: i128, decimals: u8, digits: u8) -> String {
    DecimalText::format(units, decimals, digits).to_string()
}

/// The text of a decimal, inline: a reply to an order has a dozen of them.
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct DecimalText {
    len: u8,
    /// Zero after `len`, so that comparing is plain.
    bytes: [u8; Self::LEN_MAX],
}

impl DecimalText {
    /// A sign, the digits of the largest number, a point, and some more zeros.
    pub const LEN_MAX: usize = 63;

    /// Like [`format_decimal`].
    pub fn format(units: i128, decimals: u8, digits: u8) -> Self {
        assert!(digits >= decimals, "printing would round");
        // From the last digit to the first, because it is fast.
        let mut backwards = Backwards { bytes: [0; Self::LEN_MAX], begin: Self::LEN_MAX };
        let mut rest = units.unsigned_abs();
        (0..digits - decimals).for_each(|_| backwards.push(b'0'));
        (0..decimals).for_each(|_| backwards.push(last_digit(&mut rest)));
        if digits > 0 {
            backwards.push(b'.');
        }
        backwards.push(last_digit(&mut rest));
        while rest > 0 {
            backwards.push(last_digit(&mut rest));
        }
        if units < 0 {
            backwards.push(b'-');
        }
        Self::of(&backwards.bytes[backwards.begin..])
    }

    /// The text as it is: digits with at most one point between them, after at most one sign.
    /// `None` if it is anything else, or too long.
    pub fn parse(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        let digits = |s: &str| !s.is_empty() && s.bytes().all(|byte| byte.is_ascii_digit());
        let is_decimal = digits(whole) && digits(fraction) && text.len() <= Self::LEN_MAX;
        is_decimal.then(|| Self::of(text.as_bytes()))
    }

    fn of(text: &[u8]) -> Self {
        let mut bytes = [0; Self::LEN_MAX];
        bytes[..text.len()].copy_from_slice(text);
        Self { len: text.len() as u8, bytes }
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.len)])
            .expect("digits, a point and a sign")
    }
}

impl Deref for DecimalText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for DecimalText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for DecimalText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

/// A text that is written from its end.
struct Backwards {
    bytes: [u8; DecimalText::LEN_MAX],
    begin: usize,
}

impl Backwards {
    fn push(&mut self, byte: u8) {
        self.begin -= 1;
        self.bytes[self.begin] = byte;
    }
}

/// Removes the last digit. Nearly all values fit into 64 bits, which the processor divides itself.
#[inline]
fn last_digit(rest: &mut u128) -> u8 {
    let digit = match u64::try_from(*rest) {
        Ok(small) => {
            *rest = u128::from(small / 10);
            (small % 10) as u8
        }
        Err(_) => {
            let digit = (*rest % 10) as u8;
            *rest /= 10;
            digit
        }
    };
    b'0' + digit
}

/// A tick size or a lot size: `units` of 10^-`decimals`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Increment {
    pub units: u64,
    pub decimals: u8,
}

impl Wire for Increment {
    fn write(&self, out: &mut Vec<u8>) {
        (self.units, self.decimals).write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self { units: r.read()?, decimals: r.read()? })
    }
}

impl Increment {
    /// `"0.01"` is one unit of 10^-2.
    pub fn parse(text: &str) -> Option<Self> {
        let (_, fraction) = text.split_once('.').unwrap_or((text, ""));
        let decimals = u8::try_from(fraction.trim_end_matches('0').len()).ok()?;
        let units = u64::try_from(parse_decimal(text, decimals)?).ok()?;
        (units > 0).then_some(Self { units, decimals })
    }

    /// The decimal as a number of increments; `None` unless that number is whole.
    pub fn count(self, text: &str) -> Option<i128> {
        let units = parse_decimal(text, self.decimals)?;
        let size = i128::from(self.units);
        (units % size == 0).then_some(units / size)
    }

    /// `count` increments as a decimal with at least `digits` places.
    pub fn format(self, count: i128, digits: u8) -> String {
        self.text(count, digits).to_string()
    }

    /// Like [`Increment::format`], inline.
    pub fn text(self, count: i128, digits: u8) -> DecimalText {
        let digits = digits.max(self.decimals);
        DecimalText::format(count * i128::from(self.units), self.decimals, digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_exactly_or_refuses() {
        let check = |text: &str, decimals, expect| {
            assert_eq!(parse_decimal(text, decimals), expect, "{text:?}");
        };
        check("4810.25", 2, Some(481_025));
        check("100.50000000", 2, Some(10_050));
        check("7", 8, Some(700_000_000));
        check("0", 0, Some(0));
        check("1.", 2, Some(100));
        check("0.001", 2, None);
        check("", 2, None);
        check(".5", 2, None);
        check("-1", 2, None);
        check("+1", 2, None);
        check("1e5", 2, None);
        check(" 1", 2, None);
        check("1.2.3", 2, None);
        check("١", 2, None);
        check(&"9".repeat(60), 2, None);
        check("170141183460469231731687303715884105727", 0, Some(i128::MAX));
        check("170141183460469231731687303715884105728", 0, None);
        check("1", 60, None);
    }

    #[test]
    fn prints_exactly() {
        assert_eq!(format_decimal(481_025, 2, 8), "4810.25000000");
        assert_eq!(format_decimal(-5, 2, 2), "-0.05");
        assert_eq!(format_decimal(7, 0, 0), "7");
        assert_eq!(format_decimal(7, 0, 2), "7.00");
        assert_eq!(format_decimal(0, 2, 3), "0.000");
        assert_eq!(format_decimal(10, 1, 1), "1.0");
        assert_eq!(format_decimal(i128::MAX, 0, 0), i128::MAX.to_string());
        assert_eq!(format_decimal(i128::MIN, 0, 0), i128::MIN.to_string());
        for units in [1, 99, 1 << 64, (1 << 64) - 1, 10_i128.pow(20), i128::MAX] {
            for decimals in 0..20 {
                let text = format_decimal(units, decimals, 20);
                assert_eq!(parse_decimal(&text, decimals), Some(units), "{text}");
            }
        }
    }

    #[test]
    fn a_text_is_kept_as_it_was_sent() {
        let kept = |text: &str| DecimalText::parse(text).map(|kept| kept.to_string());
        let longest = "9".repeat(DecimalText::LEN_MAX);
        for text in ["0", "007", "4810.250", "-0.05", &*longest] {
            assert_eq!(kept(text).as_deref(), Some(text));
        }
        for text in ["", ".", "1.", ".5", "-", "+1", "1e5", " 1", "1.2.3", "١", &*(longest + "9")]
        {
            assert_eq!(kept(text), None, "{text:?}");
        }
        assert_eq!(DecimalText::parse("1.50"), Some(DecimalText::format(15, 1, 2)));
    }

    #[test]
    #[should_panic(expected = "printing would round")]
    fn refuses_to_print_rounded() {
        let _ = format_decimal(1, 2, 1);
    }

    #[test]
    fn increments_count_whole_numbers_only() {
        let quarter = Increment::parse("0.25").expect("a plain decimal");
        assert_eq!(quarter, Increment { units: 25, decimals: 2 });
        assert_eq!(quarter.count("4810.25"), Some(19_241));
        assert_eq!(quarter.count("4810.250000"), Some(19_241));
        assert_eq!(quarter.count("4810.26"), None);
        assert_eq!(quarter.format(19_241, 0), "4810.25");
        assert_eq!(quarter.format(19_241, 4), "4810.2500");
        assert_eq!(Increment::parse("0"), None);
        assert_eq!(Increment::parse("1.0"), Some(Increment { units: 1, decimals: 0 }));
        assert_eq!(Increment::parse("x"), None);
    }
}
