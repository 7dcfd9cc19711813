//! The reporter: follows what is applied on the thread that has the engine, in its order.

use types::{Refused, SessionId};

use crate::reply::Reply;

/// Follows each applied command before its submitter has the reply, for reports that may wait for
/// no other thread. It delays all other commands, so it must neither wait nor do more than encode.
///
/// The publisher has the same events: what the reporter counts, a view can count again.
pub trait Reporter: Send {
    /// A command was applied; with the session that posted it, if one did.
    fn applied(&mut self, reply: &Reply, posted_by: Option<SessionId>);

    /// A posted command was refused before the log.
    fn refused(&mut self, posted_by: SessionId, refused: Refused);

    /// The last of several commands was applied, or refused.
    fn batch_done(&mut self);
}

/// Of a venue that has no reporter.
pub(crate) struct NoReporter;

impl Reporter for NoReporter {
    fn applied(&mut self, _: &Reply, _: Option<SessionId>) {}

    fn refused(&mut self, _: SessionId, _: Refused) {}

    fn batch_done(&mut self) {}
}
