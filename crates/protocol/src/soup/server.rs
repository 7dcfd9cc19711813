//! The server's side of a session.

use crate::soup::packet::{Sender, begin, end, kind, put_accepted, put_empty, take};
use crate::soup::{
    DEAD_AFTER_MS, HEARTBEAT_AFTER_MS, LOG_ON_WITHIN_MS, Received, RejectReason, SessionName,
    Violation,
};

/// Heartbeats of connections with the same clock leave together, at multiples of this.
const BEAT_MS: u64 = 250;

/// The server's side of one connection.
#[derive(Clone, Debug)]
pub struct Server {
    stage: Stage,
    begun_ms: u64,
    heard_ms: u64,
    sent_ms: u64,
    heartbeat_ms: u64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Stage {
    /// The client has not asked to log on.
    Waiting,
    /// It has, and has no answer yet.
    Asked,
    LoggedOn,
    Ended,
}

/// What is due by the clock.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Due {
    Nothing,
    /// A heartbeat was added to the output.
    Heartbeat,
    /// The client was silent for too long: the connection is to be closed.
    Close,
}

impl Server {
    pub fn new(now_ms: u64) -> Self {
        Self {
            stage: Stage::Waiting,
            begun_ms: now_ms,
            heard_ms: now_ms,
            sent_ms: now_ms,
            heartbeat_ms: HEARTBEAT_AFTER_MS,
        }
    }

    /// Takes the next packet off `bytes`. A client that has asked to log on may send messages at
    /// once: the caller leaves them in `bytes` until it has answered.
    #[inline]
    pub fn receive<'a>(&mut self, bytes: &mut &'a [u8], now_ms: u64) -> Received<'a> {
        let received = take(bytes, Sender::Client);
        if received != Received::NeedMore {
            self.heard_ms = self.heard_ms.max(now_ms);
        }
        match (self.stage, received) {
            (Stage::Waiting, Received::LogOn(log_on)) => {
                self.stage = Stage::Asked;
                if let Some(heartbeat_ms) = log_on.heartbeat_ms.filter(|ms| *ms > 0) {
                    self.heartbeat_ms = HEARTBEAT_AFTER_MS.min(heartbeat_ms.into());
                }
                received
            }
            (_, Received::LogOn(_)) => Received::Violation(Violation::LoggedOnAlready),
            (_, Received::NeedMore | Received::Nothing | Received::Violation(_))
            | (Stage::LoggedOn, _) => received,
            _ => Received::Violation(Violation::NotLoggedOn),
        }
    }

    /// Lets the client in; `next` is the number of the next message.
    pub fn accept(&mut self, session: SessionName, next: u64, out: &mut Vec<u8>, now_ms: u64) {
        debug_assert_eq!(self.stage, Stage::Asked);
        self.stage = Stage::LoggedOn;
        put_accepted(session, next, out);
        self.sent(now_ms);
    }

    /// Refuses the client, with a text for people before it.
    pub fn reject(&mut self, reason: RejectReason, why: &str, out: &mut Vec<u8>) {
        self.stage = Stage::Ended;
        Self::debug(why, out);
        let start = begin(kind::REJECTED, out);
        out.push(reason.code());
        end(start, out);
    }

    /// Adds a text for people, which clients skip.
    pub fn debug(text: &str, out: &mut Vec<u8>) {
        let start = begin(kind::DEBUG, out);
        out.extend(text.bytes());
        end(start, out);
    }

    /// Adds the next message in sequence, which `write` appends.
    #[inline]
    pub fn message(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
        let start = begin(kind::SEQUENCED, out);
        write(out);
        end(start, out);
    }

    /// Adds a message that is not in sequence, and that no log-on brings back.
    pub fn unsequenced(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
        let start = begin(kind::UNSEQUENCED, out);
        write(out);
        end(start, out);
    }

    /// Ends the session: no message follows.
    pub fn end_of_session(&mut self, out: &mut Vec<u8>) {
        if self.is_logged_on() {
            put_empty(kind::END_OF_SESSION, out);
        }
        self.stage = Stage::Ended;
    }

    pub fn is_logged_on(&self) -> bool {
        self.stage == Stage::LoggedOn
    }

    /// The caller has sent packets.
    pub fn sent(&mut self, now_ms: u64) {
        self.sent_ms = self.sent_ms.max(now_ms);
    }

    /// Does what is due by the clock.
    pub fn tick(&mut self, out: &mut Vec<u8>, now_ms: u64) -> Due {
        let is_dead = match self.stage {
            Stage::Waiting => now_ms >= self.begun_ms.saturating_add(LOG_ON_WITHIN_MS),
            Stage::Asked => false,
            Stage::LoggedOn => now_ms >= self.heard_ms.saturating_add(DEAD_AFTER_MS),
            Stage::Ended => true,
        };
        if is_dead {
            self.stage = Stage::Ended;
            return Due::Close;
        }
        if self.stage == Stage::LoggedOn && now_ms >= self.beat_ms() {
            put_empty(kind::SERVER_HEARTBEAT, out);
            self.sent(now_ms);
            return Due::Heartbeat;
        }
        Due::Nothing
    }

    /// When something is due by the clock next.
    pub fn deadline_ms(&self) -> u64 {
        match self.stage {
            Stage::Waiting => self.begun_ms.saturating_add(LOG_ON_WITHIN_MS),
            Stage::Asked => u64::MAX,
            Stage::LoggedOn => {
                let dead_ms = self.heard_ms.saturating_add(DEAD_AFTER_MS);
                self.beat_ms().min(dead_ms)
            }
            Stage::Ended => 0,
        }
    }

    /// When the next heartbeat is due: up to a quarter of its time early, so that one wake of the
    /// caller serves all connections.
    fn beat_ms(&self) -> u64 {
        let step = BEAT_MS.min(self.heartbeat_ms / 4).max(1);
        let latest = self.sent_ms.saturating_add(self.heartbeat_ms);
        latest - latest % step
    }
}
