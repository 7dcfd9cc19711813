//! Packets of SoupBinTCP, and the texts in them.

use types::Reader;

/// Bytes before a packet's type: the length of the rest.
const LENGTH_SIZE: usize = 2;
/// The longest packet of a client, without its length: the longest message of OUCH with room for
/// its appendage. A longer one is a [`Violation`], because no client needs it.
pub const CLIENT_PACKET_MAX: usize = 1_024;

pub const USER_LEN: usize = 6;
pub const PASSWORD_LEN: usize = 10;
pub const SESSION_LEN: usize = 10;
pub const SEQUENCE_LEN: usize = 20;
/// Of version 4.00, in milliseconds.
const HEARTBEAT_LEN: usize = 5;

/// Types of packets.
pub mod kind {
    pub const DEBUG: u8 = b'+';
    pub const ACCEPTED: u8 = b'A';
    pub const REJECTED: u8 = b'J';
    pub const SEQUENCED: u8 = b'S';
    pub const UNSEQUENCED: u8 = b'U';
    pub const SERVER_HEARTBEAT: u8 = b'H';
    pub const END_OF_SESSION: u8 = b'Z';
    pub const LOG_ON: u8 = b'L';
    pub const CLIENT_HEARTBEAT: u8 = b'R';
    pub const LOG_OUT: u8 = b'O';
}

/// The next packet of the bytes received.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Received<'a> {
    /// The bytes end within a packet, or before one.
    NeedMore,
    /// A packet that asks for no answer: a heartbeat, or a text for people.
    Nothing,
    /// A client asks to log on.
    LogOn(LogOn),
    /// The server lets the client in. Its next sequenced message has this number.
    Accepted {
        session: SessionName,
        next: u64,
    },
    Rejected(RejectReason),
    /// A message: of a server the next one in sequence, of a client one without a number.
    Message(&'a [u8]),
    /// A message of a server that is not in sequence.
    Unsequenced(&'a [u8]),
    LogOut,
    EndOfSession,
    /// The other side does not keep to the protocol. The connection is of no more use.
    Violation(Violation),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Violation {
    /// No packet has a length of zero: its type is missing.
    Empty,
    TooLong,
    UnknownKind(u8),
    /// A packet of this type has another length, or a field that is no such text.
    Malformed(u8),
    /// Anything but a heartbeat before the log-on.
    NotLoggedOn,
    /// A log-on after the first.
    LoggedOnAlready,
}

/// A client's request to log on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LogOn {
    user: [u8; USER_LEN],
    password: [u8; PASSWORD_LEN],
    /// `None` asks for the session that there is.
    pub session: Option<SessionName>,
    /// The number of the first message to send; zero asks for new ones only.
    pub sequence: u64,
    /// How often the client wants to hear from the server (version 4.00).
    pub heartbeat_ms: Option<u16>,
}

/// Why a server refuses a log-on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RejectReason {
    /// The user or the password is wrong.
    NotAuthorized,
    /// There is no such session, or the number is not in it.
    SessionNotAvailable,
}

impl RejectReason {
    pub const fn code(self) -> u8 {
        match self {
            Self::NotAuthorized => b'A',
            Self::SessionNotAvailable => b'S',
        }
    }

    pub const fn of_code(code: u8) -> Option<Self> {
        match code {
            b'A' => Some(Self::NotAuthorized),
            b'S' => Some(Self::SessionNotAvailable),
            _ => None,
        }
    }
}

/// The name of a session: up to ten letters and digits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SessionName([u8; SESSION_LEN]);

impl SessionName {
    /// `None` if it is empty, too long, or has other characters.
    pub fn new(text: &str) -> Option<Self> {
        let alphanumeric = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (alphanumeric && !text.is_empty()).then(|| left_padded(text.as_bytes()).map(Self))?
    }

    /// Numbered sessions.
    pub fn numbered(number: u32) -> Self {
        let mut digits = [0; SESSION_LEN];
        Self(right_aligned(u64::from(number), &mut digits).expect("ten digits suffice"))
    }

    pub fn as_str(&self) -> &str {
        text_of(&self.0).expect("checked to be ASCII when it was made")
    }

    fn read(bytes: [u8; SESSION_LEN]) -> Option<Option<Self>> {
        let text = text_of(&bytes)?;
        if text.is_empty() {
            return Some(None);
        }
        Self::new(text).map(Some)
    }
}

impl LogOn {
    /// Lays out a request. `None` if the user or the password does not fit.
    pub fn new(
        user: &str,
        password: &str,
        session: Option<SessionName>,
        sequence: u64,
    ) -> Option<Self> {
        let (user, password) = (right_padded(user)?, right_padded(password)?);
        Some(Self { user, password, session, sequence, heartbeat_ms: None })
    }

    pub fn user(&self) -> &str {
        text_of(&self.user).expect("checked to be ASCII when it was read")
    }

