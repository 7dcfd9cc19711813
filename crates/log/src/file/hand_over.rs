//! The hand-over of batches: the caller's side, the thread that writes, and the queues in between.
//! `loom/` compiles this file with a model checker's locks, and a model of the writer.
//!
//! One thread at a time has the [`Committer`], which writes and syncs: the log's own, or a thread
//! that commits the batch it has appended ([`Held`]), because nothing else waits for the log.

use std::fmt;
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
    Condvar, Mutex, MutexGuard, Ordering, PoisonError, Receiver, RecvTimeoutError, SyncSender,
    TryRecvError, sync_channel,
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
    desk: Arc<Desk>,
    shared: Arc<Shared>,
}

/// The log's own thread.
pub(crate) struct WriterThread {
    appended: Receiver<Batch>,
    desk: Arc<Desk>,
    on_commit: OnCommit,
}

type OnCommit = Arc<dyn Fn() + Send + Sync>;

/// The two sides of a hand-over.
pub(crate) fn hand_over(
    in_flight_max: usize,
    (writer, filler): (Writer, Filler),
    shared: &Arc<Shared>,
    on_commit: OnCommit,
) -> (Caller, WriterThread) {
    let in_flight_max = in_flight_max.max(1);
    let (appended, to_write) = sync_channel(in_flight_max);
    let (written, committed) = sync_channel(in_flight_max);
    let committer = Committer {
        writer,
        filler,
        committed: written,
        shared: Arc::clone(shared),
        on_commit: Arc::clone(&on_commit),
    };
    let desk = Arc::new(Desk::new(committer));
    let caller = Caller {
        in_flight: 0,
        in_flight_max,
        appended: Some(appended),
        committed,
        desk: Arc::clone(&desk),
        shared: Arc::clone(shared),
    };
    (caller, WriterThread { appended: to_write, desk, on_commit })
}

impl Caller {
    pub(crate) fn append(&mut self, batch: Batch) -> Result<(), LogError> {
        self.check()?;
        let appended = self.appended.as_ref().expect("only closing takes it");
        appended.try_send(batch).map_err(|_| self.failure())?;
        self.in_flight += 1;
        Ok(())
    }

    /// Holds a batch for a thread that commits it, or appends it.
    pub(crate) fn append_held(&mut self, batch: Batch) -> Result<Option<Held>, LogError> {
        self.check()?;
        // With another batch in flight, this one would have to wait for it.
        let turn = if self.in_flight == 0 { Desk::try_take(&self.desk) } else { None };
        match turn {
            Some(turn) if turn.committer().commits_at_once(&batch) => {
                self.in_flight += 1;
                Ok(Some(Held(Some((turn, batch)))))
            }
            turn => {
                turn.into_iter().for_each(|mut turn| turn.give_back());
                self.append(batch)?;
                Ok(None)
            }
        }
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

    fn check(&self) -> Result<(), LogError> {
        if let Some(failure) = self.shared.failure.get() {
            return Err(failure.clone());
        }
        if !self.ready() {
            return Err(LogError::Busy { in_flight: self.in_flight });
        }
        Ok(())
    }

    fn failure(&self) -> LogError {
        self.shared.failure.get().cloned().unwrap_or(LogError::WriterDied)
    }
}

/// A batch that was appended, for the thread that commits it.
#[must_use = "dropping it commits the batch, too"]
pub struct Held(Option<(Turn, Batch)>);

impl Held {
    /// Writes and syncs the batch, on this thread, then calls what the log's thread would.
    pub fn commit(mut self) {
        self.finish();
    }

