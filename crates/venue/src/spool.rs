//! The event spool: what was applied, in files, for readers who come later.
//!
//! It is derived from the log, so it is not synced as it grows, and what a crash takes from its end
//! is written again by the replay. Whatever else is missing or damaged is found when the spool is
//! opened, and made anew from the log (`mend.rs`). A disk that fails stops it, but not the venue:
//! what could not be kept is a hole, which readers are told of as gone.
//!
//! ```text
//! NNN.spool  a segment, named by its first command: frames (`segment.rs`, `frame.rs`)
//! NNN.index  where in a full segment they lie: by command, account and instrument (`index.rs`)
//! oldest     from where on there should be segments (`retention.rs`)
//! ```
//!
//! # Invariants
//! - What a reader gets has no hole and nothing twice: numbers follow each other, or it is told
//!   where they go on ([`SpoolError::Gone`]).
//! - Readers see what is written, and nothing that was not applied.
//! - Every byte of it is covered by a hash: of frames when they are read, of all when it is opened.
//!
//! # Known limits
//! Opening reads all of it, beside the replay. A hole that comes while the venue runs stays until
//! the next start.

mod batch;
mod disk;
mod error;
mod frame;
mod index;
mod mend;
mod reader;
mod retention;
mod segment;

#[cfg(test)]
mod fault;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use types::{AccountId, InstrumentId};

use self::batch::Batch;
use self::disk::Disk;
pub use self::error::SpoolError;
pub(crate) use self::frame::Chain;
use self::frame::EventHash;
use self::index::{Index, Key, Numbers, Summary};
use self::mend::{Found, Mender};
pub(crate) use self::mend::{History, Retold};
pub use self::reader::{NumberedEvent, PAGE_MAX, SpoolReader};
use self::reader::{OpenSegment, Shared};
pub use self::retention::Retention;
use self::retention::{MARK, MARK_UNFINISHED, read_mark, write_mark};
use self::segment::{Scanned, Sealed, SegmentWriter, index_path, parse_name, scan, segment_path};
use crate::applied::Applied;

#[derive(Debug)]
pub struct Spool {
    shared: Arc<Shared>,
    disk: Disk,
    retention: Retention,
    /// `None` until something is to be written.
    writer: Option<SegmentWriter>,
    chain: Chain,
    batch: Batch,
    /// The last command that was appended.
    last_sequence: u64,
    /// The times of the commands that were here when it was opened, for the replay to compare.
    spooled: Spooled,
    /// What is here is not of this log.
    is_other_history: bool,
    /// The first command that could not be kept, while none can.
    lost_from: Option<u64>,
    unsynced: BTreeSet<PathBuf>,
    checking: Option<JoinHandle<Checked>>,
}

impl Spool {
    /// Opens the spool, or begins one behind `sequence`, the last one applied before the replay
    /// whose running hash is `event_hash`. Frames that the replay will bring again stay as they are.
    /// What is older is there for readers after [`Spool::complete`].
    pub fn open(
        dir: &Path,
        retention: Retention,
        sequence: u64,
        event_hash: [u8; 16],
    ) -> Result<Self, SpoolError> {
        Self::open_on(Disk::default(), dir, retention, sequence, event_hash)
    }

    fn open_on(
        disk: Disk,
        dir: &Path,
        retention: Retention,
        sequence: u64,
        event_hash: EventHash,
    ) -> Result<Self, SpoolError> {
        fs::create_dir_all(dir).map_err(SpoolError::at(dir))?;
        let mut segments = tidy(&disk, dir)?;
        let mut spool = Self {
            shared: Arc::new(Shared::new(dir)),
            disk,
            retention,
            writer: None,
            chain: Chain::new(event_hash),
            batch: Batch::default(),
            last_sequence: sequence,
            spooled: Spooled::default(),
            is_other_history: false,
            lost_from: None,
            unsynced: BTreeSet::new(),
            checking: None,
        };
        if let Some(first) = segments.pop() {
            spool.resume(first, sequence, event_hash)?;
        }
        spool.shared.table().last_sequence = spool.last_sequence;
        let (disk, dir) = (spool.disk.clone(), dir.to_path_buf());
        spool.checking = Some(std::thread::spawn(move || Checked::of(&disk, &dir, &segments)));
        Ok(spool)
    }

