//! Loom's locks and atomics under the names of `log/src/sync.rs`.

pub(crate) use std::sync::PoisonError;
pub(crate) use std::sync::mpsc::{RecvTimeoutError, TryRecvError};

pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};

pub(crate) use crate::queue::{Receiver, SyncSender, sync_channel};

/// Set once.
#[derive(Debug)]
pub(crate) struct OnceLock<T: 'static>(Mutex<Option<&'static T>>);

impl<T: 'static> OnceLock<T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    pub(crate) fn set(&self, value: T) -> Result<(), T> {
        let mut set = self.0.lock().expect("no thread panics");
        if set.is_some() {
            return Err(value);
        }
        // A model sets a failure once and ends: what leaks is small.
        *set = Some(Box::leak(Box::new(value)));
        Ok(())
    }

    pub(crate) fn get(&self) -> Option<&T> {
        *self.0.lock().expect("no thread panics")
    }
}