    pub fn password(&self) -> &str {
        text_of(&self.password).expect("checked to be ASCII when it was read")
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let r = &mut Reader(bytes);
        let (user, password) = (r.take()?, r.take()?);
        text_of(&user)?;
        text_of(&password)?;
        let session = SessionName::read(r.take()?)?;
        let sequence = number_of(&r.take::<SEQUENCE_LEN>()?)?;
        let heartbeat_ms = if r.is_empty() {
            None
        } else {
            Some(number_of(&r.take::<HEARTBEAT_LEN>()?)?.try_into().ok()?)
        };
        let log_on = Self { user, password, session, sequence, heartbeat_ms };
        r.is_empty().then_some(log_on)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let start = begin(kind::LOG_ON, out);
        out.extend(self.user);
        out.extend(self.password);
        out.extend(self.session.map_or([b' '; SESSION_LEN], |session| session.0));
        put_number(self.sequence, out);
        if let Some(heartbeat_ms) = self.heartbeat_ms {
            let mut digits = [0; HEARTBEAT_LEN];
            out.extend(right_aligned(heartbeat_ms.into(), &mut digits).expect("five digits"));
        }
        end(start, out);
    }
}

/// The side that sends a packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Sender {
    Client,
    Server,
}

/// Takes the next packet off `bytes`. Checks no order of packets.
#[inline]
pub fn take<'a>(bytes: &mut &'a [u8], sender: Sender) -> Received<'a> {
    let Some((length, rest)) = bytes.split_first_chunk::<LENGTH_SIZE>() else {
        return Received::NeedMore;
    };
    let length = usize::from(u16::from_be_bytes(*length));
    if length == 0 {
        return Received::Violation(Violation::Empty);
    }
    if sender == Sender::Client && length > CLIENT_PACKET_MAX {
        return Received::Violation(Violation::TooLong);
    }
    let Some((packet, rest)) = rest.split_at_checked(length) else { return Received::NeedMore };
    *bytes = rest;
    let (kind, fields) = (packet[0], &packet[1..]);
    let found = match sender {
        Sender::Client => of_client(kind, fields),
        Sender::Server => of_server(kind, fields),
    };
    found.unwrap_or(Received::Violation(Violation::Malformed(kind)))
}

fn of_client(kind: u8, fields: &[u8]) -> Option<Received<'_>> {
    Some(match kind {
        kind::UNSEQUENCED => Received::Message(fields),
        kind::CLIENT_HEARTBEAT if fields.is_empty() => Received::Nothing,
        kind::DEBUG => Received::Nothing,
        kind::LOG_ON => Received::LogOn(LogOn::read(fields)?),
        kind::LOG_OUT if fields.is_empty() => Received::LogOut,
        kind::CLIENT_HEARTBEAT | kind::LOG_OUT => return None,
        unknown => Received::Violation(Violation::UnknownKind(unknown)),
    })
}

fn of_server(kind: u8, fields: &[u8]) -> Option<Received<'_>> {
    Some(match kind {
        kind::SEQUENCED => Received::Message(fields),
        kind::UNSEQUENCED => Received::Unsequenced(fields),
        kind::SERVER_HEARTBEAT if fields.is_empty() => Received::Nothing,
        kind::DEBUG => Received::Nothing,
        kind::END_OF_SESSION if fields.is_empty() => Received::EndOfSession,
        kind::ACCEPTED => {
            let r = &mut Reader(fields);
            let session = SessionName::read(r.take()?)??;
            let next = number_of(&r.take::<SEQUENCE_LEN>()?)?;
            r.is_empty().then_some(Received::Accepted { session, next })?
        }
        kind::REJECTED => match fields {
            [code] => Received::Rejected(RejectReason::of_code(*code)?),
            _ => return None,
        },
        kind::SERVER_HEARTBEAT | kind::END_OF_SESSION => return None,
        unknown => Received::Violation(Violation::UnknownKind(unknown)),
    })
}

/// Begins a packet, whose length [`end`] fills in.
#[inline]
pub(super) fn begin(kind: u8, out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.extend([0, 0, kind]);
    start
}

#[inline]
pub(super) fn end(start: usize, out: &mut [u8]) {
    let length = out.len() - start - LENGTH_SIZE;
    let length = u16::try_from(length).expect("no message is as long as 64 KiB");
    out[start..start + LENGTH_SIZE].copy_from_slice(&length.to_be_bytes());
}

pub(super) fn put_empty(kind: u8, out: &mut Vec<u8>) {
    let start = begin(kind, out);
    end(start, out);
}

pub(super) fn put_accepted(session: SessionName, next: u64, out: &mut Vec<u8>) {
    let start = begin(kind::ACCEPTED, out);
    out.extend(session.0);
    put_number(next, out);
    end(start, out);
}

fn put_number(number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; SEQUENCE_LEN];
    out.extend(right_aligned(number, &mut digits).expect("a u64 has at most 20 digits"));
}

/// A number in ASCII, padded with spaces on the left. `None` if it does not fit.
fn right_aligned<const N: usize>(number: u64, bytes: &mut [u8; N]) -> Option<[u8; N]> {
    *bytes = left_padded(number.to_string().as_bytes())?;
    Some(*bytes)
}

fn left_padded<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [b' '; N];
    bytes[N.checked_sub(text.len())?..].copy_from_slice(text);
    Some(bytes)
}

fn right_padded<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [b' '; N];
    let is_printed = text.bytes().all(|byte| byte.is_ascii_graphic());
    bytes.get_mut(..text.len()).filter(|_| is_printed)?.copy_from_slice(text.as_bytes());
    Some(bytes)
}

/// The text without its padding, on either side.
fn text_of(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?.trim_matches(' ');
    text.bytes().all(|byte| byte.is_ascii_graphic()).then_some(text)
}

/// A number of digits alone, padded on either side. Blank is zero.
fn number_of(bytes: &[u8]) -> Option<u64> {
    let text = text_of(bytes)?;
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if text.is_empty() { Some(0) } else { text.parse().ok() }
}
