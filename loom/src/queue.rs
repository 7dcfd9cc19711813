//! A bounded queue with the interface of std's `sync_channel`.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::Duration;

use loom::sync::{Condvar, Mutex};

struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    items: VecDeque<T>,
    capacity: usize,
    senders: usize,
    has_receiver: bool,
}

pub(crate) struct SyncSender<T>(Arc<Queue<T>>);

pub(crate) struct Receiver<T>(Arc<Queue<T>>);

pub(crate) fn sync_channel<T>(capacity: usize) -> (SyncSender<T>, Receiver<T>) {
    let state = State { items: VecDeque::new(), capacity, senders: 1, has_receiver: true };
    let queue = Arc::new(Queue { state: Mutex::new(state), changed: Condvar::new() });
    (SyncSender(Arc::clone(&queue)), Receiver(queue))
}

impl<T> SyncSender<T> {
    /// Waits for room.
    pub(crate) fn send(&self, mut item: T) -> Result<(), SendError<T>> {
        loop {
            item = match self.try_send(item) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(item)) => return Err(SendError(item)),
                Err(TrySendError::Full(item)) => item,
            };
            let state = self.0.state.lock().expect("no thread panics");
            if state.items.len() == state.capacity && state.has_receiver {
                drop(self.0.changed.wait(state).expect("no thread panics"));
            }
        }
    }

    pub(crate) fn try_send(&self, item: T) -> Result<(), TrySendError<T>> {
        let mut state = self.0.state.lock().expect("no thread panics");
        if !state.has_receiver {
            return Err(TrySendError::Disconnected(item));
        }
        if state.items.len() == state.capacity {
            return Err(TrySendError::Full(item));
        }
        state.items.push_back(item);
        self.0.changed.notify_all();
        Ok(())
    }
}

impl<T> Receiver<T> {
    pub(crate) fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut state = self.0.state.lock().expect("no thread panics");
        match state.items.pop_front() {
            Some(item) => {
                self.0.changed.notify_all();
                Ok(item)
            }
            None if state.senders > 0 => Err(TryRecvError::Empty),
            None => Err(TryRecvError::Disconnected),
        }
    }

    pub(crate) fn recv(&self) -> Result<T, RecvError> {
        let mut state = self.0.state.lock().expect("no thread panics");
        loop {
            if let Some(item) = state.items.pop_front() {
                self.0.changed.notify_all();
                return Ok(item);
            }
            if state.senders == 0 {
                return Err(RecvError);
            }
            state = self.0.changed.wait(state).expect("no thread panics");
        }
    }

    /// Without the time-out: no model has a filler that works.
    pub(crate) fn recv_timeout(&self, _: Duration) -> Result<T, RecvTimeoutError> {
        self.recv().map_err(RecvTimeoutError::from)
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        self.0.state.lock().expect("no thread panics").senders += 1;
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        self.0.state.lock().expect("no thread panics").senders -= 1;
        self.0.changed.notify_all();
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.0.state.lock().expect("no thread panics").has_receiver = false;
        self.0.changed.notify_all();
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SyncSender")
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receiver")
    }
}
