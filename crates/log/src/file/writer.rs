//! What writes the log of one machine: frames into segments, zeros ahead of them. It has no thread
//! of its own: [`FileLog`](crate::FileLog) gives it one, the simulation steps it by hand. A clock
//! measures its syncs, and decides nothing.
//!
//! Zeros are written ahead of the frames, by real writes: `fdatasync` of a file that neither grows
//! nor gets new blocks has no metadata to write. The next segment is filled while this one is
//! written; it may be lent to another thread for that ([`Writer::lend_next`]). What is filled is
//! also the reserve for a disk that is full.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Instant;

use disk::{Access, Disk, DiskError, DiskFile};

use crate::batch::{Batch, Committed};
use crate::chain::ChainHash;
use crate::contract::Room;
use crate::error::{LogError, OpenError};
use crate::file::recovery::{Recovered, inspect_on};
use crate::file::segment::{Segment, SegmentHeader};
use crate::frame::{self, Link, PAYLOAD_SIZE_MAX};
use crate::options::{Durability, LogWrite, OnWrite, Options};

/// What is written with one call stays below this and one frame.
pub(crate) const GROUP_SIZE_MAX: usize = 1 << 20;
/// How much is filled with zeros at a time.
const FILL_SLICE_SIZE: u64 = Disk::WRITE_BACK_PIECE;
/// A group is written at once, and its last batch may be of any size.
const WRITE_SIZE_MAX: u64 = (GROUP_SIZE_MAX + frame::size(PAYLOAD_SIZE_MAX)) as u64;
static ZEROS: [u8; FILL_SLICE_SIZE as usize] = [0; FILL_SLICE_SIZE as usize];
/// Where the next segment is filled with zeros until it gets its name.
const NEXT_SEGMENT_NAME: &str = "next.segment";

#[derive(Debug)]
pub(crate) struct Writer {
    disk: Disk,
    pub(crate) dir: PathBuf,
    archive_dir: Option<PathBuf>,
    durability: Durability,
    segment_size: u64,
    on_write: OnWrite,

    /// All there are, oldest first; the last one is being written.
    segments: VecDeque<Segment>,
    active: Filled,
    /// Where the next frame goes in the active segment.
    offset: u64,
    next: Next,
    /// Whether the last attempt to fill ahead found the disk full.
    is_full: bool,

    last_batch: u64,
    last_hash: ChainHash,
    durable_batch: u64,
    /// Frames that are not yet written, and the batches in them.
    group: Vec<u8>,
    group_batches: Vec<Committed>,
}

#[derive(Debug)]
enum Next {
    None,
    Here(Filled),
    /// The filler works on it. It was filled up to here.
    Lent {
        end: u64,
    },
}

/// A file with zeros ahead.
#[derive(Debug)]
struct Filled {
    file: DiskFile,
    /// From here on nothing has been written yet.
    end: u64,
}

/// The next segment on its way to be filled, to the size that it is to have.
#[derive(Debug)]
pub(crate) struct Filling {
    filled: Filled,
    disk: Disk,
    size: u64,
    durability: Durability,
}

impl Filling {
    /// Fills it, and looks in between whether that is still wanted.
    pub(crate) fn run(&mut self, is_wanted: impl Fn() -> bool) -> Result<(), DiskError> {
        let Self { filled, disk, size, durability } = self;
        let syncs = *durability == Durability::Fsync;
        while filled.end < *size && is_wanted() {
            let slice = filled.end;
            filled.fill(disk, *size)?;
            if syncs {
                disk.write_back(&filled.file, slice, filled.end - slice)?;
            }
        }
        if syncs && filled.end == *size {
            disk.sync(&filled.file)?;
        }
        Ok(())
    }
}

