//! A segment: one file of the log, named by the first batch in it.
//!
//! A header, frames, zeros. A segment gets its name only when its header is on stable storage, and
//! so is everything in the segments before it: what a crash can tear is always in the newest one.

use std::mem::offset_of;
use std::path::{Path, PathBuf};

use disk::{Access, Disk, DiskError, DiskFile};

use crate::chain::ChainHash;
use crate::error::OpenError;
use crate::frame::{self, FORMAT_VERSION, Frame, FrameError, FrameHeader, field};
use crate::numbered::{numbered_name, parse_numbered_name};

const MAGIC: [u8; 8] = *b"BWLOGSEG";
const NAME_EXTENSION: &str = "log";
const READ_SIZE: usize = 256 << 10;

/// As in a frame, the layout is for ever, whatever the format version.
#[repr(C)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct SegmentHeader {
    magic: [u8; 8],
    format_version: u16,
    reserved: [u8; 6],
    pub(crate) first_batch: u64,
    pub(crate) previous_hash: ChainHash,
    checksum: [u8; 16],
}

const _: () = {
    assert!(size_of::<SegmentHeader>() == 56);
    assert!(SegmentHeader::SIZE.is_multiple_of(frame::ALIGNMENT as u64));
    assert!(offset_of!(SegmentHeader, format_version) == 8);
    assert!(offset_of!(SegmentHeader, reserved) == 10);
    assert!(offset_of!(SegmentHeader, first_batch) == 16);
    assert!(offset_of!(SegmentHeader, previous_hash) == 24);
    assert!(offset_of!(SegmentHeader, checksum) == 40);
};

impl SegmentHeader {
    pub(crate) const SIZE: u64 = size_of::<Self>() as u64;

    pub(crate) fn encode(first_batch: u64, previous_hash: ChainHash) -> Vec<u8> {
        let mut out = Vec::with_capacity(size_of::<Self>());
        out.extend(MAGIC);
        out.extend(FORMAT_VERSION.to_le_bytes());
        out.extend([0; 6]);
        out.extend(first_batch.to_le_bytes());
        out.extend(previous_hash.0);
        out.extend(checksum(&out));
        debug_assert_eq!(out.len() as u64, Self::SIZE);
        out
    }

    fn decode(bytes: &[u8]) -> Result<Self, HeaderError> {
        let bytes: &[u8; size_of::<Self>()] = bytes.first_chunk().ok_or(HeaderError::Damaged)?;
        let header = Self {
            magic: field(bytes, offset_of!(Self, magic)),
            format_version: u16::from_le_bytes(field(bytes, offset_of!(Self, format_version))),
            reserved: field(bytes, offset_of!(Self, reserved)),
            first_batch: u64::from_le_bytes(field(bytes, offset_of!(Self, first_batch))),
            previous_hash: ChainHash(field(bytes, offset_of!(Self, previous_hash))),
            checksum: field(bytes, offset_of!(Self, checksum)),
        };
        let covered = &bytes[..offset_of!(Self, checksum)];
        if header.magic != MAGIC {
            return Err(HeaderError::Damaged);
        }
        // Ahead of the checksum, which a later version may have elsewhere.
        if header.format_version > FORMAT_VERSION {
            return Err(HeaderError::Newer { found: header.format_version });
        }
        if header.checksum != checksum(covered) {
            return Err(HeaderError::Damaged);
        }
        Ok(header)
    }
}

enum HeaderError {
    Damaged,
    Newer { found: u16 },
}

fn checksum(bytes: &[u8]) -> [u8; 16] {
    field(blake3::hash(bytes).as_bytes(), 0)
}

/// A segment that lies in the folder, by its name.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) path: PathBuf,
    pub(crate) first_batch: u64,
}

impl Segment {
    pub(crate) fn new(dir: &Path, first_batch: u64) -> Self {
        Self { path: dir.join(numbered_name(first_batch, NAME_EXTENSION)), first_batch }
    }

