//! Brings a state up to the end of its log, at start.
//!
//! Three threads hand batches on: one reads frames, checks and decodes them; this one applies them;
//! one makes views and event spool of what came of it. The last gives its buffers back.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use log::{Recovered, frame::Frame};
use marketdata::Views;
use types::Entry;

use crate::applied::AppliedBatch;
use crate::data_dir::OpenError;
use crate::follower::{Follower, LoggedBatch, Position};
use crate::spool::Spool;

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

/// A batch whose commands have been read.
struct Decoded {
    header: log::frame::FrameHeader,
    payload: Vec<u8>,
    entries: Vec<Entry>,
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
    let (decoded, batches) = sync_channel(QUEUE_MAX);
    let (applied, to_tell) = sync_channel(QUEUE_MAX);
    let (given_back, spares) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || read(reader, &decoded));
        scope.spawn(move || tell(&to_tell, views, spool, &given_back));
        apply(batches, follower, applied, &spares, watch)
    })
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

fn read(mut reader: log::Reader, decoded: &SyncSender<Result<Decoded, OpenError>>) {
    loop {
        let batch = match reader.read() {
            Ok(Some(frame)) => decode(frame),
            Ok(None) => return,
            Err(error) => Err(OpenError::Log(error)),
        };
        let is_last = batch.is_err();
        // Who applies has failed and hears no more.
        if decoded.send(batch).is_err() || is_last {
            return;
        }
    }
}

fn decode(frame: Frame<'_>) -> Result<Decoded, OpenError> {
    let mut entries = Vec::with_capacity(frame.header.command_count as usize);
    for entry in LoggedBatch::from(frame).entries() {
        entries.push(entry.map_err(OpenError::Follow)?);
    }
    // Of the bytes only what is in a batch that begins an epoch is looked at again.
    let payload = if frame.header.command_count == 1 { frame.payload.to_vec() } else { Vec::new() };
    Ok(Decoded { header: frame.header, payload, entries })
}

/// Owns its ends of the queues: when it is done, or fails, both others come to their end.
#[expect(clippy::needless_pass_by_value, reason = "they close with it")]
fn apply(
    batches: Receiver<Result<Decoded, OpenError>>,
    follower: &mut Follower,
    applied: SyncSender<AppliedBatch>,
    spares: &Receiver<AppliedBatch>,
    mut watch: impl FnMut(&Follower),
) -> Result<(), OpenError> {
    for batch in batches {
        let Decoded { header, payload, entries } = batch?;
        let mut outcome = spares.try_recv().unwrap_or_default();
        let logged = LoggedBatch::from(Frame { header, payload: &payload });
        follower.replay(&logged, &entries, &mut outcome).map_err(OpenError::Follow)?;
        watch(follower);
        applied.send(outcome).expect("who tells ends after who applies, or panics");
    }
    Ok(())
}

fn tell(
    to_tell: &Receiver<AppliedBatch>,
    views: &mut Views,
    spool: &mut Spool,
    given_back: &Sender<AppliedBatch>,
) {
    for batch in to_tell {
        for told in batch.told() {
            for event in told.events {
                views.apply(event);
            }
        }
        spool.append(batch.told());
        // At the end nobody wants it any more.
        let _ = given_back.send(batch);
    }
}
