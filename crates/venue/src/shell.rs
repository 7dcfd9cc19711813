//! The threads around the machine, and the handle that the rest of the process has on it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError, sync_channel,
};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use engine::Engine;
use log::Durability;
use marketdata::Views;
use tokio::sync::oneshot;
use types::Entry;

use crate::applied::Reply;
use crate::data_dir::{LogRetention, Opened, Settings, primary_id};
use crate::machine::{Machine, MachineError, Output, Progress, Refused, Role};
use crate::metrics::{Metrics, RefusalCause};
use crate::pin::keep_this_thread_to;
use crate::publisher::{Listener, Message, OUTBOX_MAX, Publisher};
use crate::replica::{self, Beginning, Feed, ReplicaState};
use crate::snapshot::{self, Outcome, Source, Taken, encode};
use crate::spool::Spool;
use crate::stages::Stage;
use crate::watched::{Passage, WatchedLog};

/// Requests that may wait for the engine's thread.
const INBOX_MAX: usize = 65_536;
/// Requests taken in before the log is looked at again.
const INTAKE_MAX: usize = 8_192;
/// How long an idle engine sleeps when nothing is due.
const IDLE: Duration = Duration::from_secs(1);

/// How long to let the disk work when nothing more can be queued for it.
const DISK_BEHIND: Duration = Duration::from_micros(50);
/// How long a venue that is to stop waits for room on a full disk.
const ROOM_PATIENCE: Duration = Duration::from_secs(1);

/// Who waits for what comes of a command, and since when.
struct Ticket {
    answer: oneshot::Sender<Result<Reply, Refused>>,
    since: Instant,
}

impl Ticket {
    fn refuse(self, refused: Refused) {
        // Who asked may have gone away meanwhile.
        let _gone = self.answer.send(Err(refused));
    }
}

enum Request {
    Submit(Box<Entry>, Ticket),
    Read(Box<dyn FnOnce(&Engine) + Send>),
    /// A snapshot is wanted now.
    Snapshot,
    /// The log has something to poll, or a snapshot is done.
    Wake,
    Stop,
}

/// A running venue, for whoever sends it commands and questions. Cheap to clone.
#[derive(Clone)]
pub struct Handle {
    inbox: SyncSender<Request>,
    outbox: SyncSender<Message>,
    metrics: Arc<Metrics>,
}

/// The venue has stopped, or stopped before it answered. A command's fate is known after a restart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Gone;

impl Handle {
    /// Sends a command; the receiver gets the outcome once it is committed and applied.
    pub fn submit(
        &self,
        entry: Entry,
    ) -> Result<oneshot::Receiver<Result<Reply, Refused>>, Refused> {
        let (answer, reply) = oneshot::channel();
        let ticket = Ticket { answer, since: Instant::now() };
        let backlog = &self.metrics.backlog;
        backlog.submitted(ticket.since);
        match self.inbox.try_send(Request::Submit(Box::new(entry), ticket)) {
            Err(TrySendError::Full(_)) => {
                backlog.withdrawn();
                self.metrics.refused(RefusalCause::QueueFull);
                Err(Refused::Overloaded)
            }
            // The receiver finds its sender gone.
            Ok(()) | Err(TrySendError::Disconnected(_)) => Ok(reply),
        }
    }

    /// Has a snapshot taken in the background, after the one that is being taken.
    pub fn take_snapshot(&self) -> Result<(), Refused> {
        match self.inbox.try_send(Request::Snapshot) {
            Err(TrySendError::Full(_)) => Err(Refused::Overloaded),
            // Who stops takes one anyway.
            Ok(()) | Err(TrySendError::Disconnected(_)) => Ok(()),
        }
    }

    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// How long the oldest command has waited that is not yet carried out.
    pub fn command_wait(&self) -> Duration {
        self.metrics.backlog.wait()
    }

    /// Asks the engine. The answer includes all that the asker was ever told before.
    pub fn read<R: Send + 'static>(
        &self,
        question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> Result<oneshot::Receiver<R>, Refused> {
        let (sender, answer) = oneshot::channel();
        let read = move |engine: &Engine| {
            // Who asked may have gone away meanwhile.
            let _gone = sender.send(question(engine));
        };
        match self.inbox.try_send(Request::Read(Box::new(read))) {
            Err(TrySendError::Full(_)) => Err(Refused::Overloaded),
            Ok(()) | Err(TrySendError::Disconnected(_)) => Ok(answer),
        }
    }

