//! The side that puts messages in order.

use std::collections::BTreeMap;

use crate::mold::packet::{Content, Invalid, Packet, Request};
use crate::mold::{PACKET_MAX, SessionName};

/// Messages that wait for a missed one before them, at most.
const WAITING_MAX: usize = 65_536;
/// Messages of one request, at most.
const REQUEST_MAX: u16 = 1_024;
/// A request without an answer is sent again after this time.
const ASK_AGAIN_MS: u64 = 20;

/// Delivers the messages of a session in order.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// `None`: the first packet decides.
    session: Option<SessionName>,
    /// The number of the next message to deliver.
    next: u64,
    /// The number of the next message that the sender has named.
    head: u64,
    waiting: BTreeMap<u64, Vec<u8>>,
    asked: Option<Asked>,
    has_ended: bool,
}

/// The request that is under way.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// When it was sent, or its answer last went on.
    at_ms: u64,
    /// The number after the last message asked for.
    end: u64,
}

/// What a packet was.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Received {
    /// The messages delivered; none for a repeat, a heartbeat, or a packet behind a gap.
    Delivered(u64),
    /// A packet of another session, which was dropped.
    OtherSession(SessionName),
    /// The session has ended, and all its messages are delivered.
    Ended,
    Invalid(Invalid),
}

impl Receiver {
    /// `next` is the number of the first message that is wanted.
    pub fn new(session: Option<SessionName>, next: u64) -> Self {
        let (waiting, head) = (BTreeMap::new(), next);
        Self { session, next, head, waiting, asked: None, has_ended: false }
    }

    /// The number of the next message to deliver.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Messages that the sender has named and that are not delivered.
    pub fn missing(&self) -> u64 {
        self.head.saturating_sub(self.next)
    }

    /// Takes a packet, and delivers what is in order with it: numbers and messages.
    pub fn receive(
        &mut self,
        bytes: &[u8],
        now_ms: u64,
        mut deliver: impl FnMut(u64, &[u8]),
    ) -> Received {
        let packet = match Packet::read(bytes) {
            Ok(packet) => packet,
            Err(invalid) => return Received::Invalid(invalid),
        };
        if *self.session.get_or_insert(packet.session) != packet.session {
            return Received::OtherSession(packet.session);
        }
        let before = self.next;
        self.head = self.head.max(packet.sequence);
        match packet.content {
            Content::Heartbeat => {}
            Content::EndOfSession => self.has_ended = true,
            Content::Messages(messages) => {
                // In this order no number beyond the last message's is made.
                for (message, number) in messages.zip(packet.sequence..) {
                    self.take(number, message, &mut deliver);
                }
            }
        }
        self.deliver_waiting(&mut deliver);
        if self.next > before {
            // An answer of several packets goes on; a whole one leaves room for the next request.
            let (at_ms, next) = (now_ms, self.next);
            self.asked =
                self.asked.filter(|asked| asked.end > next).map(|asked| Asked { at_ms, ..asked });
        }
        if self.has_ended && self.missing() == 0 {
            return Received::Ended;
        }
        Received::Delivered(self.next - before)
    }

    fn take(&mut self, number: u64, message: &[u8], deliver: &mut impl FnMut(u64, &[u8])) {
        self.head = self.head.max(number + 1);
        if number == self.next {
            deliver(number, message);
            self.next += 1;
        } else if number > self.next && self.waiting.len() < WAITING_MAX {
            self.waiting.entry(number).or_insert_with(|| message.to_vec());
        }
        // An older one is a repeat. One beyond the bound is asked for again.
    }

    fn deliver_waiting(&mut self, deliver: &mut impl FnMut(u64, &[u8])) {
        while let Some(first) = self.waiting.first_entry() {
            if *first.key() > self.next {
                return;
            }
            let (number, message) = first.remove_entry();
            if number == self.next {
                deliver(number, &message);
                self.next += 1;
            }
        }
    }

    /// The request that is due, if messages are missing.
    pub fn request(&mut self, now_ms: u64) -> Option<Request> {
        if self.deadline_ms().is_none_or(|deadline_ms| now_ms < deadline_ms) {
            return None;
        }
        let end = self.waiting.keys().next().copied().unwrap_or(self.head);
        let count = (end - self.next).min(REQUEST_MAX.into()) as u16;
        self.asked = Some(Asked { at_ms: now_ms, end: self.next + u64::from(count) });
        Some(Request { session: self.session?, sequence: self.next, count })
    }

    /// When a request is due again; `None` if nothing is missing.
    pub fn deadline_ms(&self) -> Option<u64> {
        let again_ms = self.asked.map_or(0, |asked| asked.at_ms.saturating_add(ASK_AGAIN_MS));
        (self.missing() > 0).then_some(again_ms)
    }
}

const _: () = assert!(WAITING_MAX * PACKET_MAX < 128 << 20, "memory of a receiver");
