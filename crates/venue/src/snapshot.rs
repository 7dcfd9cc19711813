//! How a snapshot comes about while the venue runs.
//!
//! ```text
//!  [prepare]     huge pages
//!                ▲      ▼
//!  [engine]      due   want_state_hash ─► TakeStateHash applied ─► fork ──────────► StateHash entered
//!                                            │                      │                    ▲
//!  [publisher]                               └─► views, event hash  │                    │
//!  [snapshot]                                            └──► state, hash it, write it ──┘
//!  [replica]                                 its own state ──► ▲
//! ```
//!
//! With a replica the state that is written is the replica's, and only when its hash is that of the
//! primary, which then is asked for no more than the hash.

mod fork;
#[cfg(target_os = "linux")]
mod huge_pages;
pub(crate) mod sections;
pub(crate) mod state;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use engine::Engine;
use log::snapshot::{self, Kept, Section, Snapshot, SnapshotError, Written};
use spool::Unsynced;
use types::{StateHash, Wire};

use crate::follower::Position;
use crate::metrics::Metrics;
use crate::replica::ReplicaState;
use crate::snapshot::fork::{Child, give_way};
use crate::snapshot::sections::{ENGINE_SECTION, EPOCH_SECTION, EVENT_HASH_SECTION, VIEWS_SECTION};
use crate::snapshot::state::encode;

const HASH_SIZE: usize = 32;
/// Between two pieces of a snapshot, so that it is written with 32 MiB a second at most.
const REST: Duration = Duration::from_millis(4);
const RELEASED_AT_ONCE: usize = 4 << 20;

/// The state after one batch, on its way from the engine's thread to a file.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) rules_version: u16,
    pub(crate) sequence: u64,
    pub(crate) position: Position,
    pub(crate) source: Source,
    /// The engine's thread waits at the other end, unless it is about to stop.
    pub(crate) done: Option<SyncSender<Outcome>>,
    /// Whether a stopping venue waits for it.
    pub(crate) is_urgent: Arc<AtomicBool>,
}

/// Where the state comes from.
#[derive(Debug)]
pub(crate) enum Source {
    Primary(Copy),
    /// The replica's state, if it is that of the primary, of which the hash is enough.
    Replica {
        state: Receiver<ReplicaState>,
        primary_hash: Copy,
    },
}

#[derive(Debug)]
pub(crate) enum Copy {
    Forked(Child),
    Bytes(Vec<u8>),
}

/// Its outcome.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) hash: StateHash,
    /// Where the log may be trimmed to; `None` while there is no older snapshot to fall back on.
    pub(crate) trim_before: Option<u64>,
    /// Whether the spool has all events up to here, on stable storage.
    pub(crate) is_spooled: bool,
}

/// Puts memory in order, so that the fork holds up the engine for a moment only; the other end of
/// what is returned is dropped when that is done.
pub(crate) fn prepare(is_urgent: Arc<AtomicBool>) -> Receiver<()> {
    let (at_work, prepared) = sync_channel(1);
    let prepare = move || {
        // The engine's thread has started this one.
        #[cfg(target_os = "linux")]
        crate::pin::leave_core_of(rustix::process::getpid().as_raw_pid());
        #[cfg(target_os = "linux")]
        match huge_pages::collapse(&is_urgent) {
            Ok(count) => tracing::debug!(count, "memory is in huge pages"),
            Err(error) => tracing::warn!(%error, "memory stays in small pages"),
        }
        drop((at_work, is_urgent));
    };
    if let Err(error) = std::thread::Builder::new().name("prepare".into()).spawn(prepare) {
        tracing::warn!(%error, "no thread to put memory in order: the fork may take longer");
    }
    prepared
}

