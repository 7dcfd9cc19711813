//! What the venue had when a reader of events subscribed, and how far back it may begin.

use std::sync::Arc;

use protocol::signed::ApiError;
use spool::SpoolReader;

use crate::operator::OperatorState;
use crate::operator::hub::EventReader;

/// The furthest that a reader may go back. They are read one by one, and most are orders.
const BACKLOG_MAX: u64 = 10_000_000;

/// Codes as of the other operations.
pub(super) const BAD_REQUEST: i32 = -9001;
const NOT_THERE: i32 = -9002;

pub(super) async fn subscribe(
    shared: &OperatorState,
    reader: &Arc<EventReader>,
) -> Result<Subscription, ApiError> {
    let (hub, own) = (Arc::clone(&shared.hub), Arc::clone(reader));
    let subscribed = shared.door.ask_views(move |_, spool| {
        hub.add(own);
        let (first, last) = (spool.first_sequence(), spool.last_sequence());
        Subscription { spool: spool.reader(), first, last }
    });
    Ok(subscribed.await?)
}

/// The commands that the venue had applied when a reader subscribed.
#[derive(Debug)]
pub(super) struct Subscription {
    pub(super) spool: SpoolReader,
    /// The oldest that is kept.
    first: u64,
    pub(super) last: u64,
}

impl Subscription {
    /// The first command of the backlog; without one, the next command.
    pub(super) fn check(&self, from_seq: Option<u64>) -> Result<u64, ApiError> {
        let Self { first, last, .. } = self;
        let Some(from_seq) = from_seq else { return Ok(last + 1) };
        if from_seq > last + 1 {
            return Err(ApiError::new(
                400,
                BAD_REQUEST,
                format!(
                    "fromSeq is {from_seq}, and the venue's last command is {last}: the number is \
                     from another venue"
                ),
            ));
        }
        let oldest = (*first).max((last + 1).saturating_sub(BACKLOG_MAX));
        if from_seq < oldest {
            return Err(ApiError::new(
                404,
                NOT_THERE,
                format!(
                    "events before {oldest} are no longer kept for this stream: ask from {oldest}, \
                     and GET /admin/v1/audit for older commands"
                ),
            ));
        }
        Ok(from_seq)
    }
}
