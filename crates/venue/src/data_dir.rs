//! A venue's data folder, and how a venue is read back from it.
//!
//! ```text
//! DIR/lock        one process at a time
//! DIR/log/        the command log: the venue itself
//! DIR/snapshots/  the state at some batches, so that not all of the log need be replayed
//! DIR/spool/      events, derived from the log
//! ```

use std::fmt;
use std::fs::DirBuilder;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use disk::Disk;
use engine::{Engine, RULES_VERSION};
use log::snapshot::{self, Loaded, Snapshot, SnapshotError};
use log::{
    DataDirLock, Durability, FileLog, IN_FLIGHT_MAX_DEFAULT, LockError, Log, LogError, LogReader,
    MemoryLog, Options, SEGMENT_SIZE_DEFAULT, Start,
};
use marketdata::Views;
use spool::{Retention, Spool, SpoolError};
use types::{Reader, Wire};

use crate::follower::{FollowError, Follower, Position};
use crate::history::LogHistory;
use crate::machine::Machine;
use crate::metrics::Metrics;
use crate::pin::{Core, keep_this_thread_to};
use crate::replay::{Replayed, replay};
use crate::run::on_commit::OnCommit;
use crate::snapshot::{
    ENGINE_SECTION, EPOCH_SECTION, EVENT_HASH_SECTION, OLD_EVENT_HASH_SECTION, VIEWS_SECTION,
};

#[derive(Clone, Debug)]
pub struct Settings {
    pub data_dir: PathBuf,
    pub durability: Durability,
    /// Commands between two snapshots.
    pub snapshot_every: u64,
    /// Bytes of a file of the log.
    pub log_segment_size: u64,
    /// How much of the events is kept for readers.
    pub retention: Retention,
    pub log_retention: LogRetention,
    /// Whether a second engine applies the log too and is compared with the first.
    pub replica: bool,
    /// What the engine's thread is kept to.
    pub engine_core: Option<Core>,
    /// What the thread is kept to that writes the log.
    pub log_core: Option<Core>,
    /// For tests of the alarm: the replica carries out the command of this sequence twice.
    #[doc(hidden)]
    pub replica_errs_at: Option<u64>,
}

/// What becomes of the log before the older of the two snapshots that are kept.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum LogRetention {
    #[default]
    Keep,
    Delete,
    /// Moved into this folder, on the file system of the log.
    Archive(PathBuf),
}

impl Settings {
    pub const SNAPSHOT_EVERY_DEFAULT: u64 = 1_000_000;
    pub const LOG_SEGMENT_SIZE_DEFAULT: u64 = SEGMENT_SIZE_DEFAULT;

    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            durability: Durability::default(),
            snapshot_every: Self::SNAPSHOT_EVERY_DEFAULT,
            log_segment_size: Self::LOG_SEGMENT_SIZE_DEFAULT,
            retention: Retention::default(),
            log_retention: LogRetention::default(),
            replica: false,
            engine_core: None,
            log_core: None,
            replica_errs_at: None,
        }
    }
}

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

#[derive(Debug)]
pub enum OpenError {
    Io {
        path: PathBuf,
        error: std::io::Error,
    },
    Lock(LockError),
    Log(log::OpenError),
    Snapshot(SnapshotError),
    Spool(SpoolError),
    /// Sound by its checksum, yet not a state that this version can read.
    SnapshotUnreadable {
        batch_number: u64,
        section: &'static str,
    },
    /// The snapshot continues another history than the log tells.
    SnapshotOfAnotherLog {
        batch_number: u64,
    },
    /// The log ends before the snapshot: batches that were acknowledged are missing.
    LogEndsBeforeSnapshot {
        last_batch: u64,
        batch_number: u64,
    },
    /// Trimmed, and no snapshot that holds what is gone.
    SnapshotMissing {
        first_batch: u64,
    },
    Follow(FollowError),
    /// Segments are renamed into the archive, which no rename does from one file system to another.
    ArchiveElsewhere {
        archive_dir: PathBuf,
        data_dir: PathBuf,
    },
    /// A log lies here that running in memory would ignore.
    DurableLogHere {
        data_dir: PathBuf,
    },
}

impl Opened {
    /// Reads a venue back from its folder, or begins a new one in an empty folder.
    pub fn open(settings: Settings) -> Result<Self, OpenError> {
        Self::open_watched(settings, |_| {})
    }

