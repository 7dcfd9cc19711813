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
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{Engine, RULES_VERSION};
use log::snapshot::{self, Loaded, Snapshot, SnapshotError};
use log::{DataDirLock, Durability, FileLog, LockError, Options, Recovered};
use marketdata::Views;
use types::{Reader, Wire};

use crate::applied::Reply;
use crate::machine::{Machine, apply_batch};
use crate::publisher::{ENGINE_SECTION, EVENT_HASH_SECTION, VIEWS_SECTION};
use crate::spool::{Spool, SpoolError};
use crate::waker::LogWaker;

#[derive(Clone, Debug)]
pub struct Settings {
    pub data_dir: PathBuf,
    pub durability: Durability,
    /// Commands between two snapshots.
    pub snapshot_every: u64,
}

impl Settings {
    pub const SNAPSHOT_EVERY_DEFAULT: u64 = 1_000_000;

    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            durability: Durability::default(),
            snapshot_every: Self::SNAPSHOT_EVERY_DEFAULT,
        }
    }
}

/// A venue as its data folder has it, not yet running.
#[derive(Debug)]
pub struct Opened {
    pub(crate) settings: Settings,
    pub(crate) engine: Engine,
    pub(crate) views: Views,
    pub(crate) spool: Spool,
    pub(crate) log: FileLog,
    pub(crate) last_batch: u64,
    pub(crate) last_hash: log::ChainHash,
    /// Wakes the engine's thread once there is one.
    pub(crate) waker: Arc<LogWaker>,
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
    OtherRules {
        batch_number: u64,
        found: u16,
    },
    CommandUnreadable {
        batch_number: u64,
    },
    /// A log lies here that running in memory would ignore.
    DurableLogHere {
        data_dir: PathBuf,
    },
}

impl Opened {
    /// Reads a venue back from its folder, or begins a new one in an empty folder.
    pub fn open(settings: Settings) -> Result<Self, OpenError> {
        let dir = &settings.data_dir;
        let in_memory = settings.durability == Durability::Memory;
        // What everybody owns and trades is nobody else's business.
        DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(at(dir))?;
        let lock = DataDirLock::acquire(dir).map_err(OpenError::Lock)?;
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
        let Base { mut engine, mut views, event_hash, batch_number, chain_hash } = base;

        let waker = Arc::new(LogWaker::default());
        let wake = Arc::clone(&waker);
        let options = Options {
            durability: settings.durability,
            waker: Arc::new(move || wake.wake()),
            ..Options::default()
        };
        let (log, recovered) = FileLog::open(&dir.join("log"), options).map_err(OpenError::Log)?;
        if recovered.bytes_dropped > 0 {
            tracing::info!(
                bytes = recovered.bytes_dropped,
                "cut off what an interrupted write left at the end of the log; under durability \
                 fsync none of it had been acknowledged"
            );
        }
        let mut spool =
            Spool::open(&spool_dir, engine.sequence(), event_hash).map_err(OpenError::Spool)?;
        replay(&recovered, batch_number, chain_hash, &mut engine, |reply| {
            for applied in std::iter::once(&reply.applied).chain(&reply.continued) {
                for event in &applied.events {
                    views.apply(event);
                }
            }
            let all = std::iter::once(&reply.applied).chain(&reply.continued);
            spool.append(all.map(|applied| &**applied)).map_err(OpenError::Spool)
        })?;
        if spool.last_sequence() > engine.sequence() {
            tracing::warn!(
                spooled = spool.last_sequence(),
                logged = engine.sequence(),
                "the event spool tells of commands that the log has lost: it is made anew"
            );
            drop((spool, log, lock));
            std::fs::remove_dir_all(&spool_dir).map_err(at(&spool_dir))?;
            return Self::open(settings);
        }
        let (last_batch, last_hash) = (recovered.last_batch, recovered.last_hash);
        Ok(Self { settings, engine, views, spool, log, last_batch, last_hash, waker, lock })
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub fn views(&self) -> &Views {
        &self.views
    }

    /// Whether nothing was ever logged here.
    pub fn is_new(&self) -> bool {
        self.engine.sequence() == 0
    }

    /// The venue without threads: for tools that carry out a few commands on a stopped venue. The
    /// lock must be held as long as the machine is used.
    pub fn into_machine<T>(self) -> (Machine<FileLog, T>, DataDirLock) {
        (Machine::new(self.engine, self.log, self.last_batch, self.last_hash), self.lock)
    }
}

/// What a replay starts from: a snapshot, or nothing.
struct Base {
    engine: Engine,
    views: Views,
    event_hash: [u8; 16],
    batch_number: u64,
    chain_hash: log::ChainHash,
}

impl Default for Base {
    fn default() -> Self {
        Self {
            // The log says when it goes over to newer ones.
            engine: Engine::with_rules(1).expect("the first rules are known"),
            views: Views::default(),
            event_hash: [0; 16],
            batch_number: 0,
            chain_hash: log::ChainHash::GENESIS,
        }
    }
}

impl Base {
    fn load(dir: &Path) -> Result<Self, OpenError> {
        std::fs::create_dir_all(dir).map_err(at(dir))?;
        let loaded: Loaded = snapshot::load_newest(dir).map_err(OpenError::Snapshot)?;
        for damaged in &loaded.damaged {
            tracing::warn!(error = %damaged, "set a damaged snapshot aside");
        }
        loaded.set_aside().map_err(OpenError::Snapshot)?;
        loaded.snapshot.map_or_else(|| Ok(Self::default()), |snapshot| Self::read(&snapshot))
    }

