//! Flat combining: a thread that waits for a reply runs the engine itself, if no other thread does.
//!
//! Waking a thread takes longer than executing an order. So the thread that polls a ticket
//! ([`Ticket`](crate::Ticket)) drains the inbox, with all that other clients have left in it
//! (Hendler, Incze, Shavit, Tzafrir, "Flat combining and the synchronization-parallelism tradeoff",
//! SPAA 2010), and the log's writer thread applies what it has just committed (`on_commit.rs`).
//! Where one client is alone, the thread that polls its ticket commits, too. The engine's own
//! thread does what takes longer, what no thread waits for, and what is due by the clock.
//!
//! # Invariants
//! - Every request in the inbox is drained: by its submitter; by the thread that had the engine at
//!   that moment, which checks again before it lets go; with a batch in flight, by the thread that
//!   commits it; or by the engine's thread, which is woken when none of these is certain.
//! - Only the engine's own thread waits for the engine.

use std::cell::Cell;
use std::fmt;

use crate::machine::MachineError;
use crate::run::shell::{Rest, Shell};
use crate::sync::{
    AtomicBool, Mutex, MutexGuard, OnceLock, Ordering, Thread, TryLockError, current, fence,
    park_timeout,
};

/// How often a thread drains the inbox again before it leaves the rest to the engine's thread.
const ATTEMPTS_MAX: usize = 4;

pub(crate) struct Combiner {
    /// `None` when the venue has ended.
    shell: Mutex<Option<Shell>>,
    /// A request was left since the thread that has the engine began its turn.
    is_called: AtomicBool,
    /// A batch is in flight: the thread that applies its commit drains the inbox, too.
    awaits_log: AtomicBool,
    engine_thread: OnceLock<Thread>,
    combines: bool,
}

thread_local! {
    /// This thread submits several commands, and runs the engine once after them.
    static GATHERS: Cell<bool> = const { Cell::new(false) };
}

/// Lets `poll` leave its commands in the inbox.
pub(crate) fn gather<R>(poll: impl FnOnce() -> R) -> R {
    struct End(bool);
    impl Drop for End {
        fn drop(&mut self) {
            GATHERS.set(self.0);
        }
    }
    let _end = End(GATHERS.replace(true));
    poll()
}

impl Combiner {
    pub(crate) fn new(shell: Shell, combines: bool) -> Self {
        Self {
            shell: Mutex::new(Some(shell)),
            is_called: AtomicBool::new(false),
            awaits_log: AtomicBool::new(false),
            engine_thread: OnceLock::new(),
            combines,
        }
    }

    /// Whether other threads may run the engine. They may not where its thread has a core of its
    /// own.
    pub(crate) fn combines(&self) -> bool {
        self.combines
    }

    pub(crate) fn wake_engine(&self) {
        if let Some(thread) = self.engine_thread.get() {
            thread.unpark();
        }
    }

    /// For commands: runs the engine, unless the commit of a batch in flight will, or this thread
    /// gathers more.
    pub(crate) fn run_inbox(&self) {
        if self.combines && !self.is_deferred() {
            self.try_combine();
        }
    }

    pub(crate) fn is_deferred(&self) -> bool {
        self.awaits_log() || GATHERS.get()
    }

    /// Whether the thread that applies the batch in flight is certain to drain what is in the inbox
    /// now.
    fn awaits_log(&self) -> bool {
        // Either this load sees that no batch is in flight, or the thread that stored so drains
        // what was left (`begin_turn`).
        fence(Ordering::SeqCst);
        self.awaits_log.load(Ordering::Relaxed)
    }

    /// Flat combining: drains the inbox, unless another thread has the engine, or the rest is for
    /// the engine's thread. What a lone client has sent, this thread also commits.
    pub(crate) fn try_combine(&self) {
        self.combine(true);
    }

    fn combine(&self, may_hold: bool) {
        for _ in 0..ATTEMPTS_MAX {
            // Also between the request and the call: the thread that clears the call sees the
            // request.
            fence(Ordering::SeqCst);
            self.is_called.store(true, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            match self.shell.try_lock() {
                Ok(shell) => {
                    if !self.run_briefly(shell, may_hold) {
                        return self.wake_engine();
                    }
                }
                Err(TryLockError::WouldBlock) => return,
                Err(TryLockError::Poisoned(_)) => return self.wake_engine(),
            }
            if !self.was_called() {
                return;
            }
        }
        self.wake_engine();
    }

    /// On the thread that has committed, when the log has something to poll. It commits no further
    /// batch, which would be another client's.
    pub(crate) fn on_commit(&self) {
        if self.combines { self.combine(false) } else { self.wake_engine() }
    }

    /// The engine's thread, until the venue ends.
    pub(crate) fn run(&self) -> Result<(), MachineError> {
        assert!(self.engine_thread.set(current()).is_ok(), "a venue has one engine's thread");
        let _end = End(self);
        self.with_shell(|shell| shell.begin())?;
        loop {
            match self.with_shell(|shell| shell.turn())? {
                Rest::For(pause) if !self.was_called() => park_timeout(pause),
                Rest::Not | Rest::For(_) => {}
                Rest::Forever => return Ok(()),
            }
        }
    }

    fn run_briefly(&self, mut guard: MutexGuard<'_, Option<Shell>>, may_hold: bool) -> bool {
        let _woken = WakeOnPanic(self);
        let Some(shell) = &mut *guard else { return true };
        self.begin_turn();
        let is_done = shell.run_briefly(may_hold);
        let held = shell.take_held();
        self.awaits_log.store(shell.awaits_log(), Ordering::Relaxed);
        // Others have the engine while this thread waits for the disk.
        drop(guard);
        if let Some(held) = held {
            if !is_done {
                self.wake_engine();
            }
            held.commit();
        }
        is_done
    }

    fn with_shell<R>(&self, turn: impl FnOnce(&mut Shell) -> R) -> R {
        let mut shell = self.shell.lock().expect("a thread that ran the engine has panicked");
        let shell = shell.as_mut().expect("only this thread ends it");
        self.begin_turn();
        let done = turn(shell);
        self.awaits_log.store(shell.awaits_log(), Ordering::Relaxed);
        done
    }

    /// From here on, a request is drained in this turn, or its submitter finds the engine taken and
    /// sets `is_called`.
    fn begin_turn(&self) {
        self.is_called.store(false, Ordering::Relaxed);
        self.awaits_log.store(false, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Whether another thread found the engine taken meanwhile, once it is free again.
    fn was_called(&self) -> bool {
        fence(Ordering::SeqCst);
        self.is_called.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Combiner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Combiner")
    }
}

/// Drops the engine, also when its thread panics: every ticket then ends with an error.
struct End<'a>(&'a Combiner);

impl Drop for End<'_> {
    fn drop(&mut self) {
        let shell = self.0.shell.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        // The log waits for its writer thread, which may try to get the engine meanwhile.
        drop(shell);
    }
}

/// The engine's thread finds out, and ends the venue.
struct WakeOnPanic<'a>(&'a Combiner);

impl Drop for WakeOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.wake_engine();
        }
    }
}

#[cfg(test)]
mod tests;
