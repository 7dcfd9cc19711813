//! The venue as a state machine: no thread, no socket, no clock.
//!
//! [`Machine::submit`] queues a command; [`Machine::poll`] sequences what is queued, hands it to the
//! log, and applies what the log has committed. While one batch is under way, the next gathers and
//! the one before is applied.
//!
//! # Invariants
//! - The state changes only by what is polled from the log.
//! - Time given to the engine never runs backwards, whatever the clock does.
//! - Work that a command leaves is done before the next command is applied, in bounded steps. The
//!   entries behind it are in the log already, perhaps in the same batch, so the steps are taken
//!   when applying, by everyone who applies this log, and need no entries of their own.

use std::collections::VecDeque;
use std::sync::Arc;

use engine::{Engine, RULES_VERSION};
use log::{Batch, ChainHash, Committed, Log, LogError};
use types::{Command, Entry, Envelope, Event, Origin, Reader, SetPhase, Wire};

use crate::applied::{Applied, Reply};

/// Commands that may wait to be sequenced.
const QUEUE_MAX: usize = 65_536;
/// Commands in one batch, and the bytes at which it is closed.
const BATCH_COMMANDS_MAX: u32 = 8_192;
const BATCH_SIZE: usize = 1 << 20;

/// The queue is full. The command was not taken; it may be sent again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Overloaded;

/// `T` is whatever the caller wants back with the outcome of its command.
#[derive(Debug)]
pub struct Machine<L, T> {
    engine: Engine,
    log: L,
    epoch: u64,
    queue: VecDeque<(Entry, T)>,
    /// Tickets of commands in the log that are not yet applied, oldest first.
    tickets: VecDeque<Option<T>>,
    batches_in_flight: u32,
    /// The time of the newest batch.
    sequenced_ns: u64,
    /// When the calendars are to be looked at next.
    calendar_ns: u64,
    batch_number: u64,
    chain_hash: ChainHash,
    spare_payload: Vec<u8>,
}

/// A command was applied.
#[derive(Debug)]
pub struct Output<T> {
    pub reply: Reply,
    /// `None` for the venue's own commands.
    pub ticket: Option<T>,
}

