//! A model of the engine, which applies what it drains at once. The dispatch is the venue's own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::machine::{MachineError, Output, Reply};
use crate::queue::Receiver;
use crate::run::dispatch::{answer, publish};
use crate::run::inbox::{ReplyTo, Request};
use crate::run::outbox::Outbox;
use crate::run::publisher::{Applied, Message};
use crate::run::reporter::InOrder;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Rest {
    Not,
    For(Duration),
    Forever,
}

/// Nothing is committed where nothing is logged.
pub(crate) enum Held {}

impl Held {
    pub(crate) fn commit(self) {
        match self {}
    }
}

pub(crate) struct Shell {
    requests: Receiver<Request>,
    outbox: Outbox<Message>,
    outputs: Vec<Output<ReplyTo>>,
    reporter: InOrder,
    sequence: u64,
    is_stopping: bool,
}

impl Shell {
    pub(crate) fn new(requests: Receiver<Request>, outbox: Outbox<Message>) -> Self {
        Self {
            requests,
            outbox,
            outputs: Vec::new(),
            reporter: InOrder::default(),
            sequence: 0,
            is_stopping: false,
        }
    }

    pub(crate) fn begin(&mut self) -> Result<(), MachineError> {
        Ok(())
    }

    /// A turn of the engine's thread.
    pub(crate) fn turn(&mut self) -> Result<Rest, MachineError> {
        self.dispatch(true);
        if self.drain() {
            self.dispatch(true);
            return Ok(Rest::Not);
        }
        Ok(if self.is_stopping { Rest::Forever } else { Rest::For(Duration::MAX) })
    }

    /// A turn on another thread; `false` if work is left for the engine's thread.
    pub(crate) fn run_briefly(&mut self, _: bool) -> bool {
        while self.outputs.is_empty() && !self.is_stopping {
            if !self.drain() {
                return true;
            }
            self.dispatch(false);
        }
        false
    }

    pub(crate) fn take_held(&mut self) -> Option<Held> {
        None
    }

    pub(crate) fn awaits_log(&self) -> bool {
        false
    }

    fn drain(&mut self) -> bool {
        let before = self.sequence;
        while let Ok(request) = self.requests.try_recv() {
            match request {
                Request::Submit(reply_to) => self.apply(reply_to),
                Request::Stop => self.is_stopping = true,
            }
        }
        self.sequence > before
    }

    fn apply(&mut self, reply_to: ReplyTo) {
        self.sequence += 1;
        let applied = Arc::new(Applied { sequence: self.sequence });
        let reply = Reply { applied, continued: Vec::new() };
        self.outputs.push(Output { reply, ticket: Some(reply_to) });
    }

    fn dispatch(&mut self, may_wait: bool) {
        let applied_at = Instant::now();
        if self.outputs.is_empty() {
            return;
        }
        if cfg!(feature = "reply-first") {
            let published = self.outputs.iter().map(|output| Arc::clone(&output.reply.applied));
            let published = published.collect();
            answer(&self.outbox, &mut self.outputs, &mut self.reporter);
            self.outbox.send(Message::Applied(published, applied_at));
        } else if publish(&self.outbox, &self.outputs, may_wait, applied_at) {
            answer(&self.outbox, &mut self.outputs, &mut self.reporter);
        }
    }
}