    /// The segments in the folder, oldest first.
    pub(crate) fn list(disk: &Disk, dir: &Path) -> Result<Vec<Self>, OpenError> {
        let mut segments = Vec::new();
        for path in disk.list(dir)? {
            if path.extension().is_none_or(|extension| extension != NAME_EXTENSION) {
                continue;
            }
            match parse_numbered_name(&path, NAME_EXTENSION) {
                Some(first_batch) if disk.is_file(&path) => {
                    segments.push(Self { path, first_batch });
                }
                // Trimmed by a running venue just now.
                Some(_) if !disk.list(dir)?.contains(&path) => {}
                _ => return Err(OpenError::ForeignFile { file: path }),
            }
        }
        segments.sort_by_key(|segment| segment.first_batch);
        Ok(segments)
    }
}

/// Brings to stable storage all that was written to the log in this folder, which another thread
/// may be writing: what is before the newest segment is there already.
pub fn sync_written(dir: &Path) -> Result<(), OpenError> {
    let disk = Disk::default();
    if let Some(newest) = Segment::list(&disk, dir)?.last() {
        disk.sync(&disk.open(&newest.path, Access::Read)?)?;
    }
    Ok(())
}

/// Reads the frames of one segment in their order, holding no more of it than one frame needs.
#[derive(Debug)]
pub(crate) struct SegmentReader {
    file: DiskFile,
    pub(crate) header: SegmentHeader,
    pub(crate) file_size: u64,
    /// Where the next frame starts.
    pub(crate) offset: u64,
    /// The bytes of the file from `buffer_offset` on.
    buffer: Vec<u8>,
    buffer_offset: u64,
}

impl SegmentReader {
    pub(crate) fn open(disk: &Disk, segment: &Segment) -> Result<Self, OpenError> {
        let path = segment.path.clone();
        let file = disk.open(&path, Access::Read)?;
        let file_size = file.size()?;
        let mut bytes = vec![0; file_size.min(SegmentHeader::SIZE) as usize];
        file.read_exact_at(&mut bytes, 0)?;
        let header = match SegmentHeader::decode(&bytes) {
            Ok(header) if header.first_batch == segment.first_batch => header,
            Ok(_) => {
                return Err(OpenError::Corrupt {
                    file: path,
                    offset: offset_of!(SegmentHeader, first_batch) as u64,
                    batch_number: segment.first_batch,
                    damage: "the segment's header and its name have different batch numbers",
                });
            }
            Err(HeaderError::Damaged) => {
                return Err(OpenError::Corrupt {
                    file: path,
                    offset: 0,
                    batch_number: segment.first_batch,
                    damage: "the segment's header is damaged",
                });
            }
            Err(HeaderError::Newer { found }) => {
                return Err(OpenError::NewerFormat {
                    file: path,
                    found,
                    supported: FORMAT_VERSION,
                });
            }
        };
        Ok(Self::behind(header, file, file_size))
    }

    /// Opens a segment whose header cannot be used, for what lies behind it.
    pub(crate) fn open_headless(disk: &Disk, segment: &Segment) -> Result<Self, DiskError> {
        let file = disk.open(&segment.path, Access::Read)?;
        let file_size = file.size()?;
        let header = SegmentHeader {
            magic: MAGIC,
            format_version: FORMAT_VERSION,
            reserved: [0; 6],
            first_batch: segment.first_batch,
            previous_hash: ChainHash::GENESIS,
            checksum: [0; 16],
        };
        Ok(Self::behind(header, file, file_size))
    }

    fn behind(header: SegmentHeader, file: DiskFile, file_size: u64) -> Self {
        let buffer = Vec::with_capacity(READ_SIZE);
        let offset = SegmentHeader::SIZE;
        Self { file, header, file_size, offset, buffer, buffer_offset: offset }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.file.path
    }

