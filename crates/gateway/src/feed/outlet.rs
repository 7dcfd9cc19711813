//! The bounded queue of one connection.

use tokio::sync::{Notify, mpsc};

/// The publisher's end of the queue. A full queue means that the reader is too slow: the connection
/// is cut, and the publisher does not wait.
#[derive(Debug)]
pub(crate) struct Outlet<M> {
    queue: mpsc::Sender<M>,
    /// Signals the connection that it is cut.
    pub(crate) cut: Notify,
}

impl<M> Outlet<M> {
    pub(crate) fn new(queue_max: usize) -> (Self, mpsc::Receiver<M>) {
        let (queue, messages) = mpsc::channel(queue_max);
        (Self { queue, cut: Notify::new() }, messages)
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

    /// `false` when the connection is gone, or is now being cut.
    pub(crate) fn push(&self, message: M) -> bool {
        match self.queue.try_send(message) {
            Ok(()) => true,
            Err(mpsc::error::TrySendError::Closed(_)) => false,
            Err(mpsc::error::TrySendError::Full(_)) => {
                self.cut.notify_one();
                false
            }
        }
    }
}