impl Source {
    /// The state as it is now, without holding up this thread for longer than a fork takes.
    pub(crate) fn fork(engine: &Engine, replica: Option<Receiver<ReplicaState>>) -> Self {
        match replica {
            None => Self::Primary(copy(|| encode_with_hash(engine))),
            Some(state) => {
                let hash = || blake3::hash(&encode(engine)).as_bytes().to_vec();
                Self::Replica { state, primary_hash: copy(hash) }
            }
        }
    }

    /// For a thread that has nothing else to do any more.
    pub(crate) fn encode(engine: &Engine) -> Self {
        Self::Primary(Copy::Bytes(encode_with_hash(engine)))
    }

    fn read(self, sequence: u64) -> Result<Found, JobError> {
        match self {
            Self::Primary(copy) => {
                let mut state = copy.read()?;
                let primary_hash = *state.last_chunk().ok_or(JobError::HashCut)?;
                state.truncate(state.len() - HASH_SIZE);
                Ok(Found { primary_hash, state: Ok(state) })
            }
            Self::Replica { state, primary_hash } => {
                let primary_hash = primary_hash.read()?;
                let primary_hash = primary_hash.try_into().map_err(|_| JobError::HashCut)?;
                let state = match state.recv() {
                    Err(_) => Err(JobError::ReplicaStopped),
                    Ok(ReplicaState { sequence: at, state_hash, state })
                        if at == sequence && state_hash == primary_hash =>
                    {
                        Ok(state)
                    }
                    Ok(_) => Err(JobError::ReplicaDiffers),
                };
                Ok(Found { primary_hash, state })
            }
        }
    }
}

struct Found {
    /// It goes into the log even when the replica has another one: that is how the replica finds
    /// out.
    primary_hash: [u8; 32],
    /// One that has this hash.
    state: Result<Vec<u8>, JobError>,
}

/// In a child, or here and now where none can be had.
fn copy(work: impl Fn() -> Vec<u8>) -> Copy {
    copy_by(Child::fork(&work), work)
}

fn copy_by(forked: io::Result<Child>, work: impl Fn() -> Vec<u8>) -> Copy {
    match forked {
        Ok(child) => Copy::Forked(child),
        Err(error) => {
            tracing::warn!(%error, "no child to take the state in: orders wait until it is taken");
            Copy::Bytes(work())
        }
    }
}

impl Copy {
    fn read(self) -> Result<Vec<u8>, JobError> {
        match self {
            Self::Forked(child) => child.output().map_err(JobError::Copy),
            Self::Bytes(bytes) => Ok(bytes),
        }
    }
}

/// The state, and its hash after it: the encoding process has the time.
fn encode_with_hash(engine: &Engine) -> Vec<u8> {
    let mut state = encode(engine);
    let hash = blake3::hash(&state);
    state.extend(hash.as_bytes());
    state
}

/// A snapshot with all its parts, to be written on a thread of its own.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) taken: Taken,
    pub(crate) views: Vec<u8>,
    pub(crate) event_hash: [u8; 16],
    pub(crate) unsynced: Unsynced,
    pub(crate) unsynced_log: Option<PathBuf>,
    /// `None` where nothing is kept: then it is for the hash alone.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) metrics: Arc<Metrics>,
}

