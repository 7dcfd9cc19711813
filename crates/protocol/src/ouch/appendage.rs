//! Appendages: optional fields after a message's fixed part, each with a length, a tag and a value.
//!
//! The length counts the tag and the value. A tag that a message does not know is skipped, so that
//! later revisions may add some.

use types::Reader;

/// Tags of appendix A, and the venue's own.
pub mod tag {
    pub const SECONDARY_ORDER_REF_NUM: u8 = 1;
    pub const FIRM: u8 = 2;
    pub const MIN_QTY: u8 = 3;
    pub const CUSTOMER_TYPE: u8 = 4;
    pub const MAX_FLOOR: u8 = 5;
    pub const PRICE_TYPE: u8 = 6;
    pub const PEG_OFFSET: u8 = 7;
    pub const DISCRETION_PRICE: u8 = 9;
    pub const DISCRETION_PRICE_TYPE: u8 = 10;
    pub const DISCRETION_PEG_OFFSET: u8 = 11;
    pub const POST_ONLY: u8 = 12;
    pub const RANDOM_RESERVES: u8 = 13;
    pub const ROUTE: u8 = 14;
    pub const EXPIRE_TIME: u8 = 15;
    pub const TRADE_NOW: u8 = 16;
    pub const HANDLE_INST: u8 = 17;
    pub const BBO_WEIGHT: u8 = 18;
    pub const DISPLAY_QUANTITY: u8 = 22;
    pub const DISPLAY_PRICE: u8 = 23;
    pub const GROUP_ID: u8 = 24;
    pub const SHARES_LOCATED: u8 = 25;
    pub const LOCATE_BROKER: u8 = 26;
    pub const SIDE: u8 = 27;
    pub const USER_REF_IDX: u8 = 28;
    pub const AIQ_STRATEGY: u8 = 29;
    pub const AIQ_GROUP_ID: u8 = 30;

    /// A symbol of up to 20 characters, in place of the message's field, which is blank.
    pub const SYMBOL: u8 = 200;
    /// A price in whole ticks of the instrument, signed, in 8 bytes, in place of the message's
    /// field, which is zero.
    pub const PRICE_TICKS: u8 = 201;
    /// The account's number in 4 bytes. It must be the account of the log-in.
    pub const ACCOUNT: u8 = 202;
    /// Of an account query: `Y` cancels the session's orders when it ends, `N` leaves them.
    pub const CANCEL_ON_DISCONNECT: u8 = 203;
    /// Of a restatement: the match number of a corrected trade, in 8 bytes.
    pub const MATCH_NUMBER: u8 = 204;
    /// Of a restatement: the price of a corrected trade, as a field of 8 bytes.
    pub const TRADE_PRICE: u8 = 205;
    /// Of a restatement: the ClOrdID of the order whose trade was corrected, without padding.
    pub const CL_ORD_ID: u8 = 206;
}

/// Length and tag.
const HEADER_SIZE: usize = 2;
const LENGTH_SIZE: usize = 2;

/// The optional fields of a message, each of which is whole.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Appendage<'a>(&'a [u8]);

/// An optional field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TagValue<'a> {
    pub tag: u8,
    pub value: &'a [u8],
}

impl<'a> Appendage<'a> {
    /// Reads what follows the fixed part of a message that always has an appendage's length.
    #[inline]
    pub(super) fn required(rest: &'a [u8]) -> Option<Self> {
        let (length, fields) = rest.split_first_chunk::<LENGTH_SIZE>()?;
        if usize::from(u16::from_be_bytes(*length)) != fields.len() {
            return None;
        }
        let is_whole = fields.is_empty() || are_whole(fields);
        is_whole.then_some(Self(fields))
    }

    /// Likewise of a message that may end without one.
    #[inline]
    pub(super) fn optional(rest: &'a [u8]) -> Option<Self> {
        if rest.is_empty() { Some(Self(rest)) } else { Self::required(rest) }
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = TagValue<'a>> + use<'a> {
        let mut rest = Reader(self.0);
        std::iter::from_fn(move || take(&mut rest))
    }

    /// The value of a tag, as long as the tag's type is.
    pub fn get<const N: usize>(&self, tag: u8) -> Option<[u8; N]> {
        self.iter().find(|found| found.tag == tag)?.value.try_into().ok()
    }
}

fn are_whole(fields: &[u8]) -> bool {
    let mut rest = Reader(fields);
    while !rest.is_empty() {
        if take(&mut rest).is_none() {
            return false;
        }
    }
    true
}

fn take<'a>(rest: &mut Reader<'a>) -> Option<TagValue<'a>> {
    let [length, tag] = rest.take::<HEADER_SIZE>()?;
    let value = rest.take_slice(usize::from(length).checked_sub(1)?)?;
    Some(TagValue { tag, value })
}

/// Writes the fields of an appendage.
#[derive(Debug)]
pub struct Tags<'a> {
    out: &'a mut Vec<u8>,
}

impl Tags<'_> {
    /// Adds a field.
    pub fn put(&mut self, tag: u8, value: &[u8]) {
        let length = u8::try_from(value.len() + 1).expect("no value is longer than 254 bytes");
        self.out.extend([length, tag]);
        self.out.extend_from_slice(value);
    }

    pub(super) const LENGTH_SIZE: usize = LENGTH_SIZE;

    /// `out` ends with the length of an appendage, as yet zero.
    #[inline]
    pub(super) fn required(out: &mut Vec<u8>, write: impl FnOnce(&mut Tags<'_>)) {
        let start = out.len();
        write(&mut Tags { out });
        let length = out.len() - start;
        if length > 0 {
            let length = u16::try_from(length).expect("an appendage is below 64 KiB");
            out[start - LENGTH_SIZE..start].copy_from_slice(&length.to_be_bytes());
        }
    }

    /// Likewise, and takes the length back where there is no appendage.
    #[inline]
    pub(super) fn optional(out: &mut Vec<u8>, write: impl FnOnce(&mut Tags<'_>)) {
        let start = out.len();
        Self::required(out, write);
        if out.len() == start {
            out.truncate(start - LENGTH_SIZE);
        }
    }
}
