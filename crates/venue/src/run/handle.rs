//! The handle of a running venue: it puts commands and questions into the inbox, and gives a ticket
//! for each ([`Ticket`]).

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::{Duration, Instant};

use engine::Engine;
use marketdata::Views;
use tokio::sync::oneshot;
use types::{Entry, Refused, SessionId};

use crate::clock;
use crate::metrics::{Metrics, RefusalCause};
use crate::reply::Reply;
use crate::run::combiner::{self, Combiner};
use crate::run::inbox::{ReplyTo, Request, Submitter};
use crate::run::outbox::Outbox;
use crate::run::publisher::Message;
use crate::run::ticket::{RunOrWait, Ticket};
use spool::Spool;

/// A running venue, for its submitters and readers. Cheap to clone.
#[derive(Clone)]
pub struct Handle {
    pub(crate) inbox: SyncSender<Request>,
    pub(crate) outbox: Outbox<Message>,
    pub(crate) combiner: Arc<Combiner>,
    pub(crate) metrics: Arc<Metrics>,
}

impl Handle {
    /// Sends a command. The ticket gives its outcome, once it is committed and applied.
    pub fn submit(&self, entry: Entry) -> Result<Ticket<Result<Reply, Refused>>, Refused> {
        self.metrics.orders.received(&entry);
        let (sender, outcome) = oneshot::channel();
        let reply_to = ReplyTo { to: Submitter::Ticket(sender), since: Instant::now() };
        let backlog = &self.metrics.backlog;
        backlog.submitted(reply_to.since, 1);
        match self.inbox.try_send(Request::Submit(Box::new(entry), reply_to)) {
            Err(TrySendError::Full(_)) => {
                backlog.withdrawn(1);
                self.metrics.refused(RefusalCause::QueueFull);
                Err(Refused::Overloaded)
            }
            // The receiver finds its sender gone.
            Ok(()) | Err(TrySendError::Disconnected(_)) => {
                Ok(Ticket::new(outcome, &self.combiner, RunOrWait::YieldThenRun))
            }
        }
    }

    /// Sends commands of a session without tickets: the [`Reporter`](crate::Reporter) gets their
    /// events. When there is no room, the commands come back. [`Handle::run_inbox`] runs the engine
    /// for them.
    pub fn post(&self, session: SessionId, entries: Vec<Entry>) -> Result<(), Vec<Entry>> {
        entries.iter().for_each(|entry| self.metrics.orders.received(entry));
        let (now, count) = (Instant::now(), entries.len() as u64);
        let backlog = &self.metrics.backlog;
        backlog.submitted(now, count);
        match self.inbox.try_send(Request::Post(entries, session, now)) {
            Err(TrySendError::Full(Request::Post(entries, ..))) => {
                backlog.withdrawn(count);
                self.metrics.refused(RefusalCause::QueueFull);
                Err(entries)
            }
            // The session ends with the venue.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Polls tickets without running the engine, so that several commands share a batch:
    /// [`Handle::run_inbox`] runs it after them. Another thread may run them earlier.
    pub fn gather<R>(&self, poll: impl FnOnce() -> R) -> R {
        combiner::gather(poll)
    }

    /// Runs the engine for the commands that were gathered.
    pub fn run_inbox(&self) {
        self.combiner.run_inbox();
    }

    /// Has a snapshot taken in the background, after the one that is being taken.
    pub fn take_snapshot(&self) -> Result<(), Refused> {
        match self.inbox.try_send(Request::Snapshot) {
            Err(TrySendError::Full(_)) => Err(Refused::Overloaded),
            // A stopping venue takes one anyway.
            Ok(()) | Err(TrySendError::Disconnected(_)) => {
                self.combiner.wake_engine();
                Ok(())
            }
        }
    }

    /// Moves the clock of the process forward, for a test, and has the engine look at what is due.
    pub fn advance_clock(&self, by: Duration) {
        clock::advance(by);
        self.combiner.wake_engine();
    }

    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// How long the oldest command has waited that is not yet carried out.
    pub fn command_wait(&self) -> Duration {
        self.metrics.backlog.wait()
    }

    /// Queries the engine. The answer includes all that the caller had in a reply before.
    pub fn read<R: Send + 'static>(
        &self,
        question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> Result<Ticket<R>, Refused> {
        let (sender, answer) = oneshot::channel();
        let read = move |engine: &Engine| {
            // The caller may have gone away meanwhile.
            let _gone = sender.send(question(engine));
        };
        match self.inbox.try_send(Request::Read(Box::new(read))) {
            Err(TrySendError::Full(_)) => Err(Refused::Overloaded),
            Ok(()) | Err(TrySendError::Disconnected(_)) => {
                Ok(Ticket::new(answer, &self.combiner, RunOrWait::RunForRead))
            }
        }
    }

    /// Queries the views and the spool. The answer includes all that the caller had in a reply
    /// before.
    pub fn read_views<R: Send + 'static>(
        &self,
        question: impl FnOnce(&Views, &Spool) -> R + Send + 'static,
    ) -> Result<oneshot::Receiver<R>, Refused> {
        let (sender, answer) = oneshot::channel();
        let read = move |views: &Views, spool: &Spool| {
            let _gone = sender.send(question(views, spool));
        };
        let put = self.outbox.try_put(Message::Read(Box::new(read)));
        self.outbox.wake();
        match put {
            Err(TrySendError::Full(_)) => Err(Refused::Overloaded),
            Ok(()) | Err(TrySendError::Disconnected(_)) => Ok(answer),
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handle")
    }
}
