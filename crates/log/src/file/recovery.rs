//! What a log holds after a stop or a crash, found by reading all of it and changing nothing.

use std::collections::VecDeque;
use std::path::Path;

use disk::Disk;

use crate::batch::{LoggedBatch, Start};
use crate::chain::ChainHash;
use crate::contract::{BatchReader, LogReader};
use crate::error::{OpenError, corrupt, damage};
use crate::file::check::{Checked, Tail, check_all};
use crate::file::segment::{Segment, SegmentHeader, SegmentReader};
use crate::frame::{Frame, FrameHeader};

/// Reads the log in a folder from end to end without changing anything or taking a lock: for tools,
/// also beside a running venue.
pub fn inspect(dir: &Path) -> Result<Recovered, OpenError> {
    inspect_on(&Disk::default(), dir)
}

/// [`inspect`] for a reader that needs only this batch and those after it, and soon: older segments
/// are not read, and of the others only the newest, whose end is to be found. What lies between is
/// checked when it is read.
pub fn inspect_from(dir: &Path, batch_number: u64) -> Result<Recovered, OpenError> {
    inspect_listed(&Disk::default(), dir, |disk, mut segments| {
        let held = segments.partition_point(|segment| segment.first_batch <= batch_number);
        segments.drain(..held.saturating_sub(1));
        let first_batch = segments.first().map(|segment| segment.first_batch);
        let newest = check_all(disk, &segments[segments.len().saturating_sub(1)..]);
        let mut recovered = Recovered::begun(disk, Start::default(), segments);
        newest.into_iter().try_for_each(|checked| recovered.join(checked?))?;
        recovered.first_batch = first_batch.unwrap_or(recovered.first_batch);
        Ok(recovered)
    })
}

/// [`inspect`] for a log on a disk of one's own.
pub fn inspect_on(disk: &Disk, dir: &Path) -> Result<Recovered, OpenError> {
    inspect_listed(disk, dir, |disk, segments| {
        let mut recovered = Recovered::begun(disk, Start::default(), segments);
        let mut checked = check_all(disk, &recovered.segments).into_iter();
        checked.try_for_each(|checked| recovered.join(checked?))?;
        Ok(recovered)
    })
}

fn inspect_listed(
    disk: &Disk,
    dir: &Path,
    check: impl Fn(&Disk, Vec<Segment>) -> Result<Recovered, OpenError>,
) -> Result<Recovered, OpenError> {
    loop {
        let segments = Segment::list(disk, dir)?;
        let listed = first_batches(&segments);
        match check(disk, segments) {
            Ok(recovered) => return Ok(recovered),
            // A running venue may have begun or trimmed segments while the list was read.
            Err(error)
                if error.is_missing() && first_batches(&Segment::list(disk, dir)?) != listed => {}
            Err(error) => return Err(error),
        }
    }
}

fn first_batches(segments: &[Segment]) -> Vec<u64> {
    segments.iter().map(|segment| segment.first_batch).collect()
}

/// What was found in a log.
#[derive(Debug)]
pub struct Recovered {
    /// 1, or a later one when older segments have been trimmed.
    pub first_batch: u64,
    /// `first_batch - 1` when there is no batch.
    pub last_batch: u64,
    pub last_hash: ChainHash,
    /// How long the torn end was: what the last write of a crashed process left behind. None of it
    /// had been acknowledged. [`FileLog::open`](crate::FileLog::open) has overwritten it with
    /// zeros; [`inspect`] has not.
    pub bytes_dropped: u64,
    pub(crate) tail: Option<Tail>,
    pub(crate) segments: Vec<Segment>,
    disk: Disk,
}

/// A file of the log as it was found.
#[derive(Clone, Copy, Debug)]
pub struct SegmentFile<'a> {
    pub path: &'a Path,
    pub first_batch: u64,
    /// Behind the last whole frame of the newest segment; `None` for those that are full.
    pub end: Option<u64>,
}

impl Recovered {
    pub(crate) fn begun(disk: &Disk, start: Start, segments: Vec<Segment>) -> Self {
        Self {
            first_batch: start.last_batch + 1,
            last_batch: start.last_batch,
            last_hash: start.last_hash,
            bytes_dropped: 0,
            tail: None,
            segments,
            disk: disk.clone(),
        }
    }