impl Job {
    pub(crate) fn run(self) {
        give_way();
        let Self { taken, views, event_hash, unsynced, unsynced_log, dir, metrics } = self;
        let Taken { rules_version, sequence, position, source, done, is_urgent } = taken;
        let begun = Instant::now();
        // Whether or not the snapshot succeeds: no other code syncs these files.
        let is_spooled = dir.is_none() || sync(&unsynced);
        let Found { primary_hash: state_hash, state } = match source.read(sequence) {
            Ok(found) => found,
            Err(error) => {
                metrics.snapshot_failed();
                return tracing::error!(%error, sequence, "no snapshot was taken");
            }
        };
        let written = state.and_then(|state| {
            let Some(dir) = &dir else { return Ok(None) };
            let mut epoch = Vec::new();
            position.epoch.write(&mut epoch);
            let section = |name: &str, payload| Section { name: name.into(), payload };
            let snapshot = Snapshot {
                rules_version,
                batch_number: position.batch_number,
                sequence,
                chain_hash: position.chain_hash,
                state_hash,
                sections: vec![
                    section(ENGINE_SECTION, state),
                    section(EPOCH_SECTION, epoch),
                    section(VIEWS_SECTION, views),
                    section(EVENT_HASH_SECTION, event_hash.to_vec()),
                ],
            };
            if let Some(log) = unsynced_log {
                // A log that ended before its snapshot would be refused at the next start.
                log::sync_written(&log).map_err(JobError::Log)?;
            }
            let mut rest = || {
                if is_urgent.load(Ordering::Relaxed) {
                } else {
                    std::thread::sleep(REST);
                }
            };
            // What the spool lacks is made anew from the log behind the oldest.
            let kept = if is_spooled { Kept::Newest } else { Kept::OldestToo };
            let written = snapshot::write_gently(dir, &snapshot, kept, &mut rest);
            snapshot.sections.into_iter().for_each(|section| release(section.payload, &mut rest));
            Ok(Some(written?))
        });
        let trim_before = report(written, sequence, begun, &metrics);
        if let Some(done) = done {
            let hash = StateHash { sequence, event_hash, state_hash };
            // An engine that has failed meanwhile waits for nothing.
            let _gone = done.send(Outcome { hash, trim_before, is_spooled });
        }
    }
}

/// Gives memory back piece by piece: a thread that allocates meanwhile would else wait until all of
/// it was.
fn release(mut bytes: Vec<u8>, rest: &mut dyn FnMut()) {
    while bytes.len() > RELEASED_AT_ONCE {
        bytes.truncate(bytes.len() - RELEASED_AT_ONCE);
        bytes.shrink_to_fit();
        rest();
    }
}

/// A snapshot that was not written is no reason to stop: the log still has everything, and the next
/// one may fare better.
fn report(
    written: Result<Option<Written>, JobError>,
    sequence: u64,
    begun: Instant,
    metrics: &Metrics,
) -> Option<u64> {
    match written {
        Ok(written) => {
            let Written { file, trim_before } = written?;
            let took = begun.elapsed();
            metrics.snapshot_written(sequence, took);
            tracing::info!(file = %file.display(), sequence, ?took, "snapshot written");
            trim_before
        }
        Err(error) => {
            metrics.snapshot_failed();
            tracing::error!(%error, sequence, "no snapshot was written");
            None
        }
    }
}

/// Whether the spool has all events, on stable storage. What it loses is made anew from the log:
/// that is no reason to stop.
pub(crate) fn sync(unsynced: &Unsynced) -> bool {
    if let Err(error) = unsynced.sync() {
        tracing::warn!(%error, "the event spool was not synced");
    }
    unsynced.is_whole()
}

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
enum JobError {
    #[error("copying the state: {0}")]
    Copy(io::Error),
    #[error("the child that hashed the state did not finish")]
    HashCut,
    #[error("the replica stopped before it had come so far; the next snapshot is the primary's")]
    ReplicaStopped,
    #[error("the replica's state is not that of the primary: neither is kept as a snapshot")]
    ReplicaDiffers,
    #[error(transparent)]
    Log(log::OpenError),
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_no_child_can_be_had_the_state_is_taken_here_and_now() {
        let engine = Engine::default();
        let encode_all = || encode_with_hash(&engine);
        let no_child = Err(io::Error::from(io::ErrorKind::WouldBlock));
        for copy in [copy_by(no_child, encode_all), copy(encode_all)] {
            let found = Source::Primary(copy).read(0).unwrap();
            assert_eq!(found.primary_hash, *blake3::hash(&encode(&engine)).as_bytes());
            assert_eq!(found.state.unwrap(), encode(&engine));
        }
    }
}
