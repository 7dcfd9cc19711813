//! The atomics of the rings. A model has its own in their place (`loom/src/shm`).

pub(crate) use std::sync::atomic::{AtomicU64, Ordering, fence};
