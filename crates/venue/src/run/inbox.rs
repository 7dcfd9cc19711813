//! The engine's inbox: the requests in it, and the address of each command's reply.

use std::time::Instant;

use engine::Engine;
use tokio::sync::oneshot;
use types::{Entry, Refused, SessionId};

use crate::reply::Reply;

/// Requests that may wait for the engine.
pub(crate) const INBOX_MAX: usize = 65_536;

/// One request to the engine.
pub(crate) enum Request {
    Submit(Box<Entry>, ReplyTo),
    /// Commands of a session, which the reporter follows.
    Post(Vec<Entry>, SessionId, Instant),
    Read(Box<dyn FnOnce(&Engine) + Send>),
    /// A snapshot is wanted now.
    Snapshot,
    Stop,
}

/// Where the reply to a command goes, and since when its submitter waits.
pub(crate) struct ReplyTo {
    pub(crate) to: Submitter,
    pub(crate) since: Instant,
}

pub(crate) enum Submitter {
    /// A task that waits for this command.
    Ticket(oneshot::Sender<Result<Reply, Refused>>),
    /// A session that posted the command.
    Session(SessionId),
}
