//! The opening of a session. The server answers a hello without keeping anything.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use ring::hmac;

use crate::udp::cipher::{PROOF_SIZE, Secrets, Side};
use crate::udp::kind;

pub const NONCE_SIZE: usize = 16;
/// Random, and never used twice.
pub type Nonce = [u8; NONCE_SIZE];
/// The name of a login, padded with spaces.
pub type User = [u8; USER_SIZE];

const USER_SIZE: usize = 20;
const COOKIE_SIZE: usize = 24;
const VERSION: u8 = 1;
/// A hello is as long as the longest answer to it.
const HELLO_SIZE: usize = 80;
/// How long a cookie is good.
const COOKIE_AGE_MAX_US: u64 = 10_000_000;

/// What a client sends first.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Hello {
    pub user: User,
    pub nonce: Nonce,
}

/// What a server answers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Cookie {
    pub nonce: Nonce,
    cookie: [u8; COOKIE_SIZE],
}

/// What a client asks for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Open {
    pub user: User,
    pub nonce: Nonce,
    cookie: [u8; COOKIE_SIZE],
    /// The number of the first message of the server that is wanted; zero asks for new ones only.
    pub next: u64,
}

/// The session that a server has opened.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Opened {
    pub client_nonce: Nonce,
    pub server_nonce: Nonce,
    /// Names the session in each datagram.
    pub connection: u64,
    /// The day of the numbers.
    pub day: u32,
    /// The number of the first message that the server will send.
    pub next: u64,
    /// The messages before this number were missed: they come first.
    pub new_from: u64,
}

/// Why a server opens no session for a client that has the key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refusal {
    /// The number is beyond the next message, or the messages before are not kept any more.
    Sequence,
    /// Not now: try later.
    Unavailable,
}

impl Refusal {
    const ALL: [(Self, u8); 2] = [(Self::Sequence, b'S'), (Self::Unavailable, b'U')];

    fn code(self) -> u8 {
        Self::ALL.iter().find(|(of, _)| *of == self).map_or(b'U', |(_, code)| *code)
    }
}

/// The name of a user in its field; `None` if it is too long.
pub fn user(name: &str) -> Option<User> {
    let mut user = [b' '; USER_SIZE];
    user.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
    Some(user)
}

/// The text of a field.
pub fn name_of(user: &User) -> Option<&str> {
    std::str::from_utf8(user).ok().map(str::trim_end)
}

impl Hello {
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([kind::HELLO, VERSION]);
        out.extend(self.user);
        out.extend(self.nonce);
        out.resize(start + HELLO_SIZE, 0);
    }

    pub fn read(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(&[kind::HELLO, VERSION])?;
        let (user, rest) = rest.split_first_chunk::<USER_SIZE>()?;
        let (nonce, _) = rest.split_first_chunk::<NONCE_SIZE>()?;
        (bytes.len() == HELLO_SIZE).then_some(Self { user: *user, nonce: *nonce })
    }
}

impl Cookie {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(kind::COOKIE);
        out.extend(self.nonce);
        out.extend(self.cookie);
    }

    pub fn read(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(&[kind::COOKIE])?;
        let (nonce, rest) = rest.split_first_chunk::<NONCE_SIZE>()?;
        Some(Self { nonce: *nonce, cookie: rest.try_into().ok()? })
    }
}

impl Open {
    /// The answer to a cookie.
    pub fn new(hello: &Hello, cookie: &Cookie, next: u64) -> Self {
        Self { user: hello.user, nonce: hello.nonce, cookie: cookie.cookie, next }
    }

    pub fn write(&self, secrets: &Secrets, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([kind::OPEN, VERSION]);
        out.extend(self.user);
        out.extend(self.nonce);
        out.extend(self.cookie);
        out.extend(self.next.to_be_bytes());
        prove(secrets, Side::Client, start, out);
    }

    /// Reads what needs a proof: [`Open::is_proved`] checks it.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(&[kind::OPEN, VERSION])?;
        let (user, rest) = rest.split_first_chunk::<USER_SIZE>()?;
        let (nonce, rest) = rest.split_first_chunk::<NONCE_SIZE>()?;
        let (cookie, rest) = rest.split_first_chunk::<COOKIE_SIZE>()?;
        let (next, rest) = rest.split_first_chunk::<8>()?;
        let next = u64::from_be_bytes(*next);
        (rest.len() == PROOF_SIZE).then_some(Self {
            user: *user,
            nonce: *nonce,
            cookie: *cookie,
            next,
        })
    }

    /// Whether the client has the key. `bytes` is what was read.
    pub fn is_proved(bytes: &[u8], secrets: &Secrets) -> bool {
        is_proved(secrets, Side::Client, bytes)
    }
}

impl Opened {
    pub fn write(&self, secrets: &Secrets, out: &mut Vec<u8>) {
        let start = out.len();
        out.push(kind::OPENED);
        out.extend(self.client_nonce);
        out.extend(self.server_nonce);
        out.extend(self.connection.to_be_bytes());
        out.extend(self.day.to_be_bytes());
        out.extend(self.next.to_be_bytes());
        out.extend(self.new_from.to_be_bytes());
        prove(secrets, Side::Server, start, out);
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(&[kind::OPENED])?;
        let (client_nonce, rest) = rest.split_first_chunk::<NONCE_SIZE>()?;
        let (server_nonce, rest) = rest.split_first_chunk::<NONCE_SIZE>()?;
        let (connection, rest) = rest.split_first_chunk::<8>()?;
        let (day, rest) = rest.split_first_chunk::<4>()?;
        let (next, rest) = rest.split_first_chunk::<8>()?;
        let (new_from, rest) = rest.split_first_chunk::<8>()?;
        (rest.len() == PROOF_SIZE).then_some(Self {
            client_nonce: *client_nonce,
            server_nonce: *server_nonce,
            connection: u64::from_be_bytes(*connection),
            day: u32::from_be_bytes(*day),
            next: u64::from_be_bytes(*next),
            new_from: u64::from_be_bytes(*new_from),
        })
    }
}

