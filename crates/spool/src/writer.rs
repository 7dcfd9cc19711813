//! The writer of the spool: frames go into the segment that grows, or wait for the disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use disk::Disk;

use crate::applied::AppliedRef;
use crate::batch::Batch;
use crate::checked::Checked;
use crate::error::SpoolError;
use crate::framer::Framer;
use crate::index::{Index, Summary};
use crate::reader::{Shared, SpoolReader};
use crate::retention::{Retention, write_mark};
use crate::segment::{SegmentWriter, index_path, segment_path};
use crate::unsynced::Unsynced;
use crate::waiting::Waiting;

/// For all else that is on the disk. With less, nothing is kept for readers that are behind: the
/// log must have room for orders.
pub(crate) const FREE_MIN: u64 = 1 << 30;

#[derive(Debug)]
pub struct Spool {
    pub(crate) shared: Arc<Shared>,
    pub(crate) disk: Disk,
    pub(crate) retention: Retention,
    /// `None` until something is to be written.
    pub(crate) writer: Option<SegmentWriter>,
    pub(crate) framer: Framer,
    /// The time of the last command that was stored.
    pub(crate) newest_ns: u64,
    pub(crate) waiting: Waiting,
    /// The first command that could not be kept, while none can.
    pub(crate) lost_from: Option<u64>,
    pub(crate) unsynced: BTreeSet<PathBuf>,
    pub(crate) checking: Option<JoinHandle<Checked>>,
    /// Why segments that lie here were not read. The log may be trimmed of them.
    pub(crate) unread: Option<SpoolError>,
    /// A sync failed before this start, and what it was of could not be written once more.
    pub(crate) is_doubtful: bool,
    /// Until the last numbers of the log are known.
    pub(crate) is_replaying: bool,
    /// Events of the replay do not continue the numbers that are here: these are of another
    /// history.
    pub(crate) has_strays: bool,
    /// There may be more to delete than what was deleted last.
    pub(crate) deletes_more: bool,
    /// [`FREE_MIN`], but in a test.
    pub(crate) free_min: u64,
}

impl Spool {
    /// The first command that readers find, or else the next one.
    pub fn first_sequence(&self) -> u64 {
        self.shared.table().first_sequence()
    }

    pub fn last_sequence(&self) -> u64 {
        self.framer.last_sequence
    }

    /// The running hash of all events up to the last sequence.
    pub fn event_hash(&self) -> [u8; 16] {
        self.framer.chain.hash()
    }

    /// For reading on another thread.
    pub fn reader(&self) -> SpoolReader {
        SpoolReader { shared: Arc::clone(&self.shared) }
    }

    /// Adds what was applied; what is here already is passed over. Readers see it when it is
    /// flushed, which happens by itself when there is much of it.
    pub fn append<'a, A: Into<AppliedRef<'a>>>(&mut self, applied: impl IntoIterator<Item = A>) {
        for applied in applied {
            if self.framer.push(applied) {
                self.flush();
            }
        }
    }

    /// Stores what was appended, and what waits.
    pub fn flush(&mut self) {
        let mut batch = self.framer.take_batch(Batch::default());
        self.keep(&batch);
        batch.clear();
        self.framer.batch = batch;
    }

    /// For a replay, whose frames are stored on another thread than they are made on. Until it is
    /// given back, nothing can be appended.
    pub fn take_framer(&mut self) -> Framer {
        std::mem::take(&mut self.framer)
    }

    pub fn give_back_framer(&mut self, framer: Framer) {
        self.framer = framer;
    }

    /// Stores frames. Matching does not stop for a disk that fails: what is lost can be made from
    /// the log again, and a hole gives readers nothing wrong.
    pub fn keep(&mut self, batch: &Batch) {
        if self.deletes_more {
            self.retain_for_readers();
        }
        let stored = self
            .store_waiting()
            .and_then(|()| if batch.is_empty() { Ok(()) } else { self.store(batch) });
        if let (Err(error), false) = (&stored, batch.is_empty()) {
            self.put_off(batch, error);
        }
    }

