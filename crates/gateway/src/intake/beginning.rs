//! Where the intake begins: after the last entry that has its reply.

use protocol::intake::StreamId;
use redis::{Value, cmd};
use serde::Deserialize;
use types::{AccountId, Command, Envelope, Event, OpenSession, Origin};

use crate::clock::now_ns;
use crate::door::shared::Door;
use crate::door::submit::SubmitError;

use super::connection::Connection;
use super::desk::INTAKE_SESSION;
use super::entry::entries;
use super::failure::Failure;
use super::key;

/// Finds the id after which entries are to be taken.
///
/// Entries before the last reply are done. Without replies, it is the oldest entry that the engine
/// remembers: what was taken before that cannot be answered again.
pub(super) async fn find(door: &Door, redis: &mut Connection) -> Result<StreamId, Failure> {
    let (oldest, highest) = numbers(door).await?;
    let before_oldest = StreamId::of_number(oldest.saturating_sub(1));
    let replied = last_reply(redis).await?;
    if let Some(replied) = replied.filter(|replied| *replied > StreamId::of_number(highest)) {
        tracing::warn!(
            %replied,
            taken = %StreamId::of_number(highest),
            "the replies in Redis are ahead of the venue's log, as after a restored backup: entries \
             that have a reply are not taken again"
        );
    }
    Ok(replied.unwrap_or_default().max(before_oldest))
}

/// The last entry that the engine has carried out.
pub(super) async fn last_taken(door: &Door) -> Result<StreamId, Failure> {
    let (_, highest) = numbers(door).await?;
    Ok(StreamId::of_number(highest))
}

/// The oldest number that the engine remembers, and the highest. Opens the session if it is not.
async fn numbers(door: &Door) -> Result<(u64, u64), Failure> {
    let unanswered = |_| Failure::new("the venue does not answer");
    let known = door.numbers_of_session(INTAKE_SESSION).await.map_err(unanswered)?;
    if let Some(numbers) = known {
        return Ok(numbers);
    }
    let envelope = Envelope { session: INTAKE_SESSION, ..Envelope::venue(Origin::Redis, now_ns()) };
    debug_assert_eq!(envelope.account, AccountId::VENUE);
    let open = OpenSession { cancel_on_disconnect: false, login: None };
    match door.submit(envelope, Command::OpenSession(open), false).await {
        Ok(outcome) => match outcome.events.first() {
            Some(Event::SessionOpened(_)) => Ok((0, 0)),
            _ => Err(Failure::new("the venue has too many sessions for the intake")),
        },
        Err(SubmitError::Refused(refused)) => Err(Failure::of_venue(refused)),
        Err(_) => Err(Failure::new("the venue does not answer")),
    }
}

/// The entry that the last reply is about.
async fn last_reply(redis: &mut Connection) -> Result<Option<StreamId>, Failure> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct About {
        stream_id: String,
    }
    let last = cmd("XREVRANGE").arg(key::REPLIES).arg("+").arg("-").arg("COUNT").arg(1).to_owned();
    let last: Value = redis.ask(&last).await?;
    let Some(last) = entries(last).and_then(|mut entries| entries.pop()) else { return Ok(None) };
    let message = last.message.unwrap_or_default();
    let about = serde_json::from_slice::<About>(&message).ok();
    let replied = about.and_then(|about| StreamId::parse(&about.stream_id));
    if replied.is_none() {
        tracing::warn!(
            entry = %last.id,
            "the last entry of order_replies is not from a venue: replies may be written again"
        );
    }
    Ok(replied)
}
