//! Brings a state up to the end of its log, at start.
//!
//! Four threads pass compact buffers: one reads and checks batches; this one decodes and applies
//! them, and frames their events; one stores the frames; one updates the views. Commands and events
//! stay on one thread, because moving their fields from one processor's cache to another's takes
//! longer than the work itself. Buffers return to their origin for reuse.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, Scope};

use log::{BatchHeader, BatchReader, LogReader, LoggedBatch};
use marketdata::{ViewUpdates, Views};
use spool::AppliedRef;
use spool::{Framer, Spool};

use crate::follower::{Follower, Position};
use crate::recovery::error::OpenError;

/// Bytes handed on at once: enough that no thread is woken for a few commands.
const CHUNK_SIZE: usize = 128 << 10;
const UPDATES_MAX: usize = 4 << 10;
/// How often that may wait between two of the threads.
const QUEUE_MAX: usize = 8;

/// How far a replay has come.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Replayed {
    pub batches: u64,
    pub batches_total: u64,
    /// Of the last command that was applied.
    pub sequence: u64,
}

/// Batches that were found to be whole.
#[derive(Default)]
struct Chunk {
    /// With the size of each one's payload.
    headers: Vec<(BatchHeader, usize)>,
    payloads: Vec<u8>,
}

impl Chunk {
    fn push(&mut self, batch: &LoggedBatch<'_>) {
        self.headers.push((batch.header, batch.payload.len()));
        self.payloads.extend_from_slice(batch.payload);
    }

    fn batches(&self) -> impl Iterator<Item = LoggedBatch<'_>> {
        let mut rest = &*self.payloads;
        self.headers.iter().map(move |&(header, size)| {
            let (payload, behind) = rest.split_at(size);
            rest = behind;
            LoggedBatch { header, payload }
        })
    }

    fn clear(&mut self) {
        self.headers.clear();
        self.payloads.clear();
    }
}

/// Applies what the log holds behind the state.
pub(crate) fn replay(
    log: &dyn LogReader,
    follower: &mut Follower,
    views: &mut Views,
    spool: &mut Spool,
    watch: impl FnMut(Replayed),
) -> Result<(), OpenError> {
    let first_batch = follower.position().batch_number + 1;
    let batches_total = log.last_batch().saturating_sub(first_batch - 1);
    let watch = watching(first_batch, batches_total, watch);
    let reader = reader_behind(log, follower.position())?;
    let (whole, chunks) = sync_channel(QUEUE_MAX);
    let (used, to_reuse) = channel();
    let (framed, to_store) = sync_channel(QUEUE_MAX);
    let (stored, spares) = channel();
    let (seen, to_show) = sync_channel(QUEUE_MAX);
    let (shown, spare_updates) = channel();
    let (framer, storage) = (spool.take_framer(), &mut *spool);
    let framer = std::thread::scope(|scope| {
        spawn(scope, "replay-reader", move || read(reader, &whole, &to_reuse));
        spawn(scope, "replay-spool", move || store(to_store, storage, &stored));
        spawn(scope, "replay-views", move || show(to_show, views, &shown));
        let updates = ViewUpdates::default();
        let emitter = Emitter { updates, seen, spare_updates, framer, framed, spares };
        apply(chunks, &used, follower, emitter, watch)
    })?;
    spool.give_back_framer(framer);
    Ok(())
}

fn spawn<'scope>(scope: &'scope Scope<'scope, '_>, name: &str, run: impl FnOnce() + Send + 'scope) {
    let thread = Builder::new().name(name.to_owned()).spawn_scoped(scope, run);
    thread.expect("a start needs four threads");
}

fn watching(
    first_batch: u64,
    batches_total: u64,
    mut watch: impl FnMut(Replayed),
) -> impl FnMut(&Follower) {
    move |follower| {
        watch(Replayed {
            batches: follower.position().batch_number + 1 - first_batch,
            batches_total,
            sequence: follower.engine().sequence(),
        });
    }
}

