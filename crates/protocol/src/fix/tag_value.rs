//! The tag-value encoding of FIX 4.x and FIXT 1.1, read without a copy and written without an
//! allocation.
//!
//! A message is `8=FIX.4.4`, `9=` the number of bytes between this field and the checksum's, the
//! fields, and `10=` the sum of all bytes ahead of it modulo 256 in three digits. Each field ends
//! with the byte 1.
//!
//! # Invariants
//! - [`read`] returns `None` only for bytes that may become a message with more of them. All else
//!   that is not a message is an error.
//! - What [`Writer`] writes, [`read`] reads as the same fields.
//!
//! # Known limits
//! Which fields a type of message needs, and in which order, belongs to the session above.

mod write;

use thiserror::Error;

pub use self::write::Writer;

/// Ends each field.
pub const SOH: u8 = 1;
/// Bytes of a body. A peer that states more is not waited for.
pub const BODY_BYTES_MAX: usize = 64 << 10;
/// `8=FIXT.1.1` and more: the longest first field.
const BEGIN_BYTES_MAX: usize = 16;
/// `9=65536` and its end.
const LENGTH_BYTES_MAX: usize = 8;
/// `10=000` and its end.
const TRAILER_BYTES: usize = 7;
/// `35=`, which is the first field of a body.
const MSG_TYPE: &[u8] = b"35=";

/// A whole message whose length and checksum are right.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Message<'a> {
    begin_string: &'a [u8],
    /// The fields between body length and checksum.
    body: &'a [u8],
    /// Bytes of the whole message.
    size: usize,
}

/// A field of a message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Field<'a> {
    pub tag: u32,
    /// Never empty.
    pub value: &'a [u8],
}

/// Why bytes are not a message.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum Malformed {
    #[error("a message begins with \"8=FIX\"")]
    Begin,
    #[error("the body length is not a number of at most {BODY_BYTES_MAX} bytes")]
    BodyLength,
    #[error("the body does not end where its length states")]
    End,
    #[error("the checksum is {found:03}, and {stated:03} is stated")]
    Checksum { stated: u8, found: u8 },
    #[error("the body does not begin with its type, tag 35")]
    Type,
    /// `at` counts from the begin of the body.
    #[error("a field at byte {at} of the body is not a tag and a value")]
    Field { at: usize },
}

/// Reads the message at the front of `bytes`; `None` if more bytes are needed.
#[inline]
pub fn read(bytes: &[u8]) -> Result<Option<Message<'_>>, Malformed> {
    let Some((begin, rest)) = read_begin(bytes)? else { return Ok(None) };
    let Some((length, rest)) = read_length(rest)? else { return Ok(None) };
    if rest.len() < length + TRAILER_BYTES {
        return Ok(None);
    }
    let (body, trailer) = rest.split_at(length);
    let head = bytes.len() - rest.len();
    let stated = read_trailer(&trailer[..TRAILER_BYTES]).ok_or(Malformed::End)?;
    if body.last() != Some(&SOH) {
        return Err(Malformed::End);
    }
    let found = sum(&bytes[..head + length]);
    if found != stated {
        return Err(Malformed::Checksum { stated, found });
    }
    if !body.starts_with(MSG_TYPE) || body[MSG_TYPE.len()] == SOH {
        return Err(Malformed::Type);
    }
    Ok(Some(Message { begin_string: begin, body, size: head + length + TRAILER_BYTES }))
}

/// A value, and the bytes behind its field.
type Taken<'a, T> = (T, &'a [u8]);

/// The value of `8=`, and what follows it.
#[inline]
fn read_begin(bytes: &[u8]) -> Result<Option<Taken<'_, &[u8]>>, Malformed> {
    const BEGIN: &[u8] = b"8=FIX";
    let known = bytes.len().min(BEGIN.len());
    if bytes[..known] != BEGIN[..known] {
        return Err(Malformed::Begin);
    }
    let window = &bytes[..bytes.len().min(BEGIN_BYTES_MAX)];
    match find_soh(window) {
        Some(end) => Ok(Some((&bytes[2..end], &bytes[end + 1..]))),
        None if bytes.len() < BEGIN_BYTES_MAX => Ok(None),
        None => Err(Malformed::Begin),
    }
}

