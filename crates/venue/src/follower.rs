//! A state and its place in the log: the part that primary, standby, replica and replay share.
//!
//! # Invariants
//! - The state moves by the batches of the log, in their order, each once.
//! - A batch of an epoch that is over counts for nothing, wherever it lies in the log. An epoch is
//!   begun by the first [`NewEpoch`] of its number, and by no other batch.
//! - Work that a command leaves is done before the next command is applied, in bounded steps. The
//!   entries behind it are in the log already, perhaps in the same batch, so the steps are taken
//!   when applying, in every process that applies this log, and need no entries of their own.

use std::ops::ControlFlow;
use std::sync::Arc;

use engine::Engine;
use log::{BatchHeader, ChainHash, LoggedBatch};
use spool::{Applied, AppliedRef, Operated};
use types::{Command, Entry, Envelope, Event, NewEpoch, Origin, Reader, StateHash};

use crate::reply::Reply;

/// The epoch of a log before its first [`NewEpoch`].
const FIRST_EPOCH: u64 = 1;

/// Up to where a log has been applied.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Position {
    pub batch_number: u64,
    pub chain_hash: ChainHash,
    pub epoch: u64,
}

impl Default for Position {
    fn default() -> Self {
        Self { batch_number: 0, chain_hash: ChainHash::GENESIS, epoch: FIRST_EPOCH }
    }
}

#[derive(Debug)]
pub struct Follower {
    engine: Engine,
    position: Position,
    slots: Slots,
}

/// The outcome of a batch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Step {
    Applied {
        /// The state it led to is one of which the hash is to be taken.
        takes_hash: bool,
        claim: Option<StateHash>,
    },
    EpochBegun(NewEpoch),
    /// It begins an epoch that has been begun already, or is over.
    EpochRefused(NewEpoch),
    /// It is of an epoch that is over.
    Skipped,
    /// It was here already.
    Repeated,
}

/// Why a log cannot be followed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum FollowError {
    #[error(
        "the log went on with batch {found} where batch {expected} should be: the batches \
         between are missing; bring them back"
    )]
    Gap { expected: u64, found: u64 },
    #[error(
        "batch {batch_number} was applied under rules version {found}; this program knows \
         those up to {supported}: use a newer one"
    )]
    OtherRules { batch_number: u64, found: u16, supported: u16 },
    #[error(
        "batch {batch_number} has a command that this version does not know: it was written \
         by a newer one"
    )]
    CommandUnreadable { batch_number: u64 },
    #[error(
        "batch {batch_number} is of epoch {epoch}, which nothing before it has begun: it is \
         not of this log"
    )]
    EpochNotBegun { batch_number: u64, epoch: u64 },
}

