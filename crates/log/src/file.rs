//! The log of one machine: a folder of segments, written by a thread of its own.
//!
//! The thread takes whatever has queued up, has it written with one call and synced with one call,
//! and only then lets it be polled. While it waits for the disk the next batches gather. A second
//! thread fills the next segment with zeros meanwhile.

mod check;
pub(crate) mod damage;
mod filler;
pub(crate) mod recovery;
pub(crate) mod segment;
mod shared;
pub(crate) mod writer;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use disk::{Disk, DiskError};

use crate::batch::{Batch, Committed};
use crate::contract::{Log, Room};
use crate::error::{LogError, OpenError};
use crate::file::filler::{FULL_RETRY, Filler};
use crate::file::recovery::Recovered;
use crate::file::shared::Shared;
use crate::file::writer::{GROUP_SIZE_MAX, Place, Writer};
use crate::frame::{self, PAYLOAD_SIZE_MAX};
use crate::lock::DataDirLock;
use crate::options::{Options, SEGMENT_SIZE_MIN};

/// How often an idle writer looks whether the next segment is filled.
const FILL_POLL: Duration = Duration::from_millis(2);

/// The log of one machine. Dropping it commits what has been appended, and waits for that.
#[derive(Debug)]
pub struct FileLog {
    /// Appended and not yet polled.
    in_flight: usize,
    in_flight_bytes: u64,
    in_flight_max: usize,
    /// `None` makes the writer finish.
    appended: Option<SyncSender<Batch>>,
    committed: Receiver<Committed>,
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
        let in_flight_max = options.in_flight_max.max(1);
        let (appended, appended_receiver) = sync_channel(in_flight_max);
        let (committed_sender, committed) = sync_channel(in_flight_max);
        let shared = Arc::new(Shared {
            failure: OnceLock::new(),
            bytes_left: AtomicU64::new(u64::MAX),
            trim_before: AtomicU64::new(0),
            trim_failure: Mutex::default(),
            is_closing: AtomicBool::new(false),
        });
        let dir = writer.dir.clone();
        let call_at_end = CallAtEnd(Arc::clone(&options.on_commit));
        let at_begin = options.at_begin;
        let filler = Filler::start(Arc::clone(&shared))
            .map_err(DiskError::at("starting the thread that fills", &dir))?;
        let thread = WriterThread {
            writer,
            filler,
            appended: appended_receiver,
            committed: committed_sender,
            on_commit: options.on_commit,
            shared: Arc::clone(&shared),
        };
        let thread = std::thread::Builder::new()
            .name("log-writer".into())
            .spawn(move || {
                // Dropped last: the call then finds the queue closed.
                let _call_at_end = call_at_end;
                at_begin();
                thread.run();
            })
            .map_err(DiskError::at("starting the writer thread of", &dir))?;
        Ok(Self {
            in_flight: 0,
            in_flight_bytes: 0,
            in_flight_max,
            appended: Some(appended),
            committed,
            shared,
            thread: Some(thread),
            _lock: lock,
        })
    }

    fn failure(&self) -> LogError {
        self.shared.failure.get().cloned().unwrap_or(LogError::WriterDied)
    }

    fn finish(&mut self) -> Result<(), LogError> {
        self.shared.is_closing.store(true, Ordering::Relaxed);
        self.appended = None;
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
        if let Some(failure) = self.shared.failure.get() {
            return Err(failure.clone());
        }
        let size = batch.payload.len();
        if size > PAYLOAD_SIZE_MAX {
            return Err(LogError::TooLarge { size, max: PAYLOAD_SIZE_MAX });
        }
        if !self.ready() {
            return Err(LogError::Busy { in_flight: self.in_flight });
        }
        let appended = self.appended.as_ref().expect("only closing takes it");
        appended.try_send(batch).map_err(|_| self.failure())?;
        self.in_flight += 1;
        self.in_flight_bytes += frame::size(size) as u64;
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Committed>, LogError> {
        let committed = match self.committed.try_recv() {
            Ok(committed) => committed,
            Err(TryRecvError::Empty) => return Ok(None),
            Err(TryRecvError::Disconnected) => return Err(self.failure()),
        };
        self.in_flight -= 1;
        self.in_flight_bytes -= frame::size(committed.batch.payload.len()) as u64;
        Ok(Some(committed))
    }

    fn ready(&self) -> bool {
        self.in_flight < self.in_flight_max
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

impl Drop for FileLog {
    fn drop(&mut self) {
        // A caller that needs to know of a failure calls `close`.
        let _ = self.finish();
    }
}

struct CallAtEnd(Arc<dyn Fn() + Send + Sync>);

impl Drop for CallAtEnd {
    fn drop(&mut self) {
        (self.0)();
    }
}

struct WriterThread {
    writer: Writer,
    filler: Filler,
    appended: Receiver<Batch>,
    committed: SyncSender<Committed>,
    on_commit: Arc<dyn Fn() + Send + Sync>,
    shared: Arc<Shared>,
}

impl WriterThread {
    /// At the end the queues are closed in the order last to first: a caller that finds nothing
    /// more to poll cannot append any more either.
    fn run(mut self) {
        if let Err(failure) = self.serve() {
            self.shared.failure.set(failure).expect("the writer fails once");
        }
        drop(self.appended);
    }

    fn serve(&mut self) -> Result<(), LogError> {
        // A log that was opened is replayed, and then written to: nothing is filled before that,
        // since it would take processor and disk from the replay.
        let mut next = self.appended.recv().ok();
        while let Some(batch) = next {
            self.place(batch)?;
            while self.writer.group_size() < GROUP_SIZE_MAX
                && let Ok(batch) = self.appended.try_recv()
            {
                self.place(batch)?;
            }
            self.commit()?;
            self.fill_ahead()?;
            self.trim();
            next = self.wait()?;
        }
        self.writer.sync()?;
        self.trim();
        Ok(())
    }

    /// The next batch; `None` when there will be no more.
    fn wait(&mut self) -> Result<Option<Batch>, LogError> {
        loop {
            self.fill_ahead()?;
            if !self.filler.is_busy && !self.writer.is_full() {
                return Ok(self.appended.recv().ok());
            }
            let pause = if self.filler.is_busy { FILL_POLL } else { FULL_RETRY };
            match self.appended.recv_timeout(pause) {
                Ok(batch) => return Ok(Some(batch)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// Adds a batch to the group. What is before it is committed first where it needs another
    /// segment; where the disk is full, it waits until there is room.
    fn place(&mut self, batch: Batch) -> Result<(), LogError> {
        let frame_size = frame::size(batch.payload.len());
        loop {
            match self.writer.make_room(frame_size) {
                Ok(Place::Found) => break,
                Ok(Place::AfterCommit) => self.commit()?,
                Ok(Place::AfterReturn) => {
                    self.filler.take_back(&mut self.writer)?;
                }
                Err(LogError::DiskFull(error)) => {
                    self.publish_room();
                    self.wait_for_room(error)?;
                }
                Err(error) => return Err(error),
            }
        }
        self.publish_room();
        self.writer.place(batch);
        Ok(())
    }

    /// Gives the operator time to make room, unless the log is being closed.
    fn wait_for_room(&mut self, error: DiskError) -> Result<(), LogError> {
        let until = Instant::now() + FULL_RETRY;
        while Instant::now() < until {
            if self.shared.is_closing.load(Ordering::Relaxed) {
                return Err(error.into());
            }
            std::thread::sleep(FULL_RETRY / 20);
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), LogError> {
        if self.writer.group_size() == 0 {
            return Ok(());
        }
        for batch in self.writer.commit()? {
            // No caller polls any more while the log is being closed.
            let _ = self.committed.try_send(batch);
        }
        self.publish_room();
        (self.on_commit)();
        Ok(())
    }

    /// Has the next segment filled, unless the disk was full a moment ago.
    fn fill_ahead(&mut self) -> Result<(), LogError> {
        self.filler.look(&mut self.writer)?;
        self.publish_room();
        Ok(())
    }

    fn publish_room(&self) {
        let bytes_left = match self.writer.room() {
            Room::Enough => u64::MAX,
            Room::Left(bytes) => bytes,
        };
        let before = self.shared.bytes_left.swap(bytes_left, Ordering::Relaxed);
        if (before == u64::MAX) != (bytes_left == u64::MAX) {
            (self.on_commit)();
        }
    }

    fn trim(&mut self) {
        let before_batch = self.shared.trim_before.load(Ordering::Relaxed);
        if let Err(error) = self.writer.trim(before_batch) {
            let failure = &self.shared.trim_failure;
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }
}