    /// The frame at `offset`; [`FrameError::Magic`] is what the zeros after the last one give.
    pub(crate) fn read(&mut self) -> Result<Result<Frame<'_>, FrameError>, DiskError> {
        self.fill(FrameHeader::SIZE)?;
        match frame::decode_size(self.bytes()) {
            Ok(size) => self.fill(size)?,
            Err(error) => return Ok(Err(error)),
        }
        let start = (self.offset - self.buffer_offset) as usize;
        let decoded = frame::decode(&self.buffer[start..]);
        if let Ok(frame) = &decoded {
            self.offset += frame::size(frame.payload.len()) as u64;
        }
        Ok(decoded)
    }

    /// The first byte behind `offset` from which on all is zero: `offset` itself after a clean end.
    pub(crate) fn used_end(&self) -> Result<u64, DiskError> {
        let mut buffer = vec![0; READ_SIZE];
        let (mut position, mut end) = (self.offset, self.offset);
        while position < self.file_size {
            let size = (self.file_size - position).min(READ_SIZE as u64) as usize;
            let bytes = &mut buffer[..size];
            self.file.read_exact_at(bytes, position)?;
            if let Some(last) = bytes.iter().rposition(|&byte| byte != 0) {
                end = position + last as u64 + 1;
            }
            position += size as u64;
        }
        Ok(end)
    }

    /// Looks behind a bad frame, up to `end`, for a sound one that was written when `batch_number`
    /// was on stable storage already.
    pub(crate) fn has_witness(&self, batch_number: u64, end: u64) -> Result<bool, DiskError> {
        let searched = (end - self.offset) as usize;
        let bytes = self.bytes_from_here(end)?;
        let is_witness = |start: usize| match frame::decode(&bytes[start..]) {
            Ok(frame) => frame.header.durable_batch >= batch_number,
            Err(FrameError::Version { .. }) => true,
            Err(_) => false,
        };
        Ok((frame::ALIGNMENT..searched).step_by(frame::ALIGNMENT).any(is_witness))
    }

    /// Goes on at the next sound frame behind a bad one and before `end`, if there is one.
    pub(crate) fn go_to_next_frame(&mut self, end: u64) -> Result<bool, DiskError> {
        let bytes = self.bytes_from_here(end)?;
        let searched = (end - self.offset) as usize;
        let is_frame = |start: &usize| frame::decode(&bytes[*start..]).is_ok();
        let found = (frame::ALIGNMENT..searched).step_by(frame::ALIGNMENT).find(is_frame);
        let Some(start) = found else { return Ok(false) };
        self.offset += start as u64;
        self.look_again()?;
        Ok(true)
    }

    /// What lies between here and `end`, and the rest of a frame that begins there.
    fn bytes_from_here(&self, end: u64) -> Result<Vec<u8>, DiskError> {
        let frame_end = end + frame::size(frame::PAYLOAD_SIZE_MAX) as u64;
        let mut bytes = vec![0; frame_end.min(self.file_size).saturating_sub(self.offset) as usize];
        self.file.read_exact_at(&mut bytes, self.offset)?;
        Ok(bytes)
    }

    /// Forgets what it has read ahead, so that the next frame comes from the file as it is now.
    pub(crate) fn look_again(&mut self) -> Result<(), DiskError> {
        self.buffer.clear();
        self.buffer_offset = self.offset;
        self.file_size = self.file.size()?;
        Ok(())
    }

    fn bytes(&self) -> &[u8] {
        &self.buffer[(self.offset - self.buffer_offset) as usize..]
    }

    /// Has `size` bytes from `offset` on in the buffer, or as many as the file has.
    fn fill(&mut self, size: usize) -> Result<(), DiskError> {
        if self.bytes().len() >= size {
            return Ok(());
        }
        let consumed = (self.offset - self.buffer_offset) as usize;
        self.buffer.drain(..consumed);
        self.buffer_offset = self.offset;
        let position = self.offset + self.buffer.len() as u64;
        let wanted = size.max(READ_SIZE) - self.buffer.len();
        let wanted = (self.file_size.saturating_sub(position)).min(wanted as u64) as usize;
        let start = self.buffer.len();
        self.buffer.resize(start + wanted, 0);
        self.file.read_exact_at(&mut self.buffer[start..], position)
    }
}
