//! The data folder: its size, the free space of its disk, and the writes of the log.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use log::LogWrite;

use crate::metrics::buckets::Buckets;
use crate::metrics::exposition::{Exposition, MetricSource};

/// From the time of a fast disk to that of a stalled one, in nanoseconds.
const SYNC_NS: [u64; 13] = [
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    50_000_000,
    100_000_000,
    500_000_000,
    1_000_000_000,
];
/// The segment that is filled with zeros ahead of the log.
const NEXT_SEGMENT_NAME: &str = "next.segment";

/// The log writer counts; a scrape reads the sizes from the folder.
#[derive(Debug)]
pub(crate) struct DiskUse {
    folder: OnceLock<Folder>,
    sync: Buckets<{ SYNC_NS.len() }>,
    written_bytes: AtomicU64,
    oldest_sequence: AtomicU64,
}

#[derive(Debug)]
struct Folder {
    data_dir: PathBuf,
    segment_size: u64,
}

impl Default for DiskUse {
    fn default() -> Self {
        Self {
            folder: OnceLock::new(),
            sync: Buckets::of_times(&SYNC_NS),
            written_bytes: AtomicU64::new(0),
            oldest_sequence: AtomicU64::new(1),
        }
    }
}

impl DiskUse {
    pub(crate) fn begin(&self, data_dir: &Path, segment_size: u64) {
        let folder = Folder { data_dir: data_dir.to_path_buf(), segment_size };
        self.folder.set(folder).expect("a venue has one folder");
    }

    /// The log wrote a group of batches.
    pub(crate) fn written(&self, written: LogWrite) {
        self.written_bytes.fetch_add(written.bytes, Ordering::Relaxed);
        if let Some(sync) = written.sync {
            self.sync.observe_time(sync);
        }
    }

    /// The log has every command from this one on.
    pub(crate) fn log_begins(&self, sequence: u64) {
        self.oldest_sequence.store(sequence, Ordering::Relaxed);
    }
}

impl MetricSource for DiskUse {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let help = "Time that fdatasync of the log took";
        out.histogram("fdatasync_seconds", help, &self.sync)?;
        let written = self.written_bytes.load(Ordering::Relaxed);
        out.counter("log_written_bytes", "Bytes of commands written to the log", written)?;
        let oldest = self.oldest_sequence.load(Ordering::Relaxed);
        out.gauge("log_oldest_sequence", "The log has every command from this one on", oldest)?;
        let Some(Folder { data_dir, segment_size }) = self.folder.get() else { return Ok(()) };
        let log = data_dir.join("log");
        out.gauge("log_bytes", "Size of the log's folder, its reserve included", size(&log))?;
        let help = "Bytes that the log can still take when its disk is full: the next segment";
        let reserve = fs::metadata(log.join(NEXT_SEGMENT_NAME)).map_or(0, |file| file.len());
        out.gauge("log_reserve_bytes", help, reserve.min(*segment_size))?;
        out.gauge("spool_bytes", "Size of the event spool", size(&data_dir.join("spool")))?;
        let free = disk::free_bytes(data_dir);
        let free = free.ok().map(|free| ([("path", "data")], free));
        out.gauges("disk_free_bytes", "Free space on the disk of the data folder", free)
    }
}

/// A file may go while the folder is read.
fn size(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .filter_map(|file| file.metadata().ok())
        .filter(|file| file.is_file())
        .map(|f| f.len())
        .sum()
}
