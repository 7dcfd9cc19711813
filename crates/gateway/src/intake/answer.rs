//! Outcomes of commands as replies.

use protocol::intake::{Action, Fault, FaultCode, Reply, StreamId};
use types::{Event, Refused, RejectReason};

use crate::door::query::QueryError;
use crate::door::submit::SubmitError;

use super::desk::{Asked, Outcome, Submitted, Taken};
use super::failure::Failure;

/// What an entry leads to.
pub(super) struct Answered {
    pub(super) stream_id: StreamId,
    pub(super) reply: Reply,
    /// Why the message goes to the dead letters.
    pub(super) dead_letter: Option<String>,
    pub(super) message: Vec<u8>,
}

/// Waits for the outcome. Fails if the entry must be taken again.
pub(super) async fn answer(taken: Taken) -> Result<Answered, Failure> {
    let Taken { stream_id, id, account, action, message, asked, outcome } = taken;
    let outcome = match outcome {
        None => None,
        Some(Submitted::Done(outcome)) => Some(outcome),
        Some(Submitted::UnderWay(outcome)) => Some(outcome.await),
    };
    let mut reply = Reply::about(stream_id);
    reply.id = id.map(|id| id.as_str().to_owned());
    reply.account = account.map(|account| account.0);
    reply.action = action.map(Action::word);
    if let Some(Err(SubmitError::Refused(Refused::DiskFull))) = outcome {
        // The venue takes cancels only. Later entries may be cancels, so an order does not wait: it
        // is refused as on any other way in.
        let fault = match asked {
            Asked::Refused(fault) => fault,
            Asked::Command { .. } => Fault::new(FaultCode::DiskFull, Refused::DiskFull.to_string()),
        };
        let dead_letter = Some(fault.sentence.to_string());
        return Ok(Answered { stream_id, reply: reply.with_fault(&fault), dead_letter, message });
    }
    let outcome = outcome.map(known).transpose()?;
    let (command, market) = match asked {
        Asked::Refused(fault) => {
            let outcome = outcome.flatten();
            reply.repeated = outcome.as_ref().is_none_or(|outcome| outcome.is_repeated)
                && stream_id.number().is_some();
            let fault = if reply.repeated && !outcome.is_some_and(|it| was_refused(&it.events)) {
                outcome_gone()
            } else {
                fault
            };
            let is_refused = fault.code != FaultCode::OutcomeGone;
            let dead_letter = is_refused.then(|| fault.sentence.to_string());
            let reply = reply.with_fault(&fault);
            return Ok(Answered { stream_id, reply, dead_letter, message });
        }
        Asked::Command { command, market } => (command, market),
    };
    let Some(outcome) = outcome.flatten() else {
        reply.repeated = true;
        let reply = reply.with_fault(&outcome_gone());
        return Ok(Answered { stream_id, reply, dead_letter: None, message });
    };
    let passed = passed_number(&outcome.events);
    if passed == Some(RejectReason::UnknownSession) {
        return Err(Failure::new("the venue has closed the session of the intake"));
    }
    reply.repeated = outcome.is_repeated;
    let account = account.expect("a message becomes a command for an account");
    let about = reply.clone();
    let built = reply.with_events(&command, (account, market.as_ref()), &outcome.events);
    let reply = built.unwrap_or_else(|fault| about.with_fault(&fault));
    let dead_letter = passed.map(|reason| {
        format!("the id of the entry is not above the last one that was taken ({reason:?})")
    });
    Ok(Answered { stream_id, reply, dead_letter, message })
}

/// Whether the intake refused the entry when it took it first. Under other settings, it may have
/// been an order then.
fn was_refused(events: &[Event]) -> bool {
    matches!(
        events.first(),
        Some(Event::CommandRejected(rejected)) if rejected.reason == RejectReason::FieldInvalid
    )
}

fn outcome_gone() -> Fault {
    let sentence =
        "the entry was taken before, and its outcome cannot be repeated: query the order";
    Fault::new(FaultCode::OutcomeGone, sentence)
}

/// `None` if the command was executed before, and its events are gone.
fn known(outcome: Outcome) -> Result<Option<crate::door::submit::CommandOutcome>, Failure> {
    match outcome {
        Ok(outcome) => Ok(Some(outcome)),
        Err(SubmitError::RepeatGone) => Ok(None),
        Err(SubmitError::Refused(refused)) => Err(Failure::of_venue(refused)),
        Err(SubmitError::RepeatQuery(QueryError::Refused(refused))) => {
            Err(Failure::of_venue(refused))
        }
        Err(SubmitError::Unknown | SubmitError::RepeatQuery(_)) => {
            Err(Failure::new("the venue does not answer"))
        }
        Err(SubmitError::RepeatUnreadable) => {
            Err(Failure::new("what an order led to cannot be read from the spool"))
        }
    }
}

/// Why the engine took no notice of the number.
fn passed_number(events: &[Event]) -> Option<RejectReason> {
    use RejectReason::{NumberForgotten, NumberNotRising, UnknownSession};
    match events.first() {
        Some(Event::CommandRejected(rejected))
            if matches!(rejected.reason, NumberForgotten | NumberNotRising | UnknownSession) =>
        {
            Some(rejected.reason)
        }
        _ => None,
    }
}