    fn finish(&mut self) {
        let Some((turn, batch)) = self.0.take() else { return };
        let on_commit = Arc::clone(&turn.committer().on_commit);
        let _call_at_end = CallAtEnd(on_commit);
        turn.run(|committer| {
            committer.place(batch)?;
            committer.commit_group()
        });
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.finish();
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Held")
    }
}

impl WriterThread {
    /// At the end the queues are closed in the order last to first: a caller that finds nothing
    /// more to poll cannot append any more either.
    pub(crate) fn run(self) {
        // Dropped last: the call then finds the queue closed.
        let _call_at_end = CallAtEnd(Arc::clone(&self.on_commit));
        let Self { appended, desk, .. } = self;
        serve(&appended, &desk);
        drop(appended);
        desk.close();
    }
}

/// Until the log is closed, or has failed: then the committer is gone.
fn serve(appended: &Receiver<Batch>, desk: &Arc<Desk>) -> Option<()> {
    // A log that was opened is replayed, and then written to: nothing is filled before that,
    // since it would take processor and disk from the replay.
    let mut next = appended.recv().ok();
    while let Some(batch) = next {
        Desk::take(desk)?.run(|committer| {
            committer.place(batch)?;
            while committer.writer.group_size() < GROUP_SIZE_MAX
                && let Ok(batch) = appended.try_recv()
            {
                committer.place(batch)?;
            }
            committer.commit()?;
            committer.fill_ahead()?;
            committer.trim();
            Ok(())
        })?;
        next = wait(appended, desk)?;
    }
    Desk::take(desk)?.run(|committer| {
        committer.writer.sync()?;
        committer.trim();
        Ok(())
    })
}

/// The next batch; `Some(None)` when there will be no more.
fn wait(appended: &Receiver<Batch>, desk: &Arc<Desk>) -> Option<Option<Batch>> {
    loop {
        let pause = Desk::take(desk)?.run(|committer| {
            committer.fill_ahead()?;
            Ok(committer.looks_again_after())
        })?;
        let Some(pause) = pause else { return Some(appended.recv().ok()) };
        match appended.recv_timeout(pause) {
            Ok(batch) => return Some(Some(batch)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Some(None),
        }
    }
}

struct CallAtEnd(OnCommit);

impl Drop for CallAtEnd {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Where the committer lies while no thread has it.
struct Desk {
    state: Mutex<State>,
    returned: Condvar,
}

enum State {
    Here(Box<Committer>),
    Taken,
    /// The log is closed, or has failed.
    Gone,
}

impl Desk {
    fn new(committer: Committer) -> Self {
        Self { state: Mutex::new(State::Here(Box::new(committer))), returned: Condvar::new() }
    }

    /// Waits for a thread that commits; `None` when the committer is gone.
    fn take(desk: &Arc<Self>) -> Option<Turn> {
        let mut state = desk.lock();
        loop {
            match std::mem::replace(&mut *state, State::Taken) {
                State::Here(committer) => return Some(Turn::new(desk, committer)),
                State::Taken => {
                    state = desk.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                State::Gone => {
                    *state = State::Gone;
                    return None;
                }
            }
        }
    }

    fn try_take(desk: &Arc<Self>) -> Option<Turn> {
        let mut state = desk.lock();
        match std::mem::replace(&mut *state, State::Taken) {
            State::Here(committer) => Some(Turn::new(desk, committer)),
            other => {
                *state = other;
                None
            }
        }
    }

    fn put(&self, committer: Box<Committer>) {
        *self.lock() = State::Here(committer);
        self.returned.notify_one();
    }

    fn close(&self) {
        let closed = std::mem::replace(&mut *self.lock(), State::Gone);
        self.returned.notify_one();
        drop(closed);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Desk")
    }
}

/// A thread has the committer. It comes back to the desk, unless it has failed.
struct Turn {
    desk: Arc<Desk>,
    /// `None` once it is given back.
    committer: Option<Box<Committer>>,
}

impl Turn {
    fn new(desk: &Arc<Desk>, committer: Box<Committer>) -> Self {
        Self { desk: Arc::clone(desk), committer: Some(committer) }
    }

    fn committer(&self) -> &Committer {
        self.committer.as_ref().expect("only its end gives it back")
    }

    /// `None` if it has failed. After that nothing is written any more, and the log says why.
    fn run<R>(mut self, work: impl FnOnce(&mut Committer) -> Result<R, LogError>) -> Option<R> {
        let committer = self.committer.as_mut().expect("only its end gives it back");
        match work(committer) {
            Ok(done) => {
                self.give_back();
                Some(done)
            }
            Err(failure) => {
                // Before the queue closes, so that the caller finds the cause.
                committer.shared.failure.set(failure).expect("the committer fails once");
                None
            }
        }
    }

    fn give_back(&mut self) {
        if let Some(committer) = self.committer.take() {
            self.desk.put(committer);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(committer) = self.committer.take() {
            // Before the queue closes, also where it is a panic that states no cause: a caller that
            // finds nothing more to poll cannot append any more either.
            let _has_cause = committer.shared.failure.set(LogError::WriterDied);
            drop(committer);
            self.desk.close();
        }
    }
}

/// Writes and syncs what was appended, in its order.
struct Committer {
    writer: Writer,
    filler: Filler,
    committed: SyncSender<Committed>,
    shared: Arc<Shared>,
    on_commit: OnCommit,
}

impl Committer {
    /// Whether it needs nothing but a write and a sync for this batch: no other segment, no room on
    /// a full disk, no segments to be removed.
    fn commits_at_once(&self, batch: &Batch) -> bool {
        !self.writer.is_full()
            && self.writer.has_place(frame::size(batch.payload.len()))
            && self.writer.is_trimmed(self.shared.trim_before.load(Ordering::Relaxed))
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
            if self.shared.is_closing.load(Ordering::Relaxed) {
                return Err(full);
            }
            std::thread::sleep(FULL_RETRY / 20);
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), LogError> {
        if self.writer.group_size() > 0 {
            self.commit_group()?;
            (self.on_commit)();
        }
        Ok(())
    }

    fn commit_group(&mut self) -> Result<(), LogError> {
        for batch in self.writer.commit()? {
            // No caller polls any more while the log is being closed.
            let _ = self.committed.try_send(batch);
        }
        self.publish_room();
        Ok(())
    }

    /// Has the next segment filled, unless the disk was full a moment ago.
    fn fill_ahead(&mut self) -> Result<(), LogError> {
        self.filler.look(&mut self.writer)?;
        self.publish_room();
        Ok(())
    }

    /// After which pause the filler and a full disk are to be looked at, without a batch.
    fn looks_again_after(&self) -> Option<Duration> {
        if self.filler.is_busy() {
            return Some(FILL_POLL);
        }
        self.writer.is_full().then_some(FULL_RETRY)
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
