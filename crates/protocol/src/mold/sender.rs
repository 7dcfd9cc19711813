//! The side that numbers messages.

use crate::mold::packet::{HEADER_SIZE, LENGTH_SIZE, put_end, put_header, set_count};
use crate::mold::{HEARTBEAT_AFTER_MS, PACKET_MAX, SessionName};

/// Fills packets with messages. A retransmission is filled by a sender of its own.
#[derive(Clone, Debug)]
pub struct Sender {
    session: SessionName,
    /// The number of the next message that is added.
    next: u64,
    /// The packet under way; empty if there is none.
    packet: Vec<u8>,
    /// Its messages.
    count: u16,
    sent_ms: u64,
}

impl Sender {
    /// `next` is the number of the next message; the first of a session has number 1.
    pub fn new(session: SessionName, next: u64, now_ms: u64) -> Self {
        let packet = Vec::with_capacity(PACKET_MAX);
        Self { session, next, packet, count: 0, sent_ms: now_ms }
    }

    /// The number of the next message.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Adds a message. `send` gets the packet under way if the message has no room in it.
    ///
    /// # Panics
    /// If the message has no room in any packet.
    #[inline]
    pub fn message(&mut self, message: &[u8], now_ms: u64, send: impl FnOnce(&[u8])) {
        let size = LENGTH_SIZE + message.len();
        assert!(HEADER_SIZE + size <= PACKET_MAX, "a message of {} bytes", message.len());
        if self.packet.len() + size > PACKET_MAX {
            self.flush(now_ms, send);
        }
        if self.packet.is_empty() {
            put_header(self.session, self.next, 0, &mut self.packet);
        }
        self.packet.extend((message.len() as u16).to_be_bytes());
        self.packet.extend_from_slice(message);
        self.count += 1;
        self.next += 1;
    }

    /// Ends the packet under way, if there is one.
    pub fn flush(&mut self, now_ms: u64, send: impl FnOnce(&[u8])) {
        if self.packet.is_empty() {
            return;
        }
        set_count(&mut self.packet, self.count);
        send(&self.packet);
        self.packet.clear();
        self.count = 0;
        self.sent_ms = self.sent_ms.max(now_ms);
    }

    /// Sends a heartbeat if it is due.
    pub fn tick(&mut self, now_ms: u64, send: impl FnOnce(&[u8])) {
        if now_ms < self.deadline_ms() {
            return;
        }
        if self.packet.is_empty() {
            put_header(self.session, self.next, 0, &mut self.packet);
        }
        self.flush(now_ms, send);
    }

    /// When a heartbeat is due.
    pub fn deadline_ms(&self) -> u64 {
        self.sent_ms.saturating_add(HEARTBEAT_AFTER_MS)
    }

    /// A packet that ends the session. It is sent for a while in place of heartbeats.
    pub fn end_of_session(&mut self, now_ms: u64, send: impl Fn(&[u8])) {
        self.flush(now_ms, &send);
        let mut packet = Vec::with_capacity(HEADER_SIZE);
        put_end(self.session, self.next, &mut packet);
        send(&packet);
        self.sent_ms = self.sent_ms.max(now_ms);
    }
}
