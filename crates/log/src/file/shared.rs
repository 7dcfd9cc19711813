//! What the caller of a [`FileLog`](crate::FileLog) and its threads have in common.

use crate::error::LogError;
use crate::sync::{AtomicBool, AtomicU64, Mutex, OnceLock};

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

impl Shared {
    pub(crate) fn new() -> Self {
        Self {
            failure: OnceLock::new(),
            bytes_left: AtomicU64::new(u64::MAX),
            trim_before: AtomicU64::new(0),
            trim_failure: Mutex::new(None),
            is_closing: AtomicBool::new(false),
        }
    }
}
