//! The queue from the engine to the publisher.
//!
//! What is put in wakes no thread; [`Outbox::wake`] does. A thread that has the engine sends the
//! replies in between: Linux often runs a thread that was woken on the processor of the one that
//! woke it, before that one goes on, and every reply would wait for the publisher.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError, TrySendError};
use std::time::{Duration, Instant};

use crate::sync::{Receiver, SyncSender, Thread, park_timeout};

pub(crate) struct Outbox<M>(Arc<Ends<M>>);

/// With the last [`Outbox`] the publisher ends: first its queue does, then it is woken to find out.
struct Ends<M> {
    messages: SyncSender<M>,
    publisher: WokenAtEnd,
}

struct WokenAtEnd(Thread);

impl<M> Outbox<M> {
    /// To the thread that has the other end.
    pub(crate) fn new(messages: SyncSender<M>, publisher: Thread) -> Self {
        Self(Arc::new(Ends { messages, publisher: WokenAtEnd(publisher) }))
    }

    pub(crate) fn try_put(&self, message: M) -> Result<(), TrySendError<M>> {
        self.0.messages.try_send(message)
    }

    /// Waits for room, and wakes the publisher. One that is gone has failed; the process is about
    /// to stop for that reason.
    pub(crate) fn send(&self, message: M) {
        self.wake();
        let _gone = self.0.messages.send(message);
        self.wake();
    }

    /// Has the publisher look for messages.
    pub(crate) fn wake(&self) {
        self.0.publisher.0.unpark();
    }
}

impl<M> Clone for Outbox<M> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl Drop for WokenAtEnd {
    fn drop(&mut self) {
        self.0.unpark();
    }
}

/// The next message, on the publisher's thread, which waits for it until `due` at most.
pub(crate) fn next<M>(messages: &Receiver<M>, due: Option<Instant>) -> Result<M, RecvTimeoutError> {
    loop {
        match messages.try_recv() {
            Ok(message) => return Ok(message),
            Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) => {}
        }
        let left = due.map_or(Duration::MAX, |due| due.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Err(RecvTimeoutError::Timeout);
        }
        // A wake-up since the look above ends it at once.
        park_timeout(left);
    }
}