/// The value of `9=`, and what follows it.
#[inline]
fn read_length(bytes: &[u8]) -> Result<Option<Taken<'_, usize>>, Malformed> {
    let known = bytes.len().min(2);
    if bytes[..known] != b"9="[..known] {
        return Err(Malformed::BodyLength);
    }
    let mut length = 0;
    for (at, &byte) in bytes.iter().enumerate().skip(2) {
        let digit = byte.wrapping_sub(b'0');
        if byte == SOH && at > 2 && length <= BODY_BYTES_MAX {
            return Ok(Some((length, &bytes[at + 1..])));
        }
        if digit > 9 || at >= LENGTH_BYTES_MAX {
            return Err(Malformed::BodyLength);
        }
        length = length * 10 + usize::from(digit);
    }
    Ok(None)
}

/// `bytes` has the length of a trailer.
#[inline]
fn read_trailer(bytes: &[u8]) -> Option<u8> {
    let &[b'1', b'0', b'=', a, b, c, SOH] = bytes else { return None };
    let digits = [a, b, c].map(|byte| byte.wrapping_sub(b'0'));
    if digits.iter().any(|digit| *digit > 9) {
        return None;
    }
    let number = digits.iter().fold(0_u16, |number, digit| number * 10 + u16::from(*digit));
    u8::try_from(number).ok()
}

/// The sum of bytes modulo 256.
#[inline]
fn sum(bytes: &[u8]) -> u8 {
    // Lanes of bytes wrap by themselves, so that the compiler adds many at a time.
    let (chunks, rest) = bytes.as_chunks::<16>();
    let mut lanes = [0_u8; 16];
    for chunk in chunks {
        for (lane, byte) in lanes.iter_mut().zip(chunk) {
            *lane = lane.wrapping_add(*byte);
        }
    }
    // Four sums of four lanes each, and then their sum at the top.
    const EVEN: u128 = 0x00ff_00ff_00ff_00ff_00ff_00ff_00ff_00ff;
    let lanes = u128::from_le_bytes(lanes);
    let pairs = (lanes & EVEN) + ((lanes >> 8) & EVEN);
    let halves = (pairs as u64).wrapping_add((pairs >> 64) as u64);
    let all = (halves.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u8;
    rest.iter().fold(all, |sum, byte| sum.wrapping_add(*byte))
}

impl<'a> Message<'a> {
    /// `FIX.4.4` or another version.
    pub fn begin_string(&self) -> &'a [u8] {
        self.begin_string
    }

    /// The value of tag 35.
    #[inline]
    pub fn msg_type(&self) -> &'a [u8] {
        let value = &self.body[MSG_TYPE.len()..];
        &value[..find_soh(value).expect("the body ends with it")]
    }

    /// Bytes of the whole message, which its reader takes off the front.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The fields between body length and checksum, the type first.
    #[inline]
    pub fn fields(&self) -> Fields<'a> {
        Fields { rest: self.body, size: self.body.len(), data: None }
    }

    /// The value of the first field with this tag.
    pub fn find(&self, tag: u32) -> Option<&'a [u8]> {
        let mut fields = self.fields().filter_map(Result::ok);
        fields.find(|field| field.tag == tag).map(|field| field.value)
    }
}

/// Fields in the order of the message; it ends after its first error.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    /// What is not read yet.
    rest: &'a [u8],
    /// Bytes of the body.
    size: usize,
    /// The tag of a field of data, and its length, which the last field has stated.
    data: Option<(u32, usize)>,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.read();
        if field.is_none() {
            let error = Malformed::Field { at: self.size - self.rest.len() };
            self.rest = &[];
            return Some(Err(error));
        }
        field.map(Ok)
    }
}

impl<'a> Fields<'a> {
    #[inline]
    fn read(&mut self) -> Option<Field<'a>> {
        let (tag, text) = read_tag(self.rest)?;
        let length = match self.data.take() {
            Some((data, length)) if data == tag => length,
            _ => find_soh(text)?,
        };
        let (value, [SOH, rest @ ..]) = text.split_at_checked(length)? else { return None };
        if value.is_empty() {
            return None;
        }
        if let Some(data) = data_after(tag) {
            let text = std::str::from_utf8(value).ok()?;
            self.data = Some((data, text.parse().ok()?));
        }
        self.rest = rest;
        Some(Field { tag, value })
    }
}

