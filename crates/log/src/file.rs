//! The log of one machine: a folder of segments, written by a thread of its own.
//!
//! The writer takes whatever has queued up, writes it with one call, syncs it with one call, and
//! only then lets it be polled. While it waits for the disk the next batches gather.
//!
//! Zeros are written ahead of the frames, by real writes: `fdatasync` of a file that neither grows
//! nor gets new blocks has no metadata to write. They are written in slices while nothing is to be
//! committed, or between two commits when there is no such while.

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::disk::{Disk, DiskError, DiskFile};
use crate::frame::{self, ChainHash, Link, PAYLOAD_SIZE_MAX};
use crate::recovery::{Recovered, inspect};
use crate::segment::{Segment, SegmentHeader};
use crate::{Batch, Committed, DataDirLock, Log, LogError, OpenError};

pub const SEGMENT_SIZE_DEFAULT: u64 = 64 << 20;
pub const SEGMENT_SIZE_MIN: u64 = 4 << 10;
pub const IN_FLIGHT_MAX_DEFAULT: usize = 64;

/// What is written with one call stays below this and one frame.
const GROUP_SIZE_MAX: usize = 1 << 20;
/// How much is filled with zeros between two looks at the queue.
const FILL_SLICE_SIZE: u64 = 256 << 10;
static ZEROS: [u8; FILL_SLICE_SIZE as usize] = [0; FILL_SLICE_SIZE as usize];
/// Nothing to commit for so long means a good time for filling. Longer than the pause of a client
/// that sends its next order when the last one is answered.
const FILL_AFTER_IDLE: Duration = Duration::from_millis(2);
/// Where the next segment is filled with zeros until it gets its name.
const NEXT_SEGMENT_NAME: &str = "next.segment";

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

#[derive(Clone)]
pub struct Options {
    pub durability: Durability,
    /// At least [`SEGMENT_SIZE_MIN`]; a batch that is larger gets a larger segment of its own.
    pub segment_size: u64,
    /// How many batches may be appended and not yet polled.
    pub in_flight_max: usize,
    pub start: Start,
    /// Called by the writer thread when there is something new to poll, a failure included. It
    /// should do no more than wake a thread.
    pub waker: Arc<dyn Fn() + Send + Sync>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::Fsync,
            segment_size: SEGMENT_SIZE_DEFAULT,
            in_flight_max: IN_FLIGHT_MAX_DEFAULT,
            start: Start::default(),
            waker: Arc::new(|| {}),
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
            .finish_non_exhaustive()
    }
}

/// The log of one machine. Dropping it commits what has been appended, and waits for that.
#[derive(Debug)]
pub struct FileLog {
    next_batch: u64,
    /// Appended and not yet polled.
    in_flight: usize,
    in_flight_max: usize,
    backend: Backend,
}

#[derive(Debug)]
enum Backend {
    Memory { last_hash: ChainHash, frame: Vec<u8>, committed: VecDeque<Committed> },
    Disk(WriterThread),
}

/// This side of the writer. Both queues have room for all that may be in flight, so that neither
/// side ever waits for room.
#[derive(Debug)]
struct WriterThread {
    /// `None` tells the writer to finish.
    appended: Option<SyncSender<Batch>>,
    committed: Receiver<Committed>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    _lock: DataDirLock,
}

#[derive(Debug, Default)]
struct Shared {
    failure: OnceLock<LogError>,
    trim_before: AtomicU64,
    trim_failure: Mutex<Option<LogError>>,
}

impl FileLog {
    /// Opens the log in a folder of its own, or begins one, and tells what it holds. The folder
    /// stays locked as long as the log is open.
    pub fn open(dir: &Path, options: Options) -> Result<(Self, Recovered), OpenError> {
        Self::open_on(Disk::default(), dir, options)
    }

    /// Commits what has been appended and waits for that. Dropping does the same, silently.
    pub fn close(mut self) -> Result<(), LogError> {
        match &mut self.backend {
            Backend::Memory { .. } => Ok(()),
            Backend::Disk(writer) => writer.finish(),
        }
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
        let in_flight_max = options.in_flight_max.max(1);
        let (recovered, backend) = match options.durability {
            Durability::Memory => {
                let recovered = Recovered::begun(options.start, Vec::new());
                let last_hash = recovered.last_hash;
                let committed = VecDeque::with_capacity(in_flight_max);
                (recovered, Backend::Memory { last_hash, frame: Vec::new(), committed })
            }
            Durability::Fsync | Durability::Os => {
                let lock = DataDirLock::acquire(dir)?;
                let (writer, recovered) = Writer::open(disk, dir, &options)?;
                (recovered, Backend::Disk(WriterThread::start(writer, lock, in_flight_max)?))
            }
        };
        let next_batch = recovered.last_batch + 1;
        Ok((Self { next_batch, in_flight: 0, in_flight_max, backend }, recovered))
    }
}

