//! Commands on their way from the publisher to the feed's thread, and requests for snapshots.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use spool::Applied;
use tokio::sync::oneshot;

use crate::itch::snapshot::Snapshot;

/// Events that may wait: 22 MB. When there are more, the feed reads from the spool.
const WAITING_MAX: usize = 1 << 15;

#[derive(Debug, Default)]
pub(super) struct HandOver {
    waiting: Mutex<Waiting>,
    more: Condvar,
}

/// What waits for the feed's thread.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) commands: Vec<Arc<Applied>>,
    events: usize,
    pub(super) snapshots: Vec<oneshot::Sender<Arc<Snapshot>>>,
    pub(super) is_over: bool,
}

impl HandOver {
    /// Never waits for the feed.
    pub(super) fn push(&self, commands: &mut Vec<Arc<Applied>>) {
        let events: usize = commands.iter().map(|command| command.events.len()).sum();
        let mut waiting = self.lock();
        waiting.events += events;
        if waiting.events > WAITING_MAX {
            // The feed finds that commands are missing before the next one.
            waiting.commands = Vec::new();
            waiting.events = events;
        }
        waiting.commands.append(commands);
        drop(waiting);
        self.more.notify_one();
    }

    pub(super) fn want_snapshot(&self) -> oneshot::Receiver<Arc<Snapshot>> {
        let (sender, snapshot) = oneshot::channel();
        self.lock().snapshots.push(sender);
        self.more.notify_one();
        snapshot
    }

    /// No command follows.
    pub(super) fn end(&self) {
        self.lock().is_over = true;
        self.more.notify_one();
    }

    /// Waits until there is something, for this long at most.
    pub(super) fn take(&self, patience: Duration) -> Waiting {
        let is_idle = |waiting: &mut Waiting| {
            waiting.commands.is_empty() && waiting.snapshots.is_empty() && !waiting.is_over
        };
        let waited = self.more.wait_timeout_while(self.lock(), patience, is_idle);
        let (mut waiting, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let is_over = waiting.is_over;
        Waiting { is_over, ..mem::take(&mut *waiting) }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
