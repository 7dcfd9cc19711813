//! One turn of the engine: requests from the inbox to the machine, replies and events out,
//! snapshots.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use log::{Durability, Held};
use types::{Entry, Refused};

use crate::clock::now_ns;
use crate::machine::{Machine, MachineError, Output, Progress, Role};
use crate::metrics::{Metrics, RefusalCause};
use crate::pin::keep_this_thread_to;
use crate::recovery::data_dir::primary_id;
use crate::replica::{Feed, ReplicaState};
use crate::reply::ReplyTimes;
use crate::run::dispatch::{answer, publish};
use crate::run::inbox::{ReplyTo, Request, Submitter};
use crate::run::outbox::Outbox;
use crate::run::publisher::Message;
use crate::run::reporter::Reporter;
use crate::run::watched::{Passage, WatchedLog};
use crate::settings::{LogRetention, Settings};
use crate::snapshot::{self, Outcome, Source, Taken};
use crate::stages::Stage;

/// Requests drained before the log is polled again.
const INTAKE_MAX: usize = 8_192;
/// How long an idle engine sleeps when nothing is due. In tests so long that it saves no test.
const IDLE: Duration = Duration::from_secs(if cfg!(test) { 3_600 } else { 1 });

/// Limits of a thread that runs the engine beside its own work: requests drained at once, commands
/// of a batch, and the time after which it leaves the rest to the engine's thread.
const BRIEF_INTAKE_MAX: usize = 256;
const BRIEF_BATCH_MAX: usize = 8;
const BRIEF_MAX: Duration = Duration::from_micros(500);

/// How long to let the disk work when nothing more can be queued for it.
const DISK_BEHIND: Duration = Duration::from_micros(50);
/// How long a venue that is to stop waits for room on a full disk.
pub(crate) const ROOM_PATIENCE: Duration = Duration::from_secs(1);

/// The engine with its queues. It belongs to no thread: see [`crate::run::combiner`].
pub(crate) struct Shell {
    machine: Machine<WatchedLog, ReplyTo>,
    requests: Receiver<Request>,
    outbox: Outbox<Message>,
    reporter: Box<dyn Reporter>,
    replica: Option<Feed>,
    metrics: Arc<Metrics>,
    settings: Settings,
    snapshot: Snapshotting,
    /// The sequence at which the next snapshot is taken.
    snapshot_due: u64,
    outputs: Vec<Output<ReplyTo>>,
    /// Commands that came from the inbox.
    taken: u64,
    stopping: bool,
    snapshot_is_urgent: Arc<AtomicBool>,
    /// Since when it waits for room on a full disk.
    stuck_since: Option<Instant>,
    /// When the engine's thread wakes by itself.
    wakes_ns: u64,
    /// Met by another thread that ran the engine; the engine's thread ends with it.
    failure: Option<MachineError>,
    /// Every handle is gone.
    is_abandoned: bool,
}

/// What the engine's thread does after a turn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rest {
    Not,
    /// Or until it is woken.
    For(Duration),
    /// The venue has ended.
    Forever,
}

/// How far the snapshot is that is being taken.
#[derive(Debug)]
enum Snapshotting {
    Idle,
    /// It is due, and memory is being put in order for the fork.
    Due(Receiver<()>),
    /// The command that says of which state is on its way through the log; the replica will give
    /// that state, if there is one.
    Wanted(Option<Receiver<ReplicaState>>),
    /// It is being written, and the primary's hash found.
    UnderWay(Receiver<Outcome>),
}

impl Shell {
    pub(crate) fn new(
        machine: Machine<WatchedLog, ReplyTo>,
        requests: Receiver<Request>,
        outbox: Outbox<Message>,
        reporter: Box<dyn Reporter>,
        replica: Option<Feed>,
        metrics: Arc<Metrics>,
        settings: Settings,
    ) -> Self {
        let mut shell = Self {
            machine,
            requests,
            outbox,
            reporter,
            replica,
            metrics,
            settings,
            snapshot: Snapshotting::Idle,
            snapshot_due: 0,
            outputs: Vec::new(),
            taken: 0,
            stopping: false,
            snapshot_is_urgent: Arc::default(),
            stuck_since: None,
            wakes_ns: 0,
            failure: None,
            is_abandoned: false,
        };
        shell.snapshot_due = shell.next_snapshot();
        shell
    }

