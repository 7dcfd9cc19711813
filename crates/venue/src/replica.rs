//! A second engine in this process that applies the same log, and knows when the two have parted.
//!
//! It begins with the primary's state as it was encoded at the start, and follows what the log has
//! committed on a thread of its own. At each [`TakeStateHash`](types::Command::TakeStateHash) it
//! hashes its own state, and compares when the primary's hash comes by in the log. The first
//! difference means that one of the two is wrong (a bug that shows by chance, broken memory): the
//! replica raises the alarm and stops, and the venue goes on, since its clients have been answered.
//!
//! # Invariants
//! - The primary never waits for the replica. What is still to be followed is bounded by
//!   [`QUEUE_SIZE_MAX`]; a replica that is behind by more is given up, which is an alarm too.
//! - The replica shares nothing with the primary but the bytes of the log.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::thread::JoinHandle;

use engine::Engine;
use log::Committed;
use spool::Chain;
use types::{Reader, StateHash};

use crate::follower::{FollowError, Follower, Position, Step};
use crate::metrics::{Metrics, ReplicaStatus};
use crate::snapshot::state::encode;

/// Bytes of batches that the replica has yet to follow.
const QUEUE_SIZE_MAX: u64 = 256 << 20;
/// What a batch takes beside its payload.
const BATCH_OVERHEAD: u64 = 256;

/// The replica's state after a batch that had its hash taken.
#[derive(Debug)]
pub(crate) struct ReplicaState {
    pub(crate) sequence: u64,
    pub(crate) state_hash: [u8; 32],
    pub(crate) state: Vec<u8>,
}

enum Message {
    Batch(Committed),
    /// The next state of which the log wants the hash is wanted here, too.
    Want(SyncSender<ReplicaState>),
}

/// What the primary gives its replica. The replica ends when the last feed is dropped.
#[derive(Clone)]
pub(crate) struct Feed {
    messages: Sender<Message>,
    queued_size: Arc<AtomicU64>,
    metrics: Arc<Metrics>,
}

impl Feed {
    pub(crate) fn batch(&self, committed: &Committed) {
        if !self.metrics.replica_status().is_following() {
            return;
        }
        let size = size(committed);
        if self.queued_size.fetch_add(size, Ordering::Relaxed) + size > QUEUE_SIZE_MAX {
            self.metrics.set_replica_status(ReplicaStatus::Behind);
            return tracing::error!(
                batch = committed.batch_number,
                "the replica is too far behind and is given up; the venue goes on without one until \
                 it is started again"
            );
        }
        if self.messages.send(Message::Batch(committed.clone())).is_err() {
            self.metrics.set_replica_status(ReplicaStatus::Failed);
            tracing::error!("the replica has died; the venue goes on without one");
        }
    }

    /// The next state of which the log wants the hash, if there still is a replica.
    pub(crate) fn want_state(&self) -> Option<Receiver<ReplicaState>> {
        if !self.metrics.replica_status().is_following() {
            return None;
        }
        let (sender, state) = std::sync::mpsc::sync_channel(1);
        self.messages.send(Message::Want(sender)).ok()?;
        Some(state)
    }
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Feed")
    }
}

fn size(committed: &Committed) -> u64 {
    committed.batch.payload.len() as u64 + BATCH_OVERHEAD
}

/// Where a replica begins.
#[derive(Debug)]
pub(crate) struct Beginning {
    pub(crate) state: Vec<u8>,
    pub(crate) position: Position,
    pub(crate) event_hash: [u8; 16],
    /// For tests: the command of this sequence is carried out twice.
    pub(crate) errs_at: Option<u64>,
}

