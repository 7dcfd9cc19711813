//! The venue as a state machine: no thread, no socket, no clock.
//!
//! A machine begins as a standby: it follows the log. [`Machine::take_over`] appends a new epoch,
//! and once that is read back, the machine is the primary: [`Machine::submit`] queues a command,
//! [`Machine::poll`] sequences what is queued, hands it to the log, and applies what the log has
//! committed. While one batch is under way, the next gathers and the one before is applied.
//!
//! # Invariants
//! - The state changes only by what is polled from the log (`follower.rs`).
//! - A machine stamps nothing before it has read back its own epoch, and nothing more after it has
//!   read back a later one.
//! - Time given to the engine never runs backwards, whatever the clock does.

use std::collections::VecDeque;
use std::time::Duration;

use engine::Engine;
use log::{Batch, Log, LogError, LoggedBatch, Room};
use types::{
    Command, Entry, Envelope, Event, NewEpoch, Origin, Refused, SetPhase, StateHash, Wire,
};

use crate::follower::{FollowError, Follower, Position, Step, begins_epoch};
use crate::reply::Reply;

/// Commands that may wait to be sequenced.
const QUEUE_MAX: usize = 65_536;
/// Commands in one batch, and the bytes at which it is closed.
const BATCH_COMMANDS_MAX: u32 = 8_192;
const BATCH_SIZE: usize = 1 << 20;
/// On a full disk a batch takes half of the reserve at most, and is not begun with less than this:
/// whatever is the last command in it, it finds its place.
const RESERVE_MIN: usize = 1 << 10;

/// `T` is whatever the caller wants back with the outcome of its command.
#[derive(Debug)]
pub struct Machine<L, T> {
    follower: Follower,
    log: L,
    role: Role,
    queue: VecDeque<(Entry, T)>,
    /// Tickets of commands in the log that are not yet applied, oldest first.
    tickets: VecDeque<Option<T>>,
    batches_in_flight: u32,
    /// The time of the newest batch.
    sequenced_ns: u64,
    /// When the calendars are to be looked at next.
    calendar_ns: u64,
    hash_wanted: bool,
    /// What the venue itself has to enter.
    found_hash: Option<StateHash>,
    /// Of the newest batch: the lateness of a deadline in it.
    late: Option<Duration>,
    spare_payload: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    Standby,
    /// Its epoch is appended, and not yet read back.
    TakingOver(NewEpoch),
    /// Of this epoch.
    Primary(u64),
}

/// A command was applied.
#[derive(Debug)]
pub struct Output<T> {
    pub reply: Reply,
    /// `None` for the venue's own commands, and for those of another primary.
    pub ticket: Option<T>,
}

/// What [`Machine::poll`] has come upon.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Progress {
    /// Whether there was anything to do.
    pub is_any: bool,
    /// The state now is one of which the hash is to be taken.
    pub takes_hash: bool,
    /// How late a deadline was entered into a batch.
    pub late: Option<Duration>,
}

/// Why a venue cannot go on.
#[derive(Clone, Debug, thiserror::Error)]
pub enum MachineError {
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// It was to stop, and had no room in the log to finish what was on its way there.
    #[error(
        "the venue has stopped with its disk full: make room before it is started again. What was \
         acknowledged is in the log, and what waited was refused{}",
        unanswered(*.in_flight)
    )]
    StoppedFull { in_flight: usize },
}

fn unanswered(in_flight: usize) -> String {
    if in_flight == 0 {
        return String::new();
    }
    format!(
        "; commands that were on their way to the log, {in_flight} of them, got no answer: the \
         next start tells whether they were carried out"
    )
}

impl<L: Log, T> Machine<L, T> {
    pub fn new(follower: Follower, log: L) -> Self {
        let sequenced_ns = follower.engine().now_ns();
        Self {
            follower,
            log,
            role: Role::Standby,
            queue: VecDeque::new(),
            tickets: VecDeque::new(),
            batches_in_flight: 0,
            sequenced_ns,
            calendar_ns: 0,
            hash_wanted: false,
            found_hash: None,
            late: None,
            spare_payload: Vec::new(),
        }
    }

    pub fn engine(&self) -> &Engine {
        self.follower.engine()
    }

    pub fn position(&self) -> Position {
        self.follower.position()
    }

    /// For a caller that steps a log by hand.
    pub fn log_mut(&mut self) -> &mut L {
        &mut self.log
    }

    pub fn role(&self) -> Role {
        self.role
    }

    /// Begins an epoch of its own. `primary` is a number that no other machine draws.
    pub fn take_over(&mut self, primary: u64, now_ns: u64) -> Result<(), LogError> {
        let epoch = self.position().epoch + 1;
        let begin = NewEpoch { epoch, primary };
        let envelope = Envelope::venue(Origin::Venue, now_ns);
        let mut payload = Vec::new();
        Entry { envelope, command: Command::NewEpoch(begin) }.write(&mut payload);
        self.sequenced_ns = self.sequenced_ns.max(now_ns);
        self.log.append(Batch {
            epoch,
            sequenced_ns: self.sequenced_ns,
            rules_version: self.engine().rules_max(),
            command_count: 1,
            payload,
        })?;
        self.role = Role::TakingOver(begin);
        Ok(())
    }

