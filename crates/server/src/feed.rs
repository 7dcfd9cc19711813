//! The link from a venue to its read model: neither crate sees the other.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::settings::history::Place as HistoryPlace;
use marketdata::{BookUpdate, Views};
use projection::sqlite::Sqlite;
use projection::{Gauges, HistoryRetention, OlderError, OlderEvents, Projection, Wake};
use spool::Applied;
use types::Event;
use venue::clock::now_ns;
use venue::{Archive, ArchiveError, FollowerCores, Listener, Metrics, Opened, Place};

/// Starts the read model on the spool of a venue that has not started yet.
pub fn start(data_dir: &Path, opened: &Opened, retention: HistoryRetention) -> Projection {
    start_at(&HistoryPlace::Sqlite, data_dir, opened, retention)
}

/// [`start`] in this place.
pub fn start_at(
    place: &HistoryPlace,
    data_dir: &Path,
    opened: &Opened,
    retention: HistoryRetention,
) -> Projection {
    let (spool, measured) = (opened.spool().reader(), Measured::of(opened));
    let log = FromLog(data_dir.to_path_buf());
    match place {
        HistoryPlace::Sqlite => {
            Projection::start(Sqlite::of(data_dir), spool, log, measured, retention)
        }
        #[cfg(feature = "postgres")]
        HistoryPlace::Postgres { databases, replicas } => {
            let backend = sinks::postgres::Postgres::at(databases.clone(), &retention)
                .with_replicas(replicas.clone());
            Projection::start(backend, spool, log, measured, retention)
        }
    }
}

/// For [`Opened::start`]: wakes the read model whenever the publisher has written a batch.
pub fn listener(projection: &Projection) -> Box<dyn Listener> {
    Box::new(Wakes(projection.wake()))
}

/// Replays the log of this folder, beside the venue and with a state of its own.
#[derive(Clone)]
pub(crate) struct FromLog(PathBuf);

impl FromLog {
    #[cfg(feature = "publish")]
    pub(crate) fn of(data_dir: &Path) -> Self {
        Self(data_dir.to_path_buf())
    }
}

impl OlderEvents for FromLog {
    fn replay(
        &self,
        first: u64,
        take: &mut dyn FnMut(Arc<Applied>) -> bool,
    ) -> Result<(), OlderError> {
        // A venue in memory has no log.
        if !self.0.join("log").is_dir() {
            return Ok(());
        }
        tracing::info!(first, "the spool has dropped events: they are taken from the log");
        let failed = |error: ArchiveError| {
            let may_pass = error.may_pass();
            OlderError::new(error, may_pass)
        };
        let archive = Archive::open(&self.0).map_err(failed)?;
        let is_before = |place: Place| place.sequence < first;
        let replay = archive.replay_from(is_before).or_else(|_| archive.replay());
        let mut replay = replay.map_err(failed)?;
        while let Some(command) = replay.step().map_err(failed)? {
            let applied = std::iter::once(command.reply.applied).chain(command.reply.continued);
            if !applied.into_iter().all(&mut *take) {
                break;
            }
        }
        Ok(())
    }
}

struct Wakes(Wake);

impl Listener for Wakes {
    fn event(&mut self, _: &Applied, _: &Event, _: Option<&BookUpdate>) {}

    fn batch_done(&mut self, _: &Views) -> Option<Instant> {
        self.0.more();
        None
    }
}

/// Beyond it the read model takes time from the cores of orders. A burst of seconds has these cores
/// for itself: the read model makes up for it afterwards.
const BEHIND_NS: u64 = 10_000_000_000;

/// Writes the gauges of the read model to the venue's metrics, and gives it cores.
struct Measured {
    metrics: Arc<Metrics>,
    cores: Option<FollowerCores>,
}

impl Measured {
    fn of(opened: &Opened) -> Self {
        Self { metrics: opened.metrics(), cores: opened.follower_cores() }
    }
}

impl Gauges for Measured {
    fn projected(&self, sequence: u64) {
        self.metrics.projected(sequence);
    }

    fn behind(&self, since_ns: Option<u64>) {
        let Some(cores) = &self.cores else { return };
        match since_ns {
            None => cores.use_all(false),
            Some(since_ns) if now_ns().saturating_sub(since_ns) > BEHIND_NS => cores.use_all(true),
            Some(_) => {}
        }
    }

    fn complete_from(&self, first_sequence: u64) {
        self.metrics.projection_complete_from(first_sequence);
    }

    fn failed(&self, failed: bool) {
        self.metrics.projection_failed(failed);
    }
}
