//! Packets and requests.

/// A session: ten characters.
pub type SessionName = [u8; 10];

const SESSION_SIZE: usize = size_of::<SessionName>();
/// Session, number of the first message, and count.
pub const HEADER_SIZE: usize = SESSION_SIZE + 8 + 2;
/// The length before each message.
pub const LENGTH_SIZE: usize = 2;
/// The count of a packet that ends the session.
const END_OF_SESSION: u16 = u16::MAX;

/// A packet whose messages are whole.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Packet<'a> {
    pub session: SessionName,
    /// The number of the first message; where there is none, that of the next.
    pub sequence: u64,
    pub content: Content<'a>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Content<'a> {
    /// No message: the sender lives.
    Heartbeat,
    EndOfSession,
    Messages(Messages<'a>),
}

/// Why bytes are no packet, or no request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Invalid {
    /// It ends within its header, or within a message.
    Truncated,
    /// Bytes follow the last message.
    TooLong,
    /// Its last message would have no number.
    Sequence,
}

impl<'a> Packet<'a> {
    pub fn read(bytes: &'a [u8]) -> Result<Self, Invalid> {
        let (header, rest) = Request::split(bytes)?;
        let Request { session, sequence, count } = header;
        let content = match count {
            0 | END_OF_SESSION if !rest.is_empty() => return Err(Invalid::TooLong),
            0 => Content::Heartbeat,
            END_OF_SESSION => Content::EndOfSession,
            _ => {
                let messages = Messages { rest, left: count };
                let mut whole = messages;
                if whole.by_ref().count() != usize::from(count) {
                    return Err(Invalid::Truncated);
                }
                if !whole.rest.is_empty() {
                    return Err(Invalid::TooLong);
                }
                Content::Messages(messages)
            }
        };
        Ok(Self { session, sequence, content })
    }
}

/// The messages of a packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Messages<'a> {
    rest: &'a [u8],
    left: u16,
}

impl<'a> Iterator for Messages<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        self.left = self.left.checked_sub(1)?;
        let (length, rest) = self.rest.split_first_chunk::<LENGTH_SIZE>()?;
        let (message, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
        self.rest = rest;
        Some(message)
    }
}

/// A request for messages that were missed. It has the layout of a packet's header.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Request {
    pub session: SessionName,
    /// The number of the first message.
    pub sequence: u64,
    pub count: u16,
}

impl Request {
    pub fn read(bytes: &[u8]) -> Result<Self, Invalid> {
        let (request, rest) = Self::split(bytes)?;
        if rest.is_empty() { Ok(request) } else { Err(Invalid::TooLong) }
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.session);
        out.extend(self.sequence.to_be_bytes());
        out.extend(self.count.to_be_bytes());
    }

    /// Reads a header, and returns what follows it.
    fn split(bytes: &[u8]) -> Result<(Self, &[u8]), Invalid> {
        let (session, rest) =
            bytes.split_first_chunk::<SESSION_SIZE>().ok_or(Invalid::Truncated)?;
        let (sequence, rest) = rest.split_first_chunk::<8>().ok_or(Invalid::Truncated)?;
        let (count, rest) = rest.split_first_chunk::<2>().ok_or(Invalid::Truncated)?;
        let (sequence, count) = (u64::from_be_bytes(*sequence), u16::from_be_bytes(*count));
        if sequence.checked_add(count.into()).is_none() {
            return Err(Invalid::Sequence);
        }
        Ok((Self { session: *session, sequence, count }, rest))
    }
}

/// Appends a packet's header.
pub(super) fn put_header(session: SessionName, sequence: u64, count: u16, out: &mut Vec<u8>) {
    Request { session, sequence, count }.write(out);
}

/// Writes the count of the packet that begins `packet`.
pub(super) fn set_count(packet: &mut [u8], count: u16) {
    packet[HEADER_SIZE - 2..HEADER_SIZE].copy_from_slice(&count.to_be_bytes());
}

/// Appends a packet that ends the session.
pub(super) fn put_end(session: SessionName, next: u64, out: &mut Vec<u8>) {
    put_header(session, next, END_OF_SESSION, out);
}
