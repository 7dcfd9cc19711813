//! One client whose orders are calls, one under way at a time.

use std::time::Instant;

use cli::Failure;
use client::grpc::{Message, v1};

use super::http2::{self, Frame, Headers};
use super::order::order;
use crate::socket::Connection;

const PLACE_ORDER: &str = "/buttonwood.v1.Trading/PlaceOrder";
/// After as many bytes, the venue is given room for as many more.
const ROOM: u32 = 1 << 30;

pub(super) struct Caller {
    pub(super) connection: Connection,
    headers: Headers,
    /// When the call under way was sent.
    pub(super) under_way: Option<Instant>,
    /// Orders so far.
    number: u64,
    /// Of the order to send, to reuse its memory.
    message: Vec<u8>,
    /// What has arrived of the answer.
    answer: Vec<u8>,
    is_refused: bool,
    /// Bytes of messages since the venue was given room.
    received: u32,
}

/// The end of a call.
pub(super) enum Answer {
    Reply { fills: usize },
    Refused,
}

impl Caller {
    pub(super) fn new(mut connection: Connection, token: &str) -> Self {
        http2::write_opening(&mut connection.outbox);
        Self {
            connection,
            headers: Headers::new(PLACE_ORDER, token),
            under_way: None,
            number: 0,
            message: Vec::new(),
            answer: Vec::new(),
            is_refused: false,
            received: 0,
        }
    }

    /// Writes the next order, which the caller flushes.
    pub(super) fn send(&mut self, now: Instant) {
        self.number += 1;
        self.message.clear();
        order(self.number).encode(&mut self.message).expect("a vector grows");
        // Clients begin streams with odd numbers. One order is far within the room that the venue
        // gives to each.
        let stream = (2 * self.number - 1) as u32;
        let outbox = &mut self.connection.outbox;
        http2::write_call(outbox, &mut self.headers, stream, &self.message);
        self.under_way = Some(now);
    }

    /// The answer to the call under way, once all of it has arrived.
    pub(super) fn take_answer(&mut self) -> Result<Option<Answer>, Failure> {
        loop {
            let Some(frame) = Frame::parse(self.connection.arrived()) else { return Ok(None) };
            let Frame { kind, flags, payload, len, .. } = frame;
            let mut is_end = false;
            match kind {
                http2::DATA | http2::HEADERS if flags & http2::PADDED != 0 => {
                    return Err(Failure::fault("the venue pads its frames"));
                }
                http2::DATA => {
                    self.answer.extend(payload);
                    self.received += payload.len() as u32;
                    is_end = flags & http2::END_STREAM != 0;
                }
                http2::HEADERS => is_end = flags & http2::END_STREAM != 0,
                http2::RST_STREAM => (self.is_refused, is_end) = (true, true),
                http2::SETTINGS if flags & http2::ACK == 0 => {
                    http2::write_ack(&mut self.connection.outbox, kind, &[]);
                }
                http2::PING if flags & http2::ACK == 0 => {
                    let sent = payload.to_vec();
                    http2::write_ack(&mut self.connection.outbox, kind, &sent);
                }
                http2::GOAWAY => return Err(Failure::new("the venue ended a connection")),
                _ => {}
            }
            self.connection.discard(len);
            if self.received >= ROOM {
                http2::write_room(&mut self.connection.outbox, self.received);
                self.received = 0;
            }
            if is_end {
                return self.end().map(Some);
            }
        }
    }

    fn end(&mut self) -> Result<Answer, Failure> {
        let is_refused = std::mem::take(&mut self.is_refused);
        // A refused call has a status and no message.
        let answer = match self.answer.get(http2::MESSAGE_HEAD_LEN..) {
            Some(message) if !is_refused => {
                let reply = v1::OrderReply::decode(message);
                let reply = reply.map_err(|_| Failure::fault("an answer is no reply"))?;
                Answer::Reply { fills: reply.fills.len() }
            }
            _ => Answer::Refused,
        };
        self.answer.clear();
        Ok(answer)
    }
}
