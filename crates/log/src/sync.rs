//! Locks, atomics and queues of the hand-over: `loom/` compiles it with a model checker's instead.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(crate) use std::sync::mpsc::{
    Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel,
};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
