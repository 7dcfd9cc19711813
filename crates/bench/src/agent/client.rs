//! One connection to the venue: what is written to it, what comes of each request, and how long its slots
//! wait.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Instant;

use cli::Failure;
use mio::net::TcpStream;

use super::super::flow::{self, Flow, Kind};
use super::super::frame::{self, Frame};
use super::super::spec::{Key, Load, Spec};
use super::super::wire::{Response, count, find};

const INBOX: usize = 16 << 10;
const INBOX_MAX: usize = 16 << 20;
/// Of an error's text, as a name to count by.
const CAUSE_LEN_MAX: usize = 100;

pub(super) struct Client {
    pub(super) stream: TcpStream,
    flow: Flow,
    is_websocket: bool,
    orders_per_request: u64,
    inbox: Vec<u8>,
    filled: usize,
    outbox: Vec<u8>,
    written: usize,
    /// What is under way, by slot.
    slots: Vec<Option<Sent>>,
}

#[derive(Clone, Copy)]
pub(super) struct Sent {
    pub(super) since: Instant,
    pub(super) kind: Kind,
    pub(super) bytes: u64,
}

/// What came of one request.
pub(super) struct Answer {
    pub(super) slot: usize,
    /// Orders that were not taken on.
    pub(super) failed: u64,
    pub(super) error: Option<String>,
    pub(super) trades: u64,
    pub(super) bytes_received: u64,
}

