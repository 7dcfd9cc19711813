//! The submitter's ticket for a reply: to poll it may run the engine, on the thread that polls.
//!
//! To wake the engine's thread takes longer than to apply an order. So the thread that waits for a
//! reply drains the inbox itself, with the commands of other clients in it (flat combining: see
//! [`Combiner`]). In the gateway that thread is a worker of tokio. [`RunOrWait`] says which of the
//! two the next poll does.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::sync::oneshot;
use tokio::task::yield_now;

use crate::run::combiner::Combiner;

/// The venue has stopped, or stopped before it answered. A command's fate is known after a restart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Gone;

/// A claim on the reply to one command or question. The first poll runs the engine, unless another
/// thread does; later polls wait. The engine's thread drains the inbox within a second where no
/// ticket is polled.
#[must_use = "the engine may leave the request alone for a second unless its ticket is polled"]
#[derive(Debug)]
pub struct Ticket<T> {
    reply: oneshot::Receiver<T>,
    combiner: Arc<Combiner>,
    next: RunOrWait,
}

/// What the next poll of a ticket does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum RunOrWait {
    /// Yields once to the tasks that are ready, then runs the inbox: their commands go to the log
    /// in the same batch, which costs less. Where a batch is under way already, it does not yield.
    YieldThenRun,
    /// Runs the inbox, unless a batch is under way: the thread that commits it runs the inbox.
    Run,
    /// Runs the inbox, also when a batch is under way: a question waits for nothing but the engine.
    RunForRead,
    /// Waits for the reply.
    Wait,
}

impl<T> Ticket<T> {
    /// Where no thread may help the engine's, that one is woken, and the ticket only waits.
    pub(crate) fn new(
        reply: oneshot::Receiver<T>,
        combiner: &Arc<Combiner>,
        next: RunOrWait,
    ) -> Self {
        let combiner = Arc::clone(combiner);
        if combiner.combines() {
            return Self { reply, combiner, next };
        }
        combiner.wake_engine();
        Self { reply, combiner, next: RunOrWait::Wait }
    }

    /// Runs the inbox without yielding first: for a caller that gathers commands itself, or may not
    /// poll again for long.
    pub fn at_once(mut self) -> Self {
        if self.next == RunOrWait::YieldThenRun {
            self.next = RunOrWait::Run;
        }
        self
    }

    /// Runs the inbox, then blocks this thread until the reply is there.
    pub fn blocking_recv(mut self) -> Result<T, Gone> {
        self.run();
        let (_, none) = oneshot::channel();
        std::mem::replace(&mut self.reply, none).blocking_recv().map_err(|_| Gone)
    }

    /// Runs the inbox, once. From then on the ticket waits.
    fn run(&mut self) {
        match std::mem::replace(&mut self.next, RunOrWait::Wait) {
            RunOrWait::YieldThenRun | RunOrWait::Run => self.combiner.run_inbox(),
            RunOrWait::RunForRead => self.combiner.try_combine(),
            RunOrWait::Wait => {}
        }
    }
}

impl<T> Future for Ticket<T> {
    type Output = Result<T, Gone>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.next == RunOrWait::YieldThenRun && !self.combiner.is_deferred() {
            self.next = RunOrWait::Run;
            // Polled again when all tasks that are ready now have had their turn.
            let _yields = pin!(yield_now()).poll(context);
            return Poll::Pending;
        }
        self.run();
        let reply = ready!(Pin::new(&mut self.reply).poll(context));
        Poll::Ready(reply.map_err(|_| Gone))
    }
}

impl<T> Drop for Ticket<T> {
    /// The engine's thread does what this ticket was not polled for.
    fn drop(&mut self) {
        if self.next != RunOrWait::Wait {
            self.combiner.wake_engine();
        }
    }
}