impl Follower {
    pub fn new(engine: Engine, position: Position) -> Self {
        Self { engine, position, slots: Slots::default() }
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub fn position(&self) -> Position {
        self.position
    }

    pub fn into_engine(self) -> Engine {
        self.engine
    }

    /// Takes the next batch.
    pub fn follow(
        &mut self,
        batch: LoggedBatch<'_>,
        mut applied: impl FnMut(Reply),
    ) -> Result<Step, FollowError> {
        self.follow_entries(&batch, |engine, entry, _| {
            applied(apply_entry(engine, batch.header.sequenced_ns, entry));
            ControlFlow::Continue(())
        })
    }

    /// [`Follower::follow`] for a replay: the events of each command are written to one buffer, one
    /// command after the other.
    pub(crate) fn replay(
        &mut self,
        batch: &LoggedBatch<'_>,
        events: &mut Vec<Event>,
        mut emit: impl FnMut(AppliedRef<'_>),
    ) -> Result<Step, FollowError> {
        let sequenced_ns = batch.header.sequenced_ns;
        self.follow_entries(batch, |engine, entry, _| {
            each_part(engine, entry, |engine, entry, continues| {
                events.clear();
                engine.apply(sequenced_ns, entry, events);
                let (sequence, account) = (engine.sequence(), entry.envelope.account);
                let operated = if continues { None } else { Operated::of(entry) };
                let operated = operated.as_deref();
                emit(AppliedRef { sequence, sequenced_ns, account, continues, operated, events });
            });
            ControlFlow::Continue(())
        })
    }

    /// Applies commands of the next batch, the first and then more while `goes_on`, and nothing of
    /// their events. Returns how many these were, and their bytes.
    pub(crate) fn pass(
        &mut self,
        batch: &LoggedBatch<'_>,
        events: &mut Vec<Event>,
        mut goes_on: impl FnMut(&Engine) -> bool,
    ) -> Result<(u32, usize), FollowError> {
        let (mut commands, mut bytes) = (0, 0);
        self.follow_entries(batch, |engine, entry, end| {
            (commands, bytes) = (commands + 1, end);
            each_part(engine, entry, |engine, entry, _| {
                events.clear();
                engine.apply(batch.header.sequenced_ns, entry, events);
            });
            if goes_on(engine) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok((commands, bytes))
    }

    /// What it took last was a part of a batch: the next part comes under the same number.
    pub(crate) fn go_on_in_batch(&mut self) {
        self.position.batch_number -= 1;
    }

    /// This is the one place where the state changes, live or in a replay. `execute` gets each
    /// command and where it ends in the batch; the batch ends with the one at which it breaks.
    fn follow_entries(
        &mut self,
        batch: &LoggedBatch<'_>,
        execute: impl FnMut(&mut Engine, &Entry, usize) -> ControlFlow<()>,
    ) -> Result<Step, FollowError> {
        let (found, expected) = (batch.header.batch_number, self.position.batch_number + 1);
        if found < expected {
            return Ok(Step::Repeated);
        }
        if found > expected {
            return Err(FollowError::Gap { expected, found });
        }
        let step = self.follow_next(batch, execute)?;
        self.position.batch_number = batch.header.batch_number;
        self.position.chain_hash = batch.header.hash;
        Ok(step)
    }

    fn follow_next(
        &mut self,
        batch: &LoggedBatch<'_>,
        execute: impl FnMut(&mut Engine, &Entry, usize) -> ControlFlow<()>,
    ) -> Result<Step, FollowError> {
        let BatchHeader { batch_number, epoch, .. } = batch.header;
        if let Some(begin) = begins_epoch(batch) {
            if epoch <= self.position.epoch {
                return Ok(Step::EpochRefused(begin));
            }
            self.apply(batch, execute)?;
            self.position.epoch = epoch;
            return Ok(Step::EpochBegun(begin));
        }
        if epoch < self.position.epoch {
            return Ok(Step::Skipped);
        }
        if epoch > self.position.epoch {
            return Err(FollowError::EpochNotBegun { batch_number, epoch });
        }
        self.apply(batch, execute)
    }

    fn apply(
        &mut self,
        batch: &LoggedBatch<'_>,
        mut execute: impl FnMut(&mut Engine, &Entry, usize) -> ControlFlow<()>,
    ) -> Result<Step, FollowError> {
        let BatchHeader { batch_number, rules_version, .. } = batch.header;
        if !self.engine.raise_rules(rules_version) {
            let (found, supported) = (rules_version, self.engine.rules_max());
            return Err(FollowError::OtherRules { batch_number, found, supported });
        }
        let (mut takes_hash, mut claim) = (false, None);
        let mut upcoming = Upcoming::new(batch, &mut self.slots);
        while let Some(entry) = upcoming.next(&mut self.engine) {
            let (entry, end) = entry?;
            match entry.command {
                Command::TakeStateHash(()) => takes_hash = true,
                Command::StateHash(hash) => claim = Some(hash),
                _ => {}
            }
            if execute(&mut self.engine, entry, end).is_break() {
                break;
            }
        }
        Ok(Step::Applied { takes_hash, claim })
    }
}

/// The commands of a batch. Some are read before it is their turn: so the engine knows what it is
/// going to need.
struct Upcoming<'a> {
    unread: Reader<'a>,
    len: usize,
    unreadable: FollowError,
    /// Why no more can be read.
    error: Option<FollowError>,
    /// The commands from `next` to `end`, each at its number modulo [`SLOTS`].
    slots: &'a mut Slots,
    /// Where each of them ends in the batch.
    ends: [usize; SLOTS],
    next: usize,
    end: usize,
}

const SLOTS: usize = (Engine::AHEAD + 1).next_power_of_two();

/// Where commands wait that were read. They are large: each is read to where it is going to be.
#[derive(Debug)]
struct Slots(Box<[Entry; SLOTS]>);

impl Default for Slots {
    fn default() -> Self {
        let envelope = Envelope::venue(Origin::Venue, 0);
        let empty = || Entry { envelope, command: Command::Tick(()) };
        Self(Box::new(std::array::from_fn(|_| empty())))
    }
}

impl<'a> Upcoming<'a> {
    fn new(batch: &LoggedBatch<'a>, slots: &'a mut Slots) -> Self {
        Self {
            unread: Reader(batch.payload),
            len: batch.payload.len(),
            unreadable: FollowError::CommandUnreadable { batch_number: batch.header.batch_number },
            error: None,
            slots,
            ends: [0; SLOTS],
            next: 0,
            end: 0,
        }
    }

    /// The next command, and where it ends in the batch.
    fn next(&mut self, engine: &mut Engine) -> Option<Result<(&Entry, usize), FollowError>> {
        while self.end <= self.next + Engine::AHEAD {
            if self.unread.is_empty() {
                engine.announce(None);
                break;
            }
            let slot = &mut self.slots.0[self.end % SLOTS];
            match slot.read_over(&mut self.unread) {
                Some(()) => {
                    engine.announce(Some(slot));
                    self.ends[self.end % SLOTS] = self.len - self.unread.0.len();
                    self.end += 1;
                }
                None => {
                    self.error = Some(self.unreadable);
                    self.unread = Reader(&[]);
                }
            }
        }
        if self.next == self.end {
            return self.error.take().map(Err);
        }
        let at = self.next % SLOTS;
        self.next += 1;
        Some(Ok((&self.slots.0[at], self.ends[at])))
    }
}

/// The epoch that a batch is there to begin; nothing else is in such a batch.
pub(crate) fn begins_epoch(batch: &LoggedBatch<'_>) -> Option<NewEpoch> {
    if batch.header.command_count != 1 {
        return None;
    }
    let entry: Entry = Reader(batch.payload).read()?;
    match entry.command {
        Command::NewEpoch(begin) if begin.epoch == batch.header.epoch => Some(begin),
        _ => None,
    }
}

/// Carries out a command, and what it leaves.
fn each_part(
    engine: &mut Engine,
    entry: &Entry,
    mut execute: impl FnMut(&mut Engine, &Entry, bool),
) {
    execute(engine, entry, false);
    while engine.has_deferred() {
        let command = Command::Continue(());
        let envelope = Envelope { retry_key: None, ..entry.envelope };
        execute(engine, &Entry { envelope, command }, true);
    }
}

fn apply_entry(engine: &mut Engine, sequenced_ns: u64, entry: &Entry) -> Reply {
    let (mut applied, mut continued) = (None, Vec::new());
    each_part(engine, entry, |engine, entry, continues| {
        let mut events: Vec<Event> = Vec::with_capacity(2);
        engine.apply(sequenced_ns, entry, &mut events);
        let (sequence, account) = (engine.sequence(), entry.envelope.account);
        let operated = if continues { None } else { Operated::of(entry) };
        let part = Applied { sequence, sequenced_ns, account, continues, operated, events };
        let part = Arc::new(part);
        if continues { continued.push(part) } else { applied = Some(part) }
    });
    let applied = applied.expect("a command has a first part");
    let kind = (entry.command.kind_index(), entry.envelope.origin);
    Reply { applied, continued, kind, times: None }
}
