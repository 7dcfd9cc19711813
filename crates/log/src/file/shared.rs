//! What the caller of a [`FileLog`](crate::FileLog) and its threads have in common.

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, OnceLock};

use crate::error::LogError;

/// Between the two sides of the queues. Both queues have room for all that may be in flight, so
/// that neither side ever waits for room.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) failure: OnceLock<LogError>,
    /// Of a full disk; [`u64::MAX`] while it is not.
    pub(crate) bytes_left: AtomicU64,
    pub(crate) trim_before: AtomicU64,
    pub(crate) trim_failure: Mutex<Option<LogError>>,
    pub(crate) is_closing: AtomicBool,
}