    /// Asks the views and the spool. The answer includes all that the asker was ever told before.
    pub fn read_views<R: Send + 'static>(
        &self,
        question: impl FnOnce(&Views, &Spool) -> R + Send + 'static,
    ) -> Result<oneshot::Receiver<R>, Refused> {
        let (sender, answer) = oneshot::channel();
        let read = move |views: &Views, spool: &Spool| {
            let _gone = sender.send(question(views, spool));
        };
        match self.outbox.try_send(Message::Read(Box::new(read))) {
            Err(TrySendError::Full(_)) => Err(Refused::Overloaded),
            Ok(()) | Err(TrySendError::Disconnected(_)) => Ok(answer),
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handle")
    }
}

/// The running threads.
#[derive(Debug)]
pub struct Running {
    handle: Handle,
    engine: JoinHandle<Result<(), MachineError>>,
    publisher: JoinHandle<()>,
    replica: Option<JoinHandle<()>>,
    _lock: log::DataDirLock,
}

/// Why a venue stopped that was not asked to.
#[derive(Debug)]
pub enum Stopped {
    Machine(MachineError),
    Panicked,
}

impl Opened {
    /// Starts the threads. Listeners are told of everything from here on.
    pub fn start(self, listeners: Vec<Box<dyn Listener>>) -> Running {
        let (inbox, requests) = sync_channel(INBOX_MAX);
        let (outbox, messages) = sync_channel(OUTBOX_MAX);
        let wakes = inbox.clone();
        self.waker.attach(move || {
            // A full inbox means that the thread is awake.
            let _full = wakes.try_send(Request::Wake);
        });
        let (feed, replica) = self.start_replica().unzip();
        let Self { settings, follower, views, spool, log, metrics, lock, .. } = self;
        let keeps = settings.durability != Durability::Memory;
        metrics.published(spool.last_sequence(), spool.first_sequence());
        let publisher = Publisher {
            spool,
            views,
            listeners,
            metrics: Arc::clone(&metrics),
            snapshot_dir: keeps.then(|| settings.data_dir.join("snapshots")),
            unsynced_log: (settings.durability == Durability::Os)
                .then(|| settings.data_dir.join("log")),
            snapshot_thread: None,
        };
        let log = WatchedLog::new(log, Arc::clone(&metrics), feed.clone());
        let mut shell = Shell {
            machine: Machine::new(follower, log),
            requests,
            outbox: outbox.clone(),
            replica: feed,
            metrics: Arc::clone(&metrics),
            snapshot: Snapshotting::Idle,
            snapshot_due: 0,
            settings,
            outputs: Vec::new(),
            taken: 0,
            stopping: false,
            snapshot_is_urgent: Arc::default(),
            stuck_since: None,
        };
        shell.snapshot_due = shell.next_snapshot();
        let publisher = spawn("publisher", move || publisher.run(&messages));
        let engine = spawn("engine", move || shell.run());
        let handle = Handle { inbox, outbox, metrics };
        Running { handle, engine, publisher, replica, _lock: lock }
    }

    fn start_replica(&self) -> Option<(Feed, JoinHandle<()>)> {
        self.settings.replica.then(|| {
            let beginning = Beginning {
                state: encode(self.engine()),
                position: self.follower.position(),
                event_hash: self.spool.event_hash(),
                errs_at: self.settings.replica_errs_at,
            };
            replica::start(beginning, Arc::clone(&self.metrics), |run| spawn("replica", run))
        })
    }
}

impl Running {
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Whether a thread has ended, which only a failure makes it do.
    pub fn has_failed(&self) -> bool {
        self.engine.is_finished() || self.publisher.is_finished()
    }

    /// Finishes what was submitted, writes a snapshot, and waits for all threads.
    pub fn stop(self) -> Result<(), Stopped> {
        // A thread that is gone already says why below.
        let _gone = self.handle.inbox.send(Request::Stop);
        let engine = self.engine.join().map_err(|_| Stopped::Panicked)?;
        let _gone = self.handle.outbox.send(Message::Stop);
        self.publisher.join().map_err(|_| Stopped::Panicked)?;
        self.replica.map_or(Ok(()), JoinHandle::join).map_err(|_| Stopped::Panicked)?;
        engine.map_err(Stopped::Machine)
    }
}