impl Log for FileLog {
    fn append(&mut self, batch: Batch) -> Result<u64, LogError> {
        if let Backend::Disk(writer) = &self.backend
            && let Some(failure) = writer.shared.failure.get()
        {
            return Err(failure.clone());
        }
        if batch.payload.len() > PAYLOAD_SIZE_MAX {
            return Err(LogError::TooLarge { size: batch.payload.len(), max: PAYLOAD_SIZE_MAX });
        }
        if !self.ready() {
            return Err(LogError::Busy { in_flight: self.in_flight });
        }
        let batch_number = self.next_batch;
        match &mut self.backend {
            Backend::Memory { last_hash, frame, committed } => {
                let link = Link { batch_number, durable_batch: 0, previous_hash: *last_hash };
                frame.clear();
                *last_hash = frame::encode(frame, &batch, link);
                committed.push_back(Committed { batch_number, hash: *last_hash, batch });
            }
            Backend::Disk(writer) => writer.append(batch)?,
        }
        self.next_batch += 1;
        self.in_flight += 1;
        Ok(batch_number)
    }

    fn poll(&mut self) -> Result<Option<Committed>, LogError> {
        let committed = match &mut self.backend {
            Backend::Memory { committed, .. } => committed.pop_front(),
            Backend::Disk(writer) => match writer.committed.try_recv() {
                Ok(committed) => Some(committed),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => return Err(writer.failure()),
            },
        };
        self.in_flight -= usize::from(committed.is_some());
        Ok(committed)
    }

    fn ready(&self) -> bool {
        self.in_flight < self.in_flight_max
    }

    /// Segments go after the next commit, or when the log is closed.
    fn trim(&mut self, before_batch: u64) -> Result<(), LogError> {
        let Backend::Disk(writer) = &self.backend else { return Ok(()) };
        writer.shared.trim_before.fetch_max(before_batch, Ordering::Relaxed);
        let mut failure = writer.shared.trim_failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take().map_or(Ok(()), Err)
    }
}

impl WriterThread {
    fn start(writer: Writer, lock: DataDirLock, in_flight_max: usize) -> Result<Self, OpenError> {
        let (appended, appended_receiver) = sync_channel(in_flight_max);
        let (committed_sender, committed) = sync_channel(in_flight_max);
        let shared = Arc::clone(&writer.shared);
        let dir = writer.dir.clone();
        let wake_at_end = WakeAtEnd(Arc::clone(&writer.waker));
        let thread = std::thread::Builder::new()
            .name("log-writer".into())
            .spawn(move || {
                // Dropped last: who is woken finds the queue closed.
                let _wake_at_end = wake_at_end;
                writer.run(committed_sender, appended_receiver);
            })
            .map_err(DiskError::at("starting the writer thread of", &dir))?;
        Ok(Self { appended: Some(appended), committed, shared, thread: Some(thread), _lock: lock })
    }

    fn append(&self, batch: Batch) -> Result<(), LogError> {
        let appended = self.appended.as_ref().expect("only closing takes it");
        appended.try_send(batch).map_err(|_| self.failure())
    }

    fn failure(&self) -> LogError {
        self.shared.failure.get().cloned().unwrap_or(LogError::WriterDied)
    }

    fn finish(&mut self) -> Result<(), LogError> {
        self.appended = None;
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let ended = thread.join();
        match self.shared.failure.get() {
            Some(failure) => Err(failure.clone()),
            None => ended.map_err(|_| LogError::WriterDied),
        }
    }
}

impl Drop for WriterThread {
    fn drop(&mut self) {
        // Whoever wants to know of a failure calls `close`.
        let _ = self.finish();
    }
}

struct WakeAtEnd(Arc<dyn Fn() + Send + Sync>);

impl Drop for WakeAtEnd {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// The writer thread's state.
struct Writer {
    disk: Disk,
    dir: PathBuf,
    durability: Durability,
    segment_size: u64,
    waker: Arc<dyn Fn() + Send + Sync>,
    shared: Arc<Shared>,

    /// All there are, oldest first; the last one is being written.
    segments: VecDeque<Segment>,
    active: Filled,
    /// Where the next frame goes in the active segment.
    offset: u64,
    next: Option<Filled>,
    /// Filling ahead has failed. It is tried once more when the segment is needed.
    next_failed: bool,