impl Writer {
    pub(crate) fn open(
        disk: Disk,
        dir: &Path,
        options: &Options,
    ) -> Result<(Self, Recovered), OpenError> {
        let mut recovered = inspect_on(&disk, dir)?;
        recovered.check_reaches(options.snapshot_batch)?;
        let active = match (recovered.segments.last(), recovered.tail) {
            (Some(segment), Some(tail)) => {
                let file = disk.open(&segment.path, Access::ReadWrite)?;
                let mut tail_filled = Filled { file, end: tail.offset };
                // Zeros may be in the cache only, too: a torn end was covered at an earlier start,
                // and the sync failed. So as much is covered as one write may have torn, or more
                // was.
                let torn_size = recovered.bytes_dropped.max(WRITE_SIZE_MAX);
                let torn_end = (tail.offset + torn_size).min(tail.file_size);
                while tail_filled.end < torn_end {
                    tail_filled.fill(&disk, torn_end)?;
                }
                // A crashed process may have left behind frames that are not on stable storage. If
                // it was a sync that failed, the next one has forgotten them: they are read from
                // the cache, and would be gone with the power. So they are written once more.
                let mut unproven = vec![0; (tail.offset - tail.unproven) as usize];
                tail_filled.file.read_exact_at(&mut unproven, tail.unproven)?;
                disk.write(&tail_filled.file, tail.unproven, &unproven)?;
                disk.sync(&tail_filled.file)?;
                disk.sync_dir(dir)?;
                Filled { end: tail.file_size, ..tail_filled }
            }
            _ => {
                let mut next = Filled::create(&disk, dir)?;
                next.fill(&disk, options.segment_size)?;
                let segment = Segment::new(dir, options.start.last_batch + 1);
                next.publish(&disk, dir, &segment, options.start.last_hash)?;
                recovered = Recovered::begun(&disk, options.start, vec![segment]);
                next
            }
        };
        let writer = Self {
            disk,
            dir: dir.to_path_buf(),
            archive_dir: options.archive_dir.clone(),
            durability: options.durability,
            segment_size: options.segment_size,
            on_write: options.on_write.clone(),
            segments: recovered.segments.iter().cloned().collect(),
            active,
            offset: recovered.tail.map_or(SegmentHeader::SIZE, |tail| tail.offset),
            next: Next::None,
            is_full: false,
            last_batch: recovered.last_batch,
            last_hash: recovered.last_hash,
            durable_batch: recovered.last_batch,
            group: Vec::new(),
            group_batches: Vec::new(),
        };
        Ok((writer, recovered))
    }

    /// Sees to it that a frame of this size has its place behind the group, if need be in the next
    /// segment; the group must then have been committed, and the next segment be here, or nothing
    /// is done. [`LogError::DiskFull`] says that there is no such place now; it may be asked again.
    pub(crate) fn make_room(&mut self, frame_size: usize) -> Result<Place, LogError> {
        if self.has_place(frame_size) {
            return Ok(Place::Found);
        }
        if !self.group.is_empty() {
            return Ok(Place::AfterCommit);
        }
        if matches!(self.next, Next::Lent { .. }) {
            return Ok(Place::AfterReturn);
        }
        self.rotate(frame_size)?;
        Ok(Place::Found)
    }

    /// Whether a frame of this size has its place behind the group as it is.
    pub(crate) fn has_place(&self, frame_size: usize) -> bool {
        self.offset + (self.group.len() + frame_size) as u64 <= self.active.end
    }

    /// Adds a batch to the group, in the place that [`Writer::make_room`] has found for it.
    pub(crate) fn place(&mut self, batch: Batch) {
        let batch_number = self.last_batch + 1;
        let link =
            Link { batch_number, durable_batch: self.durable_batch, previous_hash: self.last_hash };
        let hash = frame::encode(&mut self.group, &batch, link);
        debug_assert!(self.offset + self.group.len() as u64 <= self.active.end);
        self.group_batches.push(Committed { batch_number, hash, batch });
        self.last_batch = batch_number;
        self.last_hash = hash;
    }

    pub(crate) fn group_size(&self) -> usize {
        self.group.len()
    }

