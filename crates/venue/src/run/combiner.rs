//! Flat combining: a thread that waits for a reply runs the engine itself, if no other thread does.
//!
//! To wake a thread takes longer than to carry out an order. So the thread that polls a ticket
//! ([`Ticket`](crate::Ticket)) drains the inbox, with all that other clients have left in it
//! (Hendler, Incze, Shavit, Tzafrir, "Flat combining and the synchronization-parallelism tradeoff",
//! SPAA 2010), and the log's writer thread applies what it has just committed (`on_commit.rs`). The
//! engine's own thread has what takes longer, what nobody waits for, and what is due by the clock.
//!
//! # Invariants
//! - Whatever is left in the inbox is come upon: by who left it; by who had the engine when he
//!   tried, and looks again before he goes; with a batch under way, by who is told that it is
//!   committed; or by the engine's thread, which is woken when none of these is certain.
//! - Nobody waits for the engine but its own thread.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Mutex, MutexGuard, OnceLock, TryLockError};
use std::thread::Thread;

use crate::machine::MachineError;
use crate::run::shell::{Rest, Shell};

/// How often somebody looks whether more has come before he leaves it to the engine's thread.
const LOOKS_MAX: usize = 4;

pub(crate) struct Combiner {
    /// `None` when the venue has ended.
    shell: Mutex<Option<Shell>>,
    /// Somebody has left something since the one who has the engine began to look.
    is_called: AtomicBool,
    /// A batch is under way: who commits it takes in what has come meanwhile.
    awaits_log: AtomicBool,
    engine_thread: OnceLock<Thread>,
    takes_help: bool,
}

thread_local! {
    /// This thread will carry out later what it sends now.
    static GATHERS: Cell<bool> = const { Cell::new(false) };
}

/// Leaves commands alone that `poll` would else carry out.
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
    pub(crate) fn new(shell: Shell, takes_help: bool) -> Self {
        Self {
            shell: Mutex::new(Some(shell)),
            is_called: AtomicBool::new(false),
            awaits_log: AtomicBool::new(false),
            engine_thread: OnceLock::new(),
            takes_help,
        }
    }

    /// Whether others than the engine's thread do its work; not where it has a core of its own.
    pub(crate) fn takes_help(&self) -> bool {
        self.takes_help
    }

    pub(crate) fn wake_engine(&self) {
        if let Some(thread) = self.engine_thread.get() {
            thread.unpark();
        }
    }

    /// For commands: unless they have to wait for the log anyway, or more are being gathered.
    pub(crate) fn carry_out(&self) {
        if self.takes_help && !self.is_left_alone() {
            self.lend_a_hand();
        }
    }

    pub(crate) fn is_left_alone(&self) -> bool {
        self.awaits_log() || GATHERS.get()
    }

    /// Whether what was left in the inbox before is certain to be come upon, and not sooner by
    /// help.
    fn awaits_log(&self) -> bool {
        // Either this sees that nothing is under way, or who says so sees what was left
        // (`begin_turn`).
        fence(Ordering::SeqCst);
        self.awaits_log.load(Ordering::Relaxed)
    }

    /// Carries out what waits, unless somebody does that already, or it is the engine's thread's to
    /// do.
    pub(crate) fn lend_a_hand(&self) {
        for _ in 0..LOOKS_MAX {
            // Between what was left and the call, too: who takes the call back sees what was left.
            fence(Ordering::SeqCst);
            self.is_called.store(true, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            match self.shell.try_lock() {
                Ok(shell) => {
                    if !self.help(shell) {
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

    /// On the log's writer thread, when the log has something to poll.
    pub(crate) fn on_commit(&self) {
        if self.takes_help { self.lend_a_hand() } else { self.wake_engine() }
    }

    /// The engine's thread, until the venue ends.
    pub(crate) fn run(&self) -> Result<(), MachineError> {
        self.engine_thread.set(std::thread::current()).expect("a venue has one engine's thread");
        let _end = End(self);
        self.with_shell(|shell| shell.begin())?;
        loop {
            match self.with_shell(|shell| shell.turn())? {
                Rest::For(pause) if !self.was_called() => std::thread::park_timeout(pause),
                Rest::Not | Rest::For(_) => {}
                Rest::Forever => return Ok(()),
            }
        }
    }

    fn help(&self, mut shell: MutexGuard<'_, Option<Shell>>) -> bool {
        let _woken = WakeOnPanic(self);
        let Some(shell) = &mut *shell else { return true };
        self.begin_turn();
        let is_done = shell.help();
        self.awaits_log.store(shell.awaits_log(), Ordering::Relaxed);
        is_done
    }

    fn with_shell<R>(&self, turn: impl FnOnce(&mut Shell) -> R) -> R {
        let mut shell = self.shell.lock().expect("who helped has panicked");
        let shell = shell.as_mut().expect("only this thread ends it");
        self.begin_turn();
        let done = turn(shell);
        self.awaits_log.store(shell.awaits_log(), Ordering::Relaxed);
        done
    }

    /// From here on, whoever leaves something is come upon in this turn, or calls.
    fn begin_turn(&self) {
        self.is_called.store(false, Ordering::Relaxed);
        self.awaits_log.store(false, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Whether somebody found the engine taken meanwhile, once it is free again.
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

/// Takes the engine away from everybody, also when its thread panics: who waits is told by that.
struct End<'a>(&'a Combiner);

impl Drop for End<'_> {
    fn drop(&mut self) {
        let shell = self.0.shell.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        // The log waits for its writer, who may look for the engine meanwhile.
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
