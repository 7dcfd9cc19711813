//! An open session, from one side: both work alike.

use crate::udp::cipher::{Keys, TAG_SIZE};
use crate::udp::frame::{self, Frame};
use crate::udp::incoming::Incoming;
use crate::udp::outgoing::Outgoing;
use crate::udp::window::Window;
use crate::udp::{DATAGRAM_MAX, DEAD_AFTER_US, HEARTBEAT_AFTER_US, kind};

/// Kind, connection and sequence, which are sent in the open.
const HEAD_SIZE: usize = 17;
/// What a datagram has beside one message.
pub const OVERHEAD_MAX: usize = HEAD_SIZE + TAG_SIZE + frame::MESSAGES_HEAD + frame::LENGTH_SIZE;
/// An acknowledgement may wait this long for a message that carries it.
const ACK_DELAY_US: u64 = 1_000;
/// Datagrams with messages that are acknowledged at once.
const ACK_EVERY: u32 = 8;

/// Why a session is over.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub enum Closed {
    /// The client logged out.
    LogOut = 1,
    /// Another session of the login, or an operator, has ended it.
    Ended = 2,
    /// The numbering day is over.
    Day = 3,
    /// The other side takes in nothing, or nothing was heard of it.
    Silent = 4,
    /// The other side does not keep to the protocol.
    Violation = 5,
}

impl Closed {
    const ALL: [Self; 5] = [Self::LogOut, Self::Ended, Self::Day, Self::Silent, Self::Violation];

    fn of(code: u8) -> Self {
        Self::ALL.into_iter().find(|of| *of as u8 == code).unwrap_or(Self::Ended)
    }
}

/// Why a datagram changed nothing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Dropped {
    /// It is no datagram of a session.
    Malformed,
    /// It is of another session, or the other side has not sealed it.
    NotGenuine,
    /// It arrived before, or is too old to know.
    Replayed,
}

/// One side of a session.
#[derive(Debug)]
pub struct Session {
    connection: u64,
    keys: Keys,
    /// The sequence of the next datagram.
    sequence: u64,
    window: Window,
    incoming: Incoming,
    outgoing: Outgoing,
    /// Datagrams with messages since the last acknowledgement, and until when that may wait.
    unacked: u32,
    ack_us: Option<u64>,
    /// Messages that came again.
    repeats: u64,
    heard_us: u64,
    sent_us: u64,
    closed: Option<Closed>,
    /// The close that is to be sent.
    close: Option<Closed>,
    datagram: Vec<u8>,
}

/// The session that a datagram names.
pub fn connection_of(datagram: &[u8]) -> Option<u64> {
    let rest = datagram.strip_prefix(&[kind::DATA])?;
    rest.first_chunk::<8>().map(|connection| u64::from_be_bytes(*connection))
}

impl Session {
    /// `next_in` is the number of the first message of the other side, `next_out` of this one.
    pub fn new(connection: u64, keys: Keys, next_in: u64, next_out: u64, now_us: u64) -> Self {
        Self {
            connection,
            keys,
            sequence: 1,
            window: Window::default(),
            incoming: Incoming::new(next_in),
            outgoing: Outgoing::new(next_out),
            unacked: 0,
            ack_us: None,
            repeats: 0,
            heard_us: now_us,
            sent_us: now_us,
            closed: None,
            close: None,
            datagram: Vec::with_capacity(DATAGRAM_MAX),
        }
    }

    pub fn connection(&self) -> u64 {
        self.connection
    }

    /// Takes a datagram, and delivers the messages that are in order with it: numbers and bytes.
    pub fn receive(
        &mut self,
        datagram: &mut [u8],
        now_us: u64,
        mut deliver: impl FnMut(u64, &[u8]),
    ) -> Result<(), Dropped> {
        if connection_of(datagram) != Some(self.connection) {
            return Err(Dropped::NotGenuine);
        }
        let sequence = datagram.get(9..HEAD_SIZE).and_then(|bytes| bytes.first_chunk::<8>());
        let sequence = u64::from_be_bytes(*sequence.ok_or(Dropped::Malformed)?);
        if self.window.has(sequence) {
            return Err(Dropped::Replayed);
        }
        let text = self.keys.open(sequence, HEAD_SIZE, datagram).ok_or(Dropped::NotGenuine)?;
        self.window.take(sequence);
        self.heard_us = self.heard_us.max(now_us);
        let mut rest = text;
        let (mut has_messages, mut is_repeat) = (false, false);
        while !rest.is_empty() && self.closed.is_none() {
            let Some(frame) = frame::take(&mut rest) else {
                self.violated();
                return Err(Dropped::Malformed);
            };
            match frame {
                Frame::Ack(ack) => {
                    if ack.largest >= self.sequence || !self.outgoing.acked(&ack, now_us) {
                        self.violated();
                        return Err(Dropped::Malformed);
                    }
                }
                Frame::Messages(messages) => {
                    has_messages = true;
                    for (number, message) in messages.each() {
                        if !self.incoming.take(number, message, &mut deliver) {
                            is_repeat = true;
                            self.repeats += 1;
                        }
                    }
                }
                Frame::Close(reason) => self.closed = Some(Closed::of(reason)),
            }
        }
        if has_messages {
            self.unacked += 1;
            let is_urgent = is_repeat || self.incoming.has_gap() || self.unacked >= ACK_EVERY;
            let due_us = if is_urgent { now_us } else { now_us + ACK_DELAY_US };
            self.ack_us = Some(self.ack_us.map_or(due_us, |before| before.min(due_us)));
        }
        Ok(())
    }

