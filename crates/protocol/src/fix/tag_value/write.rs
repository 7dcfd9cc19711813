//! Writing messages.

use super::{BODY_BYTES_MAX, SOH, TRAILER_BYTES, sum};

/// Digits that a body's length has nearly always; another number of them moves the body.
const LENGTH_DIGITS: usize = 3;
/// Digits of the largest number of 64 bits.
const U64_DIGITS: usize = 20;

/// Appends a message to a buffer field by field. It allocates only if the buffer must grow, and
/// what was begun is removed unless it is [finished](Writer::finish).
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// Where the message, its length and its body begin.
    start: usize,
    length: usize,
    body: usize,
    is_finished: bool,
}

impl<'a> Writer<'a> {
    /// Begins a message of a version, such as `FIX.4.4`, and of a type.
    pub fn begin(out: &'a mut Vec<u8>, begin_string: &[u8], msg_type: &[u8]) -> Self {
        let start = out.len();
        out.extend_from_slice(b"8=");
        out.extend_from_slice(begin_string);
        out.extend_from_slice(&[SOH, b'9', b'=']);
        let length = out.len();
        out.extend_from_slice(&[b'0'; LENGTH_DIGITS]);
        out.push(SOH);
        let body = out.len();
        let mut writer = Self { out, start, length, body, is_finished: false };
        writer.field(35, msg_type);
        writer
    }

    /// Appends a field. The value must not be empty, and has the byte 1 only in a field of data.
    #[inline]
    pub fn field(&mut self, tag: u32, value: &[u8]) {
        debug_assert!(!value.is_empty() && tag > 0);
        self.tag(tag);
        self.out.extend_from_slice(value);
        self.out.push(SOH);
    }

    #[inline]
    pub fn number(&mut self, tag: u32, number: u64) {
        self.tag(tag);
        self.digits(number);
        self.out.push(SOH);
    }

    /// Appends `units` of 10^-`decimals` with all its decimals.
    #[inline]
    pub fn decimal(&mut self, tag: u32, units: i64, decimals: u8) {
        self.tag(tag);
        if units < 0 {
            self.out.push(b'-');
        }
        let power = 10_u64.pow(decimals.into());
        let units = units.unsigned_abs();
        self.digits(units / power);
        if decimals > 0 {
            self.out.push(b'.');
            // The leading one keeps the zeros behind the point, and becomes nothing.
            let at = self.out.len();
            self.digits(units % power + power);
            self.out.remove(at);
        }
        self.out.push(SOH);
    }

    /// Writes length and checksum. The message stays in the buffer.
    pub fn finish(mut self) {
        let length = self.out.len() - self.body;
        debug_assert!(length <= BODY_BYTES_MAX, "no reader takes it");
        let (digits, begin) = digits_of(length as u64);
        let digits = &digits[begin..];
        let place = self.length..self.length + LENGTH_DIGITS;
        if digits.len() == LENGTH_DIGITS {
            self.out[place].copy_from_slice(digits);
        } else {
            self.out.splice(place, digits.iter().copied());
        }
        let sum = sum(&self.out[self.start..]);
        let digit = |divisor: u8| b'0' + sum / divisor % 10;
        let trailer = [b'1', b'0', b'=', digit(100), digit(10), digit(1), SOH];
        const { assert!(TRAILER_BYTES == 7) };
        self.out.extend_from_slice(&trailer);
        self.is_finished = true;
    }

    #[inline]
    fn tag(&mut self, tag: u32) {
        self.digits(tag.into());
        self.out.push(b'=');
    }

    #[inline]
    fn digits(&mut self, number: u64) {
        let (digits, begin) = digits_of(number);
        self.out.extend_from_slice(&digits[begin..]);
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if !self.is_finished {
            self.out.truncate(self.start);
        }
    }
}

/// The digits of a number, at the end of the array from the returned position on.
#[inline]
fn digits_of(mut number: u64) -> ([u8; U64_DIGITS], usize) {
    let mut digits = [0; U64_DIGITS];
    let mut begin = U64_DIGITS;
    loop {
        begin -= 1;
        digits[begin] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return (digits, begin);
        }
    }
}