    /// Goes on in the newest segment, as far as it is whole.
    fn resume(
        &mut self,
        first: u64,
        sequence: u64,
        event_hash: EventHash,
    ) -> Result<(), SpoolError> {
        let dir = &self.shared.dir;
        let path = segment_path(dir, first);
        let bytes = fs::read(&path).map_err(SpoolError::at(&path))?;
        self.disk.remove(&index_path(dir, first))?;
        let Some(Scanned { summary, index, times_ns }) =
            scan(&bytes, first).filter(|scanned| scanned.summary.last >= first)
        else {
            return self.disk.remove(&path);
        };
        let writer = SegmentWriter::resume(dir, summary)?;
        if summary.last < sequence {
            // It ends before the replay begins. What lies between is a hole so far.
            let sealed = writer.seal(&self.disk, dir, &index)?;
            self.shared.table().seal(sealed);
            return Ok(());
        }
        self.is_other_history =
            hash_at(&bytes, &index, summary, sequence).is_some_and(|hash| hash != event_hash);
        self.writer = Some(writer);
        self.chain = Chain::new(summary.event_hash);
        self.last_sequence = summary.last;
        self.spooled = Spooled { first, times_ns };
        self.unsynced.insert(path);
        self.shared.table().open = Some(OpenSegment { first, last: summary.last, index });
        Ok(())
    }

    /// Deletes all files of a spool that nobody has open.
    pub(crate) fn delete(dir: &Path) -> Result<(), SpoolError> {
        if !dir.exists() {
            return Ok(());
        }
        let disk = Disk::default();
        for first in tidy(&disk, dir)? {
            disk.remove(&segment_path(dir, first))?;
            disk.remove(&index_path(dir, first))?;
        }
        disk.remove(&dir.join(MARK))
    }

    /// The first command that readers find, or else the next one.
    pub fn first_sequence(&self) -> u64 {
        self.shared.table().first_sequence()
    }

    pub fn last_sequence(&self) -> u64 {
        self.last_sequence
    }

    /// The running hash of all events up to the last sequence.
    pub fn event_hash(&self) -> [u8; 16] {
        self.chain.hash()
    }

    /// For reading on another thread.
    pub fn reader(&self) -> SpoolReader {
        SpoolReader { shared: Arc::clone(&self.shared) }
    }

