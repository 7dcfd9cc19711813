//! No request is left in the inbox, whichever thread has the engine.

#![allow(clippy::unwrap_used, reason = "a test that fails there says where")]

use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use log::{Batch, Committed, Durability, Log, LogError, Room};
use types::{
    AccountName, AccountSpec, Command, CreateAccount, Entry, Envelope, Event, Origin, Refused,
};

use crate::pin::Core;
use crate::recovery::data_dir::{AnyLog, Opened};
use crate::reply::Reply;
use crate::run::handle::Handle;
use crate::run::running::Running;
use crate::run::ticket::{Gone, Ticket};
use crate::settings::Settings;

/// Far more than all of a test takes, and far less than the engine's thread sleeps.
const PATIENCE: Duration = Duration::from_secs(120);

type Outcome = Result<Result<Reply, Refused>, Gone>;

fn in_memory() -> (tempfile::TempDir, Running) {
    let (dir, opened) = open();
    (dir, start(opened))
}

fn open() -> (tempfile::TempDir, Opened) {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings { durability: Durability::Memory, ..Settings::new(dir.path()) };
    let opened = Opened::open(settings).unwrap();
    (dir, opened)
}

/// A venue whose engine's thread sleeps.
fn start(opened: Opened) -> Running {
    let running = opened.start(Vec::new());
    let begun = Instant::now();
    for number in 0.. {
        assert!(begun.elapsed() < PATIENCE, "the engine's thread does everything itself");
        let mut pending = submit(&running.handle(), &format!("t{number}"));
        if let Poll::Ready(outcome) = poll(&mut pending) {
            assert_created(outcome);
            break;
        }
        assert_created(pending.blocking_recv());
    }
    running
}

fn submit(handle: &Handle, name: &str) -> Ticket<Result<Reply, Refused>> {
    let spec = AccountSpec {
        name: AccountName::parse(name).unwrap(),
        fees: None,
        max_open_orders: 1,
        finished_orders_kept: 1,
        trades_kept: 1,
    };
    let envelope = Envelope::venue(Origin::Admin, 0);
    let command = Command::CreateAccount(CreateAccount { spec });
    handle.submit(Entry { envelope, command }).unwrap()
}

fn assert_created(outcome: Outcome) -> Reply {
    let reply = outcome.unwrap().unwrap();
    assert!(matches!(reply.applied.events[..], [Event::AccountCreated(_)]), "{reply:?}");
    reply
}

fn poll<T>(pending: &mut Ticket<T>) -> Poll<Result<T, Gone>> {
    let mut context = Context::from_waker(Waker::noop());
    // The first time it only lets others go first.
    match Pin::new(&mut *pending).poll(&mut context) {
        Poll::Pending => Pin::new(pending).poll(&mut context),
        ready @ Poll::Ready(_) => ready,
    }
}