/// The engine's thread.
struct Shell {
    machine: Machine<WatchedLog, Ticket>,
    requests: Receiver<Request>,
    outbox: SyncSender<Message>,
    replica: Option<Feed>,
    metrics: Arc<Metrics>,
    settings: Settings,
    snapshot: Snapshotting,
    /// The sequence at which the next snapshot is taken.
    snapshot_due: u64,
    outputs: Vec<Output<Ticket>>,
    /// Commands that came from the inbox.
    taken: u64,
    stopping: bool,
    snapshot_is_urgent: Arc<AtomicBool>,
    /// Since when it waits for room on a full disk.
    stuck_since: Option<Instant>,
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
    fn run(mut self) -> Result<(), MachineError> {
        keep_this_thread_to(self.settings.engine_core);
        self.machine.take_over(primary_id(), now_ns())?;
        loop {
            self.take_in();
            self.look_after_snapshot();
            let progress = self.machine.poll(now_ns(), &mut self.outputs)?;
            self.dispatch();
            if progress.takes_hash {
                self.take_snapshot();
            }
            if self.machine.role() == Role::Standby {
                tracing::error!("another machine has taken over: this one stops");
                return Ok(());
            }
            self.refuse_for_room();
            let oldest = self.machine.oldest().map(|ticket| ticket.since);
            self.metrics.backlog.looked_at(self.taken, oldest);
            if self.stopping && self.is_stuck(progress) {
                return Err(self.stopped_full());
            }
            if self.stopping && !self.machine.is_busy() && !self.snapshot.is_under_way() {
                return self.end();
            }
            if !progress.is_any && !self.wait() {
                return Ok(());
            }
        }
    }

    /// What waits for room that there may never be gets its answer now.
    fn refuse_for_room(&mut self) {
        if !self.machine.is_out_of_room() {
            return;
        }
        for ticket in self.machine.give_up_queued() {
            self.metrics.refused(RefusalCause::DiskFull);
            ticket.refuse(Refused::DiskFull);
        }
    }

    /// Whether the disk has been full for a while, and nothing gone on.
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

    fn take_in(&mut self) {
        for _ in 0..INTAKE_MAX {
            if !self.machine.has_room() {
                return;
            }
            let Ok(request) = self.requests.try_recv() else { return };
            self.take(request);
        }
    }

