//! Ids of stream entries, and the numbers of their commands.

use std::fmt;

/// The id of an entry: milliseconds since 1970, and a number within the millisecond.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct StreamId {
    pub ms: u64,
    pub seq: u64,
}

/// Bits of a number for the part within the millisecond. After a step back of its clock, Redis
/// stays in one millisecond until the clock has caught up: the part then counts seconds of load.
const SEQ_BITS: u32 = 20;
/// This many milliseconds last until the year 2527.
const MS_BITS: u32 = u64::BITS - SEQ_BITS;

impl StreamId {
    pub fn parse(text: &str) -> Option<Self> {
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let (ms, seq) = text.split_once('-').filter(|(ms, seq)| is_digits(ms) && is_digits(seq))?;
        Some(Self { ms: ms.parse().ok()?, seq: seq.parse().ok()? })
    }

    /// The number of the entry's command, which rises with the id; zero only for the id `0-0`,
    /// which no entry has. `None` if the id is too large.
    pub const fn number(self) -> Option<u64> {
        if self.ms >> MS_BITS == 0 && self.seq >> SEQ_BITS == 0 {
            Some(self.ms << SEQ_BITS | self.seq)
        } else {
            None
        }
    }

    pub const fn of_number(number: u64) -> Self {
        Self { ms: number >> SEQ_BITS, seq: number & ((1 << SEQ_BITS) - 1) }
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.ms, self.seq)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_id_that_is_too_large_has_no_number() {
        let number = |text| StreamId::parse(text).unwrap().number();
        assert_eq!(number("0-0"), Some(0));
        assert_eq!(number("0-1"), Some(1));
        assert_eq!(number("1-0"), Some(1 << SEQ_BITS));
        assert_eq!(number("1764230400000-1048575"), Some((1_764_230_400_001 << SEQ_BITS) - 1));
        assert_eq!(number("1764230400000-1048576"), None);
        assert_eq!(number("17592186044415-0"), Some(u64::MAX >> SEQ_BITS << SEQ_BITS));
        assert_eq!(number("17592186044416-0"), None);
        for text in ["", "-", "1", "1-", "-1", "+1-1", "1-1-1", "1 -1", "18446744073709551616-0"] {
            assert_eq!(StreamId::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn numbers_rise_with_the_ids(one in any::<(u64, u64)>(), other in any::<(u64, u64)>()) {
            let id = |(ms, seq): (u64, u64)| StreamId { ms: ms >> SEQ_BITS, seq: seq >> MS_BITS };
            let (one, other) = (id(one), id(other));
            prop_assert_eq!(one.cmp(&other), one.number().unwrap().cmp(&other.number().unwrap()));
            prop_assert_eq!(StreamId::of_number(one.number().unwrap()), one);
            prop_assert_eq!(StreamId::parse(&one.to_string()), Some(one));
        }
    }
}
