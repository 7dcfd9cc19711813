//! A read model that is begun anew when the spool has dropped events: the log has them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use projection::sqlite::{self, Sqlite, status};
use projection::{Gauges, HistoryRetention, OlderError, OlderEvents, Projection};
use spool::Applied;
use venue::{Archive, ArchiveError, Opened};

use crate::support::*;

fn traded(dir: &Path) -> Venue {
    let venue = Venue::start_with(small(dir));
    venue.trade_level(0..600);
    let spooled = venue.handle().read_views(|_, spool| spool.first_sequence()).unwrap();
    let first = spooled.blocking_recv().unwrap();
    assert!(first > 100, "the spool has dropped some: {first}");
    venue
}

/// All but the place where it was begun.
fn rows(dir: &Path) -> impl PartialEq + std::fmt::Debug {
    let status = status(dir).unwrap();
    assert_eq!((status.progress.first_sequence, &status.gaps[..]), (1, &[][..]));
    tables(dir).into_iter().filter(|(name, _)| name != "progress").collect::<Vec<_>>()
}

#[test]
fn a_removed_file_is_rebuilt_from_the_log_at_the_start_and_while_the_venue_runs() {
    let dir = tempfile::tempdir().unwrap();
    let venue = traded(dir.path());
    let whole = rows(dir.path());
    fs::remove_file(sqlite::path(dir.path())).unwrap();
    let complete = "buttonwood_projection_complete_from_sequence 1\n";
    wait_for_alarm(&venue, true);
    wait_for_alarm(&venue, false);
    venue.wait();
    assert!(rows(dir.path()) == whole, "while it runs");
    assert!(venue.metrics().contains(complete), "{}", venue.metrics());
    venue.stop();

    fs::remove_dir_all(dir.path().join("projection")).unwrap();
    let venue = Venue::start_with(small(dir.path()));
    venue.trade(600..610);
    venue.wait();
    let rebuilt = rows(dir.path());
    assert!(venue.metrics().contains(complete), "{}", venue.metrics());
    venue.stop();
    rebuild(dir.path()).unwrap();
    assert!(rows(dir.path()) == rebuilt, "at the start");
}

/// The log from some command on.
pub(crate) struct Trimmed {
    pub(crate) log: PathBuf,
    pub(crate) first: u64,
    /// The batch at which the first replay fails.
    pub(crate) cut_at: Option<u64>,
    /// The commands that it was asked for.
    pub(crate) asked: Arc<Mutex<Vec<u64>>>,
}

impl OlderEvents for Trimmed {
    fn replay(
        &self,
        first: u64,
        take: &mut dyn FnMut(Arc<Applied>) -> bool,
    ) -> Result<(), OlderError> {
        self.asked.lock().unwrap().push(first);
        let is_first = self.asked.lock().unwrap().len() == 1;
        let failed = |error: ArchiveError| {
            let may_pass = error.may_pass();
            OlderError::new(error, may_pass)
        };
        let archive = Archive::open(&self.log).map_err(failed)?;
        let mut replay = archive.replay().map_err(failed)?;
        while let Some(command) = replay.step().map_err(failed)? {
            let applied = std::iter::once(command.reply.applied).chain(command.reply.continued);
            if is_first && self.cut_at == Some(command.batch_number) {
                return Err(OlderError::new("the log was trimmed while it was read", false));
            }
            let mut kept = applied.filter(|applied| applied.sequence >= self.first);
            if !kept.all(&mut *take) {
                break;
            }
        }
        Ok(())
    }
}

#[derive(Default)]
pub(crate) struct Seen {
    sequence: AtomicU64,
    complete_from: AtomicU64,
}

pub(crate) struct Measured(pub(crate) Arc<Seen>);

impl Gauges for Measured {
    fn projected(&self, sequence: u64) {
        self.0.sequence.store(sequence, Ordering::Release);
    }

    fn complete_from(&self, first_sequence: u64) {
        self.0.complete_from.store(first_sequence, Ordering::Release);
    }

    fn failed(&self, _: bool) {}
}

/// The same, after some tries at which it could not be read, or had less.
struct AtLast {
    tries: AtomicU64,
    is_short: bool,
    then: Trimmed,
}

impl OlderEvents for AtLast {
    fn replay(
        &self,
        first: u64,
        take: &mut dyn FnMut(Arc<Applied>) -> bool,
    ) -> Result<(), OlderError> {
        if self.tries.fetch_add(1, Ordering::Relaxed) >= 5 {
            return self.then.replay(first, take);
        }
        if !self.is_short {
            return Err(OlderError::new("too many open files", true));
        }
        // As of a venue that goes on: the replay ends where the log ended when it was opened.
        let end = first + 10;
        self.then.replay(first, &mut |applied| applied.sequence < end && take(applied))
    }
}

#[test]
fn a_log_that_cannot_be_read_for_now_or_grows_leaves_no_hole() {
    for is_short in [false, true] {
        no_hole_after(is_short);
    }
}

fn no_hole_after(is_short: bool) {
    let dir = tempfile::tempdir().unwrap();
    traded(dir.path()).stop();
    let opened = Opened::open(small(dir.path())).unwrap();
    fs::remove_dir_all(dir.path().join("projection")).unwrap();
    let seen = Arc::<Seen>::default();
    let log = dir.path().to_path_buf();
    let then = Trimmed { log, first: 1, cut_at: None, asked: Arc::default() };
    let older = AtLast { tries: AtomicU64::new(0), is_short, then };
    let gauges = Measured(Arc::clone(&seen));
    let (backend, spool) = (Sqlite::of(dir.path()), opened.spool().reader());
    let feed = Projection::start(backend, spool, older, gauges, HistoryRetention::ALL);
    let begun = Instant::now();
    while seen.sequence.load(Ordering::Acquire) < opened.engine().sequence() {
        assert!(begun.elapsed() < LONG);
        std::thread::sleep(Duration::from_millis(1));
    }
    feed.stop();
    rows(dir.path());
}

#[test]
fn what_neither_spool_nor_log_has_is_stated() {
    let dir = tempfile::tempdir().unwrap();
    traded(dir.path()).stop();
    let opened = Opened::open(small(dir.path())).unwrap();
    let end = opened.engine().sequence();
    let spooled = opened.spool().first_sequence();
    for (first, complete_from, cut_at) in
        [(50, 50, None), (1, 1, Some(80)), (spooled, spooled, None), (u64::MAX, spooled, None)]
    {
        fs::remove_dir_all(dir.path().join("projection")).unwrap();
        let (seen, asked) = (Arc::<Seen>::default(), Arc::default());
        let older =
            Trimmed { log: dir.path().to_path_buf(), first, cut_at, asked: Arc::clone(&asked) };
        let spool = opened.spool().reader();
        let backend = Sqlite::of(dir.path());
        let gauges = Measured(Arc::clone(&seen));
        let feed = Projection::start(backend, spool, older, gauges, HistoryRetention::ALL);
        let begun = Instant::now();
        while seen.sequence.load(Ordering::Acquire) < end {
            assert!(begun.elapsed() < LONG, "from {first}");
            std::thread::sleep(Duration::from_millis(1));
        }
        feed.stop();
        assert_eq!(seen.complete_from.load(Ordering::Acquire), complete_from);
        assert_eq!(status(dir.path()).unwrap().progress.first_sequence, complete_from);
        let asked = asked.lock().unwrap();
        assert_eq!((asked[0], asked.len()), (1, if cut_at.is_some() { 2 } else { 1 }));
        assert!(asked.is_sorted(), "{asked:?}");
    }
}
