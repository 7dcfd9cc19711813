//! Why a venue cannot be read back.

use std::path::{Path, PathBuf};

use log::LockError;
use log::snapshot::SnapshotError;
use spool::SpoolError;

use crate::follower::FollowError;

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{path}: {error}")]
    Io { path: PathBuf, error: std::io::Error },
    #[error(transparent)]
    Lock(LockError),
    #[error(transparent)]
    Log(log::OpenError),
    #[error(transparent)]
    Snapshot(SnapshotError),
    #[error(transparent)]
    Spool(SpoolError),
    #[error(
        "not all of the event spool could be made: make room, and see to what the warning names; \
         then run this again, or start the venue, which makes what is missing"
    )]
    SpoolIncomplete,
    /// Sound by its checksum, yet not a state that this version can read.
    #[error(
        "the snapshot of batch {batch_number} has a part ({section}) that this version \
         cannot read: start the version that wrote it, or move the snapshot elsewhere to \
         replay the log instead"
    )]
    SnapshotUnreadable { batch_number: u64, section: &'static str },
    /// The snapshot continues another history than the log's.
    #[error(
        "the snapshot of batch {batch_number} belongs to another log than the one beside \
         it: bring log and snapshots of one venue together"
    )]
    SnapshotOfAnotherLog { batch_number: u64 },
    /// Trimmed, and no snapshot that holds what is gone.
    #[error(
        "the log begins at batch {first_batch} and no snapshot holds what came before: \
         bring the snapshot or the older segments back"
    )]
    SnapshotMissing { first_batch: u64 },
    #[error(transparent)]
    Follow(FollowError),
    /// Segments are renamed into the archive, which no rename does from one file system to another.
    #[error(
        "the archive {archive_dir} lies on another file system than {data_dir}: choose a folder \
         beside it"
    )]
    ArchiveElsewhere { archive_dir: PathBuf, data_dir: PathBuf },
    #[error(
        "{path} is a symbolic link, and a venue follows none in its data folder: move what it names \
         here, or mount it"
    )]
    SymbolicLink { path: PathBuf },
    /// A log lies here that running in memory would ignore.
    #[error(
        "{data_dir} holds a durable log, which --durability memory would ignore: choose another \
         folder, and set the venue up after its start, while it runs"
    )]
    DurableLogHere { data_dir: PathBuf },
}

pub(super) fn at(path: &Path) -> impl Fn(std::io::Error) -> OpenError {
    move |error| OpenError::Io { path: path.to_path_buf(), error }
}
