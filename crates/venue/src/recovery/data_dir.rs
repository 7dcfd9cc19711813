//! A venue's data folder, and how a venue is read back from it.
//!
//! ```text
//! DIR/lock        one process at a time
//! DIR/log/        the command log: the venue itself
//! DIR/snapshots/  the state at some batches, so that not all of the log need be replayed
//! DIR/spool/      events, derived from the log
//! ```

use std::fs::DirBuilder;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use disk::Disk;
use engine::Engine;
use log::snapshot;
use log::{
    DataDirLock, Durability, FileLog, IN_FLIGHT_MAX_DEFAULT, Log, LogError, LogReader, MemoryLog,
    OnWrite, Options, Start,
};
use marketdata::Views;
use spool::Spool;

use crate::follower::{Follower, Position};
use crate::machine::Machine;
use crate::metrics::Metrics;
use crate::pin::{FollowerCores, keep_this_thread_to};
use crate::recovery::base::Base;
use crate::recovery::error::{OpenError, at};
use crate::recovery::log_events::LogEvents;
use crate::recovery::ownership;
use crate::recovery::replay::{Replayed, replay};
use crate::run::on_commit::OnCommit;
use crate::settings::{LogRetention, Settings};

/// Whichever log the settings ask for.
pub type AnyLog = Box<dyn Log + Send>;

impl LogRetention {
    fn check(&self, data_dir: &Path) -> Result<(), OpenError> {
        let Self::Archive(archive_dir) = self else { return Ok(()) };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(archive_dir)
            .map_err(at(archive_dir))?;
        let device = |dir: &Path| Ok(std::fs::metadata(dir).map_err(at(dir))?.dev());
        if device(archive_dir)? != device(data_dir)? {
            let (archive_dir, data_dir) = (archive_dir.clone(), data_dir.to_path_buf());
            return Err(OpenError::ArchiveElsewhere { archive_dir, data_dir });
        }
        Ok(())
    }
}

/// A venue as its data folder has it, not yet running.
#[derive(Debug)]
pub struct Opened {
    pub(crate) settings: Settings,
    pub(crate) follower: Follower,
    pub(crate) views: Views,
    pub(crate) spool: Spool,
    pub(crate) log: AnyLog,
    /// Calls the combiner once there is one.
    pub(crate) on_commit: Arc<OnCommit>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) lock: DataDirLock,
}

impl Opened {
    /// Reads a venue back from its folder, or begins a new one in an empty folder.
    pub fn open(settings: Settings) -> Result<Self, OpenError> {
        Self::open_watched(settings, |_| {})
    }

