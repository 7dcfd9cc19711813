//! A segment: one file of frames, and its index beside it.
//!
//! Its header is the magic, the first sequence in it, and the running hash before that.

use std::path::{Path, PathBuf};

use disk::{Access, Disk, DiskFile};
use types::{Event, Reader, Wire};

use crate::batch::{Batch, each_number};
use crate::error::SpoolError;
use crate::frame::{EventHash, Frame, HASH_SIZE};
use crate::index::{self, Index, Posting, Summary};

/// The last character is the format's version. Segments of another one are rebuilt from the log.
/// Its last byte is the version.
const MAGIC: [u8; 8] = *b"BWSPOOL1";
pub(super) const HEADER_SIZE: usize = 8 + 8 + HASH_SIZE;

pub(super) const DOUBT: &str = "doubt";
/// An empty file that says that a sync of the folder has failed: names of files in it may be lost
/// with the power, and no sync would write them any more.
pub(super) const FOLDER_DOUBT: &str = "folder.doubt";

pub(super) fn segment_path(dir: &Path, first: u64) -> PathBuf {
    dir.join(format!("{first:020}.spool"))
}

pub(super) fn index_path(dir: &Path, first: u64) -> PathBuf {
    dir.join(format!("{first:020}.index"))
}

/// An empty file that says that a sync of the segment or its index has failed: what can be read of
/// them may be in the page cache only, and no sync would write it any more.
pub(super) fn doubt_path(dir: &Path, first: u64) -> PathBuf {
    dir.join(format!("{first:020}.{DOUBT}"))
}

/// The number in the name of a file with this extension.
pub(super) fn parse_name(name: &str, extension: &str) -> Option<u64> {
    let digits = name.strip_suffix(extension)?.strip_suffix('.')?;
    let is_number = digits.len() == 20 && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// Names the version of a segment that a later build made: its header is not damaged.
pub(super) fn check_version(path: &Path, bytes: &[u8]) -> Result<(), SpoolError> {
    let [our_name @ .., supported] = MAGIC;
    let head: Option<[u8; MAGIC.len()]> = bytes.first_chunk().copied();
    match head {
        Some([name @ .., found]) if name == our_name && found > supported => {
            let (found, supported) = (found.into(), supported.into());
            Err(SpoolError::NewerFormat { file: path.to_path_buf(), found, supported })
        }
        _ => Ok(()),
    }
}

/// The segment that is being written.
#[derive(Debug)]
pub(super) struct SegmentWriter {
    file: DiskFile,
    pub(super) summary: Summary,
}

impl SegmentWriter {
    pub(super) fn begin(disk: &Disk, dir: &Path, batch: &Batch) -> Result<Self, SpoolError> {
        let path = segment_path(dir, batch.first);
        let file = disk.create(&path)?;
        let mut header = MAGIC.to_vec();
        batch.first.write(&mut header);
        batch.previous_hash.write(&mut header);
        if let Err(error) = disk.write(&file, 0, &header) {
            // Without a header it would only be found to be damaged.
            let _ = disk.remove(&path);
            return Err(error.into());
        }
        let summary = Summary {
            first: batch.first,
            last: batch.first - 1,
            first_ns: batch.first_ns,
            last_ns: batch.first_ns,
            previous_hash: batch.previous_hash,
            event_hash: batch.previous_hash,
            size: HEADER_SIZE as u64,
        };
        Ok(Self { file, summary })
    }

    /// Goes on in a segment that was scanned.
    pub(super) fn resume(disk: &Disk, dir: &Path, summary: Summary) -> Result<Self, SpoolError> {
        let file = disk.open(&segment_path(dir, summary.first), Access::ReadWrite)?;
        file.truncate(summary.size)?;
        Ok(Self { file, summary })
    }

    /// Whether the batch belongs behind what is here.
    pub(super) fn is_continued_by(&self, batch: &Batch) -> bool {
        self.summary.last + 1 == batch.first
    }

    /// All of a batch, or nothing of it.
    pub(super) fn write(&mut self, disk: &Disk, batch: &Batch) -> Result<(), SpoolError> {
        let size = self.summary.size;
        if let Err(error) = disk.write(&self.file, size, &batch.bytes) {
            // Should that fail, too, what is behind the end is found to be so when it is opened.
            let _ = self.file.truncate(size);
            return Err(error.into());
        }
        self.summary.size += batch.bytes.len() as u64;
        self.summary.last = batch.last;
        self.summary.last_ns = batch.last_ns;
        self.summary.event_hash = batch.event_hash;
        Ok(())
    }

    /// Writes the index beside it: from there on it is one of the full segments.
    pub(super) fn seal(
        &self,
        disk: &Disk,
        dir: &Path,
        index: &Index,
    ) -> Result<Sealed, SpoolError> {
        seal(disk, dir, index, self.summary)
    }
}

fn seal(disk: &Disk, dir: &Path, index: &Index, summary: Summary) -> Result<Sealed, SpoolError> {
    let path = index_path(dir, summary.first);
    let bytes = index.encode(&summary);
    let file = disk.create(&path)?;
    if let Err(error) = disk.write(&file, 0, &bytes) {
        let _ = disk.remove(&path); // It may be room that is lacking.
        return Err(error.into());
    }
    Ok(Sealed { summary, file_size: summary.size + bytes.len() as u64 })
}

/// Adds a batch that was written from `start` on; says how many of its events could not be added,
/// because they do not continue the numbers before them: that would be an error of the engine.
pub(super) fn add_to_index(index: &mut Index, batch: &Batch, start: u64) -> usize {
    let start = u32::try_from(start).expect("a segment is below 4 GiB");
    for offset in &batch.frames {
        index.add_frame(start + offset);
    }
    let postings = batch.postings.iter();
    postings
        .map(|posting| index.add(Posting { offset: start + posting.offset, ..*posting }))
        .filter(|added| !added)
        .count()
}

/// A full segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sealed {
    pub(super) summary: Summary,
    /// Of both files together.
    pub(super) file_size: u64,
}

