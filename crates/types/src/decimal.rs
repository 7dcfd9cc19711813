//! Decimals at the rim: parsed exactly or refused, never rounded.

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
    assert!(digits >= decimals, "printing would round");
    // From the last digit to the first, because it is fast: a reply to an order prints a dozen
    // numbers.
    let mut rest = units.unsigned_abs();
    let mut text = Vec::with_capacity(usize::from(digits) + WHOLE_DIGITS);
    text.resize(usize::from(digits - decimals), b'0');
    text.extend((0..decimals).map(|_| last_digit(&mut rest)));
    if digits > 0 {
        text.push(b'.');
    }
    text.push(last_digit(&mut rest));
    while rest > 0 {
        text.push(last_digit(&mut rest));
    }
    if units < 0 {
        text.push(b'-');
    }
    text.reverse();
    String::from_utf8(text).expect("digits, a point and a sign")
}

/// Digits in front of the point that are reserved, with the sign and the point; longer numbers are
/// rare.
const WHOLE_DIGITS: usize = 14;

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
        format_decimal(count * i128::from(self.units), self.decimals, digits.max(self.decimals))
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
