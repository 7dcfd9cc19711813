//! A model of the engine: requests are drained, appended to a log, and answered when committed.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::sync::{Condvar, Mutex};

use crate::machine::MachineError;
use crate::run::combiner::Combiner;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Rest {
    Not,
    For(Duration),
    Forever,
}

/// What clients, log writer and engine share.
pub(crate) struct Engine {
    /// Requests ever put into the inbox. Like a channel's, its order is that of the atomics alone.
    pushed: AtomicUsize,
    is_stopping: Mutex<bool>,
    /// The file of the log: requests appended, and requests synced.
    log: Mutex<Log>,
    log_grew: Condvar,
    /// Requests that have their reply.
    replied: Mutex<usize>,
    reply_sent: Condvar,
    has_log: bool,
    leaves_work: bool,
    /// Called after a commit by a submitter; only where submitters commit.
    pub(crate) combiner: OnceLock<Weak<Combiner>>,
    submitters_commit: bool,
}

#[derive(Default)]
struct Log {
    appended: usize,
    committed: usize,
    /// A submitter commits.
    is_held: bool,
}

/// What a submitter commits.
pub(crate) struct Held {
    engine: Arc<Engine>,
    until: usize,
}

impl Held {
    pub(crate) fn commit(self) {
        let mut log = self.engine.log.lock().expect("no thread panics");
        log.committed = self.until;
        log.is_held = false;
        self.engine.log_grew.notify_all();
        drop(log);
        let combiner = self.engine.combiner.get().and_then(Weak::upgrade);
        combiner.expect("a submitter has it").on_commit();
    }
}

impl Engine {
    pub(crate) fn in_memory() -> Self {
        Self::new(false, false)
    }

    /// Other threads than the engine's leave all work to it.
    pub(crate) fn that_leaves_work() -> Self {
        Self::new(false, true)
    }

    pub(crate) fn on_disk() -> Self {
        Self::new(true, false)
    }

    /// On disk, where a submitter commits what it has sent, unless a batch is in flight.
    pub(crate) fn whose_submitters_commit() -> Self {
        Self { submitters_commit: true, ..Self::new(true, false) }
    }

    fn new(has_log: bool, leaves_work: bool) -> Self {
        Self {
            pushed: AtomicUsize::new(0),
            is_stopping: Mutex::new(false),
            log: Mutex::default(),
            log_grew: Condvar::new(),
            replied: Mutex::new(0),
            reply_sent: Condvar::new(),
            has_log,
            leaves_work,
            combiner: OnceLock::new(),
            submitters_commit: false,
        }
    }

    /// Puts a request into the inbox; returns how many replies there are once it has its own.
    pub(crate) fn push(&self) -> usize {
        self.pushed.fetch_add(1, Ordering::Release) + 1
    }

    pub(crate) fn await_reply(&self, ticket: usize) {
        let mut replied = self.replied.lock().expect("no thread panics");
        while *replied < ticket {
            replied = self.reply_sent.wait(replied).expect("no thread panics");
        }
    }

    /// Waits for something appended and syncs it; `false` once as many requests are committed.
    pub(crate) fn commit(&self, requests: usize) -> bool {
        let mut log = self.log.lock().expect("no thread panics");
        while log.committed < requests && (log.is_held || log.appended == log.committed) {
            log = self.log_grew.wait(log).expect("no thread panics");
        }
        let goes_on = log.appended > log.committed;
        log.committed = log.appended;
        goes_on
    }

    pub(crate) fn stop(&self) {
        *self.is_stopping.lock().expect("no thread panics") = true;
    }
}

pub(crate) struct Shell {
    engine: Arc<Engine>,
    drained: usize,
    applied: usize,
    may_hold: bool,
    held: Option<Held>,
}

impl Shell {
    pub(crate) fn new(engine: &Arc<Engine>) -> Self {
        let engine = Arc::clone(engine);
        Self { engine, drained: 0, applied: 0, may_hold: false, held: None }
    }

    pub(crate) fn begin(&mut self) -> Result<(), MachineError> {
        Ok(())
    }

    /// A turn of the engine's thread.
    pub(crate) fn turn(&mut self) -> Result<Rest, MachineError> {
        let is_stopping = *self.engine.is_stopping.lock().expect("no thread panics");
        if self.step() {
            return Ok(Rest::Not);
        }
        Ok(if is_stopping { Rest::Forever } else { Rest::For(Duration::MAX) })
    }

    /// A turn on another thread; `false` if work is left for the engine's thread.
    pub(crate) fn run_briefly(&mut self, may_hold: bool) -> bool {
        if self.engine.leaves_work {
            return false;
        }
        self.may_hold = may_hold;
        while self.step() {}
        self.may_hold = false;
        true
    }

    pub(crate) fn take_held(&mut self) -> Option<Held> {
        self.held.take()
    }

    pub(crate) fn awaits_log(&self) -> bool {
        self.engine.has_log && self.drained > self.applied
    }

    /// Drains the inbox, applies what is committed, and replies; whether there was anything.
    fn step(&mut self) -> bool {
        let before = (self.drained, self.applied);
        let pushed = self.engine.pushed.load(Ordering::Acquire);
        let mut log = self.engine.log.lock().expect("no thread panics");
        if pushed > self.drained {
            let is_idle = self.drained == self.applied;
            self.drained = pushed;
            log.appended = pushed;
            if self.may_hold && is_idle && self.engine.submitters_commit {
                log.is_held = true;
                self.held = Some(Held { engine: Arc::clone(&self.engine), until: pushed });
            }
            self.engine.log_grew.notify_all();
        }
        let committed = if self.engine.has_log { log.committed } else { log.appended };
        drop(log);
        if committed > self.applied {
            self.applied = committed;
            *self.engine.replied.lock().expect("no thread panics") = committed;
            self.engine.reply_sent.notify_all();
        }
        before != (self.drained, self.applied)
    }
}
