//! The durable log: batches of commands in their order, snapshots beside it, recovery from both.
//!
//! A [`Log`] takes [`Batch`]es and gives them back as [`Committed`] once they can no longer be lost.
//! The venue changes its state only by what it reads back, never by what it handed over: so a log
//! that several machines share can stand behind the same trait as the [`FileLog`] of one machine.
//! Payloads are opaque bytes here. What a command is, is none of the log's business.
//!
//! # Invariants
//! - Batch numbers start at 1 and are consecutive; each frame names the hash of the one before it.
//! - With [`Durability::Fsync`] a batch is polled only after `fdatasync` has returned for it.
//! - Opening changes nothing on disk until the whole log has been read and found sound.
//! - After a failed write or sync nothing more is written: a retry could acknowledge what the
//!   kernel has already thrown away.
//!
//! # Known limits
//! Opening reads every segment that has not been trimmed, and replay reads them once more. The disk
//! is trusted to leave the other bytes of a sector alone when a write to it is torn. Damage to the
//! frames of the last write looks like a torn one, and is cut off as such.

mod check;
mod damage;
mod disk;
#[cfg(test)]
mod fault;
mod file;
mod filler;
pub mod frame;
mod lock;
mod memory;
mod recovery;
mod segment;
pub mod simulated;
pub mod snapshot;
mod writer;

use std::fmt;

pub use damage::damages;
pub use disk::{Access, Disk, DiskError, FileSystem, StoredFile};
pub use file::{
    Durability, FileLog, IN_FLIGHT_MAX_DEFAULT, Options, SEGMENT_SIZE_DEFAULT, SEGMENT_SIZE_MIN,
};
pub use frame::ChainHash;
pub use lock::{DataDirLock, LockError};
pub use memory::MemoryLog;
pub use recovery::{OpenError, Reader, Recovered, SegmentFile, inspect, inspect_on};
pub use segment::sync_written;

/// What the sequencer hands over for one commit.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Batch {
    /// The term of the primary that packed this batch. Readers skip those of an older one.
    pub epoch: u64,
    /// The time that all commands of this batch are applied at.
    pub sequenced_ns: u64,
    /// The rules of the engine under which the commands are to be applied, now and at any replay.
    pub rules_version: u16,
    pub command_count: u32,
    /// At most [`frame::PAYLOAD_SIZE_MAX`] bytes.
    pub payload: Vec<u8>,
}

/// A batch that is in the log for good.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Committed {
    pub batch_number: u64,
    /// The hash of the chain up to and with this batch: a snapshot taken here carries it.
    pub hash: ChainHash,
    /// The file log gives back the very `payload` it was handed, so that a caller who clears and
    /// refills it allocates nothing.
    pub batch: Batch,
}

/// What comes before the first batch of a log that is begun in an empty folder: nothing, or what a
/// snapshot from elsewhere holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Start {
    pub last_batch: u64,
    pub last_hash: ChainHash,
}

impl Default for Start {
    fn default() -> Self {
        Self { last_batch: 0, last_hash: ChainHash::GENESIS }
    }
}

/// Where the next batches find their place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Room {
    Enough,
    /// The disk is full. A frame of this many bytes is sure to find its place in what is kept ready,
    /// a larger one waits until there is room again.
    Left(u64),
}

/// An ordered, durable sequence of batches. It never blocks its caller. Several may write to a log
/// that several machines share: each reads what all have written, in the one order that counts.
pub trait Log: fmt::Debug {
    /// Hands a batch over for commit. Several may be under way, as long as [`Log::ready`] says so;
    /// they are committed in the order given, and none twice.
    fn append(&mut self, batch: Batch) -> Result<(), LogError>;

    /// The next committed batch, in order; `None` when there is none yet. What had been committed
    /// when the log failed is still given out, and after it the failure, for ever.
    fn poll(&mut self) -> Result<Option<Committed>, LogError>;

    /// Whether [`Log::append`] would take a batch now.
    fn ready(&self) -> bool;

    /// Whether a batch that is appended now can be committed soon.
    fn room(&self) -> Room;

    /// Allows the log to forget the batches before this one, because a snapshot holds their outcome.
    /// They go in the background, in whole segments; when that failed, the next call says so.
    fn trim(&mut self, before_batch: u64) -> Result<(), LogError>;
}

/// Why a log did not do as asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LogError {
    /// As many batches are under way as the log takes; nothing was appended. See [`Log::ready`].
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

impl<L: Log + ?Sized> Log for Box<L> {
    fn append(&mut self, batch: Batch) -> Result<(), LogError> {
        (**self).append(batch)
    }

    fn poll(&mut self) -> Result<Option<Committed>, LogError> {
        (**self).poll()
    }

    fn ready(&self) -> bool {
        (**self).ready()
    }

    fn room(&self) -> Room {
        (**self).room()
    }

    fn trim(&mut self, before_batch: u64) -> Result<(), LogError> {
        (**self).trim(before_batch)
    }
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