/// Starts the replica's thread.
pub(crate) fn start(
    beginning: Beginning,
    metrics: Arc<Metrics>,
    spawn: impl FnOnce(Box<dyn FnOnce() + Send>) -> JoinHandle<()>,
) -> (Feed, JoinHandle<()>) {
    let (messages, received) = channel();
    let queued_size = Arc::new(AtomicU64::new(0));
    metrics.set_replica_status(ReplicaStatus::InStep);
    let feed = Feed { messages, queued_size: Arc::clone(&queued_size), metrics };
    let metrics = Arc::clone(&feed.metrics);
    let run = move || {
        let ended = Replica::new(beginning)
            .and_then(|mut replica| replica.run(&received, &queued_size, &metrics));
        if let Err(alarm) = ended {
            alarm.raise(&metrics);
        }
    };
    let thread = spawn(Box::new(run));
    (feed, thread)
}

struct Replica {
    follower: Follower,
    events: Chain,
    began_at: u64,
    /// Of the newest state that was hashed.
    own: Option<StateHash>,
    wanted: Option<SyncSender<ReplicaState>>,
    errs_at: Option<u64>,
}

/// Why a replica does not go on.
#[derive(Debug)]
enum Alarm {
    /// Two states where there should be one.
    Differs {
        own: Option<StateHash>,
        primary: StateHash,
    },
    Follow(FollowError),
    /// What the primary wrote of its state is none.
    StateUnreadable,
}

impl Replica {
    fn new(beginning: Beginning) -> Result<Self, Alarm> {
        let Beginning { state, position, event_hash, errs_at } = beginning;
        let engine = Engine::read_state(Reader(&state)).ok_or(Alarm::StateUnreadable)?;
        Ok(Self {
            began_at: engine.sequence(),
            follower: Follower::new(engine, position),
            events: Chain::new(event_hash),
            own: None,
            wanted: None,
            errs_at,
        })
    }

    fn run(
        &mut self,
        messages: &Receiver<Message>,
        queued_size: &AtomicU64,
        metrics: &Metrics,
    ) -> Result<(), Alarm> {
        while let Ok(message) = messages.recv() {
            match message {
                Message::Want(sender) => self.wanted = Some(sender),
                Message::Batch(committed) => {
                    self.follow(&committed, metrics)?;
                    queued_size.fetch_sub(size(&committed), Ordering::Relaxed);
                    metrics.replica_followed(committed.batch_number);
                }
            }
            if metrics.replica_status() == ReplicaStatus::Behind {
                return Ok(());
            }
        }
        Ok(())
    }

    fn follow(&mut self, committed: &Committed, metrics: &Metrics) -> Result<(), Alarm> {
        let (events, mut frame) = (&mut self.events, Vec::new());
        let step = self.follower.follow(committed.into(), |reply| {
            for applied in std::iter::once(&reply.applied).chain(&reply.continued) {
                frame.clear();
                events.extend(&**applied, &mut frame);
            }
        });
        if self.errs_at.is_some_and(|sequence| sequence <= self.follower.engine().sequence()) {
            self.errs_at = None;
            self.repeat(committed);
        }
        if let Step::Applied { takes_hash, claim } = step.map_err(Alarm::Follow)? {
            claim.map_or(Ok(()), |primary| self.compare(primary, metrics))?;
            if takes_hash {
                self.take_hash();
            }
        }
        Ok(())
    }

    fn take_hash(&mut self) {
        let engine = self.follower.engine();
        let state = encode(engine);
        let (sequence, event_hash) = (engine.sequence(), self.events.hash());
        let state_hash = *blake3::hash(&state).as_bytes();
        self.own = Some(StateHash { sequence, event_hash, state_hash });
        if let Some(wanted) = self.wanted.take() {
            // A snapshot that failed otherwise waits for nothing.
            let _gone = wanted.send(ReplicaState { sequence, state_hash, state });
        }
    }

    /// Hashes of states before its own time say nothing to a replica.
    fn compare(&self, primary: StateHash, metrics: &Metrics) -> Result<(), Alarm> {
        if self.own == Some(primary) {
            metrics.replica_compared(primary.sequence);
            return Ok(());
        }
        if primary.sequence <= self.began_at {
            return Ok(());
        }
        Err(Alarm::Differs { own: self.own, primary })
    }