    last_batch: u64,
    last_hash: ChainHash,
    durable_batch: u64,
    /// Frames that are not yet written, and the batches in them.
    group: Vec<u8>,
    group_batches: Vec<Committed>,
}

/// A file with zeros ahead.
struct Filled {
    file: DiskFile,
    /// From here on nothing has been written yet.
    end: u64,
}

impl Writer {
    fn open(disk: Disk, dir: &Path, options: &Options) -> Result<(Self, Recovered), OpenError> {
        let mut recovered = inspect(dir)?;
        let active = match (recovered.segments.last(), recovered.tail) {
            (Some(segment), Some(tail)) => {
                let file = File::options()
                    .read(true)
                    .write(true)
                    .open(&segment.path)
                    .map_err(DiskError::at("opening", &segment.path))?;
                let file = DiskFile { file, path: segment.path.clone() };
                let mut tail_filled = Filled { file, end: tail.offset };
                let dropped_end = tail.offset + recovered.bytes_dropped;
                while tail_filled.end < dropped_end {
                    tail_filled.fill(&disk, dropped_end)?;
                }
                // A crashed process may have left behind frames that are not on stable storage.
                disk.sync(&tail_filled.file)?;
                disk.sync_dir(dir)?;
                Filled { end: tail.file_size, ..tail_filled }
            }
            _ => {
                let mut next = Filled::create(&disk, dir)?;
                next.fill(&disk, options.segment_size)?;
                let segment = Segment::new(dir, options.start.last_batch + 1);
                next.publish(&disk, dir, &segment, options.start.last_hash)?;
                recovered = Recovered::begun(options.start, vec![segment]);
                next
            }
        };
        let writer = Self {
            disk,
            dir: dir.to_path_buf(),
            durability: options.durability,
            segment_size: options.segment_size,
            waker: Arc::clone(&options.waker),
            shared: Arc::default(),
            segments: recovered.segments.iter().cloned().collect(),
            active,
            offset: recovered.tail.map_or(SegmentHeader::SIZE, |tail| tail.offset),
            next: None,
            next_failed: false,
            last_batch: recovered.last_batch,
            last_hash: recovered.last_hash,
            durable_batch: recovered.last_batch,
            group: Vec::new(),
            group_batches: Vec::new(),
        };
        Ok((writer, recovered))
    }

    /// At the end the queues are closed in the order last to first: who finds nothing more to poll
    /// cannot append any more either.
    fn run(mut self, committed: SyncSender<Committed>, appended: Receiver<Batch>) {
        if let Err(failure) = self.serve(&appended, &committed) {
            self.shared.failure.set(failure).expect("the writer fails once");
        }
    }

    fn serve(
        &mut self,
        appended: &Receiver<Batch>,
        committed: &SyncSender<Committed>,
    ) -> Result<(), LogError> {
        while let Some(batch) = self.wait(appended)? {
            self.place(batch, committed)?;
            while self.group.len() < GROUP_SIZE_MAX
                && let Ok(batch) = appended.try_recv()
            {
                self.place(batch, committed)?;
            }
            self.commit(committed)?;
            while self.lags() {
                self.fill_ahead()?;
            }
            self.trim();
        }
        self.disk.sync(&self.active.file)?;
        self.trim();
        Ok(())
    }