/// A tag without leading zeros and of at most six digits, and what follows its sign.
#[inline]
fn read_tag(bytes: &[u8]) -> Option<(u32, &[u8])> {
    // Nearly all tags.
    if let [tens @ b'1'..=b'9', ones @ b'0'..=b'9', b'=', text @ ..] = bytes {
        return Some((u32::from(tens - b'0') * 10 + u32::from(ones - b'0'), text));
    }
    read_any_tag(bytes)
}

fn read_any_tag(bytes: &[u8]) -> Option<(u32, &[u8])> {
    const DIGITS_MAX: usize = 6;
    let mut tag = 0;
    for (at, &byte) in bytes.iter().enumerate().take(DIGITS_MAX + 1) {
        if byte == b'=' {
            return (tag > 0).then(|| (tag, &bytes[at + 1..]));
        }
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 || digit == 0 && at == 0 {
            return None;
        }
        tag = tag * 10 + u32::from(digit);
    }
    None
}

/// The position of the first end of a field, eight bytes at a time.
#[inline]
fn find_soh(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = ONES << 7;
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        // A byte that is 1 becomes 0; the lowest high bit that this leaves is the first of them.
        let word = u64::from_le_bytes(*word) ^ ONES;
        let zeros = word.wrapping_sub(ONES) & !word & HIGHS;
        if zeros != 0 {
            return Some(at * 8 + zeros.trailing_zeros() as usize / 8);
        }
    }
    let found = rest.iter().position(|&byte| byte == SOH)?;
    Some(words.len() * 8 + found)
}

/// The field of data whose length this field states. Such data may have the byte 1.
#[inline]
fn data_after(tag: u32) -> Option<u32> {
    match tag {
        93 => Some(89),
        90 | 95 | 212 | 348 | 350 | 352 | 354 | 356 | 358 | 360 | 362 | 364 | 445 | 618 | 621 => {
            Some(tag + 1)
        }
        _ => None,
    }
}

/// A field's value as a number without a sign.
#[inline]
pub fn parse_u64(value: &[u8]) -> Option<u64> {
    if value.is_empty() {
        return None;
    }
    // As many digits are below 2^64.
    let (first, rest) = value.split_at(value.len().min(19));
    let mut number = 0_u64;
    for byte in first {
        number = number.wrapping_mul(10).wrapping_add(digit(*byte)?);
    }
    rest.iter().try_fold(number, |number, byte| number.checked_mul(10)?.checked_add(digit(*byte)?))
}

#[inline]
fn digit(byte: u8) -> Option<u64> {
    let digit = byte.wrapping_sub(b'0');
    (digit < 10).then_some(digit.into())
}

/// 10 to the power of the place.
const POWERS: [i64; 19] = {
    let mut powers = [1; 19];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// A field's value as units of 10^-`decimals`, which is at most 18; `None` unless it is exact.
#[inline]
pub fn parse_decimal(value: &[u8], decimals: u8) -> Option<i64> {
    let (is_negative, digits) = match value {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let decimals = usize::from(decimals);
    let (whole, fraction) = match digits.iter().position(|byte| *byte == b'.') {
        Some(point) => (&digits[..point], &digits[point + 1..]),
        None => (digits, &b"0"[..]),
    };
    let (exact, beyond) = fraction.split_at(fraction.len().min(decimals));
    if fraction.is_empty() || beyond.iter().any(|byte| *byte != b'0') {
        return None;
    }
    let whole = i64::try_from(parse_u64(whole)?).ok()?;
    let mut units = whole.checked_mul(*POWERS.get(decimals)?)?;
    if !exact.is_empty() {
        // At most 18 digits: below 10^18 in units.
        let places = parse_u64(exact)?.cast_signed() * POWERS[decimals - exact.len()];
        units = units.checked_add(places)?;
    }
    Some(if is_negative { -units } else { units })
}

#[cfg(test)]
mod tests;
