//! What writes the log of one machine: frames into segments, zeros ahead of them. It has no thread
//! and no clock: [`FileLog`](crate::FileLog) gives it a thread, the simulation steps it by hand.
//!
//! Zeros are written ahead of the frames, by real writes: `fdatasync` of a file that neither grows
//! nor gets new blocks has no metadata to write. They are also the reserve for a disk that is full:
//! what is filled already in this segment and the next one is never less than a segment.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::disk::{Access, Disk, DiskError, DiskFile};
use crate::frame::{self, ChainHash, Link};
use crate::recovery::{Recovered, inspect_on};
use crate::segment::{Segment, SegmentHeader};
use crate::{Batch, Committed, Durability, LogError, OpenError, Options, Room};

/// How much is filled with zeros between two looks at the queue.
const FILL_SLICE_SIZE: u64 = 256 << 10;
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

    /// All there are, oldest first; the last one is being written.
    segments: VecDeque<Segment>,
    active: Filled,
    /// Where the next frame goes in the active segment.
    offset: u64,
    next: Option<Filled>,
    /// Whether the last attempt to fill ahead found the disk full.
    is_full: bool,

    last_batch: u64,
    last_hash: ChainHash,
    durable_batch: u64,
    /// Frames that are not yet written, and the batches in them.
    group: Vec<u8>,
    group_batches: Vec<Committed>,
}

/// A file with zeros ahead.
#[derive(Debug)]
struct Filled {
    file: DiskFile,
    /// From here on nothing has been written yet.
    end: u64,
}

