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
    pub(crate) sender: SyncSender<Result<Reply, Refused>>,
}