/// What a full segment was found to be.
#[derive(Debug)]
pub(super) enum Found {
    Whole(Sealed),
    /// It was made whole: its index was made anew, and what followed damage was cut off.
    Rebuilt(Sealed, Option<SpoolError>),
}

impl Sealed {
    /// Checks every byte of a segment and of its index.
    pub(super) fn check(disk: &Disk, dir: &Path, first: u64) -> Result<Found, SpoolError> {
        let path = segment_path(dir, first);
        let bytes = disk.read(&path)?;
        let index_path = index_path(dir, first);
        if let Ok(index) = disk.read(&index_path)
            && let Some(summary) = index::check(&index)
            && Some(summary) == scan_frames(&bytes, first)
        {
            let index_size = index.len() as u64;
            return Ok(Found::Whole(Self { summary, file_size: summary.size + index_size }));
        }
        check_version(&path, &bytes)?;
        let damaged = |offset: usize, damage| SpoolError::damaged(&path, offset as u64, damage);
        let scanned = scan(&bytes, first).ok_or_else(|| damaged(0, "its header is not sound"))?;
        if scanned.summary.last < first {
            return Err(damaged(bytes.len(), "it is empty"));
        }
        let size = usize::try_from(scanned.summary.size).expect("no more than was read");
        let damage = (size < bytes.len()).then(|| damaged(size, "a frame is not sound"));
        let writer = SegmentWriter::resume(disk, dir, scanned.summary)?;
        Ok(Found::Rebuilt(writer.seal(disk, dir, &scanned.index)?, damage))
    }
}

/// What the whole frames at the start of a segment amount to.
#[derive(Debug)]
pub(super) struct Scanned {
    pub(super) summary: Summary,
    pub(super) index: Index,
    /// Of each command.
    pub(super) times_ns: Vec<u64>,
}

/// Reads frames as far as they are whole and in order; `None` if it is not a segment that begins
/// with this sequence.
pub(super) fn scan(bytes: &[u8], first: u64) -> Option<Scanned> {
    let mut frames = Frames::begin(bytes, first)?;
    let mut index = Index::default();
    let mut times_ns = Vec::new();
    let mut whole = frames.summary;
    while let Some(frame) = frames.next_frame() {
        let offset = u32::try_from(whole.size).ok()?;
        if !index_frame(&mut index, &frame, offset) {
            break;
        }
        times_ns.push(frame.sequenced_ns);
        whole = frames.summary;
    }
    Some(Scanned { summary: whole, index, times_ns })
}

/// `false` when its events cannot be read, or are not numbered as they should be.
fn index_frame(index: &mut Index, frame: &Frame<'_>, offset: u32) -> bool {
    let mut r = Reader(frame.events);
    let mut is_sound = true;
    while !r.is_empty() && is_sound {
        let Some(event) = r.read::<Event>() else { return false };
        each_number(&event, |key, number| is_sound &= index.add(Posting { key, number, offset }));
    }
    if is_sound {
        index.add_frame(offset);
    }
    is_sound
}

/// The same without looking at the events; `None` unless all of it is whole.
fn scan_frames(bytes: &[u8], first: u64) -> Option<Summary> {
    let mut frames = Frames::begin(bytes, first)?;
    while frames.next_frame().is_some() {}
    (frames.summary.size == bytes.len() as u64).then_some(frames.summary)
}

struct Frames<'a> {
    bytes: &'a [u8],
    /// Of what was read so far.
    summary: Summary,
}

impl<'a> Frames<'a> {
    fn begin(bytes: &'a [u8], expected_first: u64) -> Option<Self> {
        let mut r = Reader(bytes.strip_prefix(&MAGIC)?);
        let (first, previous_hash): (u64, EventHash) = r.read()?;
        let last = first.checked_sub(1)?;
        let summary = Summary {
            first,
            last,
            first_ns: 0,
            last_ns: 0,
            previous_hash,
            event_hash: previous_hash,
            size: HEADER_SIZE as u64,
        };
        (first == expected_first).then_some(Self { bytes, summary })
    }

    fn next_frame(&mut self) -> Option<Frame<'a>> {
        let start = usize::try_from(self.summary.size).ok()? - HASH_SIZE;
        let frame = Frame::read(self.bytes.get(start..)?)?;
        let Summary { first, last, .. } = self.summary;
        if Some(frame.sequence) != last.checked_add(1) {
            return None;
        }
        if frame.sequence == first {
            self.summary.first_ns = frame.sequenced_ns;
        }
        self.summary.last = frame.sequence;
        self.summary.last_ns = frame.sequenced_ns;
        self.summary.event_hash = frame.event_hash;
        self.summary.size += frame.size as u64;
        Some(frame)
    }
}
