//! What can go wrong with a log: while it is written, and when it is opened.

use std::path::{Path, PathBuf};

use disk::DiskError;

use crate::frame::FrameError;
use crate::lock::LockError;

/// Why a log did not do as asked.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// As many batches are under way as the log takes; nothing was appended. See
    /// [`Log::ready`](crate::Log::ready).
    #[error("{in_flight} batches are under way already; poll before appending more")]
    Busy { in_flight: usize },
    /// The payload is larger than any frame may be; nothing was appended.
    #[error("a batch of {size} bytes is above the limit of {max}; split it")]
    TooLarge { size: usize, max: usize },
    /// No room for the next bytes. The log has stopped; what was polled is safe.
    #[error("{0}; every acknowledged batch is safe: free some space and start again")]
    DiskFull(#[source] DiskError),
    /// Reading or writing failed. The log has stopped; what was polled is safe.
    #[error("{0}; every acknowledged batch is safe: check the disk and start again")]
    Disk(#[source] DiskError),
    /// The archive has a segment of this name. The log has not stopped.
    #[error(
        "{file} is there already, perhaps of another log: give each venue an archive of its own, or \
         move the file elsewhere"
    )]
    Archived { file: PathBuf },
    /// The thread that writes has died without naming a cause. The log has stopped.
    #[error("the log's writer thread has died; every acknowledged batch is safe: start again")]
    WriterDied,
}

impl From<DiskError> for LogError {
    fn from(error: DiskError) -> Self {
        if error.is_full() { Self::DiskFull(error) } else { Self::Disk(error) }
    }
}

pub(crate) fn corrupt(
    file: &Path,
    offset: u64,
    batch_number: u64,
    damage: &'static str,
) -> OpenError {
    OpenError::Corrupt { file: file.to_path_buf(), offset, batch_number, damage }
}

pub(crate) fn damage(error: FrameError) -> &'static str {
    match error {
        FrameError::Incomplete { .. } => "the file ends within a frame",
        FrameError::Magic => "a frame's first bytes are damaged",
        FrameError::PayloadTooLarge { .. } => "a frame's size is damaged",
        FrameError::Hash => "a frame's hash does not fit its bytes",
        FrameError::Padding => "the bytes between two frames are damaged",
        FrameError::Version { .. } => "a frame has a format that never was",
    }
}

/// Why a log cannot be opened. A torn tail is not among the reasons: what the last write of a
/// crashed process left behind is cut off and reported by
/// [`Recovered::bytes_dropped`](crate::Recovered::bytes_dropped).
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Another process writes to this log.
    #[error("{0}")]
    Locked(#[from] LockError),
    /// No room for the first bytes of a segment.
    #[error("{0}; nothing is lost: free some space and start again")]
    DiskFull(#[source] DiskError),
    #[error("{0}; the log cannot be opened until the folder and its files can be used")]
    Disk(#[source] DiskError),
    /// A file that is named like a segment and is none.
    #[error("{file} is not a segment of the log, though it is named like one; move it elsewhere")]
    ForeignFile { file: PathBuf },
    /// Written by a newer version of this program.
    #[error(
        "the log {file} was made by a later build: it has format version {found}, and this build \
         reads up to {supported}; start the later build"
    )]
    NewerFormat { file: PathBuf, found: u16, supported: u16 },
    /// An acknowledged batch is damaged: the disk, not a crash, is at fault.
    #[error(
        "{file} is damaged at byte {offset}, batch {batch_number}: {damage}; nothing was changed: \
         restore the file from a copy"
    )]
    Corrupt { file: PathBuf, offset: u64, batch_number: u64, damage: &'static str },
    /// The batches before those in `file` are not there: a segment is missing.
    #[error(
        "batches {expected} to {} are missing before {file}; nothing was changed: \
         put the missing segment back",
        .found - 1
    )]
    Gap { file: PathBuf, expected: u64, found: u64 },
    /// Acknowledged batches are missing at the end.
    #[error(
        "the log ends at batch {last_batch}, before the snapshot of batch {snapshot_batch}: its \
         newest segments, or its last writes, are missing; nothing was changed: restore the log \
         from a copy"
    )]
    EndsBeforeSnapshot { last_batch: u64, snapshot_batch: u64 },
    /// The log does not reach as far back, or as far on, as asked.
    #[error(
        "batch {wanted} is wanted, but the log holds {first_batch} to {last_batch}; \
         the snapshot and the log do not belong together, or one of them is not complete"
    )]
    NotInLog { wanted: u64, first_batch: u64, last_batch: u64 },
    /// A setting that no segment can be made with.
    #[error("a segment of {found} bytes is too small; set at least {min}")]
    SegmentSize { found: u64, min: u64 },
}

impl OpenError {
    /// Whether a file was not found where it should be.
    pub(crate) fn is_missing(&self) -> bool {
        match self {
            Self::Disk(error) => error.is_missing(),
            Self::Gap { .. } => true,
            _ => false,
        }
    }
}

impl From<DiskError> for OpenError {
    fn from(error: DiskError) -> Self {
        if error.is_full() { Self::DiskFull(error) } else { Self::Disk(error) }
    }
}