/// Appends a refusal for the client with this nonce.
pub fn put_refused(refusal: Refusal, nonce: &Nonce, secrets: &Secrets, out: &mut Vec<u8>) {
    let start = out.len();
    out.push(kind::REFUSED);
    out.extend(nonce);
    out.push(refusal.code());
    prove(secrets, Side::Server, start, out);
}

fn prove(secrets: &Secrets, side: Side, start: usize, out: &mut Vec<u8>) {
    let proof = secrets.prove(side, &out[start..]);
    out.extend(proof);
}

fn is_proved(secrets: &Secrets, side: Side, bytes: &[u8]) -> bool {
    bytes
        .split_last_chunk::<PROOF_SIZE>()
        .is_some_and(|(proved, proof)| secrets.is_proof(side, proved, proof))
}

/// Makes cookies, and knows its own.
pub struct Cookies(hmac::Key);

impl Cookies {
    /// `secret` is random, and new at each start.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret))
    }

    /// Appends the answer to a hello.
    pub fn answer(&self, hello: &Hello, from: SocketAddr, now_us: u64, out: &mut Vec<u8>) {
        let cookie = self.cookie(&hello.user, &hello.nonce, from, now_us);
        Cookie { nonce: hello.nonce, cookie }.write(out);
    }

    /// Whether a client has the cookie that its address was sent, a short time ago.
    pub fn are_good(&self, open: &Open, from: SocketAddr, now_us: u64) -> bool {
        let (made_us, _) = open.cookie.split_first_chunk::<8>().expect("a cookie is longer");
        let made_us = u64::from_be_bytes(*made_us);
        if made_us > now_us || now_us - made_us > COOKIE_AGE_MAX_US {
            return false;
        }
        let expected = self.cookie(&open.user, &open.nonce, from, made_us);
        // Both have 24 bytes, and the comparison takes as long wherever they differ.
        let differs = expected.iter().zip(&open.cookie).fold(0, |sum, (a, b)| sum | (a ^ b));
        differs == 0
    }

    fn cookie(
        &self,
        user: &User,
        nonce: &Nonce,
        from: SocketAddr,
        at_us: u64,
    ) -> [u8; COOKIE_SIZE] {
        let mut context = hmac::Context::with_key(&self.0);
        let address = match from.ip() {
            IpAddr::V4(v4) => v4.to_ipv6_mapped(),
            IpAddr::V6(v6) => v6,
        };
        for part in [&at_us.to_be_bytes()[..], &address.octets(), &from.port().to_be_bytes()] {
            context.update(part);
        }
        context.update(user);
        context.update(nonce);
        let mut cookie = [0; COOKIE_SIZE];
        let (time, tag) = cookie.split_at_mut(8);
        time.copy_from_slice(&at_us.to_be_bytes());
        tag.copy_from_slice(&context.sign().as_ref()[..COOKIE_SIZE - 8]);
        cookie
    }
}

impl fmt::Debug for Cookies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cookies(..)")
    }
}

/// The client's side of an opening.
#[derive(Debug)]
pub struct Opening {
    hello: Hello,
    next: u64,
    /// The request that is under way.
    datagram: Vec<u8>,
    send_us: u64,
    tries: u32,
}

/// What a datagram was to an opening.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Answer {
    Opened(Opened),
    Refused(Refusal),
}

/// A request without an answer is sent again after this time, and then after twice as long.
const AGAIN_US: u64 = 20_000;
const AGAIN_MAX_US: u64 = 1_000_000;

impl Opening {
    pub fn new(user: User, nonce: Nonce, next: u64) -> Self {
        let hello = Hello { user, nonce };
        let mut datagram = Vec::new();
        hello.write(&mut datagram);
        Self { hello, next, datagram, send_us: 0, tries: 0 }
    }

    /// Takes a datagram of the server. Others change nothing.
    pub fn receive(&mut self, bytes: &[u8], secrets: &Secrets) -> Option<Answer> {
        if let Some(cookie) = Cookie::read(bytes) {
            // The first cookie is as good as a later one.
            if cookie.nonce == self.hello.nonce && self.datagram[0] == kind::HELLO {
                self.datagram.clear();
                Open::new(&self.hello, &cookie, self.next).write(secrets, &mut self.datagram);
                (self.send_us, self.tries) = (0, 0);
            }
            return None;
        }
        if !is_proved(secrets, Side::Server, bytes) {
            return None;
        }
        if let Some(opened) = Opened::read(bytes) {
            return (opened.client_nonce == self.hello.nonce).then_some(Answer::Opened(opened));
        }
        let rest = bytes.strip_prefix(&[kind::REFUSED])?;
        let (nonce, rest) = rest.split_first_chunk::<NONCE_SIZE>()?;
        let code = rest.first().filter(|_| *nonce == self.hello.nonce)?;
        let refusal = Refusal::ALL.iter().find(|(_, of)| of == code)?;
        Some(Answer::Refused(refusal.0))
    }

    /// The datagram to send, when it is due.
    pub fn poll(&mut self, now_us: u64) -> Option<&[u8]> {
        if now_us < self.send_us {
            return None;
        }
        let after_us = AGAIN_MAX_US.min(AGAIN_US << self.tries.min(10));
        self.tries += 1;
        self.send_us = now_us + after_us;
        Some(&self.datagram)
    }

    pub fn deadline_us(&self) -> u64 {
        self.send_us
    }
}
