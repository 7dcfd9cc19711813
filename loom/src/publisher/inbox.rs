//! Requests without content.

use crate::machine::Reply;
use crate::queue::SyncSender;

pub(crate) enum Request {
    Submit(ReplyTo),
    Stop,
}

#[derive(Debug)]
pub(crate) struct Refused;

pub(crate) struct ReplyTo {
    pub(crate) to: Submitter,
}

pub(crate) enum Submitter {
    Ticket(SyncSender<Result<Reply, Refused>>),
    /// Its outcomes come by the reporter.
    #[allow(dead_code, reason = "the model submits by tickets")]
    Session(u64),
}
