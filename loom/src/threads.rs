//! Loom's locks, atomics and threads under the names of `venue/src/sync.rs`.

use std::time::Duration;

pub(crate) use loom::sync::atomic::{AtomicBool, Ordering};
pub(crate) use loom::sync::{Mutex, MutexGuard};
pub(crate) use std::sync::{OnceLock, TryLockError};

pub(crate) fn fence(ordering: Ordering) {
    if cfg!(not(feature = "missing-fence")) {
        loom::sync::atomic::fence(ordering);
    }
}

/// A thread that can be woken.
#[derive(Clone)]
pub(crate) struct Thread(pub(crate) loom::thread::Thread);

impl Thread {
    pub(crate) fn unpark(&self) {
        if cfg!(not(feature = "lost-wake-up")) {
            self.0.unpark();
        }
    }
}

pub(crate) fn current() -> Thread {
    Thread(loom::thread::current())
}

/// Without the time-out: a wake-up that is missing must not be made up for by the clock.
pub(crate) fn park_timeout(_: Duration) {
    loom::thread::park();
}