/// Its outcome without any more help.
fn outcome<T>(mut pending: Ticket<T>) -> Result<T, Gone> {
    let begun = Instant::now();
    loop {
        if let Poll::Ready(outcome) = poll(&mut pending) {
            return outcome;
        }
        assert!(begun.elapsed() < PATIENCE, "it was left alone");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// In each round all threads send at the same time, and none goes on before all have replies: so no
/// later thread could drain what was left in the inbox.
fn answer_all(durability: Durability, engine_core: Option<Core>) {
    const THREADS: usize = 3;
    const ROUNDS: usize = 500;
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings { durability, engine_core, ..Settings::new(dir.path()) };
    let running = Opened::open(settings).unwrap().start(Vec::new());
    let (done, all_done) = channel();
    let together = Arc::new(Barrier::new(THREADS));
    for thread in 0..THREADS {
        let (handle, done, together) = (running.handle(), done.clone(), Arc::clone(&together));
        std::thread::spawn(move || {
            for round in 0..ROUNDS {
                together.wait();
                assert_created(submit(&handle, &format!("t{thread}-{round}")).blocking_recv());
            }
            let count = handle.read(|engine| engine.accounts().count()).unwrap();
            done.send(count.blocking_recv().unwrap()).unwrap();
        });
    }
    for _ in 0..THREADS {
        let count = all_done.recv_timeout(PATIENCE).expect("every waiting thread gets its reply");
        assert!(count > ROUNDS);
    }
    running.stop().unwrap();
}

#[test]
fn all_are_answered_however_many_come_at_once() {
    for durability in [Durability::Memory, Durability::Os, Durability::Fsync] {
        answer_all(durability, None);
    }
}

#[test]
fn all_are_answered_by_an_engine_that_takes_no_help() {
    answer_all(Durability::Memory, Some(Core::new(0)));
}

#[test]
fn a_waiting_thread_runs_what_it_sent() {
    let (_dir, running) = in_memory(); // It has waited for that.
    running.stop().unwrap();
}

/// Its thread then also writes: the reply is there when the poll that runs the inbox ends. Once may
/// be luck, if the log's thread is that quick.
#[test]
fn a_client_that_is_alone_commits_what_it_sends() {
    const IN_A_ROW: usize = 20;
    let dir = tempfile::tempdir().unwrap();
    let settings = || Settings { durability: Durability::Os, ..Settings::new(dir.path()) };
    let accounts = |running: &Running| {
        running.handle().read(|engine| engine.accounts().count()).unwrap().blocking_recv().unwrap()
    };
    let running = Opened::open(settings()).unwrap().start(Vec::new());
    let (handle, own) = (running.handle(), accounts(&running));
    let begun = Instant::now();
    let (mut sent, mut at_once) = (0, 0);
    while at_once < IN_A_ROW {
        assert!(begun.elapsed() < PATIENCE, "the log's thread writes what is sent");
        let mut pending = submit(&handle, &format!("t{sent}"));
        sent += 1;
        if let Poll::Ready(outcome) = poll(&mut pending) {
            at_once += 1;
            assert_created(outcome);
        } else {
            at_once = 0;
            assert_created(pending.blocking_recv());
        }
    }
    running.stop().unwrap();
    let again = Opened::open(settings()).unwrap().start(Vec::new());
    assert_eq!(accounts(&again), own + sent, "each is in the log");
    again.stop().unwrap();
}

/// A log that keeps back what is committed, and has something happen when it is found empty.
#[derive(Debug)]
struct SteppedLog {
    log: AnyLog,
    steps: Arc<Steps>,
}

#[derive(Default)]
struct Steps {
    keeps_back: AtomicBool,
    when_empty: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Steps")
    }
}

impl Log for SteppedLog {
    fn append(&mut self, batch: Batch) -> Result<(), LogError> {
        self.log.append(batch)
    }

    fn poll(&mut self) -> Result<Option<Committed>, LogError> {
        if self.steps.keeps_back.load(Ordering::SeqCst) {
            return Ok(None);
        }
        let committed = self.log.poll()?;
        if committed.is_none()
            && let Some(happen) = self.steps.when_empty.lock().unwrap().take()
        {
            happen();
        }
        Ok(committed)
    }

    fn ready(&self) -> bool {
        self.log.ready()
    }

    fn room(&self) -> Room {
        self.log.room()
    }

    fn trim(&mut self, before_batch: u64) -> Result<(), LogError> {
        self.log.trim(before_batch)
    }
}

#[test]
fn a_request_after_the_last_drain_is_found() {
    let (_dir, opened) = open();
    let on_commit = Arc::clone(&opened.on_commit);
    let steps = Arc::<Steps>::default();
    let running = start(opened.with_log({
        let steps = Arc::clone(&steps);
        |log| Box::new(SteppedLog { log, steps })
    }));
    let handle = running.handle();
    steps.keeps_back.store(true, Ordering::SeqCst);
    let mut sent: Vec<_> = ["alice", "bob"].map(|name| submit(&handle, name)).into();
    assert!(sent.iter_mut().all(|pending| poll(pending).is_pending()));
    let (late, came_late) = channel();
    *steps.when_empty.lock().unwrap() = Some(Box::new(move || {
        // The inbox has been looked at, and the engine is not free yet.
        let mut pending = submit(&handle, "carol");
        assert!(poll(&mut pending).is_pending());
        late.send(pending).unwrap();
    }));
    steps.keeps_back.store(false, Ordering::SeqCst);
    on_commit.call();
    sent.push(came_late.recv().unwrap());
    for pending in sent {
        assert_created(outcome(pending));
    }
    running.stop().unwrap();
}

/// While the engine's thread falls asleep it may come upon a part of it.
#[test]
fn what_is_gathered_is_carried_out_together() {
    let (_dir, running) = in_memory();
    let handle = running.handle();
    let begun = Instant::now();
    for round in 0.. {
        assert!(begun.elapsed() < PATIENCE, "a batch has one time, and these never had");
        let names = (0..3).map(|part| format!("g{round}-{part}"));
        let mut sent: Vec<_> = names.map(|name| submit(&handle, &name)).collect();
        for pending in &mut sent {
            handle.gather(|| poll(pending).is_ready());
        }
        handle.run_inbox();
        let replies = sent.into_iter().map(|pending| assert_created(outcome(pending)));
        let mut times: Vec<_> = replies.map(|reply| reply.applied.sequenced_ns).collect();
        times.dedup();
        if times.len() == 1 {
            break;
        }
    }
    running.stop().unwrap();
}

/// More than another thread drains at once, left while the engine answers a question.
#[test]
fn a_crowd_is_come_upon_behind_a_question() {
    const CROWD: usize = 1_000;
    let (_dir, running) = in_memory();
    let handle = running.handle();
    let (left, crowd) = channel();
    let asking = handle.clone();
    let question = move |_: &engine::Engine| {
        for _ in 0..CROWD {
            let mut pending = asking.read(|engine| engine.sequence()).unwrap();
            assert!(poll(&mut pending).is_pending());
            left.send(pending).unwrap();
        }
    };
    outcome(handle.read(question).unwrap()).unwrap();
    crowd.try_iter().for_each(|pending| assert!(outcome(pending).unwrap() > 0));
    running.stop().unwrap();
}

#[test]
fn no_thread_helps_an_engine_that_has_a_core_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings {
        durability: Durability::Memory,
        engine_core: Some(Core::new(0)),
        ..Settings::new(dir.path())
    };
    let running = Opened::open(settings).unwrap().start(Vec::new());
    let handle = running.handle();
    for _ in 0..100 {
        let thread = |_: &engine::Engine| std::thread::current().name().map(str::to_owned);
        let asked = handle.read(thread).unwrap();
        handle.run_inbox();
        assert_eq!(outcome(asked).unwrap().as_deref(), Some("engine"));
    }
    running.stop().unwrap();
}

