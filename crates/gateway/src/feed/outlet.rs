//! The bounded queue of one connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, mpsc};

use crate::feed::reader_metrics::ReaderMetrics;

/// The publisher's end of the queue. A full queue means that the reader is too slow: the connection
/// is cut, and the publisher does not wait.
#[derive(Debug)]
pub(crate) struct Outlet<M> {
    queue: mpsc::Sender<M>,
    /// Signals the connection that it is cut.
    pub(crate) cut: Notify,
    is_cut: AtomicBool,
    metrics: Arc<ReaderMetrics>,
}

impl<M> Outlet<M> {
    pub(crate) fn new(queue_max: usize, metrics: Arc<ReaderMetrics>) -> (Self, mpsc::Receiver<M>) {
        let (queue, messages) = mpsc::channel(queue_max);
        let outlet = Self { queue, cut: Notify::new(), is_cut: AtomicBool::new(false), metrics };
        (outlet, messages)
    }

    pub(crate) fn queue_max(&self) -> usize {
        self.queue.max_capacity()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    /// For a sender that waits for a slow reader. `None` when the connection is gone.
    pub(crate) fn queue(&self) -> Option<mpsc::Sender<M>> {
        (!self.queue.is_closed()).then(|| self.queue.clone())
    }

    /// Sends a message of this stream. `false` when the connection is gone, or is now being cut.
    pub(crate) fn push(&self, stream: &'static str, message: M) -> bool {
        match self.queue.try_send(message) {
            Ok(()) => {
                self.metrics.queued(self.queue.max_capacity() - self.queue.capacity());
                true
            }
            Err(mpsc::error::TrySendError::Closed(_)) => false,
            Err(mpsc::error::TrySendError::Full(_)) => {
                self.cut_for(stream);
                false
            }
        }
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Relaxed)
    }

    /// Ends the connection. What is queued is not sent any more.
    pub(crate) fn end(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
        self.cut.notify_one();
    }

    /// Cuts the connection, because its reader is too slow for this stream.
    pub(crate) fn cut_for(&self, stream: &'static str) {
        if !self.is_cut.swap(true, Ordering::Relaxed) {
            self.metrics.cut(stream);
        }
        self.cut.notify_one();
    }
}
