//! The client's side of a session.

use crate::soup::packet::{Sender, begin, end, kind, put_empty, take};
use crate::soup::server::Due;
use crate::soup::{DEAD_AFTER_MS, HEARTBEAT_AFTER_MS, LogOn, Received, SessionName, Violation};

/// The client's side of one connection. It counts the messages, so that the next log-on asks for
/// what was missed.
#[derive(Clone, Debug)]
pub struct Client {
    session: Option<SessionName>,
    /// The number of the next message; zero until the server has named it.
    next: u64,
    is_logged_on: bool,
    heard_ms: u64,
    sent_ms: u64,
}

impl Client {
    /// Asks to log on: adds the request to `out`.
    pub fn log_on(request: &LogOn, out: &mut Vec<u8>, now_ms: u64) -> Self {
        request.write(out);
        Self {
            session: request.session,
            next: request.sequence,
            is_logged_on: false,
            heard_ms: now_ms,
            sent_ms: now_ms,
        }
    }

    /// Takes the next packet off `bytes`.
    #[inline]
    pub fn receive<'a>(&mut self, bytes: &mut &'a [u8], now_ms: u64) -> Received<'a> {
        let received = take(bytes, Sender::Server);
        if received != Received::NeedMore {
            self.heard_ms = self.heard_ms.max(now_ms);
        }
        match received {
            Received::Message(_) if self.is_logged_on => self.next = self.next.saturating_add(1),
            Received::Accepted { .. } if self.is_logged_on => {
                return Received::Violation(Violation::LoggedOnAlready);
            }
            Received::Accepted { session, next } => {
                self.is_logged_on = true;
                (self.session, self.next) = (Some(session), next);
            }
            Received::Rejected(_) | Received::EndOfSession => self.is_logged_on = false,
            Received::Message(_) | Received::Unsequenced(_) if !self.is_logged_on => {
                return Received::Violation(Violation::NotLoggedOn);
            }
            _ => {}
        }
        received
    }

    /// Adds a message, which `write` appends.
    #[inline]
    pub fn message(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
        let start = begin(kind::UNSEQUENCED, out);
        write(out);
        end(start, out);
    }

    pub fn log_out(&mut self, out: &mut Vec<u8>) {
        put_empty(kind::LOG_OUT, out);
    }

    /// The session, and the number of the next message in it: what the next log-on asks for.
    pub fn position(&self) -> (Option<SessionName>, u64) {
        (self.session, self.next)
    }

    pub fn is_logged_on(&self) -> bool {
        self.is_logged_on
    }

    /// The caller has sent packets.
    pub fn sent(&mut self, now_ms: u64) {
        self.sent_ms = self.sent_ms.max(now_ms);
    }

    /// Does what is due by the clock.
    pub fn tick(&mut self, out: &mut Vec<u8>, now_ms: u64) -> Due {
        if now_ms >= self.heard_ms.saturating_add(DEAD_AFTER_MS) {
            return Due::Close;
        }
        if self.is_logged_on && now_ms >= self.sent_ms.saturating_add(HEARTBEAT_AFTER_MS) {
            put_empty(kind::CLIENT_HEARTBEAT, out);
            self.sent(now_ms);
            return Due::Heartbeat;
        }
        Due::Nothing
    }
}