    /// [`Opened::open`], with a call for each batch that is replayed.
    pub fn open_watched(
        settings: Settings,
        watch: impl FnMut(Replayed),
    ) -> Result<Self, OpenError> {
        let dir = &settings.data_dir;
        let in_memory = settings.durability == Durability::Memory;
        if let Some(parent) = dir.parent().filter(|parent| !parent.is_dir()) {
            Disk::default().create_dir(parent).map_err(|error| OpenError::Log(error.into()))?;
        }
        // Other users of this machine must not read what accounts own and trade.
        DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(at(dir))?;
        ownership::refuse_links(dir)?;
        let lock = DataDirLock::acquire(dir).map_err(OpenError::Lock)?;
        settings.log_retention.check(dir)?;
        let spool_dir = dir.join("spool");
        if in_memory {
            if dir.join("log").exists() {
                return Err(OpenError::DurableLogHere { data_dir: dir.clone() });
            }
            // What is spooled belongs to a log that went with its process.
            match std::fs::remove_dir_all(&spool_dir) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(at(&spool_dir)(error));
                }
                _ => {}
            }
        }
        let snapshot_dir = dir.join("snapshots");
        let base = if in_memory { Base::default() } else { Base::load(&snapshot_dir)? };
        let Base { mut follower, mut views, event_hash } = base;

        let metrics = Arc::new(Metrics::new(settings.durability));
        if let Some(written) = snapshot_written(&snapshot_dir, follower.position()) {
            metrics.snapshot_found(follower.engine().sequence(), written);
        }
        let on_commit = Arc::new(OnCommit::default());
        metrics.disk.begin(dir, settings.log_segment_size);
        let watch_writes = Arc::clone(&metrics);
        let snapshot_batch = follower.position().batch_number;
        let (log, logged) =
            open_log(&settings, snapshot_batch, Arc::clone(&on_commit), watch_writes)?;
        if logged.as_deref().is_some_and(|logged| logged.first_batch() > 1) {
            // The log may reach further back by a part of a segment.
            metrics.disk.log_begins(follower.engine().sequence() + 1);
        }
        let sequence = follower.engine().sequence();
        let mut spool = Spool::open(&spool_dir, settings.retention, sequence, event_hash)
            .map_err(OpenError::Spool)?;
        if let Some(logged) = logged.as_deref() {
            replay(logged, &mut follower, &mut views, &mut spool, watch)?;
        }
        let engine = follower.engine();
        spool.know_heads(engine.account_seqs(), engine.instrument_seqs());
        let history = LogEvents { snapshot_dir: &snapshot_dir, log: logged.as_deref() };
        spool.complete(&history, engine.sequence());
        ownership::warn_of_others(dir)?;
        Ok(Self { settings, follower, views, spool, log, on_commit, metrics, lock })
    }

    pub fn engine(&self) -> &Engine {
        self.follower.engine()
    }

    pub fn views(&self) -> &Views {
        &self.views
    }

    pub fn spool(&self) -> &Spool {
        &self.spool
    }

    pub fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.metrics)
    }

    /// Starts threads that follow orders from the spool, on the cores where they may run.
    pub fn start_followers<R>(&self, start: impl FnOnce() -> R) -> R {
        self.settings.start_followers(start)
    }

    /// For a thread that is started so, and may need the cores of orders for a while; `None` where
    /// it has them, or an operator has named those of orders.
    pub fn follower_cores(&self) -> Option<FollowerCores> {
        self.settings.follower_cores()
    }

    /// On a log that stands before the folder's own, such as one that holds batches up.
    #[must_use]
    pub fn with_log(self, stand: impl FnOnce(AnyLog) -> AnyLog) -> Self {
        Self { log: stand(self.log), ..self }
    }

    /// Whether nothing was ever logged here.
    pub fn is_new(&self) -> bool {
        self.engine().sequence() == 0
    }

    /// The venue without threads, about to be the primary: for tools that carry out a few commands
    /// on a stopped venue. The lock must be held as long as the machine is used.
    pub fn into_machine<T>(
        self,
        now_ns: u64,
    ) -> Result<(Machine<AnyLog, T>, DataDirLock), LogError> {
        let mut machine = Machine::new(self.follower, self.log);
        machine.take_over(primary_id(), now_ns)?;
        Ok((machine, self.lock))
    }
}

/// A number that no other machine draws.
pub(crate) fn primary_id() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

/// The log to append to, and what it held, unless nothing is kept: the one place that knows which
/// log that is.
fn open_log(
    settings: &Settings,
    snapshot_batch: u64,
    on_commit: Arc<OnCommit>,
    metrics: Arc<Metrics>,
) -> Result<(AnyLog, Option<Box<dyn LogReader>>), OpenError> {
    if settings.durability == Durability::Memory {
        let log = MemoryLog::new(Start::default(), IN_FLIGHT_MAX_DEFAULT);
        return Ok((Box::new(log), None));
    }
    let archive_dir = match &settings.log_retention {
        LogRetention::Archive(dir) => Some(dir.clone()),
        LogRetention::Keep | LogRetention::Delete => None,
    };
    let core = settings.log_core;
    let options = Options {
        durability: settings.durability,
        segment_size: settings.log_segment_size,
        snapshot_batch,
        archive_dir,
        on_commit: Arc::new(move || on_commit.call()),
        on_write: OnWrite::new(move |written| metrics.log_written(written)),
        at_begin: Arc::new(move || keep_this_thread_to(core)),
        ..Options::default()
    };
    let (log, recovered) =
        FileLog::open(&settings.data_dir.join("log"), options).map_err(OpenError::Log)?;
    if recovered.bytes_dropped > 0 {
        tracing::info!(
            bytes = recovered.bytes_dropped,
            "cut off what an interrupted write left at the end of the log; under durability fsync \
             none of it had been acknowledged"
        );
    }
    Ok((Box::new(log), Some(Box::new(recovered))))
}

/// When the snapshot of this batch was written; `None` if there is none, or the time is not known.
fn snapshot_written(dir: &Path, position: Position) -> Option<SystemTime> {
    let path = snapshot::path(dir, position.batch_number);
    std::fs::metadata(path).and_then(|file| file.modified()).ok()
}