    /// The files that hold the batches, oldest first, and how much of each is used: all but the
    /// newest may be copied as they are, of that one the bytes that have been read.
    pub fn files(&self) -> impl Iterator<Item = SegmentFile<'_>> {
        let newest = self.segments.len().saturating_sub(1);
        self.segments.iter().enumerate().map(move |(index, segment)| SegmentFile {
            path: &segment.path,
            first_batch: segment.first_batch,
            end: self.tail.filter(|_| index == newest).map(|tail| tail.offset),
        })
    }

    /// The frames from this batch on, up to `last_batch`, checked once more as they are read.
    pub fn read_from(&self, batch_number: u64) -> Result<Reader, OpenError> {
        if !(self.first_batch..=self.last_batch + 1).contains(&batch_number) {
            return Err(OpenError::NotInLog {
                wanted: batch_number,
                first_batch: self.first_batch,
                last_batch: self.last_batch,
            });
        }
        let held = self.segments.partition_point(|segment| segment.first_batch <= batch_number);
        let mut reader = Reader {
            segments: self.segments[held.saturating_sub(1)..].iter().cloned().collect(),
            open: None,
            disk: self.disk.clone(),
            next_batch: batch_number,
            last_batch: self.last_batch,
            previous_hash: self.last_hash,
            frame_offset: 0,
        };
        if let Some(segment) = reader.segments.pop_front() {
            let open = SegmentReader::open(&self.disk, &segment)?;
            reader.next_batch = segment.first_batch;
            reader.previous_hash = open.header.previous_hash;
            reader.open = Some(open);
            while reader.next_batch < batch_number {
                reader.read()?;
            }
        }
        Ok(reader)
    }

    /// Refuses a log that ends before a batch that it was seen to hold: what looks like a torn tail
    /// is a damaged frame then.
    pub(crate) fn check_reaches(&self, snapshot_batch: u64) -> Result<(), OpenError> {
        let last_batch = self.last_batch;
        if last_batch >= snapshot_batch {
            return Ok(());
        }
        match (self.segments.last(), self.tail) {
            (Some(segment), Some(tail)) if self.bytes_dropped > 0 => {
                let damage = "a frame that a snapshot holds is not whole";
                Err(corrupt(&segment.path, tail.offset, last_batch + 1, damage))
            }
            _ => Err(OpenError::EndsBeforeSnapshot { last_batch, snapshot_batch }),
        }
    }

    /// Takes in a segment behind those before it.
    fn join(&mut self, checked: Checked) -> Result<(), OpenError> {
        let Checked { file, header, frames } = checked;
        if self.tail.is_some() {
            self.check_joint(&file, header)?;
        } else {
            if header.first_batch == 0 {
                return Err(corrupt(&file, 0, 0, "batches are numbered from 1"));
            }
            self.first_batch = header.first_batch;
        }
        let frames = frames?;
        self.last_batch = frames.last_batch;
        self.last_hash = frames.last_hash;
        self.bytes_dropped = frames.bytes_dropped;
        self.tail = Some(frames.tail);
        Ok(())
    }

    fn check_joint(&self, file: &Path, header: SegmentHeader) -> Result<(), OpenError> {
        let SegmentHeader { first_batch, previous_hash, .. } = header;
        let expected = self.last_batch + 1;
        if first_batch > expected {
            let file = file.to_path_buf();
            return Err(OpenError::Gap { file, expected, found: first_batch });
        }
        if first_batch < expected {
            let damage = "the segment before it already holds its first batch";
            return Err(corrupt(file, 0, first_batch, damage));
        }
        if previous_hash != self.last_hash {
            let damage = "the segment does not continue the one before it";
            return Err(corrupt(file, 0, first_batch, damage));
        }
        Ok(())
    }
}

/// Reads committed frames for replay, one at a time.
#[derive(Debug)]
pub struct Reader {
    segments: VecDeque<Segment>,
    /// The segment that is being read.
    open: Option<SegmentReader>,
    disk: Disk,
    next_batch: u64,
    last_batch: u64,
    previous_hash: ChainHash,
    /// Where the last frame that was read begins.
    frame_offset: u64,
}

impl Reader {
    /// The file of the last frame that was read, and where in it the frame begins.
    pub fn place(&self) -> Option<(&Path, u64)> {
        self.open.as_ref().map(|segment| (segment.path(), self.frame_offset))
    }

    /// The chain's hash just before the next frame: a snapshot taken there carries the same one.
    pub fn previous_hash(&self) -> ChainHash {
        self.previous_hash
    }

    /// The next frame; `None` behind the last.
    pub fn read(&mut self) -> Result<Option<Frame<'_>>, OpenError> {
        if self.next_batch > self.last_batch {
            return Ok(None);
        }
        if let Some(next) = self.segments.front()
            && next.first_batch == self.next_batch
        {
            self.open = Some(SegmentReader::open(&self.disk, next)?);
            self.segments.pop_front();
        }
        let batch_number = self.next_batch;
        let reader = self.open.as_mut().expect("a log with batches has a segment");
        let (file, offset) = (reader.path().to_path_buf(), reader.offset);
        self.frame_offset = offset;
        let damaged = |damage| {
            let file = file.clone();
            OpenError::Corrupt { file, offset, batch_number, damage }
        };
        let frame = reader.read()?.map_err(damage).map_err(damaged)?;
        let FrameHeader { batch_number: found, previous_hash, hash, .. } = frame.header;
        if found != batch_number || previous_hash != self.previous_hash {
            return Err(damaged("the log has changed since it was opened"));
        }
        self.next_batch += 1;
        self.previous_hash = hash;
        Ok(Some(frame))
    }
}

impl LogReader for Recovered {
    fn first_batch(&self) -> u64 {
        self.first_batch
    }

    fn last_batch(&self) -> u64 {
        self.last_batch
    }

    fn read_from(&self, batch_number: u64) -> Result<Box<dyn BatchReader>, OpenError> {
        Ok(Box::new(self.read_from(batch_number)?))
    }
}

impl BatchReader for Reader {
    fn read(&mut self) -> Result<Option<LoggedBatch<'_>>, OpenError> {
        Ok(self.read()?.map(LoggedBatch::from))
    }

    fn previous_hash(&self) -> ChainHash {
        self.previous_hash
    }

    fn place(&self) -> Option<(&Path, u64)> {
        self.place()
    }
}