#[test]
fn a_venue_without_handles_ends() {
    let (_dir, running) = in_memory();
    let ended = Arc::downgrade(&running.handle().combiner);
    drop(running);
    // The engine's thread finds out when it looks by itself.
    ended.upgrade().unwrap().wake_engine();
    let begun = Instant::now();
    while ended.upgrade().is_some() {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_command_without_a_waiting_thread_is_applied_as_well() {
    let (_dir, running) = in_memory();
    let handle = running.handle();
    let before = handle.metrics().figures().applied_sequence;
    drop(submit(&handle, "alice"));
    let begun = Instant::now();
    while handle.metrics().figures().applied_sequence == before {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(1));
    }
    running.stop().unwrap();
}

#[test]
fn a_venue_ends_when_a_thread_panics_with_its_engine() {
    let (_dir, running) = in_memory();
    let handle = running.handle();
    let asking = handle.clone();
    let asks = std::thread::spawn(move || {
        let question = |_: &engine::Engine| panic!("a bug, for this test");
        asking.read(question).unwrap().blocking_recv()
    });
    // The panic is his, or that of the engine's thread when it still is awake.
    let _panicked = asks.join();
    assert_eq!(submit(&handle, "alice").blocking_recv().unwrap_err(), Gone);
    assert!(matches!(running.stop(), Err(crate::run::running::Stopped::Panicked)));
}
