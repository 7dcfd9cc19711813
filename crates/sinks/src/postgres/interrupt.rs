//! The end of what waits for a database.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Set when the venue ends and does not wait for the database any longer.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    is_set: AtomicBool,
    notify: Notify,
}

impl Interrupt {
    pub(crate) fn set(&self) {
        self.is_set.store(true, Ordering::Release);
        self.notify.notify_one();
    }

    /// Waits for it.
    pub(crate) async fn is_set(&self) {
        while !self.is_set.load(Ordering::Acquire) {
            self.notify.notified().await;
        }
    }
}
