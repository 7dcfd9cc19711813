//! The threads around the machine, and the handle that the rest of the process has on it.

use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use engine::Engine;
use log::Durability;
use log::snapshot::{Section, Snapshot};
use marketdata::Views;
use tokio::sync::oneshot;
use types::{Entry, Wire};

use crate::applied::Reply;
use crate::data_dir::{AnyLog, Opened, primary_id};
use crate::follower::Position;
use crate::machine::{Machine, MachineError, Output, Refused, Role};
use crate::publisher::{ENGINE_SECTION, EPOCH_SECTION, Listener, Message, OUTBOX_MAX, Publisher};
use crate::spool::Spool;

/// Requests that may wait for the engine's thread.
const INBOX_MAX: usize = 65_536;
/// Requests taken in before the log is looked at again.
const INTAKE_MAX: usize = 8_192;
/// How long an idle engine sleeps when nothing is due.
const IDLE: Duration = Duration::from_secs(1);

/// How long to let the disk work when nothing more can be queued for it.
const DISK_BEHIND: Duration = Duration::from_micros(50);

type Ticket = oneshot::Sender<Result<Reply, Refused>>;

enum Request {
    Submit(Box<Entry>, Ticket),
    Read(Box<dyn FnOnce(&Engine) + Send>),
    /// The log has something to poll.
    Wake,
    Stop,
}

/// A running venue, for whoever sends it commands and questions. Cheap to clone.
#[derive(Clone)]
pub struct Handle {
    inbox: SyncSender<Request>,
    outbox: SyncSender<Message>,
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
        let (ticket, reply) = oneshot::channel();
        match self.inbox.try_send(Request::Submit(Box::new(entry), ticket)) {
            Err(TrySendError::Full(_)) => Err(Refused::Overloaded),
            // The receiver finds its sender gone.
            Ok(()) | Err(TrySendError::Disconnected(_)) => Ok(reply),
        }
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
        let keeps = self.settings.durability != Durability::Memory;
        let publisher = Publisher {
            spool: self.spool,
            views: self.views,
            listeners,
            snapshot_dir: keeps.then(|| self.settings.data_dir.join("snapshots")),
            snapshot_thread: None,
        };
        let snapshot_due =
            self.follower.engine().sequence().saturating_add(self.settings.snapshot_every);
        let shell = Shell {
            machine: Machine::new(self.follower, self.log),
            requests,
            outbox: outbox.clone(),
            snapshot_every: self.settings.snapshot_every,
            snapshot_due,
            outputs: Vec::new(),
            stopping: false,
        };
        let publisher = spawn("publisher", move || publisher.run(&messages));
        let engine = spawn("engine", move || shell.run());
        Running { handle: Handle { inbox, outbox }, engine, publisher, _lock: self.lock }
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
        engine.map_err(Stopped::Machine)
    }
}

/// The engine's thread.
struct Shell {
    machine: Machine<AnyLog, Ticket>,
    requests: Receiver<Request>,
    outbox: SyncSender<Message>,
    snapshot_every: u64,
    /// The sequence at which the next snapshot is taken.
    snapshot_due: u64,
    outputs: Vec<Output<Ticket>>,
    stopping: bool,
}

impl Shell {
    fn run(mut self) -> Result<(), MachineError> {
        self.machine.take_over(primary_id(), now_ns())?;
        loop {
            self.take_in();
            let progress = self.machine.poll(now_ns(), &mut self.outputs)?;
            self.dispatch();
            if self.machine.engine().sequence() >= self.snapshot_due {
                self.snapshot();
            }
            if self.machine.role() == Role::Standby {
                tracing::error!("another machine has taken over: this one stops");
                return Ok(());
            }
            if self.stopping && !self.machine.is_busy() {
                self.snapshot();
                return Ok(());
            }
            if !progress.is_any && !self.wait() {
                return Ok(());
            }
        }
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
                if let Err((refused, ticket)) = self.machine.submit(*entry, ticket) {
                    let _gone = ticket.send(Err(refused));
                }
            }
            Request::Read(question) => question(self.machine.engine()),
            Request::Wake => {}
            Request::Stop => self.stopping = true,
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
        let replies = self.outputs.iter().map(|output| &output.reply);
        let applied =
            replies.flat_map(|reply| std::iter::once(&reply.applied).chain(&reply.continued));
        // A publisher that is gone has failed; the process is about to stop for that reason.
        let _gone = self.outbox.send(Message::Applied(applied.cloned().collect()));
        for Output { reply, ticket } in self.outputs.drain(..) {
            if let Some(ticket) = ticket {
                let _gone = ticket.send(Ok(reply));
            }
        }
    }

    fn snapshot(&mut self) {
        let engine = self.machine.engine();
        self.snapshot_due = engine.sequence().saturating_add(self.snapshot_every);
        let Position { batch_number, chain_hash, epoch } = self.machine.position();
        if batch_number == 0 {
            return;
        }
        let (mut state, mut epoch_bytes) = (Vec::new(), Vec::new());
        engine.write_state(&mut state);
        epoch.write(&mut epoch_bytes);
        let snapshot = Snapshot {
            rules_version: engine.rules(),
            batch_number,
            sequence: engine.sequence(),
            chain_hash,
            state_hash: *blake3::hash(&state).as_bytes(),
            sections: vec![
                Section { name: ENGINE_SECTION.into(), payload: state },
                Section { name: EPOCH_SECTION.into(), payload: epoch_bytes },
            ],
        };
        let _gone = self.outbox.send(Message::Snapshot(snapshot));
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
