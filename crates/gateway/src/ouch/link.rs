//! The link between a session's connection and the reporter: packets that wait for the socket.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use types::{Refused, SessionId};

/// Packets that may wait for a client that does not read. Beyond it the connection is cut.
const WAITING_MAX: usize = 16 << 20;

#[derive(Debug)]
pub(super) struct Link {
    pub(super) session: SessionId,
    state: Mutex<LinkState>,
    /// Something has changed.
    pub(super) changed: Notify,
}

#[derive(Debug, Default)]
pub(super) struct LinkState {
    /// Whole packets.
    pub(super) packets: Vec<u8>,
    /// Posted commands that were applied.
    pub(super) applied: u64,
    /// The reports of the login before the session was opened.
    pub(super) before: u64,
    /// The last report that is in the packets, or was.
    pub(super) reported: u64,
    pub(super) end: Option<End>,
}

/// Why a session has ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum End {
    /// Another log-on, an operator, or the client's own close.
    Closed,
    /// The numbering day is over.
    Day,
    /// The client does not read.
    Slow,
    /// The venue refuses its commands.
    Refused(Refused),
}

impl Link {
    pub(super) fn new(session: SessionId) -> Self {
        Self { session, state: Mutex::default(), changed: Notify::new() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, LinkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LinkState {
    /// Ends the session for the first reason there is.
    pub(super) fn end(&mut self, why: End) {
        self.end.get_or_insert(why);
    }

    /// Ends the session of a client that lets too much wait.
    pub(super) fn bound(&mut self) {
        if self.packets.len() > WAITING_MAX {
            self.packets = Vec::new();
            self.end(End::Slow);
        }
    }
}