    /// One write, one sync, and the batches of the group are committed.
    pub(crate) fn commit(&mut self) -> Result<std::vec::Drain<'_, Committed>, LogError> {
        if !self.group.is_empty() {
            self.disk.write(&self.active.file, self.offset, &self.group)?;
            let mut sync = None;
            if self.durability == Durability::Fsync {
                let begun = Instant::now();
                self.disk.sync(&self.active.file)?;
                sync = Some(begun.elapsed());
                self.durable_batch = self.last_batch;
            }
            let bytes = self.group.len() as u64;
            self.offset += bytes;
            self.on_write.call(LogWrite { bytes, sync });
            self.group.clear();
            self.group.shrink_to(2 * GROUP_SIZE_MAX);
        }
        Ok(self.group_batches.drain(..))
    }

    /// Where the next batches find their place.
    pub(crate) fn room(&self) -> Room {
        if !self.is_full {
            return Room::Enough;
        }
        let here = self.active.end.saturating_sub(self.offset);
        let behind = self.next_end().saturating_sub(SegmentHeader::SIZE);
        Room::Left(here.max(behind))
    }

    /// Whether there is nothing to fill now.
    pub(crate) fn is_filled(&self) -> bool {
        matches!(self.next, Next::Lent { .. }) || self.next_end() >= self.segment_size
    }

    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Fills one slice of the next segment with zeros. A full disk is noted, and no error.
    pub(crate) fn fill_ahead(&mut self) -> Result<(), LogError> {
        let slice_end = (self.next_end() + FILL_SLICE_SIZE).min(self.segment_size);
        let filled = self.fill_next_to(slice_end);
        self.note_full(filled)
    }

    /// Gives the next segment away to be filled, if it is not yet.
    pub(crate) fn lend_next(&mut self) -> Result<Option<Filling>, LogError> {
        if self.is_filled() {
            return Ok(None);
        }
        match self.create_next() {
            Err(error) if error.is_full() => {
                self.is_full = true;
                return Ok(None);
            }
            // A disk that was full has room once something was written.
            created => created?,
        }
        let lent = Next::Lent { end: self.next_end() };
        let Next::Here(filled) = std::mem::replace(&mut self.next, lent) else {
            unreachable!("it was created above")
        };
        let (disk, size, durability) = (self.disk.clone(), self.segment_size, self.durability);
        Ok(Some(Filling { filled, disk, size, durability }))
    }

    /// Takes the next segment back, as far as it was filled.
    pub(crate) fn return_next(
        &mut self,
        filling: Filling,
        filled: Result<(), DiskError>,
    ) -> Result<(), LogError> {
        self.next = Next::Here(filling.filled);
        self.note_full(filled)
    }

    /// Removes the segments that hold nothing but batches that may be forgotten, oldest first, so
    /// that there is no gap at any time.
    pub(crate) fn trim(&mut self, before_batch: u64) -> Result<(), LogError> {
        while !self.is_trimmed(before_batch) {
            let oldest = &self.segments[0].path;
            match &self.archive_dir {
                Some(archive) => {
                    self.disk.create_dir(archive)?;
                    let archived = archive.join(oldest.file_name().expect("a segment has a name"));
                    // It would be replaced, and may be of another log.
                    if self.disk.is_file(&archived) {
                        return Err(LogError::Archived { file: archived });
                    }
                    self.disk.rename_path(oldest, &archived)?;
                    self.disk.sync_dir(archive)?;
                }
                None => self.disk.remove(oldest)?,
            }
            self.disk.sync_dir(&self.dir)?;
            self.segments.pop_front();
        }
        Ok(())
    }

    /// Whether no segment is left that holds nothing but batches before this one.
    pub(crate) fn is_trimmed(&self, before_batch: u64) -> bool {
        self.segments.get(1).is_none_or(|second| second.first_batch > before_batch)
    }

    /// Puts all that was written on stable storage.
    pub(crate) fn sync(&mut self) -> Result<(), LogError> {
        self.disk.sync(&self.active.file)?;
        Ok(())
    }

    fn next_end(&self) -> u64 {
        match &self.next {
            Next::Here(next) => next.end,
            Next::Lent { end } => *end,
            Next::None => 0,
        }
    }

    fn create_next(&mut self) -> Result<(), DiskError> {
        if let Next::None = self.next {
            self.next = Next::Here(Filled::create(&self.disk, &self.dir)?);
        }
        Ok(())
    }

    fn fill_next_to(&mut self, end: u64) -> Result<(), DiskError> {
        self.create_next()?;
        let Next::Here(next) = &mut self.next else { return Ok(()) };
        next.fill(&self.disk, end)
    }

    /// That the disk is full is no error.
    fn note_full(&mut self, filled: Result<(), DiskError>) -> Result<(), LogError> {
        match filled {
            Err(error) if error.is_full() => self.is_full = true,
            filled => {
                filled?;
                self.is_full = false;
            }
        }
        Ok(())
    }

    /// Goes over to the next segment, which is as long as the disk allowed it to be.
    fn rotate(&mut self, frame_size: usize) -> Result<(), LogError> {
        if self.durability != Durability::Fsync {
            self.disk.sync(&self.active.file)?;
            self.durable_batch = self.last_batch;
        }
        let needed = SegmentHeader::SIZE + frame_size as u64;
        let wanted = self.segment_size.max(needed);
        while self.next_end() < wanted {
            match self.fill_next_to(wanted) {
                Err(error) if error.is_full() => {
                    self.is_full = true;
                    if self.next_end() >= needed {
                        break;
                    }
                    return Err(error.into());
                }
                filled => filled?,
            }
        }
        let Next::Here(mut next) = std::mem::replace(&mut self.next, Next::None) else {
            unreachable!("it was filled above")
        };
        let segment = Segment::new(&self.dir, self.last_batch + 1);
        next.publish(&self.disk, &self.dir, &segment, self.last_hash)?;
        self.segments.push_back(segment);
        self.active = next;
        self.offset = SegmentHeader::SIZE;
        Ok(())
    }
}

/// Where a frame is to go.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Place {
    Found,
    /// Into the next segment, when what was placed before is committed.
    AfterCommit,
    /// Into the next segment, when it is returned.
    AfterReturn,
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
