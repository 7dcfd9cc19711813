//! Locks, atomics and threads of the combiner: `loom/` compiles it with a model checker's instead.

pub(crate) use std::sync::atomic::{AtomicBool, Ordering, fence};
pub(crate) use std::sync::{Mutex, MutexGuard, OnceLock, TryLockError};
pub(crate) use std::thread::{Thread, current, park_timeout};