    /// Whether [`Machine::submit`] would find the queue full now.
    pub fn has_room(&self) -> bool {
        self.queue.len() < QUEUE_MAX
    }

    /// Takes a command on its way; while the machine takes over it waits. What is refused is given
    /// back.
    pub fn submit(&mut self, entry: Entry, ticket: T) -> Result<(), (Refused, T)> {
        let refused = if self.role == Role::Standby {
            Refused::NotPrimary
        } else if !self.has_room() {
            Refused::Overloaded
        } else if self.is_full() && !relieves(&entry.command) || self.is_out_of_room() {
            Refused::DiskFull
        } else {
            self.queue.push_back((entry, ticket));
            return Ok(());
        };
        Err((refused, ticket))
    }

    /// Whether the disk is full; there may be a reserve.
    pub fn is_full(&self) -> bool {
        self.log.room() != Room::Enough
    }

    /// Whether the disk is so full that not even a cancel finds its place in the log.
    pub fn is_out_of_room(&self) -> bool {
        self.batch_size_max() < RESERVE_MIN
    }

    /// Gives back what is queued and not yet on its way to the log.
    pub fn give_up_queued(&mut self) -> impl Iterator<Item = T> + '_ {
        self.queue.drain(..).map(|(_, ticket)| ticket)
    }

    /// What came with the oldest command that is not yet applied.
    pub fn oldest(&self) -> Option<&T> {
        let queued = self.queue.front().map(|(_, ticket)| ticket);
        self.tickets.iter().flatten().next().or(queued)
    }

    /// Whether a batch of its own is on its way through the log.
    pub fn has_batch_in_flight(&self) -> bool {
        self.batches_in_flight > 0
    }

    /// Commands that are on their way through the log, the venue's own with them.
    pub fn commands_in_flight(&self) -> usize {
        self.tickets.len()
    }

    /// Those of them that have a submitter.
    pub fn in_flight(&self) -> usize {
        self.tickets.iter().flatten().count()
    }

    /// Requests that the log records the hash of a later state, which [`Progress::takes_hash`]
    /// marks.
    pub fn want_state_hash(&mut self) {
        self.hash_wanted = true;
    }

    /// Appends the hash of that state to the log.
    pub fn found_state_hash(&mut self, hash: StateHash) {
        self.found_hash = Some(hash);
    }

    /// Lets the log forget what a snapshot holds.
    pub fn trim(&mut self, before_batch: u64) -> Result<(), LogError> {
        self.log.trim(before_batch)
    }

    /// Whether anything is queued or under way.
    pub fn is_busy(&self) -> bool {
        !self.queue.is_empty()
            || self.batches_in_flight > 0
            || matches!(self.role, Role::TakingOver(_))
    }

    /// Start of the next session of any calendar. It stays in the past until its phases are set.
    pub fn next_session_ns(&self) -> Option<u64> {
        (1..u64::MAX).contains(&self.calendar_ns).then_some(self.calendar_ns)
    }

    /// When something happens by itself next.
    pub fn next_deadline_ns(&self) -> u64 {
        self.engine().next_deadline_ns().unwrap_or(u64::MAX).min(self.calendar_ns)
    }

    /// Takes one step. On an error nothing further will be committed, and the venue must stop.
    pub fn poll(
        &mut self,
        now_ns: u64,
        outputs: &mut Vec<Output<T>>,
    ) -> Result<Progress, MachineError> {
        let committed = self.log.poll()?;
        if let (Some(committed), Role::Primary(epoch)) = (&committed, self.role)
            && committed.batch.epoch == epoch
            && committed.batch_number > self.position().batch_number
            && begins_epoch(&committed.into()).is_none()
        {
            self.batches_in_flight -= 1;
        }
        // First the next batch, then the last one: so the disk works while we apply, unless its own
        // thread does, which then has little to apply.
        let appended = self.append_next(now_ns)?;
        let late = self.late.take();
        let mut progress = Progress { is_any: appended, late, ..Progress::default() };
        if let Some(mut committed) = committed {
            progress.is_any = true;
            self.take((&committed).into(), outputs, &mut progress)?;
            self.spare_payload = std::mem::take(&mut committed.batch.payload);
        }
        Ok(progress)
    }

    /// Ends the machine and gives back its log and state.
    pub fn into_parts(self) -> (Follower, L) {
        (self.follower, self.log)
    }

    fn append_next(&mut self, now_ns: u64) -> Result<bool, LogError> {
        let Role::Primary(epoch) = self.role else { return Ok(false) };
        if self.batches_in_flight > 0 || !self.log.ready() {
            return Ok(false);
        }
        let mut payload = std::mem::take(&mut self.spare_payload);
        payload.clear();
        let command_count = self.gather(now_ns, &mut payload);
        if command_count == 0 {
            self.spare_payload = payload;
            return Ok(false);
        }
        self.sequenced_ns = self.sequenced_ns.max(now_ns);
        let (sequenced_ns, rules_version) = (self.sequenced_ns, self.engine().rules_max());
        self.log.append(Batch { epoch, sequenced_ns, rules_version, command_count, payload })?;
        self.batches_in_flight += 1;
        Ok(true)
    }

    /// Encodes what goes into the next batch: the venue's own commands first, and last the one
    /// whose state others take the hash of.
    fn gather(&mut self, now_ns: u64, payload: &mut Vec<u8>) -> u32 {
        if self.is_out_of_room() {
            return 0;
        }
        let size_max = self.batch_size_max();
        let mut own = Vec::new();
        if let Some(due_ns) = self.engine().next_deadline_ns().filter(|due_ns| *due_ns <= now_ns) {
            self.late = Some(Duration::from_nanos(now_ns - due_ns));
            own.push(Command::Tick(()));
        }
        if self.calendar_ns <= now_ns {
            if self.calendar_ns > 0 {
                self.late = Some(Duration::from_nanos(now_ns - self.calendar_ns));
            }
            self.look_at_calendars(now_ns, &mut own);
        }
        own.extend(self.found_hash.take().map(Command::StateHash));
        let mut command_count = own.len() as u32;
        own.into_iter().for_each(|command| self.enter_own(command, now_ns, payload));
        while command_count < BATCH_COMMANDS_MAX
            && payload.len() < size_max
            && let Some((entry, ticket)) = self.queue.pop_front()
        {
            entry.write(payload);
            self.tickets.push_back(Some(ticket));
            command_count += 1;
        }
        if std::mem::take(&mut self.hash_wanted) {
            self.enter_own(Command::TakeStateHash(()), now_ns, payload);
            command_count += 1;
        }
        command_count
    }

    fn batch_size_max(&self) -> usize {
        match self.log.room() {
            Room::Enough => BATCH_SIZE,
            Room::Left(bytes) => usize::try_from(bytes).unwrap_or(BATCH_SIZE).min(BATCH_SIZE) / 2,
        }
    }

    fn enter_own(&mut self, command: Command, now_ns: u64, payload: &mut Vec<u8>) {
        Entry { envelope: Envelope::venue(Origin::Venue, now_ns), command }.write(payload);
        self.tickets.push_back(None);
    }

    /// Gives the phases that instruments should be in by now, and are not. There are no more of
    /// them than fit into a batch; the others come with the next one.
    #[cold]
    fn look_at_calendars(&mut self, now_ns: u64, own: &mut Vec<Command>) {
        let now_ns = now_ns.max(self.sequenced_ns);
        let due = self.engine().due_phases(now_ns).take(BATCH_COMMANDS_MAX as usize / 2);
        own.extend(
            due.map(|(instrument, phase)| Command::SetPhase(SetPhase { instrument, phase })),
        );
        self.calendar_ns = self.engine().next_session_ns(now_ns).unwrap_or(u64::MAX);
    }

    fn take(
        &mut self,
        batch: LoggedBatch<'_>,
        outputs: &mut Vec<Output<T>>,
        progress: &mut Progress,
    ) -> Result<(), FollowError> {
        let is_own = self.role == Role::Primary(batch.header.epoch);
        let Self { follower, tickets, calendar_ns, .. } = self;
        let step = follower.follow(batch, |reply| {
            if reply.events().any(changes_calendars) {
                *calendar_ns = 0;
            }
            let ticket = if is_own {
                tickets.pop_front().expect("every command in a batch has its place")
            } else {
                None
            };
            outputs.push(Output { reply, ticket });
        })?;
        match step {
            Step::Applied { takes_hash, .. } => progress.takes_hash = takes_hash,
            Step::EpochBegun(begun) => self.follow_epoch(begun),
            Step::EpochRefused(refused) if self.role == Role::TakingOver(refused) => {
                self.role = Role::Standby;
            }
            Step::EpochRefused(_) | Step::Skipped | Step::Repeated => {}
        }
        self.sequenced_ns = self.sequenced_ns.max(self.engine().now_ns());
        Ok(())
    }

    /// A machine has become the primary. If it is another one, what was in flight here is over.
    fn follow_epoch(&mut self, begun: NewEpoch) {
        if self.role == Role::TakingOver(begun) {
            self.role = Role::Primary(begun.epoch);
            return;
        }
        if let Role::Primary(_) = self.role {
            self.role = Role::Standby;
        }
        self.tickets.clear();
        self.batches_in_flight = 0;
        if self.role == Role::Standby {
            self.queue.clear();
        }
    }
}

/// Whether a command can only take orders away: these go on when the disk is full.
fn relieves(command: &Command) -> bool {
    matches!(
        command,
        Command::CancelOrder(_)
            | Command::CancelAll(_)
            | Command::MassCancel(_)
            | Command::CancelOrderList(_)
            | Command::CloseSession(_)
            | Command::RevokeKey(_)
            | Command::RevokeLogin(_)
            | Command::SetKillSwitch(_)
            | Command::HaltVenue(_)
            | Command::SetPhase(_)
    )
}

/// Whether what is due by the calendars may be something else after this.
fn changes_calendars(event: &Event) -> bool {
    matches!(event, Event::CalendarSet(_) | Event::PhaseChanged(_) | Event::VenueResumed(()))
}