fn reader_behind(
    log: &dyn LogReader,
    position: Position,
) -> Result<Box<dyn BatchReader>, OpenError> {
    let Position { batch_number, chain_hash, .. } = position;
    let first_batch = log.first_batch();
    if first_batch > batch_number + 1 {
        return Err(OpenError::SnapshotMissing { first_batch });
    }
    let reader = log.read_from(batch_number + 1).map_err(OpenError::Log)?;
    if reader.previous_hash() != chain_hash {
        return Err(OpenError::SnapshotOfAnotherLog { batch_number });
    }
    Ok(reader)
}

fn read(
    mut reader: Box<dyn BatchReader>,
    whole: &SyncSender<Result<Chunk, OpenError>>,
    used: &Receiver<Chunk>,
) {
    let mut chunk = Chunk::default();
    let end = loop {
        match reader.read() {
            Ok(Some(batch)) => chunk.push(&batch),
            Ok(None) => break None,
            Err(error) => break Some(Err(OpenError::Log(error))),
        }
        if chunk.payloads.len() >= CHUNK_SIZE {
            let mut next = used.try_recv().unwrap_or_default();
            next.clear();
            if whole.send(Ok(std::mem::replace(&mut chunk, next))).is_err() {
                return; // The applying thread has failed and receives no more.
            }
        }
    };
    for last in std::iter::once(Ok(chunk)).chain(end) {
        let _ = whole.send(last);
    }
}

/// When it is done, or fails, the other threads end.
fn apply(
    chunks: Receiver<Result<Chunk, OpenError>>,
    used: &Sender<Chunk>,
    follower: &mut Follower,
    mut emitter: Emitter,
    mut watch: impl FnMut(&Follower),
) -> Result<Framer, OpenError> {
    let mut events = Vec::new();
    for chunk in chunks {
        let chunk = chunk?;
        for batch in chunk.batches() {
            let replayed = follower.replay(&batch, &mut events, |applied| emitter.emit(&applied));
            replayed.map_err(OpenError::Follow)?;
            watch(follower);
        }
        // After the last batch the buffer is not needed.
        let _ = used.send(chunk);
    }
    emitter.hand_on_updates();
    Ok(emitter.framer)
}

/// Sends the events of each command to the threads of the views and of the spool.
struct Emitter {
    updates: ViewUpdates,
    /// To where the views are made, and back.
    seen: SyncSender<ViewUpdates>,
    spare_updates: Receiver<ViewUpdates>,
    framer: Framer,
    /// To where frames are stored, and back.
    framed: SyncSender<spool::Batch>,
    spares: Receiver<spool::Batch>,
}

impl Emitter {
    fn emit(&mut self, applied: &AppliedRef<'_>) {
        self.updates.push(applied.sequence, applied.sequenced_ns, applied.events);
        if self.updates.len() >= UPDATES_MAX {
            self.hand_on_updates();
        }
        if self.framer.push(*applied) {
            let batch = self.framer.take_batch(self.spares.try_recv().unwrap_or_default());
            self.framed
                .send(batch)
                .expect("the storing thread ends after the applying one, or panics");
        }
    }

    fn hand_on_updates(&mut self) {
        let empty = self.spare_updates.try_recv().unwrap_or_default();
        let updates = std::mem::replace(&mut self.updates, empty);
        self.seen.send(updates).expect("the viewing thread ends after the applying one, or panics");
    }
}

fn show(seen: Receiver<ViewUpdates>, views: &mut Views, shown: &Sender<ViewUpdates>) {
    for mut updates in seen {
        views.update(&updates);
        updates.clear();
        // At the end the buffer is not needed.
        let _ = shown.send(updates);
    }
}

/// The last frames stay with the applying thread: there is no need to store few.
fn store(framed: Receiver<spool::Batch>, spool: &mut Spool, stored: &Sender<spool::Batch>) {
    for mut batch in framed {
        spool.keep(&batch);
        batch.clear();
        // At the end the buffer is not needed.
        let _ = stored.send(batch);
    }
}