    /// The next batch; `None` when there will be no more. Fills zeros ahead in the meantime.
    fn wait(&mut self, appended: &Receiver<Batch>) -> Result<Option<Batch>, LogError> {
        while !self.is_filled() {
            match appended.recv_timeout(FILL_AFTER_IDLE) {
                Ok(batch) => return Ok(Some(batch)),
                Err(RecvTimeoutError::Timeout) => self.fill_ahead()?,
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
        Ok(appended.recv().ok())
    }

    /// Adds a batch to the group. A segment that it does not fit in is brought to its end first.
    fn place(&mut self, batch: Batch, committed: &SyncSender<Committed>) -> Result<(), LogError> {
        let offset = self.offset + self.group.len() as u64;
        let end = offset + frame::size(batch.payload.len()) as u64;
        if end > self.segment_size && offset > SegmentHeader::SIZE {
            self.commit(committed)?;
            self.rotate()?;
        }
        let batch_number = self.last_batch + 1;
        let link =
            Link { batch_number, durable_batch: self.durable_batch, previous_hash: self.last_hash };
        let hash = frame::encode(&mut self.group, &batch, link);
        self.group_batches.push(Committed { batch_number, hash, batch });
        self.last_batch = batch_number;
        self.last_hash = hash;
        Ok(())
    }

    /// One write, one sync, and the batches of the group can be polled.
    fn commit(&mut self, committed: &SyncSender<Committed>) -> Result<(), LogError> {
        if self.group.is_empty() {
            return Ok(());
        }
        self.disk.write(&self.active.file, self.offset, &self.group)?;
        if self.durability == Durability::Fsync {
            self.disk.sync(&self.active.file)?;
            self.durable_batch = self.last_batch;
        }
        self.offset += self.group.len() as u64;
        self.active.end = self.active.end.max(self.offset);
        self.group.clear();
        self.group.shrink_to(2 * GROUP_SIZE_MAX);
        for batch in self.group_batches.drain(..) {
            // Nobody polls any more while the log is being closed.
            let _ = committed.try_send(batch);
        }
        (self.waker)();
        Ok(())
    }

    fn rotate(&mut self) -> Result<(), LogError> {
        if self.durability != Durability::Fsync {
            self.disk.sync(&self.active.file)?;
            self.durable_batch = self.last_batch;
        }
        let mut next = match self.next.take() {
            Some(next) => next,
            None => Filled::create(&self.disk, &self.dir)?,
        };
        while next.end < self.segment_size {
            next.fill(&self.disk, self.segment_size)?;
        }
        let segment = Segment::new(&self.dir, self.last_batch + 1);
        next.publish(&self.disk, &self.dir, &segment, self.last_hash)?;
        self.segments.push_back(segment);
        self.active = next;
        self.offset = SegmentHeader::SIZE;
        self.next_failed = false;
        Ok(())
    }

    /// Whether more has been used up than was filled ahead, as happens under a load without pauses.
    fn lags(&self) -> bool {
        if self.active.end < self.segment_size {
            return self.active.end < self.offset + FILL_SLICE_SIZE;
        }
        !self.is_filled() && self.next_end() < self.offset
    }

    fn is_filled(&self) -> bool {
        let next_filled = self.next_failed || self.next_end() >= self.segment_size;
        next_filled && self.active.end >= self.segment_size
    }

    fn next_end(&self) -> u64 {
        self.next.as_ref().map_or(0, |next| next.end)
    }

    /// Fills one slice with zeros, in the active segment first, then in the next one.
    fn fill_ahead(&mut self) -> Result<(), LogError> {
        if self.active.end < self.segment_size {
            self.active.fill(&self.disk, self.segment_size)?;
            if self.durability == Durability::Fsync {
                self.disk.sync(&self.active.file)?;
            }
            return Ok(());
        }
        if self.fill_next().is_err() {
            // Frames still fit in the active segment. What was filled is given back to the disk.
            self.next = None;
            self.next_failed = true;
            let _ = self.disk.remove(&self.dir.join(NEXT_SEGMENT_NAME));
        }
        Ok(())
    }

    fn fill_next(&mut self) -> Result<(), DiskError> {
        if self.next.is_none() {
            self.next = Some(Filled::create(&self.disk, &self.dir)?);
        }
        let next = self.next.as_mut().expect("created above");
        next.fill(&self.disk, self.segment_size)?;
        if self.durability == Durability::Fsync {
            self.disk.sync(&next.file)?;
        }
        Ok(())
    }

    /// Removes the segments that hold nothing but batches that may be forgotten, oldest first, so
    /// that there is no gap at any time.
    fn trim(&mut self) {
        let before_batch = self.shared.trim_before.load(Ordering::Relaxed);
        while let Some(second) = self.segments.get(1)
            && second.first_batch <= before_batch
        {
            let removed = self.disk.remove(&self.segments[0].path);
            if let Err(error) = removed.and_then(|()| self.disk.sync_dir(&self.dir)) {
                let mut failure =
                    self.shared.trim_failure.lock().unwrap_or_else(PoisonError::into_inner);
                *failure = Some(error.into());
                return;
            }
            self.segments.pop_front();
        }
    }
}

impl Filled {
    fn create(disk: &Disk, dir: &Path) -> Result<Self, DiskError> {
        Ok(Self { file: disk.create(&dir.join(NEXT_SEGMENT_NAME))?, end: 0 })
    }

    /// Writes one slice of zeros, at most up to `limit`.
    fn fill(&mut self, disk: &Disk, limit: u64) -> Result<(), DiskError> {
        let size = limit.saturating_sub(self.end).min(FILL_SLICE_SIZE);
        disk.write(&self.file, self.end, &ZEROS[..size as usize])?;
        self.end += size;
        Ok(())
    }

    /// Makes it the segment that begins with this batch.
    fn publish(
        &mut self,
        disk: &Disk,
        dir: &Path,
        segment: &Segment,
        previous_hash: ChainHash,
    ) -> Result<(), DiskError> {
        disk.write(&self.file, 0, &SegmentHeader::encode(segment.first_batch, previous_hash))?;
        disk.sync(&self.file)?;
        disk.rename(&mut self.file, segment.path.clone())?;
        disk.sync_dir(dir)
    }
}
