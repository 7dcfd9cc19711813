//! A file that takes long to be opened, as one of an older version does: orders go on meanwhile.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use projection::sqlite::{Sqlite, SqliteStore};
use projection::{
    Backend, Followed, History, HistoryRetention, Projection, ProjectionError, ReadModel,
    Standstill,
};
use testing::feed;
use tokio::time::Instant;
use venue::Opened;

use crate::older::{Measured, Trimmed};
use crate::support::*;

/// Opens its file only when it may.
struct Upgraded {
    file: Sqlite,
    done: Receiver<()>,
}

impl Backend for Upgraded {
    type Store = SqliteStore;

    fn open(&self) -> Result<SqliteStore, ProjectionError> {
        self.done.recv_timeout(LONG).unwrap();
        self.file.open()
    }

    fn newest(&self) -> Option<(u64, u64)> {
        self.file.newest()
    }

    fn remove(&self) -> Result<(), ProjectionError> {
        unreachable!("it is of this log")
    }

    fn set_aside(&self, damage: &ProjectionError) -> Result<(), ProjectionError> {
        unreachable!("{damage}")
    }

    fn keep_beside(&self) -> Result<(), ProjectionError> {
        unreachable!("it is of this log")
    }
}

impl ReadModel for Upgraded {
    fn history(&self, followed: Followed) -> Arc<dyn History> {
        self.file.history(followed)
    }
}

impl fmt::Display for Upgraded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.fmt(f)
    }
}

fn start(dir: &Path, backend: impl ReadModel) -> Venue {
    let opened = Opened::open(settings(dir)).unwrap();
    let older = Trimmed { log: dir.to_path_buf(), first: 1, cut_at: None, asked: Arc::default() };
    let (spool, gauges) = (opened.spool().reader(), Measured(Arc::default()));
    let projection = Projection::start(backend, spool, older, gauges, HistoryRetention::ALL);
    let running = opened.start(vec![feed::listener(&projection)]);
    Venue::of(running, projection)
}

#[test]
fn orders_go_on_while_a_file_is_upgraded_and_queries_learn_the_cause() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..20);
    venue.wait();
    let end_ns = venue.history.reached().sequenced_ns;
    venue.stop();

    let (may_open, done) = channel();
    let venue = start(dir.path(), Upgraded { file: Sqlite::of(dir.path()), done });
    let applied = venue.send(ALICE, limit(20, types::Side::Buy, 900, 1)).applied;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let wait = |patience| {
        let until = venue.history.wait_until(applied.sequence, Instant::now() + patience);
        runtime.block_on(until)
    };
    let behind = wait(Duration::from_millis(50)).unwrap_err();
    assert_eq!(behind.standstill, Some(Standstill::Opening));
    assert_eq!((behind.sequence, behind.sequenced_ns), (0, end_ns));
    let lacking_ns = behind.lacking_ns.unwrap();
    assert!(end_ns < lacking_ns && lacking_ns <= applied.sequenced_ns, "{behind:?}");
    may_open.send(()).unwrap();
    wait(LONG).unwrap();
    venue.stop();
}

/// A panic is a fault of the venue, and not a reason to be silent.
#[test]
fn a_feed_that_panics_is_a_standstill_while_orders_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let (may_open, done) = channel();
    let venue = start(dir.path(), Upgraded { file: Sqlite::of(dir.path()), done });
    let first = venue.send(ALICE, limit(0, types::Side::Buy, 900, 1)).applied;
    drop(may_open); // `open` panics.
    let begun = std::time::Instant::now();
    while venue.history.reached().standstill != Some(Standstill::Failed) {
        assert!(begun.elapsed() < LONG, "{:?}", venue.history.reached());
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = venue.send(ALICE, limit(1, types::Side::Buy, 900, 1)).applied;
    assert!(second.sequence > first.sequence);
    venue.stop();
}