    fn violated(&mut self) {
        self.close(Closed::Violation);
    }

    /// Has a message sent with the next [`Session::poll`]; `false` if too many wait for an
    /// acknowledgement.
    ///
    /// # Panics
    /// If the message is longer than [`MESSAGE_MAX`](crate::udp::MESSAGE_MAX).
    pub fn message(&mut self, message: &[u8]) -> bool {
        assert!(message.len() <= super::MESSAGE_MAX, "a message of {} bytes", message.len());
        self.outgoing.push(message)
    }

    /// Ends the session; the next [`Session::poll`] informs the other side, once.
    pub fn close(&mut self, why: Closed) {
        if self.closed.is_none() {
            (self.closed, self.close) = (Some(why), Some(why));
        }
    }

    /// Sends what is due: messages, acknowledgements, what was lost, and heartbeats.
    pub fn poll(&mut self, now_us: u64, mut send: impl FnMut(&[u8])) {
        if self.closed.is_none() && now_us >= self.heard_us.saturating_add(DEAD_AFTER_US) {
            self.close(Closed::Silent);
        }
        if let Some(why) = self.close.take() {
            self.begin_datagram();
            frame::put_close(why as u8, &mut self.datagram);
            self.end_datagram(now_us, &mut send);
        }
        if self.closed.is_some() {
            return;
        }
        self.outgoing.tick(now_us);
        while self.outgoing.is_ready() {
            self.begin_datagram();
            if self.ack_us.is_some() {
                self.put_ack();
            }
            let (sequence, size_max) = (self.sequence, DATAGRAM_MAX - TAG_SIZE);
            self.outgoing.fill(sequence, size_max, now_us, &mut self.datagram);
            self.end_datagram(now_us, &mut send);
        }
        let is_ack_due = self.ack_us.is_some_and(|due_us| now_us >= due_us);
        if is_ack_due || now_us >= self.sent_us.saturating_add(HEARTBEAT_AFTER_US) {
            self.begin_datagram();
            self.put_ack();
            self.end_datagram(now_us, &mut send);
        }
    }

    fn begin_datagram(&mut self) {
        self.datagram.clear();
        self.datagram.push(kind::DATA);
        self.datagram.extend(self.connection.to_be_bytes());
        self.datagram.extend(self.sequence.to_be_bytes());
    }

    fn put_ack(&mut self) {
        let ranges = self.incoming.ranges();
        let (largest, next) = (self.window.largest(), self.incoming.next());
        frame::put_ack(largest, next, &ranges, &mut self.datagram);
        (self.unacked, self.ack_us) = (0, None);
    }

    fn end_datagram(&mut self, now_us: u64, send: &mut impl FnMut(&[u8])) {
        self.keys.seal(self.sequence, HEAD_SIZE, &mut self.datagram);
        debug_assert!(self.datagram.len() <= DATAGRAM_MAX);
        send(&self.datagram);
        self.sequence += 1;
        self.sent_us = now_us;
    }

    /// When [`Session::poll`] has something to do by the clock.
    pub fn deadline_us(&self) -> u64 {
        let by_silence = self.heard_us.saturating_add(DEAD_AFTER_US);
        let heartbeat = self.sent_us.saturating_add(HEARTBEAT_AFTER_US);
        let dues = [Some(by_silence), Some(heartbeat), self.ack_us, self.outgoing.deadline_us()];
        dues.into_iter().flatten().min().unwrap_or(heartbeat)
    }

    /// Why the session is over, if it is.
    pub fn closed(&self) -> Option<Closed> {
        self.closed
    }

    /// Messages that the other side has not acknowledged.
    pub fn waiting(&self) -> usize {
        self.outgoing.waiting()
    }

    /// Messages that were sent again.
    pub fn sent_again(&self) -> u64 {
        self.outgoing.sent_again()
    }

    /// Messages of the other side that came again, or had no room.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }

    /// How long an acknowledgement takes; `None` before the first.
    pub fn round_trip_us(&self) -> Option<u64> {
        self.outgoing.round_trip_us()
    }

    /// Since when messages are out and no acknowledgement has come.
    pub fn unanswered_since_us(&self) -> Option<u64> {
        self.outgoing.unanswered_us()
    }

    /// The number of the next message of the other side.
    pub fn next_in(&self) -> u64 {
        self.incoming.next()
    }
}