impl Writer {
    pub(crate) fn open(
        disk: Disk,
        dir: &Path,
        options: &Options,
    ) -> Result<(Self, Recovered), OpenError> {
        let mut recovered = inspect_on(&disk, dir)?;
        let active = match (recovered.segments.last(), recovered.tail) {
            (Some(segment), Some(tail)) => {
                let file = disk.open(&segment.path, Access::ReadWrite)?;
                let mut tail_filled = Filled { file, end: tail.offset };
                let dropped_end = tail.offset + recovered.bytes_dropped;
                while tail_filled.end < dropped_end {
                    tail_filled.fill(&disk, dropped_end)?;
                }
                // A crashed process may have left behind frames that are not on stable storage. If
                // it was a sync that failed, the next one has forgotten them: they are read from the
                // cache, and would be gone with the power. So they are written once more.
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
            segments: recovered.segments.iter().cloned().collect(),
            active,
            offset: recovered.tail.map_or(SegmentHeader::SIZE, |tail| tail.offset),
            next: None,
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
    /// segment; the group must then have been committed, or nothing is done and `false` returned.
    /// [`LogError::DiskFull`] says that there is no such place now; it may be asked again.
    pub(crate) fn make_room(&mut self, frame_size: usize) -> Result<bool, LogError> {
        let start = self.offset + self.group.len() as u64;
        let end = start + frame_size as u64;
        let is_first = start == SegmentHeader::SIZE;
        if end <= self.active.end && (end <= self.segment_size || is_first) {
            return Ok(true);
        }
        let may_grow = end <= self.segment_size || is_first;
        if may_grow && self.grow_active(end)? {
            return Ok(true);
        }
        if !self.group.is_empty() {
            return Ok(false);
        }
        self.rotate(frame_size)?;
        Ok(true)
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
            if self.durability == Durability::Fsync {
                self.disk.sync(&self.active.file)?;
                self.durable_batch = self.last_batch;
            }
            self.offset += self.group.len() as u64;
            self.group.clear();
            self.group.shrink_to(2 * crate::file::GROUP_SIZE_MAX);
        }
        Ok(self.group_batches.drain(..))
    }

    /// Where the next batches find their place.
    pub(crate) fn room(&self) -> Room {
        if !self.is_full {
            return Room::Enough;
        }
        let here = self.active.end.min(self.segment_size).saturating_sub(self.offset);
        let behind = self.next_end().saturating_sub(SegmentHeader::SIZE);
        Room::Left(here.max(behind))
    }

    /// Whether more has been used up than was filled ahead, as happens under a load without pauses.
    pub(crate) fn lags(&self) -> bool {
        if self.is_full {
            return false;
        }
        if self.active.end < self.segment_size {
            return self.active.end < self.offset + FILL_SLICE_SIZE;
        }
        !self.is_filled() && self.next_end() < self.offset
    }

    pub(crate) fn is_filled(&self) -> bool {
        self.next_end() >= self.segment_size && self.active.end >= self.segment_size
    }

    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Fills one slice with zeros, in the active segment first, then in the next one. A full disk is
    /// noted, and no error.
    pub(crate) fn fill_ahead(&mut self) -> Result<(), LogError> {
        let filled = match self.active.end < self.segment_size {
            true => self.active.fill_durably(&self.disk, self.segment_size, self.durability),
            false => self.fill_next(),
        };
        self.note_full(filled)?;
        Ok(())
    }

    /// Removes the segments that hold nothing but batches that may be forgotten, oldest first, so
    /// that there is no gap at any time.
    pub(crate) fn trim(&mut self, before_batch: u64) -> Result<(), LogError> {
        while let Some(second) = self.segments.get(1)
            && second.first_batch <= before_batch
        {
            let oldest = &self.segments[0].path;
            match &self.archive_dir {
                Some(archive) => {
                    self.disk.create_dir(archive)?;
                    let name = oldest.file_name().expect("a segment has a name");
                    self.disk.rename_path(oldest, &archive.join(name))?;
                    self.disk.sync_dir(archive)?;
                }
                None => self.disk.remove(oldest)?,
            }
            self.disk.sync_dir(&self.dir)?;
            self.segments.pop_front();
        }
        Ok(())
    }

    /// Puts all that was written on stable storage.
    pub(crate) fn sync(&mut self) -> Result<(), LogError> {
        self.disk.sync(&self.active.file)?;
        Ok(())
    }

    fn next_end(&self) -> u64 {
        self.next.as_ref().map_or(0, |next| next.end)
    }

    fn grow_active(&mut self, end: u64) -> Result<bool, LogError> {
        while self.active.end < end {
            let limit = end.max(self.segment_size);
            let filled = self.active.fill(&self.disk, limit);
            if !self.note_full(filled)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn fill_next(&mut self) -> Result<(), DiskError> {
        if self.next.is_none() {
            self.next = Some(Filled::create(&self.disk, &self.dir)?);
        }
        let next = self.next.as_mut().expect("created above");
        next.fill_durably(&self.disk, self.segment_size, self.durability)
    }

    /// Whether it worked; `false` means that the disk is full.
    fn note_full(&mut self, filled: Result<(), DiskError>) -> Result<bool, LogError> {
        match filled {
            Err(error) if error.is_full() => self.is_full = true,
            filled => {
                filled?;
                self.is_full = false;
            }
        }
        Ok(!self.is_full)
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
        let mut next = self.next.take().expect("filled above");
        let segment = Segment::new(&self.dir, self.last_batch + 1);
        next.publish(&self.disk, &self.dir, &segment, self.last_hash)?;
        self.segments.push_back(segment);
        self.active = next;
        self.offset = SegmentHeader::SIZE;
        Ok(())
    }

    fn fill_next_to(&mut self, end: u64) -> Result<(), DiskError> {
        if self.next.is_none() {
            self.next = Some(Filled::create(&self.disk, &self.dir)?);
        }
        self.next.as_mut().expect("created above").fill(&self.disk, end)
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

    /// So that the sync of a later frame finds little else to do.
    fn fill_durably(
        &mut self,
        disk: &Disk,
        limit: u64,
        durability: Durability,
    ) -> Result<(), DiskError> {
        self.fill(disk, limit)?;
        match durability {
            Durability::Fsync => disk.sync(&self.file),
            Durability::Os | Durability::Memory => Ok(()),
        }
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