    fn take(&mut self, request: Request) {
        match request {
            Request::Submit(entry, ticket) => {
                self.taken += 1;
                if let Err((refused, ticket)) = self.machine.submit(*entry, ticket) {
                    match refused {
                        Refused::Overloaded => self.metrics.refused(RefusalCause::QueueFull),
                        Refused::DiskFull => self.metrics.refused(RefusalCause::DiskFull),
                        Refused::NotPrimary => {}
                    }
                    ticket.refuse(refused);
                }
            }
            Request::Read(question) => question(self.machine.engine()),
            Request::Snapshot => self.snapshot_due = 0,
            Request::Wake => {}
            Request::Stop => {
                self.stopping = true;
                self.snapshot_is_urgent.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Sleeps until there is something to do; `false` when nobody can ask for anything any more.
    fn wait(&mut self) -> bool {
        if !self.machine.has_room() {
            // The disk is behind. Who comes now finds the inbox full and is told so.
            std::thread::sleep(DISK_BEHIND);
            return true;
        }
        let deadline_ns = self.machine.next_deadline_ns();
        let until_deadline = deadline_ns.saturating_sub(now_ns()).max(1_000_000);
        match self.requests.recv_timeout(Duration::from_nanos(until_deadline).min(IDLE)) {
            Ok(request) => {
                self.take(request);
                true
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        }
    }

    /// First the publisher, then the senders: what somebody was told is then in any later view.
    fn dispatch(&mut self) {
        if self.outputs.is_empty() {
            return;
        }
        let applied_at = self.note_stages();
        let replies = self.outputs.iter().map(|output| &output.reply);
        let applied =
            replies.flat_map(|reply| std::iter::once(&reply.applied).chain(&reply.continued));
        // A publisher that is gone has failed; the process is about to stop for that reason.
        let _gone = self.outbox.send(Message::Applied(applied.cloned().collect(), applied_at));
        for Output { mut reply, ticket } in self.outputs.drain(..) {
            if let Some(ticket) = ticket {
                reply.applied_at = Some(applied_at);
                let _gone = ticket.answer.send(Ok(reply));
            }
        }
    }

    /// All that is to be dispatched was in one batch. Gives the time at which it had been applied.
    fn note_stages(&mut self) -> Instant {
        let applied_at = Instant::now();
        let Some(Passage { appended, committed }) = self.machine.log_mut().passage() else {
            return applied_at; // Another primary's.
        };
        let tickets = self.outputs.iter().filter_map(|output| output.ticket.as_ref());
        let mut commands = 0;
        for ticket in tickets {
            commands += 1;
            let queued = appended.saturating_duration_since(ticket.since);
            self.metrics.passed(Stage::Queue, queued, 1);
        }
        self.metrics.passed(Stage::Commit, committed - appended, commands);
        self.metrics.passed(Stage::Apply, applied_at - committed, commands);
        applied_at
    }

    /// Begins a snapshot that is due, and takes in what came of the last one.
    fn look_after_snapshot(&mut self) {
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

    /// The state now is one whose hash is to be taken.
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
        if self.settings.log_retention == LogRetention::Keep {
            return;
        }
        if !is_spooled {
            return tracing::warn!(
                "the log stays as long as it is: the event spool lacks what only the log has, until it can \
                 be written, or after a failure until the next start"
            );
        }
        if let Some(Err(error)) = trim_before.map(|before| self.machine.trim(before)) {
            tracing::error!(%error, "old segments of the log could not be taken away");
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
        let _gone = self.outbox.send(Message::Snapshot(taken));
    }

    /// The hash is entered behind the snapshot, and is none of the commands that make the next one
    /// due: an idle venue would else take one after the other.
    fn next_snapshot(&self) -> u64 {
        let sequence = self.machine.engine().sequence();
        sequence.saturating_add(self.settings.snapshot_every).saturating_add(1)
    }
}

impl Snapshotting {
    /// Who stops waits for it.
    fn is_under_way(&self) -> bool {
        matches!(self, Self::Due(_) | Self::UnderWay(_))
    }
}

/// The sequencer's clock.
fn now_ns() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_nanos()).expect("the year is before 2554")
}

fn spawn<R: Send + 'static>(name: &str, run: impl FnOnce() -> R + Send + 'static) -> JoinHandle<R> {
    std::thread::Builder::new()
        .name(name.into())
        .spawn(run)
        .expect("the operating system has room for a thread")
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Machine(error) => error.fmt(f),
            Self::Panicked => f.write_str("a thread of the venue panicked: this is a bug"),
        }
    }
}

impl std::error::Error for Stopped {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails there says where")]

    use log::{Batch, Committed, Log, LogError, Room};
    use types::{Command, Envelope, HaltVenue, Origin};

    use super::*;

    /// Where nothing that is appended finds room.
    #[derive(Debug)]
    struct FullLog;

    impl Log for FullLog {
        fn append(&mut self, _: Batch) -> Result<(), LogError> {
            Ok(())
        }

        fn poll(&mut self) -> Result<Option<Committed>, LogError> {
            Ok(None)
        }

        fn ready(&self) -> bool {
            true
        }

        fn room(&self) -> Room {
            Room::Left(0)
        }

        fn trim(&mut self, _: u64) -> Result<(), LogError> {
            Ok(())
        }
    }

    #[test]
    fn a_venue_without_room_answers_and_ends_when_it_is_told_to() {
        let dir = tempfile::tempdir().unwrap();
        let mut opened = Opened::open(Settings::new(dir.path())).unwrap();
        // Its epoch is to be the first thing in the log, and never gets there.
        opened.log = Box::new(FullLog);
        let running = opened.start(Vec::new());
        let envelope = Envelope::venue(Origin::Admin, 0);
        let entry =
            Entry { envelope, command: Command::HaltVenue(HaltVenue { level: 1, resume_ns: 0 }) };
        let answer = running.handle().submit(entry).unwrap().blocking_recv().unwrap();
        assert_eq!(answer.unwrap_err(), Refused::DiskFull);
        let begun = Instant::now();
        let stopped = running.stop().unwrap_err();
        assert!(begun.elapsed() < 5 * ROOM_PATIENCE);
        assert!(
            matches!(stopped, Stopped::Machine(MachineError::StoppedFull { in_flight: 0 })),
            "{stopped}"
        );
    }
}
