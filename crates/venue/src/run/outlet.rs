//! The way out: what was applied waits here, and leaves for the publisher and the submitters.
//!
//! A large batch leaves in parts. Clients then send their next commands while the rest of it is
//! applied: else all of them would wait for the engine, and then the engine for all of them.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Instant;

use types::Refused;

use crate::machine::Output;
use crate::metrics::Metrics;
use crate::reply::ReplyTimes;
use crate::run::dispatch::{answer, publish};
use crate::run::inbox::{ReplyTo, Submitter};
use crate::run::publisher::Message;
use crate::run::reporter::Reporter;
use crate::run::watched::Passage;
use crate::snapshot::Taken;
use crate::stages::Stage;

/// Commands that leave together.
const PART: usize = 64;

pub(crate) struct Outlet {
    outbox: SyncSender<Message>,
    reporter: Box<dyn Reporter>,
    metrics: Arc<Metrics>,
    outputs: Vec<Output<ReplyTo>>,
}

impl Outlet {
    pub(crate) fn new(
        outbox: SyncSender<Message>,
        reporter: Box<dyn Reporter>,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self { outbox, reporter, metrics, outputs: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    /// Takes the outcome of a command of a batch with this passage.
    pub(crate) fn take(
        &mut self,
        output: Output<ReplyTo>,
        passage: Option<Passage>,
        may_wait: bool,
    ) {
        self.outputs.push(output);
        if self.outputs.len().is_multiple_of(PART) {
            self.dispatch(passage, may_wait);
        }
    }

    /// Publishes and answers what waits. Where the outbox has no room, a thread that may not wait
    /// leaves it here for the engine's thread.
    pub(crate) fn dispatch(&mut self, passage: Option<Passage>, may_wait: bool) {
        if self.outputs.is_empty() {
            return;
        }
        let applied_at = Instant::now();
        if publish(&self.outbox, &self.outputs, may_wait, applied_at) {
            self.note_stages(passage, applied_at);
            self.metrics.sequencer.sent();
            for Output { reply, .. } in &self.outputs {
                let (kind, origin) = reply.kind;
                self.metrics.sequencer.applied(origin, kind);
            }
            answer(&mut self.outputs, &mut *self.reporter);
        }
    }

    /// All that is dispatched was in one batch. Another primary's has no passage, and no tickets.
    fn note_stages(&mut self, passage: Option<Passage>, applied: Instant) {
        let Some(Passage { appended, committed }) = passage else { return };
        let mut commands = 0;
        for Output { reply, ticket } in &mut self.outputs {
            let Some(reply_to) = ticket else { continue };
            commands += 1;
            let submitted = reply_to.since;
            self.metrics.passed(Stage::Queue, appended.saturating_duration_since(submitted), 1);
            reply.times = Some(ReplyTimes { submitted, appended, committed, applied });
        }
        self.metrics.passed(Stage::Commit, committed - appended, commands);
        self.metrics.passed(Stage::Apply, applied - committed, commands);
    }

    /// Refuses commands before the log.
    pub(crate) fn refuse(&mut self, submitters: impl Iterator<Item = ReplyTo>, refused: Refused) {
        for reply_to in submitters {
            match reply_to.to {
                Submitter::Ticket(sender) => {
                    // The submitter may have gone away meanwhile.
                    let _gone = sender.send(Err(refused));
                }
                Submitter::Session(session) => self.reporter.refused(session, refused),
            }
        }
        self.reporter.batch_done();
    }

    /// Sends a snapshot after all that was dispatched before.
    pub(crate) fn send_snapshot(&self, taken: Taken) {
        let _gone = self.outbox.send(Message::Snapshot(taken));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, sync_channel};

    use log::Durability;
    use spool::Applied;
    use types::{AccountId, Origin};

    use super::*;
    use crate::reply::Reply;
    use crate::run::reporter::NoReporter;

    fn outlet(room: usize) -> (Outlet, Receiver<Message>) {
        let (outbox, published) = sync_channel(room);
        let metrics = Arc::new(Metrics::new(Durability::Memory));
        (Outlet::new(outbox, Box::new(NoReporter), metrics), published)
    }

    fn output(sequence: u64) -> Output<ReplyTo> {
        let (account, events) = (AccountId::VENUE, Vec::new());
        let applied = Applied {
            sequence,
            sequenced_ns: 0,
            account,
            continues: false,
            operated: None,
            events,
        };
        let kind = (0, Origin::Venue);
        let reply = Reply { applied: Arc::new(applied), continued: Vec::new(), kind, times: None };
        Output { reply, ticket: None }
    }

    /// The parts that were published, by the sequences of their first and last commands.
    fn parts(published: &Receiver<Message>) -> Vec<(u64, u64)> {
        let parts = published.try_iter().map(|message| match message {
            Message::Applied(part, _) => (part[0].sequence, part[part.len() - 1].sequence),
            _ => panic!("nothing else is sent"),
        });
        parts.collect()
    }

    #[test]
    fn a_large_batch_leaves_in_parts_while_it_is_applied() {
        let (mut outlet, published) = outlet(8);
        (1..=130).for_each(|sequence| outlet.take(output(sequence), None, false));
        assert_eq!(parts(&published), [(1, 64), (65, 128)]);
        outlet.dispatch(None, false);
        assert_eq!(parts(&published), [(129, 130)]);
        assert!(outlet.is_empty());
    }

    #[test]
    fn without_room_all_of_it_stays_for_a_thread_that_may_wait() {
        let (mut outlet, published) = outlet(1);
        (1..=200).for_each(|sequence| outlet.take(output(sequence), None, false));
        assert_eq!(parts(&published), [(1, 64)]);
        outlet.dispatch(None, true);
        assert_eq!(parts(&published), [(65, 200)]);
        assert!(outlet.is_empty());
    }
}