    /// Whether there is something that could not be stored yet: it is tried again with each flush.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn store_waiting(&mut self) -> Result<(), SpoolError> {
        while let Some(batch) = self.waiting.pop() {
            if let Err(error) = self.store(&batch) {
                self.waiting.put_back(batch);
                return Err(error);
            }
            if self.waiting.is_empty() {
                tracing::info!("the event spool goes on, and has what waited");
            }
        }
        Ok(())
    }

    fn put_off(&mut self, batch: &Batch, error: &SpoolError) {
        if error.is_full() {
            self.retain(); // What is new comes before what is kept for longer.
        }
        if self.lost_from.is_none() && self.waiting.has_room_for(batch) {
            if self.waiting.is_empty() {
                tracing::warn!(
                    %error,
                    from = batch.first,
                    "the event spool cannot be written: orders go on, and what comes of them waits in \
                     memory; make room, or see to the disk"
                );
            }
            return self.waiting.push(batch.clone());
        }
        self.lose_waiting();
        if self.lost_from.is_none() {
            self.lost_from = Some(batch.first);
        }
        self.lose(batch);
    }

    pub(crate) fn lose_waiting(&mut self) {
        while let Some(batch) = self.waiting.pop() {
            if self.lost_from.is_none() {
                self.lost_from = Some(batch.first);
                tracing::warn!(
                    from = batch.first,
                    "the event spool still cannot be written: readers do not get the events from this \
                     command on"
                );
            }
            self.lose(&batch);
        }
    }

    fn lose(&self, batch: &Batch) {
        self.shared.set_lacking(true);
        self.shared.table().lose(batch);
    }

    fn store(&mut self, batch: &Batch) -> Result<(), SpoolError> {
        self.try_store(batch)?;
        self.newest_ns = batch.last_ns;
        if let Some(lost_from) = self.lost_from.take() {
            tracing::warn!(
                from = lost_from,
                to = batch.first - 1,
                "the event spool goes on; readers are told that the events of these commands are gone, \
                 until the next start makes them anew from the log"
            );
        }
        Ok(())
    }

    fn try_store(&mut self, batch: &Batch) -> Result<(), SpoolError> {
        if self.must_seal(batch) {
            self.seal()?;
            self.retain_for_readers();
        }
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => {
                let writer = SegmentWriter::begin(&self.disk, &self.shared.dir, batch)?;
                self.unsynced.insert(segment_path(&self.shared.dir, batch.first));
                self.writer.insert(writer)
            }
        };
        let start = writer.summary.size;
        writer.write(&self.disk, batch)?;
        let strays = self.shared.table().add(batch, start);
        if strays > 0 {
            self.found_strays();
        }
        Ok(())
    }

    fn found_strays(&mut self) {
        let is_complete = self.checking.is_none();
        debug_assert!(!is_complete, "events are numbered without a gap");
        if is_complete {
            tracing::error!("events have numbers that do not follow: this is a bug");
        }
        self.has_strays = true;
    }

    /// Compares the numbers in the segment that is open with those before it. After a loss, those
    /// are not here.
    pub(crate) fn check_numbers(&mut self) {
        if self.is_replaying && !self.shared.is_lacking() {
            self.has_strays |= !self.shared.table().is_consecutive();
        }
    }

    fn must_seal(&self, batch: &Batch) -> bool {
        let Some(writer) = &self.writer else { return false };
        let table = self.shared.table();
        let is_full =
            table.open.as_ref().is_some_and(|open| self.is_full(writer, &open.index, batch));
        is_full || !writer.is_continued_by(batch)
    }

    /// Whether a segment has no more room for a batch, or should not span its time.
    pub(crate) fn is_full(&self, writer: &SegmentWriter, index: &Index, batch: &Batch) -> bool {
        let size = writer.summary.size + index.size() + batch.bytes.len() as u64;
        let age_ns = batch.last_ns.saturating_sub(writer.summary.first_ns);
        size > self.retention.segment_size() || age_ns > self.retention.segment_age_ns()
    }

    pub(crate) fn seal(&mut self) -> Result<(), SpoolError> {
        self.check_numbers();
        let (Some(writer), dir) = (&self.writer, &self.shared.dir) else { return Ok(()) };
        let mut table = self.shared.table();
        if let Some(open) = &table.open {
            let sealed = writer.seal(&self.disk, dir, &open.index)?;
            self.unsynced.insert(index_path(dir, sealed.summary.first));
            table.seal(sealed);
        } else {
            // Begun, and then nothing could be written.
            self.disk.remove(&segment_path(dir, writer.summary.first))?;
        }
        drop(table);
        self.writer = None;
        Ok(())
    }

    /// Deletes what is beyond the retention, and leaves room for the segment that grows.
    pub(crate) fn retain(&mut self) {
        while self.oldest_beyond(self.retention).is_some() && self.remove_oldest() {}
    }

    /// The same, but for what a reader that follows still has to read, and one segment at a time:
    /// when a reader has caught up there may be hundreds, each takes up to a millisecond, and the
    /// publisher has events to bring.
    fn retain_for_readers(&mut self) {
        self.deletes_more = false;
        let Some(oldest) = self.oldest_beyond(self.retention) else { return };
        let is_wanted = self.shared.bookmarks.lowest().is_some_and(|has| has <= oldest.last);
        let is_too_much = self.oldest_beyond(self.retention.while_behind()).is_some();
        if !is_wanted || is_too_much || !self.has_room() {
            self.deletes_more = self.remove_oldest();
        }
    }

    fn has_room(&self) -> bool {
        disk::free_bytes(&self.shared.dir).is_ok_and(|free| free >= self.free_min)
    }

    /// The oldest of the full segments, if limits leave it no room.
    fn oldest_beyond(&self, limits: Retention) -> Option<Summary> {
        let sealed = Arc::clone(&self.shared.table().sealed);
        let (oldest, newest) = (sealed.first()?.summary, sealed.last()?.summary);
        let size: u64 = sealed.iter().map(|sealed| sealed.file_size).sum();
        let age_ns = newest.last_ns.max(self.newest_ns).saturating_sub(oldest.last_ns);
        let is_beyond = size.saturating_add(self.retention.segment_size()) > limits.max_bytes
            || limits.max_age_ns.is_some_and(|max_ns| age_ns > max_ns);
        is_beyond.then_some(oldest)
    }

    /// `false` when there is nothing to delete but what is being written.
    fn remove_oldest(&mut self) -> bool {
        let mut table = self.shared.table();
        if table.sealed.is_empty() {
            return false;
        }
        let removed = Arc::make_mut(&mut table.sealed).remove(0);
        let oldest = table.first_sequence();
        drop(table);
        let is_marked = self.mark_oldest(oldest);
        self.remove_segment(removed.summary.first);
        if !is_marked {
            self.mark_oldest(oldest); // There may be room for it now.
        }
        true
    }

    /// Without it the next start will make anew what was deleted: no reason to stop.
    pub(crate) fn mark_oldest(&self, oldest: u64) -> bool {
        let marked = write_mark(&self.disk, &self.shared.dir, oldest);
        if let Err(error) = &marked {
            tracing::debug!(%error, "the spool's mark is not up to date");
        }
        marked.is_ok()
    }

    pub(crate) fn remove_segment(&mut self, first: u64) {
        self.remove_file(&segment_path(&self.shared.dir, first));
        self.remove_file(&index_path(&self.shared.dir, first));
    }

    pub(crate) fn remove_file(&mut self, path: &Path) {
        self.unsynced.remove(path);
        if let Err(error) = self.disk.remove(path).map_err(SpoolError::from) {
            tracing::warn!(%error, "a file of the event spool stays that is not needed any more");
        }
    }

    /// What is to be synced before a snapshot may stand in for the log before it.
    pub fn take_unsynced(&mut self) -> Unsynced {
        self.flush();
        let mut files = std::mem::take(&mut self.unsynced);
        if let Some(writer) = &self.writer {
            let path = segment_path(&self.shared.dir, writer.summary.first);
            files.insert(path.clone());
            self.unsynced.insert(path);
        }
        let is_waiting = self.is_waiting();
        Unsynced { disk: self.disk.clone(), shared: Arc::clone(&self.shared), files, is_waiting }
    }
}

impl Drop for Spool {
    /// Nothing changes the files after it any more.
    fn drop(&mut self) {
        if let Some(checking) = self.checking.take() {
            let _ = checking.join();
        }
    }
}
