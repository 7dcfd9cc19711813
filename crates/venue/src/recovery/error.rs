//! Why a venue cannot be read back.

use std::fmt;
use std::path::{Path, PathBuf};

use log::LockError;
use log::snapshot::SnapshotError;
use spool::SpoolError;

use crate::follower::FollowError;

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
    /// The snapshot continues another history than the log's.
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

pub(super) fn at(path: &Path) -> impl Fn(std::io::Error) -> OpenError {
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
