//! The hand-over of batches: the caller's side, the thread that writes, and the queues in between.
//! `loom/` compiles this file with a model checker's locks, and a model of the writer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::batch::{Batch, Committed};
use crate::contract::Room;
use crate::error::LogError;
use crate::file::filler::{FULL_RETRY, Filler};
use crate::file::shared::Shared;
use crate::file::writer::{GROUP_SIZE_MAX, Place, Writer};
use crate::frame;
use crate::sync::{
    Ordering, PoisonError, Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel,
};

/// How often an idle writer looks whether the next segment is filled.
const FILL_POLL: Duration = Duration::from_millis(2);

/// What the caller of a log has of the queues.
#[derive(Debug)]
pub(crate) struct Caller {
    /// Appended and not yet polled.
    in_flight: usize,
    in_flight_max: usize,
    /// `None` makes the writer finish.
    appended: Option<SyncSender<Batch>>,
    committed: Receiver<Committed>,
    shared: Arc<Shared>,
}

/// What the thread has of them.
pub(crate) struct Queues {
    appended: Receiver<Batch>,
    committed: SyncSender<Committed>,
    shared: Arc<Shared>,
}

impl Caller {
    pub(crate) fn new(in_flight_max: usize, shared: &Arc<Shared>) -> (Self, Queues) {
        let in_flight_max = in_flight_max.max(1);
        let (appended, to_write) = sync_channel(in_flight_max);
        let (written, committed) = sync_channel(in_flight_max);
        let caller = Self {
            in_flight: 0,
            in_flight_max,
            appended: Some(appended),
            committed,
            shared: Arc::clone(shared),
        };
        (caller, Queues { appended: to_write, committed: written, shared: Arc::clone(shared) })
    }

    pub(crate) fn append(&mut self, batch: Batch) -> Result<(), LogError> {
        if let Some(failure) = self.shared.failure.get() {
            return Err(failure.clone());
        }
        if !self.ready() {
            return Err(LogError::Busy { in_flight: self.in_flight });
        }
        let appended = self.appended.as_ref().expect("only closing takes it");
        appended.try_send(batch).map_err(|_| self.failure())?;
        self.in_flight += 1;
        Ok(())
    }

    pub(crate) fn poll(&mut self) -> Result<Option<Committed>, LogError> {
        let committed = match self.committed.try_recv() {
            Ok(committed) => committed,
            Err(TryRecvError::Empty) => return Ok(None),
            Err(TryRecvError::Disconnected) => return Err(self.failure()),
        };
        self.in_flight -= 1;
        Ok(Some(committed))
    }

    pub(crate) fn ready(&self) -> bool {
        self.in_flight < self.in_flight_max
    }

    /// The writer commits what was appended, and ends.
    pub(crate) fn close(&mut self) {
        self.shared.is_closing.store(true, Ordering::Relaxed);
        self.appended = None;
    }

    fn failure(&self) -> LogError {
        self.shared.failure.get().cloned().unwrap_or(LogError::WriterDied)
    }
}

struct CallAtEnd(Arc<dyn Fn() + Send + Sync>);

impl Drop for CallAtEnd {
    fn drop(&mut self) {
        (self.0)();
    }
}

pub(crate) struct WriterThread {
    pub(crate) writer: Writer,
    pub(crate) filler: Filler,
    pub(crate) queues: Queues,
    pub(crate) on_commit: Arc<dyn Fn() + Send + Sync>,
}

impl WriterThread {
    /// At the end the queues are closed in the order last to first: a caller that finds nothing
    /// more to poll cannot append any more either.
    pub(crate) fn run(self) {
        // Dropped last: the call then finds the queue closed.
        let _call_at_end = CallAtEnd(Arc::clone(&self.on_commit));
        let mut thread = self;
        if let Err(failure) = thread.serve() {
            thread.queues.shared.failure.set(failure).expect("the writer fails once");
        }
        drop(thread.queues.appended);
    }

    fn serve(&mut self) -> Result<(), LogError> {
        // A log that was opened is replayed, and then written to: nothing is filled before that,
        // since it would take processor and disk from the replay.
        let mut next = self.queues.appended.recv().ok();
        while let Some(batch) = next {
            self.place(batch)?;
            while self.writer.group_size() < GROUP_SIZE_MAX
                && let Ok(batch) = self.queues.appended.try_recv()
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
            if !self.filler.is_busy() && !self.writer.is_full() {
                return Ok(self.queues.appended.recv().ok());
            }
            let pause = if self.filler.is_busy() { FILL_POLL } else { FULL_RETRY };
            match self.queues.appended.recv_timeout(pause) {
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
                Err(full @ LogError::DiskFull(_)) => {
                    self.publish_room();
                    self.wait_for_room(full)?;
                }
                Err(error) => return Err(error),
            }
        }
        self.publish_room();
        self.writer.place(batch);
        Ok(())
    }

    /// Gives the operator time to make room, unless the log is being closed.
    fn wait_for_room(&mut self, full: LogError) -> Result<(), LogError> {
        let until = Instant::now() + FULL_RETRY;
        while Instant::now() < until {
            if self.queues.shared.is_closing.load(Ordering::Relaxed) {
                return Err(full);
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
            let _ = self.queues.committed.try_send(batch);
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
        let before = self.queues.shared.bytes_left.swap(bytes_left, Ordering::Relaxed);
        if (before == u64::MAX) != (bytes_left == u64::MAX) {
            (self.on_commit)();
        }
    }

    fn trim(&mut self) {
        let before_batch = self.queues.shared.trim_before.load(Ordering::Relaxed);
        if let Err(error) = self.writer.trim(before_batch) {
            let failure = &self.queues.shared.trim_failure;
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }
}
