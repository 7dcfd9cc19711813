//! The threads of a running venue: how they begin, and end.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::JoinHandle;

use log::Durability;
use tokio::sync::Notify;

use crate::machine::{Machine, MachineError};
use crate::recovery::data_dir::Opened;
use crate::replica::{self, Beginning, Feed};
use crate::run::combiner::Combiner;
use crate::run::handle::Handle;
use crate::run::inbox::{INBOX_MAX, Request};
use crate::run::outbox::Outbox;
use crate::run::publisher::{Deadlines, Listener, Message, OUTBOX_MAX, Publisher};
use crate::run::reporter::{NoReporter, Reporter};
use crate::run::shell::Shell;
use crate::run::watched::WatchedLog;
use crate::snapshot::state::encode;

/// The running threads.
#[derive(Debug)]
pub struct Running {
    handle: Handle,
    engine: JoinHandle<Result<(), MachineError>>,
    publisher: JoinHandle<()>,
    replica: Option<JoinHandle<()>>,
    /// A thread of the first two has ended.
    ended: Arc<Notify>,
    _lock: log::DataDirLock,
}

/// Why a venue stopped that was not asked to.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    #[error(transparent)]
    Machine(MachineError),
    #[error("a thread of the venue panicked: this is a bug")]
    Panicked,
}

impl Opened {
    /// Starts the threads. Listeners get everything from here on.
    pub fn start(self, listeners: Vec<Box<dyn Listener>>) -> Running {
        self.start_with(listeners, Box::new(NoReporter))
    }

    /// Likewise, with a reporter.
    pub fn start_with(
        self,
        listeners: Vec<Box<dyn Listener>>,
        reporter: Box<dyn Reporter>,
    ) -> Running {
        self.metrics.begin(self.engine());
        let (inbox, requests) = sync_channel(INBOX_MAX);
        let (to_publisher, messages) = sync_channel(OUTBOX_MAX);
        let (feed, replica) = self.start_replica().unzip();
        let Self { settings, follower, views, spool, log, on_commit, metrics, lock } = self;
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
            deadlines: Deadlines::default(),
        };
        let ended = Arc::default();
        let publisher = settings.start_followers(|| {
            let ending = Ending(Arc::clone(&ended));
            spawn("publisher", move || ending.after(|| publisher.run(&messages)))
        });
        let outbox = Outbox::new(to_publisher, publisher.thread().clone());
        let log = WatchedLog::new(log, Arc::clone(&metrics), feed.clone());
        let machine = Machine::new(follower, log);
        let combines = settings.engine_core.is_none();
        let shell = Shell::new(
            machine,
            requests,
            outbox.clone(),
            reporter,
            feed,
            Arc::clone(&metrics),
            settings,
        );
        let combiner = Arc::new(Combiner::new(shell, combines));
        let runs_engine = Arc::downgrade(&combiner);
        on_commit.attach(move || {
            if let Some(combiner) = runs_engine.upgrade() {
                combiner.on_commit();
            }
        });
        let engine = spawn("engine", {
            let (combiner, ending) = (Arc::clone(&combiner), Ending(Arc::clone(&ended)));
            move || ending.after(|| combiner.run())
        });
        let handle = Handle { inbox, outbox, combiner, metrics };
        Running { handle, engine, publisher, replica, ended, _lock: lock }
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

    /// Completes when a thread has ended, which only a failure makes it do before
    /// [`Running::stop`]. For one caller at a time.
    pub async fn ended(&self) {
        self.ended.notified().await;
    }

    /// Finishes what was submitted, writes a snapshot, and waits for all threads.
    pub fn stop(self) -> Result<(), Stopped> {
        // A thread that is gone already says why below.
        self.handle.combiner.wake_engine(); // There may be no room before it has looked.
        let _gone = self.handle.inbox.send(Request::Stop);
        self.handle.combiner.wake_engine();
        let engine = self.engine.join().map_err(|_| Stopped::Panicked)?;
        self.handle.outbox.send(Message::Stop);
        self.publisher.join().map_err(|_| Stopped::Panicked)?;
        self.replica.map_or(Ok(()), JoinHandle::join).map_err(|_| Stopped::Panicked)?;
        engine.map_err(Stopped::Machine)
    }
}

/// Notifies that a thread has ended, also by a panic.
struct Ending(Arc<Notify>);

impl Ending {
    fn after<R>(self, run: impl FnOnce() -> R) -> R {
        run()
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

fn spawn<R: Send + 'static>(name: &str, run: impl FnOnce() -> R + Send + 'static) -> JoinHandle<R> {
    std::thread::Builder::new()
        .name(name.into())
        .spawn(run)
        .expect("the operating system has room for a thread")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails there says where")]

    use std::time::Instant;

    use log::{Batch, Committed, Log, LogError, Room};
    use marketdata::{BookUpdate, Views};
    use spool::Applied;
    use types::{Command, Entry, Envelope, Event, HaltVenue, Origin, Refused};

    use super::*;
    use crate::recovery::data_dir::AnyLog;
    use crate::run::shell::ROOM_PATIENCE;
    use crate::settings::Settings;

    /// Where nothing that is appended finds room, or a log that has failed.
    #[derive(Debug)]
    struct NoLog(Option<LogError>);

    impl Log for NoLog {
        fn append(&mut self, _: Batch) -> Result<(), LogError> {
            Ok(())
        }

        fn poll(&mut self) -> Result<Option<Committed>, LogError> {
            self.0.clone().map_or(Ok(None), Err)
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

    /// A listener that panics with the first event.
    struct Panics;

    impl Listener for Panics {
        fn event(&mut self, _: &Applied, _: &Event, _: Option<&BookUpdate>) {
            panic!("on purpose");
        }

        fn batch_done(&mut self, _: &Views) -> Option<Instant> {
            None
        }
    }

    #[test]
    fn the_end_of_either_thread_is_noticed() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let check = |log: Option<AnyLog>, listeners, is_expected: fn(&Stopped) -> bool| {
            let dir = tempfile::tempdir().unwrap();
            let mut opened = Opened::open(Settings::new(dir.path())).unwrap();
            opened.log = log.unwrap_or(opened.log);
            let running = opened.start(listeners);
            let envelope = Envelope::venue(Origin::Admin, 0);
            let halt = Command::HaltVenue(HaltVenue { level: 1, resume_ns: 0 });
            let _answer = running.handle().submit(Entry { envelope, command: halt });
            runtime.block_on(running.ended());
            let stopped = running.stop().unwrap_err();
            assert!(is_expected(&stopped), "{stopped}");
        };
        let is_of_log = |stopped: &Stopped| matches!(stopped, Stopped::Machine(_));
        check(Some(Box::new(NoLog(Some(LogError::WriterDied)))), vec![], is_of_log);
        let has_panicked = |stopped: &Stopped| matches!(stopped, Stopped::Panicked);
        check(None, vec![Box::new(Panics) as _], has_panicked);
    }

    #[test]
    fn a_venue_without_room_answers_and_ends_when_it_is_stopped() {
        let dir = tempfile::tempdir().unwrap();
        let mut opened = Opened::open(Settings::new(dir.path())).unwrap();
        // Its epoch is to be the first thing in the log, and never gets there.
        opened.log = Box::new(NoLog(None));
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