    /// Makes the mistake that tests ask for.
    #[cold]
    fn repeat(&mut self, committed: &Committed) {
        let position = self.follower.position();
        let nobody = Follower::new(Engine::default(), Position::default());
        let mut engine = std::mem::replace(&mut self.follower, nobody).into_engine();
        if let Some(entry) = Reader(&committed.batch.payload).read() {
            engine.apply(committed.batch.sequenced_ns, &entry, &mut Vec::new());
        }
        self.follower = Follower::new(engine, position);
    }
}

impl Alarm {
    fn raise(&self, metrics: &Metrics) {
        metrics.set_replica_status(match self {
            Self::Differs { .. } => ReplicaStatus::Differs,
            Self::Follow(_) | Self::StateUnreadable => ReplicaStatus::Failed,
        });
        tracing::error!("the replica has stopped, the venue goes on: {self}");
    }
}

impl fmt::Display for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differs { own, primary } => {
                write!(f, "its state is not that of the primary: ")?;
                match own {
                    Some(own) => write!(f, "replica {}, ", Shown(own))?,
                    None => f.write_str("the replica took no hash, ")?,
                }
                write!(f, "primary {}; keep the data folder, and verify the log", Shown(primary))
            }
            Self::Follow(error) => error.fmt(f),
            Self::StateUnreadable => f.write_str("the primary's state could not be read back"),
        }
    }
}

/// A state hash for people.
struct Shown<'a>(&'a StateHash);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StateHash { sequence, event_hash, state_hash } = self.0;
        write!(f, "at sequence {sequence} state ")?;
        state_hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(" events ")?;
        event_hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use engine::RULES_VERSION;
    use log::{Batch, ChainHash, Durability};
    use types::{Command, Entry, Envelope, Origin, Wire};

    use super::*;

    /// A batch with one command that changes nothing.
    fn committed(batch_number: u64) -> Committed {
        let mut payload = Vec::new();
        let (envelope, command) = (Envelope::venue(Origin::Venue, 0), Command::Continue(()));
        Entry { envelope, command }.write(&mut payload);
        let (rules_version, command_count) = (RULES_VERSION, 1);
        let batch = Batch { epoch: 1, sequenced_ns: 1, rules_version, command_count, payload };
        Committed { batch_number, hash: ChainHash::GENESIS, batch }
    }

    #[test]
    fn a_replica_that_is_too_far_behind_is_given_up_without_a_wait() {
        let metrics = Arc::new(Metrics::new(Durability::Memory));
        let beginning = Beginning {
            state: encode(&Engine::default()),
            position: Position::default(),
            event_hash: [0; 16],
            errs_at: None,
        };
        let (go_on, held) = channel::<()>();
        let (feed, thread) = start(beginning, Arc::clone(&metrics), |run| {
            std::thread::spawn(move || {
                held.recv().unwrap();
                run();
            })
        });
        let one = size(&committed(1));
        // As if so much were waiting that two more find room.
        feed.queued_size.store(QUEUE_SIZE_MAX - 2 * one, Ordering::Relaxed);
        for (batch_number, expect) in [
            (1, ReplicaStatus::InStep),
            (2, ReplicaStatus::InStep),
            (3, ReplicaStatus::Behind),
            (4, ReplicaStatus::Behind),
        ] {
            feed.batch(&committed(batch_number));
            assert_eq!(metrics.replica_status(), expect, "batch {batch_number}");
        }
        assert!(metrics.replica_status().is_alarm());
        assert!(feed.want_state().is_none(), "a snapshot is not to wait for it");
        go_on.send(()).unwrap();
        thread.join().unwrap();
        assert_eq!(metrics.replica_status(), ReplicaStatus::Behind, "it does not come back");
    }
}
