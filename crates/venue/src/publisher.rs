//! The publisher thread: spools what was applied, keeps the views, tells the listeners, writes
//! snapshots. It runs behind the engine by as much as its queue holds, and in its order.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;

use log::snapshot::{self, Section, Snapshot};
use marketdata::{BookUpdate, Views};
use types::{Event, Wire};

use crate::applied::Applied;
use crate::spool::{Spool, Unsynced};

/// Messages that may wait for the publisher; a batch is one.
pub(crate) const OUTBOX_MAX: usize = 1_024;

/// Who wants to know what happened. Called on the publisher's thread, so it must not wait.
pub trait Listener: Send {
    /// One event, in sequence, with what it changes in its instrument's book.
    fn event(&mut self, applied: &Applied, event: &Event, update: Option<&BookUpdate>);

    /// The views now stand where the last event left them.
    fn batch_done(&mut self, views: &Views);
}

pub(crate) type Question = Box<dyn FnOnce(&Views, &Spool) + Send>;

pub(crate) enum Message {
    Applied(Vec<Arc<Applied>>),
    /// The engine's state after all that was sent before.
    Snapshot(Snapshot),
    Read(Question),
    Stop,
}

pub(crate) struct Publisher {
    pub(crate) spool: Spool,
    pub(crate) views: Views,
    pub(crate) listeners: Vec<Box<dyn Listener>>,
    /// `None` where nothing is kept.
    pub(crate) snapshot_dir: Option<PathBuf>,
    pub(crate) snapshot_thread: Option<JoinHandle<()>>,
}

/// Sections of a snapshot file.
pub(crate) const ENGINE_SECTION: &str = "engine";
pub(crate) const VIEWS_SECTION: &str = "views";
pub(crate) const EVENT_HASH_SECTION: &str = "event_hash";
pub(crate) const EPOCH_SECTION: &str = "epoch";

impl Publisher {
    pub(crate) fn run(mut self, outbox: &Receiver<Message>) {
        while let Ok(message) = outbox.recv() {
            match message {
                Message::Applied(applied) => self.publish(&applied),
                Message::Snapshot(snapshot) => self.write_snapshot(snapshot),
                Message::Read(read) => read(&self.views, &self.spool),
                Message::Stop => break,
            }
        }
        self.join_snapshot();
        sync(&self.spool.take_unsynced());
    }

    fn publish(&mut self, batch: &[Arc<Applied>]) {
        self.spool.append(batch.iter().map(|applied| &**applied));
        self.spool.flush();
        for applied in batch {
            for event in &applied.events {
                let update = self.views.apply(event);
                for listener in &mut self.listeners {
                    listener.event(applied, event, update.as_ref());
                }
            }
        }
        for listener in &mut self.listeners {
            listener.batch_done(&self.views);
        }
    }

    /// The views stand at the same sequence as the engine's state that came through the queue.
    fn write_snapshot(&mut self, mut snapshot: Snapshot) {
        let Some(dir) = self.snapshot_dir.clone() else { return };
        let mut views = Vec::new();
        self.views.write(&mut views);
        snapshot.sections.push(Section { name: VIEWS_SECTION.into(), payload: views });
        let event_hash = self.spool.event_hash().to_vec();
        snapshot.sections.push(Section { name: EVENT_HASH_SECTION.into(), payload: event_hash });
        // One at a time: a disk that is slower than the snapshots come shall not collect them.
        self.join_snapshot();
        let unsynced = self.spool.take_unsynced();
        self.snapshot_thread = Some(std::thread::spawn(move || {
            sync(&unsynced);
            match snapshot::write(&dir, &snapshot) {
                Ok(written) => tracing::info!(
                    file = %written.file.display(),
                    sequence = snapshot.sequence,
                    "snapshot written"
                ),
                // The log still has everything; the next snapshot may fare better.
                Err(error) => tracing::error!(%error, "no snapshot was written"),
            }
        }));
    }

    fn join_snapshot(&mut self) {
        if let Some(thread) = self.snapshot_thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the snapshot thread panicked");
        }
    }
}

/// What loses its power unsynced is made anew from the log: that is no reason to stop.
fn sync(unsynced: &Unsynced) {
    if let Err(error) = unsynced.sync() {
        tracing::warn!(%error, "the event spool was not synced");
    }
}
