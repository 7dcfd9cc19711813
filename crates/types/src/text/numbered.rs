//! Names of numbered orders: login, day and number in the client order id.
//!
//! Every event of an order then names its owner, and no reader needs a table for it.

use super::ClOrdId;
use super::packed::{ALPHABET, INDEXES};
use crate::id::LoginId;

/// The first character of such a name. No client may use it.
const MARK: u8 = b'~';
const LOGIN_LEN: usize = 4;
const DAY_LEN: usize = 2;
const NUMBER_LEN: usize = 6;
const TEXT_FROM: usize = 1 + LOGIN_LEN + DAY_LEN + NUMBER_LEN + 1;

/// What the name of a numbered order consists of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NumberedName {
    pub login: LoginId,
    /// The day of the number, modulo [`NumberedName::DAYS`].
    pub day: u32,
    pub number: u32,
    /// Six bits of the gateway's own.
    pub flags: u8,
}

impl NumberedName {
    /// Days after which the names begin again.
    pub const DAYS: u32 = 1 << (6 * DAY_LEN);
    /// The characters that are left for the client's own text.
    pub const TEXT_MAX: usize = ClOrdId::LEN_MAX - TEXT_FROM;

    /// The name, with the client's own text after it. `None` if the text is too long, or has a
    /// character that no client order id has.
    pub fn to_cl_ord_id(self, text: &[u8]) -> Option<ClOrdId> {
        let mut bytes = [0; ClOrdId::LEN_MAX];
        bytes[0] = MARK;
        let mut at = 1;
        for (value, len) in [
            (self.login.0, LOGIN_LEN),
            (self.day % Self::DAYS, DAY_LEN),
            (self.number, NUMBER_LEN),
            (u32::from(self.flags), 1),
        ] {
            put(value, &mut bytes[at..at + len]);
            at += len;
        }
        bytes.get_mut(at..at + text.len())?.copy_from_slice(text);
        if text.is_empty() {
            return Some(ClOrdId { len: TEXT_FROM as u8, bytes });
        }
        ClOrdId::from_bytes(&bytes[..at + text.len()])
    }
}

impl ClOrdId {
    /// The name's parts and the client's own text, if the order is numbered.
    #[inline]
    pub fn numbered(&self) -> Option<(NumberedName, &[u8])> {
        if self.bytes[0] == MARK { self.read_numbered() } else { None }
    }

    /// Whether the venue names orders like this, and no client may.
    pub fn is_of_venue(&self) -> bool {
        self.bytes[0] == MARK
    }

    fn read_numbered(&self) -> Option<(NumberedName, &[u8])> {
        let (name, text) = self.as_bytes().split_at_checked(TEXT_FROM)?;
        let mut at = 1;
        let mut next = |len| {
            let part = &name[at..at + len];
            at += len;
            part.iter().try_fold(0_u64, |value, byte| {
                let index = INDEXES[usize::from(*byte)];
                (index < 64).then_some(value << 6 | u64::from(index))
            })
        };
        let (login, day) = (next(LOGIN_LEN)?, next(DAY_LEN)?);
        let (number, flags) = (next(NUMBER_LEN)?, next(1)?);
        let numbered = NumberedName {
            login: LoginId(login as u32),
            day: day as u32,
            number: u32::try_from(number).ok()?,
            flags: flags as u8,
        };
        Some((numbered, text))
    }
}

/// Writes a number six bits at a time, the highest first.
fn put(mut value: u32, bytes: &mut [u8]) {
    for byte in bytes.iter_mut().rev() {
        *byte = ALPHABET[(value % 64) as usize];
        value /= 64;
    }
    debug_assert_eq!(value, 0, "the number fits");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_back_with_the_text() {
        for (login, day, number, flags) in
            [(1, 0, 0, 0), (1_000_000, 4_095, u32::MAX, 63), (77, 20, 123_456, 5)]
        {
            let name = NumberedName { login: LoginId(login), day, number, flags };
            for text in ["", "a", "client-text_14", &"x".repeat(NumberedName::TEXT_MAX)] {
                let id = name.to_cl_ord_id(text.as_bytes()).unwrap();
                assert_eq!(id.numbered(), Some((name, text.as_bytes())));
                assert!(id.is_of_venue());
            }
            assert!(name.to_cl_ord_id(&[b'x'; NumberedName::TEXT_MAX + 1]).is_none());
            assert!(name.to_cl_ord_id(b"a b").is_none());
            assert!(name.to_cl_ord_id(b"").unwrap().pack().is_some(), "it is stored inline");
        }
        let day = |day| NumberedName { login: LoginId(1), day, number: 1, flags: 0 };
        assert_eq!(day(5).to_cl_ord_id(b""), day(5 + NumberedName::DAYS).to_cl_ord_id(b""));
    }

    #[test]
    fn other_names_have_no_number() {
        for text in ["a", "0000000000000", "~", "~0001000000", "~.0010000000000", "~000100zzzzzz0"]
        {
            assert_eq!(ClOrdId::parse(text).unwrap().numbered(), None, "{text}");
        }
    }
}
