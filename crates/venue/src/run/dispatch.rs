//! The way of what was applied: first to the publisher, then to the submitters. What a reply says
//! is then in every view that its submitter asks for.

use std::sync::mpsc::TrySendError;
use std::time::Instant;

use crate::machine::Output;
use crate::run::inbox::{ReplyTo, Submitter};
use crate::run::outbox::Outbox;
use crate::run::publisher::Message;
use crate::run::reporter::Reporter;

/// Puts what was applied into the outbox. Where that has no room, a thread that may not wait leaves
/// it to the engine's thread, and gets `false`.
pub(crate) fn publish(
    outbox: &Outbox<Message>,
    outputs: &[Output<ReplyTo>],
    may_wait: bool,
    applied_at: Instant,
) -> bool {
    let replies = outputs.iter().map(|output| &output.reply);
    let applied = replies.flat_map(|reply| std::iter::once(&reply.applied).chain(&reply.continued));
    match outbox.try_put(Message::Applied(applied.cloned().collect(), applied_at)) {
        Err(TrySendError::Full(_)) if !may_wait => return false,
        Err(TrySendError::Full(message)) => outbox.send(message),
        // A publisher that is gone has failed; the process is about to stop for that reason.
        Ok(()) | Err(TrySendError::Disconnected(_)) => {}
    }
    true
}

/// Reports what is in the outbox, sends the replies, and then wakes the publisher.
pub(crate) fn answer(
    outbox: &Outbox<Message>,
    outputs: &mut Vec<Output<ReplyTo>>,
    reporter: &mut dyn Reporter,
) {
    for Output { reply, ticket } in outputs.iter() {
        let posted_by = ticket.as_ref().and_then(|reply_to| match reply_to.to {
            Submitter::Session(session) => Some(session),
            Submitter::Ticket(_) => None,
        });
        reporter.applied(reply, posted_by);
    }
    reporter.batch_done();
    for Output { reply, ticket } in outputs.drain(..) {
        if let Some(ReplyTo { to: Submitter::Ticket(sender), .. }) = ticket {
            // The submitter may have gone away meanwhile.
            let _gone = sender.send(Ok(reply));
        }
    }
    outbox.wake();
}
