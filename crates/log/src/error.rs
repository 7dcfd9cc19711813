//! What can go wrong with a log: while it is written, and when it is opened.

use std::fmt;
use std::path::{Path, PathBuf};

use disk::DiskError;

use crate::frame::FrameError;
use crate::lock::LockError;

/// Why a log did not do as asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LogError {
    /// As many batches are under way as the log takes; nothing was appended. See
    /// [`Log::ready`](crate::Log::ready).
    Busy { in_flight: usize },
    /// The payload is larger than any frame may be; nothing was appended.
    TooLarge { size: usize, max: usize },
    /// No room for the next bytes. The log has stopped; what was polled is safe.
    DiskFull(DiskError),
    /// Reading or writing failed. The log has stopped; what was polled is safe.
    Disk(DiskError),
    /// The thread that writes has died without naming a cause. The log has stopped.
    WriterDied,
}

impl From<DiskError> for LogError {
    fn from(error: DiskError) -> Self {
        if error.is_full() { Self::DiskFull(error) } else { Self::Disk(error) }
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy { in_flight } => {
                write!(f, "{in_flight} batches are under way already; poll before appending more")
            }
            Self::TooLarge { size, max } => {
                write!(f, "a batch of {size} bytes is above the limit of {max}; split it")
            }
            Self::DiskFull(error) => write!(
                f,
                "{error}; every acknowledged batch is safe: free some space and start again"
            ),
            Self::Disk(error) => write!(
                f,
                "{error}; every acknowledged batch is safe: check the disk and start again"
            ),
            Self::WriterDied => f.write_str(
                "the log's writer thread has died; every acknowledged batch is safe: start again",
            ),
        }
    }
}

impl std::error::Error for LogError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::DiskFull(error) | Self::Disk(error) => Some(error),
            Self::Busy { .. } | Self::TooLarge { .. } | Self::WriterDied => None,
        }
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
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// Another process writes to this log.
    Locked(LockError),
    /// No room for the first bytes of a segment.
    DiskFull(DiskError),
    Disk(DiskError),
    /// A file that is named like a segment and is none.
    ForeignFile {
        file: PathBuf,
    },
    /// Written by a newer version of this program.
    NewerFormat {
        file: PathBuf,
        found: u16,
        supported: u16,
    },
    /// An acknowledged batch is damaged: the disk, not a crash, is at fault.
    Corrupt {
        file: PathBuf,
        offset: u64,
        batch_number: u64,
        damage: &'static str,
    },
    /// The batches before those in `file` are not there: a segment is missing.
    Gap {
        file: PathBuf,
        expected: u64,
        found: u64,
    },
    /// The log does not reach as far back, or as far on, as asked.
    NotInLog {
        wanted: u64,
        first_batch: u64,
        last_batch: u64,
    },
    /// A setting that no segment can be made with.
    SegmentSize {
        found: u64,
        min: u64,
    },
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

impl From<LockError> for OpenError {
    fn from(error: LockError) -> Self {
        Self::Locked(error)
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked(error) => write!(f, "{error}"),
            Self::DiskFull(error) => {
                write!(f, "{error}; nothing is lost: free some space and start again")
            }
            Self::Disk(error) => {
                write!(
                    f,
                    "{error}; the log cannot be opened until the folder and its files can be used"
                )
            }
            Self::ForeignFile { file } => write!(
                f,
                "{} is not a segment of the log, though it is named like one; move it elsewhere",
                file.display()
            ),
            Self::NewerFormat { file, found, supported } => write!(
                f,
                "{} has log format {found}, this version reads up to {supported}; \
                 start the newer version that wrote it",
                file.display()
            ),
            Self::Corrupt { file, offset, batch_number, damage } => write!(
                f,
                "{} is damaged at byte {offset}, batch {batch_number}: {damage}; nothing was changed: \
                 restore the file from a copy",
                file.display()
            ),
            Self::Gap { file, expected, found } => write!(
                f,
                "batches {expected} to {} are missing before {}; nothing was changed: \
                 put the missing segment back",
                found - 1,
                file.display()
            ),
            Self::NotInLog { wanted, first_batch, last_batch } => write!(
                f,
                "batch {wanted} is wanted, but the log holds {first_batch} to {last_batch}; \
                 the snapshot and the log do not belong together, or one of them is not complete"
            ),
            Self::SegmentSize { found, min } => {
                write!(f, "a segment of {found} bytes is too small; set at least {min}")
            }
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Locked(error) => Some(error),
            Self::DiskFull(error) | Self::Disk(error) => Some(error),
            Self::ForeignFile { .. }
            | Self::NewerFormat { .. }
            | Self::Corrupt { .. }
            | Self::Gap { .. }
            | Self::NotInLog { .. }
            | Self::SegmentSize { .. } => None,
        }
    }
}