impl<L: Log, T> Machine<L, T> {
    /// Goes on from a state, which is that after `batch_number` with this chain hash.
    pub fn new(engine: Engine, log: L, batch_number: u64, chain_hash: ChainHash) -> Self {
        let sequenced_ns = engine.now_ns();
        Self {
            engine,
            log,
            epoch: 1,
            queue: VecDeque::new(),
            tickets: VecDeque::new(),
            batches_in_flight: 0,
            sequenced_ns,
            calendar_ns: 0,
            batch_number,
            chain_hash,
            spare_payload: Vec::new(),
        }
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The last batch applied, and the log's hash there.
    pub fn position(&self) -> (u64, ChainHash) {
        (self.batch_number, self.chain_hash)
    }

    /// Whether [`Machine::submit`] would take a command now.
    pub fn has_room(&self) -> bool {
        self.queue.len() < QUEUE_MAX
    }

    pub fn submit(&mut self, entry: Entry, ticket: T) -> Result<(), Overloaded> {
        if !self.has_room() {
            return Err(Overloaded);
        }
        self.queue.push_back((entry, ticket));
        Ok(())
    }

    /// Whether anything is queued or under way.
    pub fn is_busy(&self) -> bool {
        !self.queue.is_empty() || self.batches_in_flight > 0
    }

    /// When something happens by itself next.
    pub fn next_deadline_ns(&self) -> u64 {
        self.engine.next_deadline_ns().unwrap_or(u64::MAX).min(self.calendar_ns)
    }

    /// Takes one step; says whether there was anything to do. On an error nothing further will be
    /// committed, and the venue must stop.
    pub fn poll(&mut self, now_ns: u64, outputs: &mut Vec<Output<T>>) -> Result<bool, LogError> {
        let committed = self.log.poll()?;
        if committed.is_some() {
            self.batches_in_flight -= 1;
        }
        // First the next batch, then the last one: so the disk works while we apply.
        let appended = self.append_next(now_ns)?;
        let progress = committed.is_some() || appended;
        if let Some(committed) = committed {
            self.apply_committed(committed, outputs);
        }
        Ok(progress)
    }

    /// Ends the machine and gives back its log and state.
    pub fn into_parts(self) -> (Engine, L) {
        (self.engine, self.log)
    }

    fn append_next(&mut self, now_ns: u64) -> Result<bool, LogError> {
        if self.batches_in_flight > 0 || !self.log.ready() {
            return Ok(false);
        }
        let mut own = Vec::new();
        if self.engine.next_deadline_ns().is_some_and(|deadline| deadline <= now_ns) {
            own.push(Command::Tick(()));
        }
        if self.calendar_ns <= now_ns {
            self.look_at_calendars(now_ns, &mut own);
        }
        if self.queue.is_empty() && own.is_empty() {
            return Ok(false);
        }
        let mut payload = std::mem::take(&mut self.spare_payload);
        payload.clear();
        let mut command_count = 0;
        for command in own {
            let envelope = Envelope::venue(Origin::Venue, now_ns);
            Entry { envelope, command }.write(&mut payload);
            self.tickets.push_back(None);
            command_count += 1;
        }
        while command_count < BATCH_COMMANDS_MAX && payload.len() < BATCH_SIZE {
            let Some((entry, ticket)) = self.queue.pop_front() else { break };
            entry.write(&mut payload);
            self.tickets.push_back(Some(ticket));
            command_count += 1;
        }
        self.sequenced_ns = self.sequenced_ns.max(now_ns);
        self.log.append(Batch {
            epoch: self.epoch,
            sequenced_ns: self.sequenced_ns,
            rules_version: RULES_VERSION,
            command_count,
            payload,
        })?;
        self.batches_in_flight += 1;
        Ok(true)
    }

    /// Gives the phases that instruments should be in by now, and are not. There are no more of
    /// them than fit into a batch; the others come with the next one.
    #[cold]
    fn look_at_calendars(&mut self, now_ns: u64, own: &mut Vec<Command>) {
        let now_ns = now_ns.max(self.sequenced_ns);
        let due = self.engine.due_phases(now_ns).take(BATCH_COMMANDS_MAX as usize / 2);
        own.extend(
            due.map(|(instrument, phase)| Command::SetPhase(SetPhase { instrument, phase })),
        );
        self.calendar_ns = self.engine.next_session_ns(now_ns).unwrap_or(u64::MAX);
    }

    fn apply_committed(&mut self, committed: Committed, outputs: &mut Vec<Output<T>>) {
        let Committed { batch_number, hash, batch } = committed;
        let rules_known = self.engine.raise_rules(batch.rules_version);
        debug_assert!(rules_known, "the batches above are stamped with the newest rules");
        let Self { tickets, calendar_ns, .. } = self;
        apply_batch(&mut self.engine, batch.sequenced_ns, &batch.payload, |reply| {
            if reply.events().any(changes_calendars) {
                *calendar_ns = 0;
            }
            let ticket = tickets.pop_front().expect("every command in a batch has its place");
            outputs.push(Output { reply, ticket });
        })
        .expect("what was committed is what was encoded above");
        self.batch_number = batch_number;
        self.chain_hash = hash;
        self.spare_payload = batch.payload;
    }
}

/// Whether what is due by the calendars may be something else after this.
fn changes_calendars(event: &Event) -> bool {
    matches!(event, Event::CalendarSet(_) | Event::PhaseChanged(_) | Event::VenueResumed(()))
}

/// A batch's payload is not a sequence of commands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Undecodable;

/// Applies a batch, live or in a replay: this is the one place where the state changes.
pub(crate) fn apply_batch(
    engine: &mut Engine,
    sequenced_ns: u64,
    payload: &[u8],
    mut applied: impl FnMut(Reply),
) -> Result<(), Undecodable> {
    let mut r = Reader(payload);
    while !r.is_empty() {
        let entry: Entry = r.read().ok_or(Undecodable)?;
        let first = apply_entry(engine, sequenced_ns, &entry, false);
        let mut continued = Vec::new();
        while engine.has_deferred() {
            let command = Command::Continue(());
            let envelope = Envelope { retry_key: None, ..entry.envelope };
            let rest = Entry { envelope, command };
            continued.push(apply_entry(engine, sequenced_ns, &rest, true));
        }
        applied(Reply { applied: first, continued });
    }
    Ok(())
}

fn apply_entry(
    engine: &mut Engine,
    sequenced_ns: u64,
    entry: &Entry,
    continues: bool,
) -> Arc<Applied> {
    let mut events: Vec<Event> = Vec::with_capacity(2);
    engine.apply(sequenced_ns, entry, &mut events);
    Arc::new(Applied {
        sequence: engine.sequence(),
        sequenced_ns,
        account: entry.envelope.account,
        continues,
        events,
    })
}