    /// [`Opened::open`], telling of each batch that is replayed.
    pub fn open_watched(
        settings: Settings,
        watch: impl FnMut(Replayed),
    ) -> Result<Self, OpenError> {
        let dir = &settings.data_dir;
        let in_memory = settings.durability == Durability::Memory;
        if let Some(parent) = dir.parent().filter(|parent| !parent.is_dir()) {
            Disk::default().create_dir(parent).map_err(|error| OpenError::Log(error.into()))?;
        }
        // What everybody owns and trades is nobody else's business.
        DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(at(dir))?;
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
        let (log, logged) = open_log(&settings, Arc::clone(&on_commit))?;
        let sequence = follower.engine().sequence();
        let mut spool = Spool::open(&spool_dir, settings.retention, sequence, event_hash)
            .map_err(OpenError::Spool)?;
        if let Some(logged) = logged.as_deref() {
            replay(logged, &mut follower, &mut views, &mut spool, watch)?;
        }
        let engine = follower.engine();
        spool.know_heads(engine.account_seqs(), engine.instrument_seqs());
        let history = LogHistory { snapshot_dir: &snapshot_dir, log: logged.as_deref() };
        spool.complete(&history, engine.sequence())?;
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
    on_commit: Arc<OnCommit>,
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
        archive_dir,
        on_commit: Arc::new(move || on_commit.call()),
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

/// What a replay starts from: a snapshot, or nothing.
pub(crate) struct Base {
    pub(crate) follower: Follower,
    views: Views,
    /// `None` where a snapshot was written before the running hash was what it is.
    pub(crate) event_hash: Option<[u8; 16]>,
}

impl Default for Base {
    fn default() -> Self {
        // The log says when it goes over to newer rules.
        let engine = Engine::with_rules(1).expect("the first rules are known");
        let follower = Follower::new(engine, Position::default());
        Self { follower, views: Views::default(), event_hash: Some([0; 16]) }
    }
}

impl Base {
    fn load(dir: &Path) -> Result<Self, OpenError> {
        std::fs::create_dir_all(dir).map_err(at(dir))?;
        let loaded: Loaded = snapshot::load_newest(dir).map_err(OpenError::Snapshot)?;
        for damaged in &loaded.damaged {
            tracing::warn!(error = %damaged, "set a damaged snapshot aside");
        }
        loaded.set_aside(&Disk::default()).map_err(OpenError::Snapshot)?;
        loaded.snapshot.map_or_else(|| Ok(Self::default()), |snapshot| Self::read(&snapshot))
    }

    pub(crate) fn read(snapshot: &Snapshot) -> Result<Self, OpenError> {
        let batch_number = snapshot.batch_number;
        if snapshot.rules_version > RULES_VERSION {
            let found = snapshot.rules_version;
            return Err(OpenError::Follow(FollowError::OtherRules { batch_number, found }));
        }
        let section = |name: &'static str| {
            let unreadable = OpenError::SnapshotUnreadable { batch_number, section: name };
            snapshot.section(name).ok_or(unreadable)
        };
        let unreadable = |section| OpenError::SnapshotUnreadable { batch_number, section };
        let state = section(ENGINE_SECTION)?;
        if *blake3::hash(state).as_bytes() != snapshot.state_hash {
            return Err(unreadable(ENGINE_SECTION));
        }
        let engine = Engine::read_state(Reader(state)).ok_or(unreadable(ENGINE_SECTION))?;
        let mut views = Reader(section(VIEWS_SECTION)?);
        let views = Views::read(&mut views).ok_or(unreadable(VIEWS_SECTION))?;
        let event_hash = match snapshot.section(OLD_EVENT_HASH_SECTION) {
            Some(_) => None,
            None => Some(
                <[u8; 16]>::try_from(section(EVENT_HASH_SECTION)?)
                    .map_err(|_| unreadable(EVENT_HASH_SECTION))?,
            ),
        };
        // Snapshots from before there were epochs do not say it.
        let epoch = match snapshot.section(EPOCH_SECTION) {
            Some(epoch) => Reader(epoch).read().ok_or(unreadable(EPOCH_SECTION))?,
            None => Position::default().epoch,
        };
        let position = Position { batch_number, chain_hash: snapshot.chain_hash, epoch };
        Ok(Self { follower: Follower::new(engine, position), views, event_hash })
    }
}

/// When the snapshot of this batch was written; `None` if there is none, or the time is not known.
fn snapshot_written(dir: &Path, position: Position) -> Option<SystemTime> {
    let path = snapshot::path(dir, position.batch_number);
    std::fs::metadata(path).and_then(|file| file.modified()).ok()
}

fn at(path: &Path) -> impl Fn(std::io::Error) -> OpenError {
    move |error| OpenError::Io { path: path.to_path_buf(), error }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Lock(error) => error.fmt(f),
            Self::Log(error) => error.fmt(f),
            Self::Snapshot(error) => error.fmt(f),
            Self::Spool(error) => error.fmt(f),
            Self::SnapshotUnreadable { batch_number, section } => write!(
                f,
                "the snapshot of batch {batch_number} has a part ({section}) that this version \
                 cannot read: start the version that wrote it, or move the snapshot elsewhere to \
                 replay the log instead"
            ),
            Self::SnapshotOfAnotherLog { batch_number } => write!(
                f,
                "the snapshot of batch {batch_number} belongs to another log than the one beside \
                 it: bring log and snapshots of one venue together"
            ),
            Self::LogEndsBeforeSnapshot { last_batch, batch_number } => write!(
                f,
                "the log ends at batch {last_batch}, before the snapshot of batch {batch_number}: \
                 its newest segments are missing; bring them back"
            ),
            Self::SnapshotMissing { first_batch } => write!(
                f,
                "the log begins at batch {first_batch} and no snapshot holds what came before: \
                 bring the snapshot or the older segments back"
            ),
            Self::Follow(error) => error.fmt(f),
            Self::ArchiveElsewhere { archive_dir, data_dir } => write!(
                f,
                "the archive {} lies on another file system than {}: choose a folder beside it",
                archive_dir.display(),
                data_dir.display()
            ),
            Self::DurableLogHere { data_dir } => write!(
                f,
                "{} holds a durable log, which --durability memory would ignore: choose another \
                 folder",
                data_dir.display()
            ),
        }
    }
}

impl std::error::Error for OpenError {}
