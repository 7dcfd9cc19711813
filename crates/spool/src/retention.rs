//! How much is kept, and the mark that says from where on there should be something.

use std::path::{Path, PathBuf};

use disk::Disk;
use types::{Reader, Wire};

use crate::error::SpoolError;
use crate::frame::FRAME_SIZE_MIN;

/// How much of the events is kept for readers. What is older goes in whole segments.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Retention {
    /// Of all files together, at least [`Retention::MAX_BYTES_MIN`]; eight times as many while a
    /// reader with a [`Bookmark`](crate::Bookmark) is behind, of whatever age.
    pub max_bytes: u64,
    /// How much older than the newest event the oldest ones may be; `None` for no such limit.
    pub max_age_ns: Option<u64>,
}

impl Default for Retention {
    fn default() -> Self {
        Self { max_bytes: Self::MAX_BYTES_DEFAULT, max_age_ns: None }
    }
}

/// Segments that make up what is kept, by size and by age: so exact is the retention.
const SEGMENTS: u64 = 32;
const AGE_SEGMENTS: u64 = 8;
/// A segment is read as a whole when the spool is opened.
const SEGMENT_SIZE_MAX: u64 = 64 << 20;

/// A burst of seconds must not drive readers out of the spool: to make events anew from the log
/// takes longer than to read them, so a reader that is behind would fall further.
const BEHIND: u64 = 8;

const BATCH_SIZE_MAX: usize = 256 << 10;

impl Retention {
    /// Nothing is deleted.
    pub const ALL: Self = Self { max_bytes: u64::MAX, max_age_ns: None };
    pub const MAX_BYTES_DEFAULT: u64 = 256 << 20;
    pub const MAX_BYTES_MIN: u64 = 32 << 20;

    /// What holds while a reader that follows is behind.
    pub(super) fn while_behind(&self) -> Self {
        Self { max_bytes: self.max_bytes.saturating_mul(BEHIND), max_age_ns: None }
    }

    /// At which a segment is full.
    pub(super) fn segment_size(&self) -> u64 {
        (self.max_bytes / SEGMENTS).min(SEGMENT_SIZE_MAX)
    }

    /// Bytes written at once while no reader waits for them.
    pub(super) fn batch_size(&self) -> usize {
        usize::try_from(self.segment_size() / 4).unwrap_or(BATCH_SIZE_MAX).min(BATCH_SIZE_MAX)
    }

    /// A segment that spans so much time is full, too.
    pub(super) fn segment_age_ns(&self) -> u64 {
        self.max_age_ns.map_or(u64::MAX, |age_ns| age_ns / AGE_SEGMENTS)
    }

    /// No more commands than these can be kept.
    pub(super) fn commands_max(&self) -> u64 {
        self.max_bytes / FRAME_SIZE_MIN as u64
    }
}

/// The file that says which is the oldest command that was not deleted on purpose. Whatever is
/// missing behind it was lost.
pub(super) const MARK: &str = "oldest";
/// The end of the name of a file that is about to take another one's place.
pub(super) const UNFINISHED: &str = ".unfinished";
/// The last character is the format's version.
const MARK_MAGIC: [u8; 8] = *b"BWSPOLD1";
const CHECKSUM_SIZE: usize = 16;

pub(super) fn read_mark(disk: &Disk, dir: &Path) -> Option<u64> {
    parse_mark(&disk.read(&dir.join(MARK)).ok()?)
}

fn parse_mark(bytes: &[u8]) -> Option<u64> {
    let (content, checksum) = bytes.split_last_chunk::<CHECKSUM_SIZE>()?;
    if blake3::hash(content).as_bytes()[..CHECKSUM_SIZE] != *checksum {
        return None;
    }
    let mut r = Reader(content.strip_prefix(&MARK_MAGIC)?);
    let oldest = r.read()?;
    r.is_empty().then_some(oldest)
}

pub(super) fn write_mark(disk: &Disk, dir: &Path, oldest: u64) -> Result<(), SpoolError> {
    let mut bytes = MARK_MAGIC.to_vec();
    oldest.write(&mut bytes);
    let checksum = blake3::hash(&bytes);
    bytes.extend_from_slice(&checksum.as_bytes()[..CHECKSUM_SIZE]);
    let unfinished: PathBuf = dir.join(format!("{MARK}{UNFINISHED}"));
    let file = disk.create(&unfinished)?;
    disk.write(&file, 0, &bytes)?;
    Ok(disk.rename_path(&unfinished, &dir.join(MARK))?)
}