    /// On the engine's thread, before its first turn.
    pub(crate) fn begin(&mut self) -> Result<(), MachineError> {
        keep_this_thread_to(self.settings.engine_core);
        Ok(self.machine.take_over(primary_id(), now_ns())?)
    }

    /// A turn of the engine's thread.
    pub(crate) fn turn(&mut self) -> Result<Rest, MachineError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.dispatch(true); // What another thread found no room for in the outbox.
        let has_more = self.drain_inbox(INTAKE_MAX, false);
        self.poll_snapshot();
        let progress = self.step(true)?;
        if self.machine.role() == Role::Standby {
            tracing::error!("another machine has taken over: this one stops");
            return Ok(Rest::Forever);
        }
        self.refuse_for_room();
        self.sample_backlog();
        self.metrics.sequencer.set_next_session(self.machine.next_session_ns());
        if self.stopping && self.is_stuck(progress) {
            return Err(self.stopped_full());
        }
        if self.stopping && !self.machine.is_busy() && !self.snapshot.is_under_way() {
            self.end()?;
            return Ok(Rest::Forever);
        }
        if self.is_abandoned {
            return Ok(Rest::Forever);
        }
        let goes_on = progress.is_any || has_more && self.machine.has_room();
        Ok(if goes_on { Rest::Not } else { Rest::For(self.pause()) })
    }

    /// One turn on another thread than the engine's, for [`BRIEF_MAX`] at most; `false` if work is
    /// left for the engine's thread. A single command or query may take longer. A thread that may
    /// hold a batch commits what [`Shell::take_held`] gives it afterwards.
    pub(crate) fn run_briefly(&mut self, may_hold: bool) -> bool {
        self.machine.log_mut().let_hold(may_hold);
        let is_done = self.run_for_a_moment();
        self.machine.log_mut().let_hold(false);
        is_done
    }

    pub(crate) fn take_held(&mut self) -> Option<Held> {
        self.machine.log_mut().take_held()
    }

    fn run_for_a_moment(&mut self) -> bool {
        let begun = Instant::now();
        // The engine's thread is late, or the clock was set: it must check its deadlines again.
        if now_ns() > self.wakes_ns {
            return false;
        }
        while begun.elapsed() < BRIEF_MAX {
            if !self.may_run_elsewhere() {
                return false;
            }
            let has_more = self.drain_inbox(BRIEF_INTAKE_MAX, true);
            match self.step(false) {
                Ok(progress) if progress.is_any || has_more => {}
                Ok(_) => {
                    self.sample_backlog();
                    return self.may_run_elsewhere();
                }
                Err(failure) => {
                    self.failure = Some(failure);
                    return false;
                }
            }
        }
        false
    }

    /// Whether commands that come now wait for a batch in flight, whose commit some thread applies.
    pub(crate) fn awaits_log(&self) -> bool {
        self.machine.has_batch_in_flight() && self.may_run_elsewhere()
    }

    /// Whether the venue is in its normal state, and no long work is due.
    fn may_run_elsewhere(&self) -> bool {
        self.failure.is_none()
            && self.outputs.is_empty()
            && !self.stopping
            && matches!(self.snapshot, Snapshotting::Idle)
            && !self.is_snapshot_due()
            && matches!(self.machine.role(), Role::Primary(_))
            && !self.machine.is_full()
            && self.machine.commands_in_flight() <= BRIEF_BATCH_MAX
            && self.machine.next_deadline_ns() >= self.wakes_ns
    }

    /// Polls the machine, then publishes and answers what it applied.
    fn step(&mut self, may_wait: bool) -> Result<Progress, MachineError> {
        let progress = self.machine.poll(now_ns(), &mut self.outputs)?;
        if let Some(late) = progress.late {
            self.metrics.sequencer.ticked(late);
        }
        self.dispatch(may_wait);
        if progress.takes_hash {
            self.take_snapshot();
        }
        Ok(progress)
    }

    fn sample_backlog(&self) {
        let oldest = self.machine.oldest().map(|reply_to| reply_to.since);
        self.metrics.backlog.sampled(self.taken, oldest);
    }

    /// Refuses the queued commands while the disk has no room for them.
    fn refuse_for_room(&mut self) {
        if !self.machine.is_out_of_room() {
            return;
        }
        for reply_to in self.machine.give_up_queued() {
            self.metrics.refused(RefusalCause::DiskFull);
            refuse(reply_to, Refused::DiskFull, &mut *self.reporter);
        }
        self.reporter.batch_done();
    }

    /// Whether the disk has been full for [`ROOM_PATIENCE`] without progress.
    fn is_stuck(&mut self, progress: Progress) -> bool {
        if progress.is_any || !self.machine.is_busy() || !self.machine.is_full() {
            self.stuck_since = None;
            return false;
        }
        self.stuck_since.get_or_insert_with(Instant::now).elapsed() >= ROOM_PATIENCE
    }

    fn stopped_full(&self) -> MachineError {
        MachineError::StoppedFull { in_flight: self.machine.in_flight() }
    }

    fn end(&mut self) -> Result<(), MachineError> {
        if self.machine.is_out_of_room() {
            return Err(self.stopped_full());
        }
        self.snapshot_at_end();
        Ok(())
    }

    /// Drains the inbox; returns whether there may be more. Another thread than the engine's
    /// answers one question at a time, because some take long.
    fn drain_inbox(&mut self, requests_max: usize, is_brief: bool) -> bool {
        for _ in 0..requests_max {
            if !self.machine.has_room() {
                return true;
            }
            let request = match self.requests.try_recv() {
                Ok(request) => request,
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => {
                    self.is_abandoned = true;
                    return false;
                }
            };
            let is_question = matches!(request, Request::Read(_));
            self.take(request);
            if is_brief && is_question {
                return true;
            }
        }
        true
    }

    fn take(&mut self, request: Request) {
        if self.machine.has_batch_in_flight() {
            self.machine.log_mut().crowded();
        }
        match request {
            Request::Submit(entry, reply_to) => self.submit(*entry, reply_to),
            Request::Post(entries, session, since) => {
                for entry in entries {
                    let to = Submitter::Session(session);
                    self.submit(entry, ReplyTo { to, since });
                }
            }
            Request::Read(question) => question(self.machine.engine()),
            Request::Snapshot => self.snapshot_due = 0,
            Request::Stop => {
                self.stopping = true;
                self.snapshot_is_urgent.store(true, Ordering::Relaxed);
            }
        }
    }

    fn submit(&mut self, entry: Entry, reply_to: ReplyTo) {
        self.taken += 1;
        if let Err((refused, reply_to)) = self.machine.submit(entry, reply_to) {
            match refused {
                Refused::Overloaded => self.metrics.refused(RefusalCause::QueueFull),
                Refused::DiskFull => self.metrics.refused(RefusalCause::DiskFull),
                Refused::NotPrimary => {}
            }
            refuse(reply_to, refused, &mut *self.reporter);
            self.reporter.batch_done();
        }
    }

    /// For how long there is nothing to do, unless a request comes.
    fn pause(&mut self) -> Duration {
        if !self.machine.has_room() {
            // The disk is behind. Submitters find the inbox full and are refused.
            return DISK_BEHIND;
        }
        let now_ns = now_ns();
        let until_deadline = self.machine.next_deadline_ns().saturating_sub(now_ns).max(1_000_000);
        let pause = Duration::from_nanos(until_deadline).min(IDLE);
        self.wakes_ns = now_ns.saturating_add(pause.as_nanos() as u64);
        pause
    }

    fn dispatch(&mut self, may_wait: bool) {
        if self.outputs.is_empty() {
            return;
        }
        let applied_at = Instant::now();
        if publish(&self.outbox, &self.outputs, may_wait, applied_at) {
            self.note_stages(applied_at);
            self.metrics.sequencer.sent();
            for Output { reply, .. } in &self.outputs {
                let (kind, origin) = reply.kind;
                self.metrics.sequencer.applied(origin, kind);
            }
            answer(&self.outbox, &mut self.outputs, &mut *self.reporter);
        }
    }

    /// All that is dispatched was in one batch.
    fn note_stages(&mut self, applied: Instant) {
        let Some(Passage { appended, committed }) = self.machine.log_mut().passage() else {
            return; // Another primary's, without tickets.
        };
        let mut commands = 0;
        for Output { reply, ticket } in &mut self.outputs {
            let Some(reply_to) = ticket else { continue };
            commands += 1;
            let submitted = reply_to.since;
            self.metrics.passed(Stage::Queue, appended.saturating_duration_since(submitted), 1);
            reply.times = Some(ReplyTimes { submitted, appended, committed, applied });
        }
        self.metrics.passed(Stage::Commit, committed - appended, commands);
        self.metrics.passed(Stage::Apply, applied - committed, commands);
    }

    /// Begins a snapshot that is due, and records the outcome of the last one.
    fn poll_snapshot(&mut self) {
        match &self.snapshot {
            Snapshotting::Idle if self.is_snapshot_due() => {
                let is_urgent = Arc::clone(&self.snapshot_is_urgent);
                self.snapshot = Snapshotting::Due(snapshot::prepare(is_urgent));
            }
            Snapshotting::Due(prepared) => {
                if prepared.try_recv() != Err(TryRecvError::Empty) {
                    let state = self.replica.as_ref().and_then(Feed::want_state);
                    self.machine.want_state_hash();
                    self.snapshot = Snapshotting::Wanted(state);
                }
            }
            Snapshotting::Idle | Snapshotting::Wanted(_) => {}
            Snapshotting::UnderWay(outcome) => match outcome.try_recv() {
                Ok(outcome) => self.finish_snapshot(outcome),
                Err(TryRecvError::Empty) => {}
                // It has failed, and has said so.
                Err(TryRecvError::Disconnected) => self.snapshot = Snapshotting::Idle,
            },
        }
    }

    /// Where neither a snapshot is kept nor a replica compared, there is nothing to take one for.
    fn is_snapshot_due(&self) -> bool {
        let is_of_use = self.settings.durability != Durability::Memory || self.replica.is_some();
        let is_primary = matches!(self.machine.role(), Role::Primary(_));
        let is_due = self.machine.engine().sequence() >= self.snapshot_due;
        is_due && is_primary && is_of_use && !self.stopping
    }

    /// The state is now one of which the log wants the hash.
    fn take_snapshot(&mut self) {
        self.snapshot_due = self.next_snapshot();
        let Snapshotting::Wanted(replica) =
            std::mem::replace(&mut self.snapshot, Snapshotting::Idle)
        else {
            return; // Another primary's, before this one took over.
        };
        let (done, outcome) = sync_channel(1);
        let begun = Instant::now();
        let source = Source::fork(self.machine.engine(), replica);
        self.metrics.snapshot_paused(begun.elapsed());
        self.send_snapshot(source, Some(done));
        self.snapshot = Snapshotting::UnderWay(outcome);
    }

    fn finish_snapshot(&mut self, Outcome { hash, trim_before, is_spooled }: Outcome) {
        self.snapshot = Snapshotting::Idle;
        self.machine.found_state_hash(hash);
        self.metrics.state_hashed(hash);
        if self.settings.log_retention == LogRetention::Keep {
            return;
        }
        if !is_spooled {
            return tracing::warn!(
                "the log stays as long as it is: the event spool lacks what only the log has, until it can \
                 be written, or after a failure until the next start"
            );
        }
        match trim_before.map(|before| self.machine.trim(before)) {
            None => {}
            Some(Ok(())) => self.metrics.log_trimmed(),
            Some(Err(error)) => {
                tracing::error!(%error, "old segments of the log could not be taken away");
            }
        }
    }

    fn snapshot_at_end(&mut self) {
        if self.machine.position().batch_number > 0 {
            self.send_snapshot(Source::encode(self.machine.engine()), None);
        }
    }

    fn send_snapshot(&self, source: Source, done: Option<SyncSender<Outcome>>) {
        let engine = self.machine.engine();
        let (rules_version, sequence) = (engine.rules(), engine.sequence());
        let position = self.machine.position();
        let is_urgent = Arc::clone(&self.snapshot_is_urgent);
        let taken = Taken { rules_version, sequence, position, source, done, is_urgent };
        self.outbox.send(Message::Snapshot(taken));
    }

    /// The hash is entered behind the snapshot, and is none of the commands that make the next one
    /// due: an idle venue would else take one after the other.
    fn next_snapshot(&self) -> u64 {
        let sequence = self.machine.engine().sequence();
        sequence.saturating_add(self.settings.snapshot_every).saturating_add(1)
    }
}

fn refuse(reply_to: ReplyTo, refused: Refused, reporter: &mut dyn Reporter) {
    match reply_to.to {
        Submitter::Ticket(sender) => {
            // The submitter may have gone away meanwhile.
            let _gone = sender.send(Err(refused));
        }
        Submitter::Session(session) => reporter.refused(session, refused),
    }
}

impl Snapshotting {
    /// A stopping venue waits for it.
    fn is_under_way(&self) -> bool {
        matches!(self, Self::Due(_) | Self::UnderWay(_))
    }
}
