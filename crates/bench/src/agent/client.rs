//! One client: its connection to the venue, the requests under way on it, and their answers.

use std::io::Write;
use std::net::SocketAddr;
use std::time::Instant;

use cli::Failure;

use super::super::flow::{self, Flow, Kind};
use super::super::frame::{self, Frame};
use super::super::socket::{self, Connection};
use super::super::spec::{Key, Load, Spec};
use super::super::wire::{Response, count, find, number_after};

/// Characters of an error's text under which it is counted.
const CAUSE_LEN_MAX: usize = 100;

pub(super) struct Client {
    pub(super) connection: Connection,
    flow: Flow,
    is_websocket: bool,
    orders_per_request: u64,
    /// Requests under way.
    slots: Vec<Option<Sent>>,
}

#[derive(Clone, Copy)]
pub(super) struct Sent {
    pub(super) since: Instant,
    pub(super) kind: Kind,
    pub(super) bytes: u64,
}

/// The answer to one request.
pub(super) struct Answer {
    pub(super) slot: usize,
    /// Orders that were refused.
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
        let mut stream = socket::connect(address)?;
        let is_websocket = spec.load == Load::WebSocket;
        if is_websocket {
            log_on(&mut stream, key)?;
        }
        Ok(Self {
            connection: Connection::new(stream, &[], "a client's connection")?,
            flow: Flow::new(spec.load, key.clone(), spec.seed, at),
            is_websocket,
            orders_per_request: spec.load.orders_per_request(),
            slots: vec![None; spec.window],
        })
    }

    pub(super) fn free_slot(&self) -> Option<usize> {
        self.slots.iter().position(Option::is_none)
    }

    pub(super) fn send(&mut self, slot: usize, since: Instant) {
        let outbox = &mut self.connection.outbox;
        let before = outbox.len();
        let kind = self.flow.next(slot, outbox);
        let bytes = (outbox.len() - before) as u64;
        self.slots[slot] = Some(Sent { since, kind, bytes });
    }

    /// The request under way in a slot; `None` when the venue sent an answer without a request.
    pub(super) fn take(&mut self, slot: usize) -> Option<Sent> {
        self.slots.get_mut(slot).and_then(Option::take)
    }

    pub(super) fn take_answer(&mut self) -> Result<Option<Answer>, Failure> {
        if self.connection.arrived().is_empty() {
            Ok(None)
        } else if self.is_websocket {
            self.take_message()
        } else {
            self.take_response()
        }
    }

    fn take_response(&mut self) -> Result<Option<Answer>, Failure> {
        let Some(Response { status, body, len }) = self.connection.response()? else {
            return Ok(None);
        };
        let is_batch = body.first() == Some(&b'[');
        let unmatched = count(body, NO_LIQUIDITY);
        let failed = match status {
            200 if is_batch => count(body, br#""code":-"#).saturating_sub(unmatched),
            200 => 0,
            _ if unmatched > 0 => 0,
            _ => u64::MAX,
        };
        let mut answer = Answer::of(0, body, len);
        match failed {
            0 if unmatched == 0 => self.flow.answered(body),
            0 => {}
            _ => answer.fail(status, body, failed, self.orders_per_request),
        }
        self.connection.discard(len);
        Ok(Some(answer))
    }

    fn take_message(&mut self) -> Result<Option<Answer>, Failure> {
        let Some(Frame { payload, len, .. }) = self.connection.message()? else { return Ok(None) };
        let (slot, status) = id_and_status(payload);
        let mut answer = Answer::of(slot, payload, len);
        if status != 200 && count(payload, NO_LIQUIDITY) == 0 {
            answer.fail(status, payload, 1, 1);
        }
        self.connection.discard(len);
        Ok(Some(answer))
    }
}

/// The answer to a market order that found the other side empty: its outcome, and no failure.
const NO_LIQUIDITY: &[u8] = b"Order book liquidity is less than symbol minimum quantity.";

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

/// The venue's code and message, from the first error of an answer.
pub(crate) fn cause(status: u16, body: &[u8]) -> String {
    let words = find(body, br#""code":"#).map_or(body, |at| &body[at..]);
    let words = words.split(|byte| *byte == b'}').next().unwrap_or_default();
    let words = String::from_utf8_lossy(words).replace('"', "");
    let words: String = words.chars().take(CAUSE_LEN_MAX).collect();
    format!("{status} {words}")
}

/// Both are at the front: `{"id":7,"status":200,…`
fn id_and_status(payload: &[u8]) -> (usize, u16) {
    let id = number_after(payload, br#""id":"#).map_or(usize::MAX, |id| id as usize);
    let status = number_after(payload, br#""status":"#);
    (id, status.and_then(|status| u16::try_from(status).ok()).unwrap_or(0))
}

/// Makes the connection a WebSocket whose requests need no signature.
fn log_on(stream: &mut std::net::TcpStream, key: &Key) -> Result<(), Failure> {
    let mut arrived = socket::upgrade(stream, "/ws-api/v3?returnRateLimits=false")?;
    let mut out = Vec::new();
    frame::write_text(&mut out, flow::logon(key).as_bytes());
    stream.write_all(&out)?;
    loop {
        let Some(frame) = Frame::parse(&arrived) else {
            socket::read_more(stream, &mut arrived)?;
            continue;
        };
        return match id_and_status(frame.payload) {
            (_, 200) => Ok(()),
            (_, status) => {
                let cause = cause(status, frame.payload);
                Err(Failure::new(format!("a client's connection ended: {cause}")))
            }
        };
    }
}
