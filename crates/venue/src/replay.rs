//! Brings a state up to the end of its log, at start.
//!
//! Three threads hand on bytes: one reads batches and checks them; this one decodes and applies them,
//! and makes views and frames of what came of it; one stores the frames. Commands and events stay on
//! one thread: handing them on, field by field from one processor's cache to another's, takes longer
//! than what is done with them. Buffers go back to where they came from.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, Scope};

use log::Recovered;
use log::frame::{Frame, FrameHeader};
use marketdata::Views;

use crate::applied::Told;
use crate::data_dir::OpenError;
use crate::follower::{Follower, LoggedBatch, Position};
use crate::spool::{self, Framer, Spool};

/// Batches that may wait between two of the threads.
const QUEUE_MAX: usize = 8;

/// How far a replay has come.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Replayed {
    pub batches: u64,
    pub batches_total: u64,
    /// Of the last command that was applied.
    pub sequence: u64,
}

/// A batch that was found to be whole. Its buffer is used again for a later one.
struct Whole {
    header: FrameHeader,
    payload: Vec<u8>,
}

/// Applies what the log holds behind the state.
pub(crate) fn replay(
    recovered: &Recovered,
    follower: &mut Follower,
    views: &mut Views,
    spool: &mut Spool,
    watch: impl FnMut(Replayed),
) -> Result<(), OpenError> {
    let first_batch = follower.position().batch_number + 1;
    let batches_total = recovered.last_batch.saturating_sub(first_batch - 1);
    let watch = watching(first_batch, batches_total, watch);
    let reader = reader_behind(recovered, follower.position())?;
    let (whole, batches) = sync_channel(QUEUE_MAX);
    let (used, to_reuse) = channel();
    let (framed, to_store) = sync_channel(QUEUE_MAX);
    let (stored, spares) = channel();
    let (framer, storage) = (spool.take_framer(), &mut *spool);
    let framer = std::thread::scope(|scope| {
        spawn(scope, "replay-reader", move || read(reader, &whole, &to_reuse));
        spawn(scope, "replay-spool", move || store(to_store, storage, &stored));
        apply(batches, &used, follower, Teller { views, framer, framed, spares }, watch)
    })?;
    spool.give_back_framer(framer);
    Ok(())
}

fn spawn<'scope>(scope: &'scope Scope<'scope, '_>, name: &str, run: impl FnOnce() + Send + 'scope) {
    let thread = Builder::new().name(name.to_owned()).spawn_scoped(scope, run);
    thread.expect("a start needs three threads");
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

fn reader_behind(recovered: &Recovered, position: Position) -> Result<log::Reader, OpenError> {
    let Position { batch_number, chain_hash, .. } = position;
    if recovered.last_batch < batch_number {
        let last_batch = recovered.last_batch;
        return Err(OpenError::LogEndsBeforeSnapshot { last_batch, batch_number });
    }
    if recovered.first_batch > batch_number + 1 {
        return Err(OpenError::SnapshotMissing { first_batch: recovered.first_batch });
    }
    let reader = recovered.read_from(batch_number + 1).map_err(OpenError::Log)?;
    if reader.previous_hash() != chain_hash {
        return Err(OpenError::SnapshotOfAnotherLog { batch_number });
    }
    Ok(reader)
}

fn read(
    mut reader: log::Reader,
    whole: &SyncSender<Result<Whole, OpenError>>,
    used: &Receiver<Vec<u8>>,
) {
    loop {
        let batch = match reader.read() {
            Ok(Some(Frame { header, payload: bytes })) => {
                let mut payload = used.try_recv().unwrap_or_default();
                payload.clear();
                payload.extend_from_slice(bytes);
                Ok(Whole { header, payload })
            }
            Ok(None) => return,
            Err(error) => Err(OpenError::Log(error)),
        };
        let is_last = batch.is_err();
        // Who applies has failed and hears no more.
        if whole.send(batch).is_err() || is_last {
            return;
        }
    }
}

/// When it is done, or fails, both others come to their end.
fn apply(
    batches: Receiver<Result<Whole, OpenError>>,
    used: &Sender<Vec<u8>>,
    follower: &mut Follower,
    mut teller: Teller<'_>,
    mut watch: impl FnMut(&Follower),
) -> Result<Framer, OpenError> {
    let mut events = Vec::new();
    for batch in batches {
        let Whole { header, payload } = batch?;
        let logged = LoggedBatch::from(Frame { header, payload: &payload });
        let replayed = follower.replay(&logged, &mut events, |told| teller.tell(&told));
        replayed.map_err(OpenError::Follow)?;
        watch(follower);
        // Behind the last batch nobody wants it any more.
        let _ = used.send(payload);
    }
    Ok(teller.framer)
}

/// Makes of events what is wanted of them.
struct Teller<'a> {
    views: &'a mut Views,
    framer: Framer,
    /// To where frames are stored, and back.
    framed: SyncSender<spool::Batch>,
    spares: Receiver<spool::Batch>,
}

impl Teller<'_> {
    fn tell(&mut self, told: &Told<'_>) {
        for event in told.events {
            self.views.apply(event);
        }
        if self.framer.push(*told) {
            let batch = self.framer.take_batch(self.spares.try_recv().unwrap_or_default());
            self.framed.send(batch).expect("who stores ends after who tells, or panics");
        }
    }
}

/// The last frames stay with who made them: there is no need to store few.
fn store(framed: Receiver<spool::Batch>, spool: &mut Spool, stored: &Sender<spool::Batch>) {
    for mut batch in framed {
        spool.keep(&batch);
        batch.clear();
        // At the end nobody wants it any more.
        let _ = stored.send(batch);
    }
}
