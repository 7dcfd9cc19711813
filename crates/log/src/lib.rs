//! The durable log: batches of commands in their order, snapshots beside it, recovery from both.
//!
//! A [`Log`] takes [`Batch`]es and gives them back as [`Committed`] once they can no longer be
//! lost. The venue changes its state only by what it reads back, never by what it handed over: so a
//! log that several machines share can stand behind the same trait as the [`FileLog`] of one
//! machine. What was committed before a start comes from a [`LogReader`], which names no file
//! either. Payloads are opaque bytes here. What a command is, is none of the log's business.
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

mod batch;
mod chain;
mod contract;
mod error;
#[cfg(test)]
mod fault;
mod file;
pub mod frame;
mod lock;
mod memory;
mod numbered;
mod options;
pub mod simulated;
pub mod snapshot;
mod sync;

pub use batch::{Batch, BatchHeader, Committed, LoggedBatch, Start};
pub use chain::ChainHash;
pub use contract::{BatchReader, Log, LogReader, Room};
pub use error::{LogError, OpenError};
pub use file::FileLog;
pub use file::damage::damages;
pub use file::hand_over::Held;
pub use file::recovery::{Reader, Recovered, SegmentFile, inspect, inspect_from, inspect_on};
pub use file::segment::sync_written;
pub use lock::{DataDirLock, LockError};
pub use memory::MemoryLog;
pub use options::{
    Durability, IN_FLIGHT_MAX_DEFAULT, LogWrite, OnWrite, Options, SEGMENT_SIZE_DEFAULT,
    SEGMENT_SIZE_MIN,
};
