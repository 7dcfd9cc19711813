//! Basis points with at most two decimals: `10`, `2.5`, or `"2.5"`.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use types::{format_decimal, parse_decimal};

const DECIMALS: u8 = 2;

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Bps {
    hundredths: i64,
}

impl Bps {
    pub const ZERO: Self = Self::hundredths(0);

    pub const fn new(bps: i64) -> Self {
        Self { hundredths: bps * 100 }
    }

    pub const fn hundredths(hundredths: i64) -> Self {
        Self { hundredths }
    }

    pub const fn x100(self) -> i64 {
        self.hundredths
    }

    fn parse(text: &str) -> Option<Self> {
        let (magnitude, sign) =
            text.strip_prefix('-').map_or((text, 1), |magnitude| (magnitude, -1));
        let hundredths = i64::try_from(parse_decimal(magnitude, DECIMALS)?).ok()?;
        Some(Self { hundredths: sign * hundredths })
    }
}

impl fmt::Display for Bps {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format_decimal(self.hundredths.into(), DECIMALS, DECIMALS);
        out.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// As text, so that a variable's text is read by [`Bps::deserialize`] too.
impl Serialize for Bps {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Bps {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Number)
    }
}

struct Number;

impl Visitor<'_> for Number {
    type Value = Bps;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number with at most two decimals")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Bps, E> {
        Bps::parse(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Bps, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Bps, E> {
        self.visit_str(&number.to_string())
    }

    /// The shortest text of a float is the one that a file has.
    fn visit_f64<E: Error>(self, number: f64) -> Result<Bps, E> {
        self.visit_str(&number.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn numbers_and_texts_are_read_exactly_or_refused() {
        let read = |value: Value| serde_json::from_value::<Bps>(value).ok().map(Bps::x100);
        assert_eq!(read(json!(10)), Some(1_000));
        assert_eq!(read(json!(-2.5)), Some(-250));
        assert_eq!(read(json!("0.07")), Some(7));
        for refused in [json!(0.001), json!(true), json!("1e2"), json!("--1"), json!("")] {
            assert_eq!(read(refused.clone()), None, "{refused}");
        }
    }

    #[test]
    fn they_are_printed_without_zeros_at_the_end() {
        let printed = |hundredths| Bps::hundredths(hundredths).to_string();
        assert_eq!([1, 250, -50_000, 0].map(printed), ["0.01", "2.5", "-500", "0"]);
    }
}