    fn read(snapshot: &Snapshot) -> Result<Self, OpenError> {
        let batch_number = snapshot.batch_number;
        if snapshot.rules_version > RULES_VERSION {
            return Err(OpenError::OtherRules { batch_number, found: snapshot.rules_version });
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
        let event_hash = <[u8; 16]>::try_from(section(EVENT_HASH_SECTION)?)
            .map_err(|_| unreadable(EVENT_HASH_SECTION))?;
        let chain_hash = snapshot.chain_hash;
        Ok(Self { engine, views, event_hash, batch_number, chain_hash })
    }
}

/// Applies what the log holds behind the base.
fn replay(
    recovered: &Recovered,
    batch_number: u64,
    chain_hash: log::ChainHash,
    engine: &mut Engine,
    mut applied: impl FnMut(Reply) -> Result<(), OpenError>,
) -> Result<(), OpenError> {
    if recovered.last_batch < batch_number {
        let last_batch = recovered.last_batch;
        return Err(OpenError::LogEndsBeforeSnapshot { last_batch, batch_number });
    }
    if recovered.first_batch > batch_number + 1 {
        return Err(OpenError::SnapshotMissing { first_batch: recovered.first_batch });
    }
    let mut reader = recovered.read_from(batch_number + 1).map_err(OpenError::Log)?;
    if reader.previous_hash() != chain_hash {
        return Err(OpenError::SnapshotOfAnotherLog { batch_number });
    }
    while let Some(frame) = reader.read().map_err(OpenError::Log)? {
        let (batch_number, found) = (frame.header.batch_number, frame.header.rules_version);
        if !engine.raise_rules(found) {
            return Err(OpenError::OtherRules { batch_number, found });
        }
        let mut result = Ok(());
        apply_batch(engine, frame.header.sequenced_ns, frame.payload, |reply| {
            if result.is_ok() {
                result = applied(reply);
            }
        })
        .map_err(|_| OpenError::CommandUnreadable { batch_number })?;
        result?;
    }
    Ok(())
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
            Self::OtherRules { batch_number, found } => write!(
                f,
                "batch {batch_number} was applied under rules version {found}; this program knows \
                 those up to {RULES_VERSION}: use a newer one"
            ),
            Self::CommandUnreadable { batch_number } => write!(
                f,
                "batch {batch_number} has a command that this version does not know: it was written \
                 by a newer one"
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
