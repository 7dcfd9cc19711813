//! The log of one machine: a folder of segments, written by a thread of its own.
//!
//! The thread takes whatever has queued up, has it written with one call and synced with one call,
//! and only then lets it be polled. While it waits for the disk the next batches gather. A second
//! thread fills the next segment with zeros meanwhile.

mod check;
pub(crate) mod damage;
pub(crate) mod filler;
pub(crate) mod hand_over;
pub(crate) mod recovery;
pub(crate) mod segment;
mod shared;
pub(crate) mod writer;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;

use disk::{Disk, DiskError};

use crate::batch::{Batch, Committed};
use crate::contract::{Log, Room};
use crate::error::{LogError, OpenError};
use crate::file::filler::Filler;
use crate::file::hand_over::{Caller, Held, hand_over};
use crate::file::recovery::Recovered;
use crate::file::shared::Shared;
use crate::file::writer::Writer;
use crate::frame::{self, PAYLOAD_SIZE_MAX};
use crate::lock::DataDirLock;
use crate::options::{Options, SEGMENT_SIZE_MIN};

/// The log of one machine. Dropping it commits what has been appended, and waits for that.
#[derive(Debug)]
pub struct FileLog {
    caller: Caller,
    /// Of the frames that were appended and not yet polled.
    in_flight_bytes: u64,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    _lock: DataDirLock,
}

impl FileLog {
    /// Opens the log in a folder of its own, or begins one, and returns what it holds. The folder
    /// stays locked as long as the log is open.
    pub fn open(dir: &Path, options: Options) -> Result<(Self, Recovered), OpenError> {
        Self::open_on(Disk::default(), dir, options)
    }

    /// Commits what has been appended and waits for that. Dropping does the same, silently.
    pub fn close(mut self) -> Result<(), LogError> {
        self.finish()
    }

    pub(crate) fn open_on(
        disk: Disk,
        dir: &Path,
        options: Options,
    ) -> Result<(Self, Recovered), OpenError> {
        if options.segment_size < SEGMENT_SIZE_MIN {
            return Err(OpenError::SegmentSize {
                found: options.segment_size,
                min: SEGMENT_SIZE_MIN,
            });
        }
        let lock = DataDirLock::acquire(dir)?;
        let (writer, recovered) = Writer::open(disk, dir, &options)?;
        Ok((Self::start(writer, lock, options)?, recovered))
    }

    fn start(writer: Writer, lock: DataDirLock, options: Options) -> Result<Self, OpenError> {
        let shared = Arc::new(Shared::new());
        let dir = writer.dir.clone();
        let at_begin = options.at_begin;
        let filler = Filler::start(Arc::clone(&shared))
            .map_err(DiskError::at("starting the thread that fills", &dir))?;
        let (caller, thread) =
            hand_over(options.in_flight_max, (writer, filler), &shared, options.on_commit);
        let thread = std::thread::Builder::new()
            .name("log-writer".into())
            .spawn(move || {
                at_begin();
                thread.run();
            })
            .map_err(DiskError::at("starting the writer thread of", &dir))?;
        Ok(Self { caller, in_flight_bytes: 0, shared, thread: Some(thread), _lock: lock })
    }

    fn finish(&mut self) -> Result<(), LogError> {
        self.caller.close();
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let ended = thread.join();
        match self.shared.failure.get() {
            Some(failure) => Err(failure.clone()),
            None => ended.map_err(|_| LogError::WriterDied),
        }
    }
}

impl Log for FileLog {
    fn append(&mut self, batch: Batch) -> Result<(), LogError> {
        let size = frame_size(&batch)?;
        self.caller.append(batch)?;
        self.in_flight_bytes += size;
        Ok(())
    }

    fn append_held(&mut self, batch: Batch) -> Result<Option<Held>, LogError> {
        let size = frame_size(&batch)?;
        let held = self.caller.append_held(batch)?;
        self.in_flight_bytes += size;
        Ok(held)
    }

    fn poll(&mut self) -> Result<Option<Committed>, LogError> {
        let committed = self.caller.poll()?;
        if let Some(committed) = &committed {
            self.in_flight_bytes -= frame::size(committed.batch.payload.len()) as u64;
        }
        Ok(committed)
    }

    fn ready(&self) -> bool {
        self.caller.ready()
    }

    fn room(&self) -> Room {
        match self.shared.bytes_left.load(Ordering::Relaxed) {
            u64::MAX => Room::Enough,
            bytes => Room::Left(bytes.saturating_sub(self.in_flight_bytes)),
        }
    }

    /// Segments go after the next commit, or when the log is closed.
    fn trim(&mut self, before_batch: u64) -> Result<(), LogError> {
        self.shared.trim_before.fetch_max(before_batch, Ordering::Relaxed);
        let mut failure = self.shared.trim_failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take().map_or(Ok(()), Err)
    }
}

fn frame_size(batch: &Batch) -> Result<u64, LogError> {
    let size = batch.payload.len();
    if size > PAYLOAD_SIZE_MAX {
        return Err(LogError::TooLarge { size, max: PAYLOAD_SIZE_MAX });
    }
    Ok(frame::size(size) as u64)
}

impl Drop for FileLog {
    fn drop(&mut self) {
        // A caller that needs to know of a failure calls `close`.
        let _ = self.finish();
    }
}
