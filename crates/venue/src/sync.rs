//! Locks, atomics, threads and queues of combiner and dispatch: `loom/` compiles those with a model
//! checker's instead.

pub(crate) use std::sync::atomic::{AtomicBool, Ordering, fence};
pub(crate) use std::sync::mpsc::{Receiver, SyncSender};
pub(crate) use std::sync::{Mutex, MutexGuard, OnceLock, TryLockError};
pub(crate) use std::thread::{Thread, current, park_timeout};
