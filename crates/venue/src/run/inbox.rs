//! The engine's inbox: the requests in it, and the address of each command's reply.

use std::time::Instant;

use engine::Engine;
use tokio::sync::oneshot;
use types::{Entry, Refused};

use crate::reply::Reply;

/// Requests that may wait for the engine.
pub(crate) const INBOX_MAX: usize = 65_536;

/// One request to the engine.
pub(crate) enum Request {
    Submit(Box<Entry>, ReplyTo),
    Read(Box<dyn FnOnce(&Engine) + Send>),
    /// A snapshot is wanted now.
    Snapshot,
    Stop,
}

/// Where the reply to a command goes, and since when its submitter waits.
pub(crate) struct ReplyTo {
    pub(crate) sender: oneshot::Sender<Result<Reply, Refused>>,
    pub(crate) since: Instant,
}

impl ReplyTo {
    pub(crate) fn refuse(self, refused: Refused) {
        // The submitter may have gone away meanwhile.
        let _gone = self.sender.send(Err(refused));
    }
}
