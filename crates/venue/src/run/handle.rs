//! What the rest of the process has of the running venue: it sends commands and questions, and
//! carries out what waits while it waits itself.

use std::fmt;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use engine::Engine;
use marketdata::Views;
use tokio::sync::oneshot;
use tokio::task::yield_now;
use types::{Entry, Refused};

use crate::applied::Reply;
use crate::metrics::{Metrics, RefusalCause};
use crate::run::combiner::{self, Combiner};
use crate::run::inbox::{ReplyTo, Request};
use crate::run::publisher::Message;
use crate::spool::Spool;

/// A running venue, for whoever sends it commands and questions. Cheap to clone.
#[derive(Clone)]
pub struct Handle {
    pub(crate) inbox: SyncSender<Request>,
    pub(crate) outbox: SyncSender<Message>,
    pub(crate) combiner: Arc<Combiner>,
    pub(crate) metrics: Arc<Metrics>,
}

/// The venue has stopped, or stopped before it answered. A command's fate is known after a restart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Gone;

impl Handle {
    /// Sends a command; what is given back is its outcome, once it is committed and applied.
    pub fn submit(&self, entry: Entry) -> Result<Pending<Result<Reply, Refused>>, Refused> {
        let (sender, outcome) = oneshot::channel();
        let reply_to = ReplyTo { sender, since: Instant::now() };
        let backlog = &self.metrics.backlog;
        backlog.submitted(reply_to.since);
        match self.inbox.try_send(Request::Submit(Box::new(entry), reply_to)) {
            Err(TrySendError::Full(_)) => {
                backlog.withdrawn();
                self.metrics.refused(RefusalCause::QueueFull);
                Err(Refused::Overloaded)
            }
            // The receiver finds its sender gone.
            Ok(()) | Err(TrySendError::Disconnected(_)) => {
                Ok(Pending::new(outcome, &self.combiner, Part::Gather))
            }
        }
    }

    /// Does not carry out the commands for which `poll` begins to wait: [`Handle::carry_out`] does, so that
    /// they go to the log together. Others may before.
    pub fn gather<R>(&self, poll: impl FnOnce() -> R) -> R {
        combiner::gather(poll)
    }

    /// Has carried out what was gathered.
    pub fn carry_out(&self) {
        self.combiner.carry_out();
    }

    /// Has a snapshot taken in the background, after the one that is being taken.
    pub fn take_snapshot(&self) -> Result<(), Refused> {
        match self.inbox.try_send(Request::Snapshot) {
            Err(TrySendError::Full(_)) => Err(Refused::Overloaded),
            // Who stops takes one anyway.
            Ok(()) | Err(TrySendError::Disconnected(_)) => {
                self.combiner.wake_engine();
                Ok(())
            }
        }
    }

    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// How long the oldest command has waited that is not yet carried out.
    pub fn command_wait(&self) -> Duration {
        self.metrics.backlog.wait()
    }

    /// Asks the engine. The answer includes all that the asker was ever told before.
    pub fn read<R: Send + 'static>(
        &self,
        question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> Result<Pending<R>, Refused> {
        let (sender, answer) = oneshot::channel();
        let read = move |engine: &Engine| {
            // Who asked may have gone away meanwhile.
            let _gone = sender.send(question(engine));
        };
        match self.inbox.try_send(Request::Read(Box::new(read))) {
            Err(TrySendError::Full(_)) => Err(Refused::Overloaded),
            Ok(()) | Err(TrySendError::Disconnected(_)) => {
                Ok(Pending::new(answer, &self.combiner, Part::Ask))
            }
        }
    }

    /// Asks the views and the spool. The answer includes all that the asker was ever told before.
    pub fn read_views<R: Send + 'static>(
        &self,
        question: impl FnOnce(&Views, &Spool) -> R + Send + 'static,
    ) -> Result<oneshot::Receiver<R>, Refused> {
        let (sender, answer) = oneshot::channel();
        let read = move |views: &Views, spool: &Spool| {
            let _gone = sender.send(question(views, spool));
        };
        match self.outbox.try_send(Message::Read(Box::new(read))) {
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

/// An answer that is to come. Whoever waits for it first carries out what waits for the engine, if
/// nobody else is at it ([`Combiner`]). Where nobody waits, the engine's thread comes upon what was
/// sent within a second.
#[must_use = "what was sent may be left alone for a second unless somebody waits for its outcome"]
#[derive(Debug)]
pub struct Pending<T> {
    answer: oneshot::Receiver<T>,
    combiner: Arc<Combiner>,
    part: Part,
}

/// What is left to do for one who waits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Part {
    /// A command may go to the log with the next batch, whoever appends that. All that are ready to send
    /// one do so first: what goes together costs less.
    Gather,
    CarryOut,
    /// A question waits for nothing but the engine.
    Ask,
    None,
}

impl<T> Pending<T> {
    fn new(answer: oneshot::Receiver<T>, combiner: &Arc<Combiner>, part: Part) -> Self {
        let combiner = Arc::clone(combiner);
        if combiner.takes_help() {
            return Self { answer, combiner, part };
        }
        combiner.wake_engine();
        Self { answer, combiner, part: Part::None }
    }

    /// Does not let others go first: for who gathers by himself, or may not come to poll again soon.
    pub fn at_once(mut self) -> Self {
        if self.part == Part::Gather {
            self.part = Part::CarryOut;
        }
        self
    }

    /// Waits on a thread that may.
    pub fn blocking_recv(mut self) -> Result<T, Gone> {
        self.do_part();
        let (_, none) = oneshot::channel();
        std::mem::replace(&mut self.answer, none).blocking_recv().map_err(|_| Gone)
    }

    fn do_part(&mut self) {
        match std::mem::replace(&mut self.part, Part::None) {
            Part::Gather | Part::CarryOut => self.combiner.carry_out(),
            Part::Ask => self.combiner.lend_a_hand(),
            Part::None => {}
        }
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T, Gone>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.part == Part::Gather && !self.combiner.is_left_alone() {
            self.part = Part::CarryOut;
            // Polled again when all that is ready now has had its turn.
            let _yields = pin!(yield_now()).poll(context);
            return Poll::Pending;
        }
        self.do_part();
        let answer = ready!(Pin::new(&mut self.answer).poll(context));
        Poll::Ready(answer.map_err(|_| Gone))
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        if self.part != Part::None {
            self.combiner.wake_engine();
        }
    }
}