    /// Adds what was applied; what is here already is passed over. Readers see it when it is
    /// flushed, which happens by itself when there is much of it.
    pub fn append<'a>(&mut self, applied: impl IntoIterator<Item = &'a Applied>) {
        for applied in applied {
            if applied.sequence <= self.last_sequence {
                self.is_other_history |= !self.spooled.may_be(applied);
                continue;
            }
            debug_assert_eq!(applied.sequence, self.last_sequence + 1);
            self.last_sequence = applied.sequence;
            if self.is_other_history {
                continue; // All of it is made anew when the replay is over.
            }
            self.batch.push(applied, &mut self.chain);
            if self.batch.bytes.len() >= self.retention.batch_size() {
                self.flush();
            }
        }
    }

    /// Writes what was appended. Matching does not stop for a disk that fails: what is lost can be
    /// made from the log again, and a hole tells readers no untruth.
    pub fn flush(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let stored = self.store();
        let first = self.batch.first;
        match stored {
            Ok(()) => {
                if let Some(lost_from) = self.lost_from.take() {
                    tracing::warn!(
                        from = lost_from,
                        to = first - 1,
                        "the event spool goes on; readers are told that the events of these \
                         commands are gone, until the next start makes them anew from the log"
                    );
                }
            }
            Err(error) => {
                if self.lost_from.is_none() {
                    self.lost_from = Some(first);
                    tracing::warn!(
                        %error,
                        from = first,
                        "the event spool cannot be written: orders go on, but readers do not get \
                         the events from this command on; make room, or see to the disk"
                    );
                }
                self.shared.table().lose(&self.batch);
            }
        }
        self.batch.clear();
    }

    fn store(&mut self) -> Result<(), SpoolError> {
        loop {
            match self.try_store() {
                Err(error) if error.is_disk_full() && self.remove_oldest() => {}
                result => return result,
            }
        }
    }

    fn try_store(&mut self) -> Result<(), SpoolError> {
        if self.must_seal() {
            self.seal()?;
            self.retain();
        }
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => {
                let writer = SegmentWriter::begin(&self.disk, &self.shared.dir, &self.batch)?;
                self.unsynced.insert(segment_path(&self.shared.dir, self.batch.first));
                self.writer.insert(writer)
            }
        };
        let start = writer.summary.size;
        writer.write(&self.disk, &self.batch)?;
        self.shared.table().add(&self.batch, start);
        Ok(())
    }

    fn must_seal(&self) -> bool {
        let Some(writer) = &self.writer else { return false };
        let table = self.shared.table();
        let is_full =
            table.open.as_ref().is_some_and(|open| self.is_full(writer, &open.index, &self.batch));
        is_full || !writer.is_continued_by(&self.batch)
    }

    /// Whether a segment has no more room for a batch, or should not span its time.
    fn is_full(&self, writer: &SegmentWriter, index: &Index, batch: &Batch) -> bool {
        let size = writer.summary.size + index.size() + batch.bytes.len() as u64;
        let age_ns = batch.last_ns.saturating_sub(writer.summary.first_ns);
        size > self.retention.segment_size() || age_ns > self.retention.segment_age_ns()
    }

    fn seal(&mut self) -> Result<(), SpoolError> {
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
    fn retain(&mut self) {
        while self.keeps_too_much() && self.remove_oldest() {}
    }

    fn keeps_too_much(&self) -> bool {
        let sealed = Arc::clone(&self.shared.table().sealed);
        let (Some(oldest), Some(newest)) = (sealed.first(), sealed.last()) else { return false };
        let size: u64 = sealed.iter().map(|sealed| sealed.file_size).sum();
        let newest_ns = newest.summary.last_ns.max(self.batch.last_ns);
        let age_ns = newest_ns.saturating_sub(oldest.summary.last_ns);
        size + self.retention.segment_size() > self.retention.max_bytes
            || self.retention.max_age_ns.is_some_and(|max_ns| age_ns > max_ns)
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
    fn mark_oldest(&self, oldest: u64) -> bool {
        let marked = write_mark(&self.disk, &self.shared.dir, oldest);
        if let Err(error) = &marked {
            tracing::debug!(%error, "the spool's mark is not up to date");
        }
        marked.is_ok()
    }

    fn remove_segment(&mut self, first: u64) {
        self.remove_file(&segment_path(&self.shared.dir, first));
        self.remove_file(&index_path(&self.shared.dir, first));
    }

    fn remove_file(&mut self, path: &Path) {
        self.unsynced.remove(path);
        if let Err(error) = self.disk.remove(path) {
            tracing::warn!(%error, "a file of the event spool stays that is not needed any more");
        }
    }

    /// What is to be synced before a snapshot may stand in for the log before it.
    pub(crate) fn take_unsynced(&mut self) -> Unsynced {
        self.flush();
        let mut files = std::mem::take(&mut self.unsynced);
        if let Some(writer) = &self.writer {
            let path = segment_path(&self.shared.dir, writer.summary.first);
            files.insert(path.clone());
            self.unsynced.insert(path);
        }
        Unsynced { disk: self.disk.clone(), files }
    }
}

/// Completing it, once the replay is over.
impl Spool {
    /// Looks after what is older than the replay, which has ended with command `last_sequence`:
    /// what is missing of it, or not as it was, is made anew as far as history and retention reach.
    pub(crate) fn complete<H: History>(
        &mut self,
        history: &H,
        last_sequence: u64,
    ) -> Result<(), H::Error> {
        self.flush();
        self.spooled = Spooled::default();
        let checked = self.checking.take().map(|thread| thread.join());
        let checked = checked.map(|checked| checked.expect("checking files does not panic"));
        self.take_in(checked.unwrap_or_default());
        if self.last_sequence > last_sequence {
            tracing::warn!(
                spooled = self.last_sequence,
                logged = last_sequence,
                "the event spool tells of commands that the log has lost"
            );
            self.is_other_history = true;
        }
        let mut found = Found { is_other_history: self.is_other_history, ..Found::default() };
        if !found.is_other_history {
            let holes = self.holes(last_sequence);
            found = self.mend(history, holes)?;
        }
        if found.is_other_history {
            tracing::warn!("the event spool is not of this log: all of it is made anew");
            self.clear(last_sequence);
            let holes = self.holes(last_sequence);
            found = self.mend(history, holes)?;
            let event_hash = found.last.map(|(_, event_hash)| event_hash);
            self.chain = Chain::new(event_hash.unwrap_or_default());
        }
        self.retain();
        match found.error {
            Some(error) => tracing::warn!(
                %error,
                "not all of the event spool could be made anew; the next start tries again"
            ),
            None => {
                self.mark_oldest(self.first_sequence());
            }
        }
        Ok(())
    }

    /// For who has no log at hand: what is missing stays so.
    pub fn complete_without_log(&mut self) {
        let Ok(()) = self.complete(&NoHistory, self.last_sequence);
    }

    /// Takes note of the last numbers of all accounts and instruments: of those that have no event
    /// in here any more, nothing else tells.
    pub(crate) fn know_heads(
        &mut self,
        accounts: impl Iterator<Item = (AccountId, u64)>,
        instruments: impl Iterator<Item = (InstrumentId, u64)>,
    ) {
        let mut table = self.shared.table();
        for (account, number) in accounts {
            table.know_head(Key::account(account), number);
        }
        for (instrument, number) in instruments {
            table.know_head(Key::instrument(instrument), number);
        }
    }

    /// Puts what was checked before what came since.
    fn take_in(&mut self, checked: Checked) {
        for error in &checked.unsound {
            tracing::warn!(%error, "a part of the event spool is removed");
        }
        let mut table = self.shared.table();
        let mut sealed = checked.sound;
        sealed.extend(table.sealed.iter());
        let newest = self.writer.as_ref().map(|writer| writer.summary);
        let summaries = sealed.iter().map(|sealed| sealed.summary).chain(newest);
        let summaries: Vec<_> = summaries.collect();
        self.is_other_history |= summaries.windows(2).any(|pair| !pair[0].may_precede(&pair[1]));
        table.sealed = Arc::new(sealed);
    }

    /// Which commands there should be and are not.
    fn holes(&self, last_sequence: u64) -> Vec<Range<u64>> {
        let end = last_sequence + 1;
        let possible = end.saturating_sub(self.retention.commands_max()).max(1);
        let marked = read_mark(&self.shared.dir).filter(|marked| *marked <= end);
        let mut next = marked.map_or(possible, |marked| marked.max(possible));
        let table = self.shared.table();
        let open = table.open.as_ref().map(|open| (open.first, open.last));
        let sealed = table.sealed.iter().map(|sealed| (sealed.summary.first, sealed.summary.last));
        let mut holes = Vec::new();
        for (first, last) in sealed.chain(open) {
            holes.push(next..first);
            next = next.max(last + 1);
        }
        holes.push(next..end);
        holes.retain(|hole| !hole.is_empty());
        holes
    }

    fn mend<H: History>(&mut self, history: &H, holes: Vec<Range<u64>>) -> Result<Found, H::Error> {
        let Some(first) = holes.first().map(|hole| hole.start) else { return Ok(Found::default()) };
        let mut mender = Mender::new(self, holes);
        history.retell(first, &mut mender)?;
        let found = mender.finish();
        if found.filled > 0 {
            tracing::info!(commands = found.filled, "events were made anew from the log");
        }
        Ok(found)
    }

    /// The running hash behind commands, where it is known.
    fn known_hashes(&self) -> BTreeMap<u64, EventHash> {
        let sealed = Arc::clone(&self.shared.table().sealed);
        let newest = self.writer.as_ref().map(|writer| writer.summary);
        let summaries = sealed.iter().map(|sealed| sealed.summary).chain(newest);
        summaries
            .flat_map(|it| [(it.first - 1, it.previous_hash), (it.last, it.event_hash)])
            .collect()
    }

    /// A segment that was filled in.
    fn insert(&mut self, writer: &SegmentWriter, index: &Index) -> Result<(), SpoolError> {
        let dir = &self.shared.dir;
        let sealed = writer.seal(&self.disk, dir, index)?;
        let first = sealed.summary.first;
        self.unsynced.extend([segment_path(dir, first), index_path(dir, first)]);
        let mut table = self.shared.table();
        let place = table.sealed.partition_point(|sealed| sealed.summary.first < first);
        Arc::make_mut(&mut table.sealed).insert(place, sealed);
        drop(table);
        self.retain();
        Ok(())
    }

    /// Deletes everything.
    fn clear(&mut self, last_sequence: u64) {
        let open = self.writer.take().map(|writer| writer.summary.first);
        let mut table = self.shared.table();
        let sealed = std::mem::take(&mut table.sealed);
        table.open = None;
        table.last_sequence = last_sequence;
        drop(table);
        for first in sealed.iter().map(|sealed| sealed.summary.first).chain(open) {
            self.remove_segment(first);
        }
        self.remove_file(&self.shared.dir.join(MARK));
        self.batch.clear();
        self.last_sequence = last_sequence;
        self.is_other_history = false;
    }
}

struct NoHistory;

impl History for NoHistory {
    type Error = Infallible;

    fn retell(&self, _: u64, _: &mut dyn Retold) -> Result<(), Infallible> {
        Ok(())
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

/// What was found of the full segments.
#[derive(Debug, Default)]
struct Checked {
    sound: Vec<Sealed>,
    /// Their files are removed.
    unsound: Vec<SpoolError>,
}

impl Checked {
    fn of(disk: &Disk, dir: &Path, segments: &[u64]) -> Self {
        let mut checked = Self::default();
        for first in segments.iter().copied() {
            match Sealed::check(disk, dir, first) {
                Ok(sealed) => checked.sound.push(sealed),
                // The replay has made room meanwhile.
                Err(error) if error.is_not_found() => {}
                Err(error) => {
                    checked.unsound.push(error);
                    let files = [segment_path(dir, first), index_path(dir, first)];
                    checked.unsound.extend(files.iter().filter_map(|file| disk.remove(file).err()));
                }
            }
        }
        checked
    }
}

/// Lists the segments, oldest first, and removes what was left behind.
fn tidy(disk: &Disk, dir: &Path) -> Result<Vec<u64>, SpoolError> {
    let (mut segments, mut indexes) = (BTreeSet::new(), BTreeSet::new());
    for entry in fs::read_dir(dir).map_err(SpoolError::at(dir))? {
        let file = entry.map_err(SpoolError::at(dir))?.path();
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(first) = parse_name(name, "spool") {
            segments.insert(first);
        } else if let Some(first) = parse_name(name, "index") {
            indexes.insert(first);
        } else if name == MARK_UNFINISHED {
            disk.remove(&file)?;
        } else if name != MARK {
            return Err(SpoolError::ForeignFile { file });
        }
    }
    if let Some(oldest) = read_mark(dir) {
        let kept = segments.split_off(&oldest);
        for first in std::mem::replace(&mut segments, kept) {
            disk.remove(&segment_path(dir, first))?;
        }
    }
    for first in indexes.difference(&segments) {
        disk.remove(&index_path(dir, *first))?;
    }
    Ok(segments.into_iter().collect())
}

/// The running hash behind a command, if the segment tells.
fn hash_at(bytes: &[u8], index: &Index, summary: Summary, sequence: u64) -> Option<EventHash> {
    if sequence == summary.last {
        return Some(summary.event_hash);
    }
    // It lies before the next frame.
    let skip = (sequence + 1).checked_sub(summary.first)?;
    let next = *index.offsets(Numbers::Commands, skip, 1).first()? as usize;
    bytes[..next].last_chunk().copied()
}

/// What the replay finds in the spool already. Two histories do not have the same commands at the
/// same nanoseconds: so their times tell them apart at next to no cost.
#[derive(Debug, Default)]
struct Spooled {
    first: u64,
    times_ns: Vec<u64>,
}

impl Spooled {
    fn may_be(&self, applied: &Applied) -> bool {
        let place = applied.sequence.checked_sub(self.first);
        let spooled_ns = place.and_then(|place| self.times_ns.get(usize::try_from(place).ok()?));
        spooled_ns.is_none_or(|spooled_ns| *spooled_ns == applied.sequenced_ns)
    }
}

/// Files of the spool that may be in the page cache only.
#[derive(Debug)]
pub(crate) struct Unsynced {
    disk: Disk,
    files: BTreeSet<PathBuf>,
}

impl Unsynced {
    pub(crate) fn sync(&self) -> Result<(), SpoolError> {
        self.files.iter().try_for_each(|file| self.disk.sync(file))
    }
}
