//! Frames: what is sealed in a datagram.

/// Ranges of an acknowledgement, at most.
pub const RANGES_MAX: usize = 32;

mod code {
    pub(super) const ACK: u8 = 1;
    pub(super) const MESSAGES: u8 = 2;
    pub(super) const CLOSE: u8 = 3;
}

/// The type, the number of the first message and the count.
pub(super) const MESSAGES_HEAD: usize = 11;
pub(super) const LENGTH_SIZE: usize = 2;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Frame<'a> {
    Ack(Ack<'a>),
    Messages(Messages<'a>),
    /// The session is over, for this reason.
    Close(u8),
}

/// What has come.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Ack<'a> {
    /// The largest sequence of a datagram.
    pub largest: u64,
    /// The number of the next message: all before it have come.
    pub next: u64,
    ranges: &'a [[u8; 8]],
}

/// Messages with consecutive numbers, which are whole.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Messages<'a> {
    pub first: u64,
    count: u16,
    rest: &'a [u8],
}

impl Ack<'_> {
    /// The first and the last number of each range beyond the next message that has come, too.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        let next = self.next;
        self.ranges.iter().filter_map(move |range| {
            let [a, b, c, d, e, f, g, h] = *range;
            let (skip, length) =
                (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
            let first = next.checked_add(skip.into())?;
            Some((first, first.checked_add(u64::from(length).checked_sub(1)?)?))
        })
    }
}

impl<'a> Messages<'a> {
    /// Each message with its number.
    pub fn each(&self) -> impl Iterator<Item = (u64, &'a [u8])> {
        let mut rest = self.rest;
        (self.first..).take(self.count.into()).map(move |number| {
            let (message, after) = split_message(rest).expect("checked when it was read");
            rest = after;
            (number, message)
        })
    }
}

/// Reads the next frame; `None` if it is none, or cut.
pub fn take<'a>(bytes: &mut &'a [u8]) -> Option<Frame<'a>> {
    let (code, rest) = bytes.split_first()?;
    let (frame, rest) = match *code {
        code::ACK => take_ack(rest)?,
        code::MESSAGES => take_messages(rest)?,
        code::CLOSE => {
            let (reason, rest) = rest.split_first()?;
            (Frame::Close(*reason), rest)
        }
        _ => return None,
    };
    *bytes = rest;
    Some(frame)
}

fn take_ack(rest: &[u8]) -> Option<(Frame<'_>, &[u8])> {
    let (largest, rest) = rest.split_first_chunk::<8>()?;
    let (next, rest) = rest.split_first_chunk::<8>()?;
    let (count, rest) = rest.split_first()?;
    let count = usize::from(*count);
    if count > RANGES_MAX {
        return None;
    }
    let (ranges, rest) = rest.split_at_checked(8 * count)?;
    let (ranges, _) = ranges.as_chunks::<8>();
    let (largest, next) = (u64::from_be_bytes(*largest), u64::from_be_bytes(*next));
    Some((Frame::Ack(Ack { largest, next, ranges }), rest))
}

fn take_messages(rest: &[u8]) -> Option<(Frame<'_>, &[u8])> {
    let (first, rest) = rest.split_first_chunk::<8>()?;
    let (count, rest) = rest.split_first_chunk::<2>()?;
    let (first, count) = (u64::from_be_bytes(*first), u16::from_be_bytes(*count));
    first.checked_add(count.into())?;
    let mut after = rest;
    for _ in 0..count {
        (_, after) = split_message(after)?;
    }
    let whole = &rest[..rest.len() - after.len()];
    Some((Frame::Messages(Messages { first, count, rest: whole }), after))
}

fn split_message(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = rest.split_first_chunk::<LENGTH_SIZE>()?;
    rest.split_at_checked(u16::from_be_bytes(*length).into())
}

/// Appends an acknowledgement. `ranges` have the first and the last number of each, beyond `next`.
pub(super) fn put_ack(largest: u64, next: u64, ranges: &[(u64, u64)], out: &mut Vec<u8>) {
    out.push(code::ACK);
    out.extend(largest.to_be_bytes());
    out.extend(next.to_be_bytes());
    let ranges = &ranges[..ranges.len().min(RANGES_MAX)];
    out.push(ranges.len() as u8);
    for (first, last) in ranges {
        // A receiver keeps few messages, so both fit.
        out.extend(((first - next) as u32).to_be_bytes());
        out.extend(((last - first + 1) as u32).to_be_bytes());
    }
}

/// Appends the head of a frame with messages; returns where its count is.
pub(super) fn put_messages_head(first: u64, out: &mut Vec<u8>) -> usize {
    out.push(code::MESSAGES);
    out.extend(first.to_be_bytes());
    out.extend([0, 0]);
    out.len() - 2
}

/// Appends a message to a frame, and counts it.
pub(super) fn put_message(message: &[u8], count_at: usize, out: &mut Vec<u8>) {
    out.extend((message.len() as u16).to_be_bytes());
    out.extend_from_slice(message);
    let count = u16::from_be_bytes([out[count_at], out[count_at + 1]]) + 1;
    out[count_at..count_at + 2].copy_from_slice(&count.to_be_bytes());
}

pub(super) fn put_close(reason: u8, out: &mut Vec<u8>) {
    out.extend([code::CLOSE, reason]);
}
