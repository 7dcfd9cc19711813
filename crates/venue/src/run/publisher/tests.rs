//! That the publisher keeps the deadlines of its listeners.

#![allow(clippy::unwrap_used, reason = "a test that fails there says where")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use types::{Command, Entry, Envelope, HaltVenue, Origin};

use super::*;
use crate::recovery::data_dir::Opened;
use crate::run::handle::Handle;
use crate::run::running::Running;
use crate::settings::Settings;

const PAUSE: Duration = Duration::from_millis(50);
/// Far more than all of a test takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Sets a deadline with the next batch once it is armed, and reports when it is called for it.
struct Timed {
    is_armed: Arc<AtomicBool>,
    /// Each call sets the next deadline.
    set_again: Arc<AtomicBool>,
    deadline: Option<Instant>,
    /// The deadline, and the time of the call.
    calls: Sender<(Instant, Instant)>,
}

impl Listener for Timed {
    fn event(&mut self, _: &Applied, _: &Event, _: Option<&BookUpdate>) {}

    fn batch_done(&mut self, _: &Views) -> Option<Instant> {
        if self.is_armed.swap(false, Ordering::SeqCst) {
            self.deadline = Some(Instant::now() + PAUSE);
        }
        self.deadline
    }

    fn due(&mut self, _: &Views, now: Instant) -> Option<Instant> {
        if let Some(deadline) = self.deadline.take_if(|deadline| *deadline <= now) {
            // The test may have all that it waits for.
            let _enough = self.calls.send((deadline, now));
            self.deadline = self.set_again.load(Ordering::SeqCst).then(|| now + PAUSE);
        }
        self.deadline
    }
}

/// Sets none.
struct Untimed;

impl Listener for Untimed {
    fn event(&mut self, _: &Applied, _: &Event, _: Option<&BookUpdate>) {}

    fn batch_done(&mut self, _: &Views) -> Option<Instant> {
        None
    }
}

struct Site {
    running: Running,
    is_armed: Arc<AtomicBool>,
    set_again: Arc<AtomicBool>,
    calls: Receiver<(Instant, Instant)>,
    _dir: tempfile::TempDir,
}

impl Site {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (sender, calls) = channel();
        let [is_armed, set_again] = [(); 2].map(|()| Arc::<AtomicBool>::default());
        let timed = Timed {
            is_armed: Arc::clone(&is_armed),
            set_again: Arc::clone(&set_again),
            deadline: None,
            calls: sender,
        };
        let opened = Opened::open(Settings::new(dir.path())).unwrap();
        let running = opened.start(vec![Box::new(Untimed), Box::new(timed), Box::new(Untimed)]);
        Self { running, is_armed, set_again, calls, _dir: dir }
    }

    fn arm(&self) {
        self.is_armed.store(true, Ordering::SeqCst);
    }

    fn assert_kept(&self) {
        let (deadline, called) = self.calls.recv_timeout(PATIENCE).expect("a deadline is kept");
        assert!(called >= deadline);
    }
}

fn send(handle: &Handle) {
    let envelope = Envelope::venue(Origin::Admin, 0);
    let command = Command::HaltVenue(HaltVenue { level: 1, resume_ns: 0 });
    let outcome = handle.submit(Entry { envelope, command }).unwrap().blocking_recv();
    outcome.unwrap().unwrap();
}

#[test]
fn a_listeners_deadline_is_kept_while_nothing_else_comes() {
    let site = Site::new();
    site.arm();
    send(&site.running.handle());
    site.assert_kept();
    site.running.stop().unwrap();
}

#[test]
fn a_deadline_leads_to_the_next_one() {
    let site = Site::new();
    site.set_again.store(true, Ordering::SeqCst);
    site.arm();
    send(&site.running.handle());
    (0..3).for_each(|_| site.assert_kept());
    site.running.stop().unwrap();
}

#[test]
fn a_message_does_not_lose_a_listeners_deadline() {
    let site = Site::new();
    let handle = site.running.handle();
    let read = |handle: &Handle| handle.read_views(|_, _| ()).unwrap().blocking_recv().unwrap();
    for message in [send, read] {
        site.arm();
        send(&handle);
        message(&handle);
        site.assert_kept();
    }
    site.running.stop().unwrap();
}

#[test]
fn a_listeners_deadline_is_kept_while_messages_come_without_a_pause() {
    let site = Site::new();
    let handle = site.running.handle();
    site.arm();
    send(&handle);
    let begun = Instant::now();
    while site.calls.try_recv().is_err() {
        assert!(begun.elapsed() < PATIENCE);
        handle.read_views(|_, _| ()).unwrap().blocking_recv().unwrap();
    }
    site.running.stop().unwrap();
}
