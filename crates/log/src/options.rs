//! How a log is to be opened.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::batch::Start;

pub const SEGMENT_SIZE_DEFAULT: u64 = 64 << 20;
pub const SEGMENT_SIZE_MIN: u64 = 4 << 10;
pub const IN_FLIGHT_MAX_DEFAULT: usize = 64;

/// What a batch that has been polled survives.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Durability {
    /// Loss of power: it is on stable storage.
    #[default]
    Fsync,
    /// The end of this process, but not of the machine: the operating system has it.
    Os,
    /// Nothing: no file is made, and the log is gone with the process.
    Memory,
}

/// A write of batches to the log.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LogWrite {
    pub bytes: u64,
    /// How long the disk took to make them durable; `None` where the log does not wait for that.
    pub sync: Option<Duration>,
}

/// Called after each write.
#[derive(Clone)]
pub struct OnWrite(Arc<dyn Fn(LogWrite) + Send + Sync>);

impl OnWrite {
    pub fn new(call: impl Fn(LogWrite) + Send + Sync + 'static) -> Self {
        Self(Arc::new(call))
    }

    pub(crate) fn call(&self, write: LogWrite) {
        (self.0)(write);
    }
}

impl Default for OnWrite {
    fn default() -> Self {
        Self::new(|_| {})
    }
}

impl fmt::Debug for OnWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnWrite")
    }
}

#[derive(Clone)]
pub struct Options {
    pub durability: Durability,
    /// At least [`SEGMENT_SIZE_MIN`]; a batch that is larger gets a larger segment of its own.
    pub segment_size: u64,
    /// How many batches may be appended and not yet polled.
    pub in_flight_max: usize,
    pub start: Start,
    /// The batch of the newest snapshot, which this log was seen to hold; 0 if there is none. A log
    /// that ends before it has lost acknowledged batches, and is refused as it is.
    pub snapshot_batch: u64,
    /// Where segments go when they are trimmed; `None` deletes them. It must be on the file system
    /// of the log.
    pub archive_dir: Option<PathBuf>,
    /// Called by the thread that commits, after each commit, and after whatever else there is to
    /// poll: a failure, or a change of the room on the disk. The venue runs its engine in it. The
    /// next batch is not written before it returns, so it should be soon done.
    pub on_commit: Arc<dyn Fn() + Send + Sync>,
    /// Called after each write of batches, by the thread that writes them.
    pub on_write: OnWrite,
    /// Called by the writer thread before anything else.
    pub at_begin: Arc<dyn Fn() + Send + Sync>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::Fsync,
            segment_size: SEGMENT_SIZE_DEFAULT,
            in_flight_max: IN_FLIGHT_MAX_DEFAULT,
            start: Start::default(),
            snapshot_batch: 0,
            archive_dir: None,
            on_commit: Arc::new(|| {}),
            on_write: OnWrite::default(),
            at_begin: Arc::new(|| {}),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("durability", &self.durability)
            .field("segment_size", &self.segment_size)
            .field("in_flight_max", &self.in_flight_max)
            .field("start", &self.start)
            .field("snapshot_batch", &self.snapshot_batch)
            .field("archive_dir", &self.archive_dir)
            .finish_non_exhaustive()
    }
}