impl Client {
    pub(super) fn connect(
        address: SocketAddr,
        spec: &Spec,
        key: &Key,
        at: u64,
    ) -> Result<Self, Failure> {
        let refused = |error: std::io::Error| Failure::new(format!("{address}: {error}"));
        let mut stream = std::net::TcpStream::connect(address).map_err(refused)?;
        stream.set_nodelay(true)?;
        let is_websocket = spec.load == Load::WebSocket;
        if is_websocket {
            log_on(&mut stream, key)?;
        }
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream: TcpStream::from_std(stream),
            flow: Flow::new(spec.load, key.clone(), spec.seed, at),
            is_websocket,
            orders_per_request: spec.load.orders_per_request(),
            inbox: vec![0; INBOX],
            filled: 0,
            outbox: Vec::new(),
            written: 0,
            slots: vec![None; spec.window],
        })
    }

    pub(super) fn free_slot(&self) -> Option<usize> {
        self.slots.iter().position(Option::is_none)
    }

    pub(super) fn send(&mut self, slot: usize, since: Instant) {
        let before = self.outbox.len();
        let kind = self.flow.next(slot, &mut self.outbox);
        let bytes = (self.outbox.len() - before) as u64;
        self.slots[slot] = Some(Sent { since, kind, bytes });
    }

    /// What was under way there. Nothing was, when the venue gave an answer unasked.
    pub(super) fn take(&mut self, slot: usize) -> Option<Sent> {
        self.slots.get_mut(slot).and_then(Option::take)
    }

    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        while self.written < self.outbox.len() {
            match self.stream.write(&self.outbox[self.written..]) {
                Ok(written) => self.written += written,
                // The socket says when it has room again.
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ended(&error.to_string())),
            }
        }
        self.outbox.clear();
        self.written = 0;
        Ok(())
    }

    /// Reads once; `true` when there is nothing more at the moment.
    pub(super) fn fill(&mut self) -> Result<bool, Failure> {
        if self.filled == self.inbox.len() {
            if self.inbox.len() >= INBOX_MAX {
                return Err(ended("an answer is larger than 16 MiB"));
            }
            self.inbox.resize(2 * self.inbox.len(), 0);
        }
        let room = self.inbox.len() - self.filled;
        match self.stream.read(&mut self.inbox[self.filled..]) {
            Ok(0) => Err(ended("it was closed")),
            Ok(read) => {
                self.filled += read;
                Ok(read < room)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(true),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(false),
            Err(error) => Err(ended(&error.to_string())),
        }
    }

    pub(super) fn take_answer(&mut self) -> Result<Option<Answer>, Failure> {
        if self.filled == 0 {
            return Ok(None);
        }
        match self.is_websocket {
            true => self.take_message(),
            false => self.take_response(),
        }
    }

    fn take_response(&mut self) -> Result<Option<Answer>, Failure> {
        let arrived = &self.inbox[..self.filled];
        let response = Response::parse(arrived);
        let response = response.map_err(|_| ended("what arrived is not HTTP"))?;
        let Some(Response { status, body, len }) = response else { return Ok(None) };
        let is_batch = body.first() == Some(&b'[');
        let failed = match status {
            200 if is_batch => count(body, br#""code":-"#),
            200 => 0,
            _ => u64::MAX,
        };
        let mut answer = Answer::of(0, body, len);
        match failed {
            0 => self.flow.answered(body),
            _ => answer.fail(status, body, failed, self.orders_per_request),
        }
        self.discard(len);
        Ok(Some(answer))
    }

    fn take_message(&mut self) -> Result<Option<Answer>, Failure> {
        loop {
            let Some(Frame { opcode, payload, len }) = Frame::parse(&self.inbox[..self.filled])
            else {
                return Ok(None);
            };
            match opcode {
                frame::TEXT => {
                    let (slot, status) = id_and_status(payload);
                    let mut answer = Answer::of(slot, payload, len);
                    if status != 200 {
                        answer.fail(status, payload, 1, 1);
                    }
                    self.discard(len);
                    return Ok(Some(answer));
                }
                frame::PING => frame::write_pong(&mut self.outbox, payload),
                frame::CLOSE => return Err(ended("the venue closed the WebSocket")),
                _ => {}
            }
            self.discard(len);
        }
    }

    fn discard(&mut self, len: usize) {
        self.inbox.copy_within(len..self.filled, 0);
        self.filled -= len;
    }
}

impl Answer {
    fn of(slot: usize, body: &[u8], len: usize) -> Self {
        Self {
            slot,
            failed: 0,
            error: None,
            trades: count(body, br#""tradeId""#),
            bytes_received: len as u64,
        }
    }

    fn fail(&mut self, status: u16, body: &[u8], failed: u64, of: u64) {
        self.failed = failed.min(of);
        self.error = Some(cause(status, body));
    }
}

/// The venue's code and words, as they stand in the first error of an answer.
pub(crate) fn cause(status: u16, body: &[u8]) -> String {
    let words = find(body, br#""code":"#).map_or(body, |at| &body[at..]);
    let words = words.split(|byte| *byte == b'}').next().unwrap_or_default();
    let words = String::from_utf8_lossy(words).replace('"', "");
    let words: String = words.chars().take(CAUSE_LEN_MAX).collect();
    format!("{status} {words}")
}

/// Both stand at the front: `{"id":7,"status":200,…`
fn id_and_status(payload: &[u8]) -> (usize, u16) {
    let number = |name: &[u8]| -> Option<usize> {
        let at = find(payload, name)? + name.len();
        let digits = payload[at..].split(|byte| !byte.is_ascii_digit()).next()?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    };
    let status = number(br#""status":"#).and_then(|status| u16::try_from(status).ok());
    (number(br#""id":"#).unwrap_or(usize::MAX), status.unwrap_or(0))
}

/// Makes the connection a WebSocket on which nothing has to be signed any more.
fn log_on(stream: &mut std::net::TcpStream, key: &Key) -> Result<(), Failure> {
    stream.write_all(frame::handshake("/ws-api/v3?returnRateLimits=false").as_bytes())?;
    let mut arrived = Vec::new();
    while find(&arrived, b"\r\n\r\n").is_none() {
        read_more(stream, &mut arrived)?;
    }
    if !arrived.starts_with(b"HTTP/1.1 101") {
        return Err(ended(&format!("no WebSocket: {}", String::from_utf8_lossy(&arrived))));
    }
    let mut out = Vec::new();
    frame::write_text(&mut out, flow::logon(key).as_bytes());
    stream.write_all(&out)?;
    arrived.clear();
    loop {
        read_more(stream, &mut arrived)?;
        let Some(frame) = Frame::parse(&arrived) else { continue };
        return match id_and_status(frame.payload) {
            (_, 200) => Ok(()),
            (_, status) => Err(ended(&cause(status, frame.payload))),
        };
    }
}

pub(crate) fn read_more(
    stream: &mut std::net::TcpStream,
    arrived: &mut Vec<u8>,
) -> Result<(), Failure> {
    let mut chunk = [0; 4_096];
    match stream.read(&mut chunk)? {
        0 => Err(ended("it was closed")),
        read => {
            arrived.extend(&chunk[..read]);
            Ok(())
        }
    }
}

fn ended(why: &str) -> Failure {
    Failure::new(format!("a client's connection ended: {why}"))
}
