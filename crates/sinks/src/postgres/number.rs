//! Numbers of 128 bits, as PostgreSQL's `numeric` has them.

use bytes::{BufMut, BytesMut};
use std::error::Error;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};
use types::Amount;

/// A whole number in a column of type `numeric`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Wide(pub(crate) i128);

impl From<Amount> for Wide {
    fn from(amount: Amount) -> Self {
        Self(amount.minor())
    }
}

/// Digits come in groups of four.
const BASE: u128 = 10_000;
const NEGATIVE: u16 = 0x4000;
/// 39 digits.
const GROUPS_MAX: usize = 10;

impl Wide {
    /// Its binary form: how many groups, the power of the first, the sign, digits after the point,
    /// and the groups without zeros at either end.
    pub(crate) fn write(self, out: &mut BytesMut) {
        let mut groups = [0_u16; GROUPS_MAX];
        let mut rest = self.0.unsigned_abs();
        let mut count = 0;
        // The last group first.
        while rest > 0 {
            groups[count] = (rest % BASE) as u16;
            rest /= BASE;
            count += 1;
        }
        let zeros = groups[..count].iter().take_while(|group| **group == 0).count();
        let shown = &groups[zeros..count];
        out.put_i16(shown.len() as i16);
        out.put_i16(count.saturating_sub(1) as i16);
        out.put_u16(if self.0 < 0 { NEGATIVE } else { 0 });
        out.put_i16(0);
        shown.iter().rev().for_each(|group| out.put_u16(*group));
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (pairs, []) = bytes.as_chunks::<2>() else { return None };
        let mut words = pairs.iter().map(|pair| u16::from_be_bytes(*pair));
        let count = usize::from(words.next()?);
        let weight = i32::from(words.next()? as i16);
        let sign = words.next()?;
        let _scale = words.next()?;
        let mut value = 0_u128;
        let groups: Vec<u16> = words.collect();
        if groups.len() != count || i32::try_from(count).ok()? > weight + 1 {
            return (count == 0).then_some(Self(0)); // Else it has digits after the point.
        }
        for at in 0..=usize::try_from(weight).ok()? {
            let group = groups.get(at).copied().unwrap_or_default();
            value = value.checked_mul(BASE)?.checked_add(group.into())?;
        }
        match sign {
            0 => i128::try_from(value).ok().map(Self),
            NEGATIVE => 0_i128.checked_sub_unsigned(value).map(Self),
            _ => None,
        }
    }
}

impl ToSql for Wide {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.write(out);
        Ok(IsNull::No)
    }

    accepts!(NUMERIC);
    to_sql_checked!();
}

impl FromSql<'_> for Wide {
    fn from_sql(_: &Type, bytes: &[u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Self::read(bytes).ok_or_else(|| "a number that is not whole, or beyond 128 bits".into())
    }

    accepts!(NUMERIC);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_numbers_are_read_as_they_were_written() {
        let powers = (0..127).map(|power| 1_i128 << power);
        let tens = (0..39).map(|power| 10_i128.pow(power));
        let all = powers.chain(tens).flat_map(|it| [it, -it, it - 1, 1 - it, it + 1]);
        for number in all.chain([0, i128::MIN, i128::MAX]) {
            let mut bytes = BytesMut::new();
            Wide(number).write(&mut bytes);
            assert_eq!(Wide::read(&bytes), Some(Wide(number)));
            for cut in 0..bytes.len() {
                let read = Wide::read(&bytes[..cut]);
                assert!(read.is_none(), "{number}, cut at {cut}: {read:?}");
            }
        }
    }

    #[test]
    fn fractions_are_refused() {
        let half = [0, 1, 0xff, 0xff, 0, 0, 0, 1, 0x13, 0x88];
        assert_eq!(Wide::read(&half), None);
    }
}
