//! The event spool: what was applied, in files, for readers who come later.
//!
//! It is derived from the log, so it is not synced as it grows, and what a crash takes from its end
//! is written again by the replay. Segments are named by the first sequence in them; the oldest are
//! deleted beyond a limit.
//!
//! A frame is `size: u32` of what follows, then `sequence, sequenced_ns: u64`, `account: u32`,
//! `continues: u8`, the events, and the running hash of all events up to here: 16 bytes, each
//! BLAKE3 of the one before and this frame. It tells a whole frame from a torn one, and one history
//! from another.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use types::{Event, Reader, Wire};

use crate::applied::Applied;

const MAGIC: [u8; 8] = *b"BWSPOOL1";
const SEGMENT_SIZE: u64 = 16 << 20;
/// Segments that are kept.
const SEGMENTS_MAX: usize = 16;
/// How far apart the frames are whose places are remembered, and how much is read at a time.
const MARK_EVERY: u64 = 64 << 10;

#[derive(Debug)]
pub struct Spool {
    dir: PathBuf,
    /// First sequences of the segments, ascending; the last one is open.
    segments: Vec<u64>,
    open: File,
    open_size: u64,
    /// At which a segment is full.
    segment_size: u64,
    last_sequence: u64,
    event_hash: [u8; 16],
    buffer: Vec<u8>,
    /// Of segments, by their first sequences, where some of their frames lie, in order. Built when
    /// it is first needed: whoever asks for old events again and again shall hold up nobody.
    marks: RefCell<BTreeMap<u64, Vec<Mark>>>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Mark {
    sequence: u64,
    offset: u64,
}

/// Why the events of a command cannot be shown.
#[derive(Debug)]
pub enum SpoolError {
    Io {
        file: PathBuf,
        error: io::Error,
    },
    /// They are older than what is kept, or are yet to come.
    Gone {
        sequence: u64,
    },
    ForeignFile {
        file: PathBuf,
    },
}

impl Spool {
    /// Opens the spool, or begins one behind `sequence`, the last one applied before the replay
    /// whose running hash is `event_hash`. Frames that the replay will bring again stay as they are.
    pub fn open(dir: &Path, sequence: u64, event_hash: [u8; 16]) -> Result<Self, SpoolError> {
        Self::open_sized(dir, sequence, event_hash, SEGMENT_SIZE)
    }

    fn open_sized(
        dir: &Path,
        sequence: u64,
        event_hash: [u8; 16],
        segment_size: u64,
    ) -> Result<Self, SpoolError> {
        fs::create_dir_all(dir).map_err(at(dir))?;
        let mut segments = list_segments(dir)?;
        while let Some(first) = segments.last().copied() {
            let path = segment_path(dir, first);
            let bytes = fs::read(&path).map_err(at(&path))?;
            let (whole, last) = scan(&bytes);
            // Readers must find no hole between what is here and what comes next.
            match last {
                Some(last) if last.sequence >= sequence => {
                    let open = OpenOptions::new().append(true).open(&path).map_err(at(&path))?;
                    open.set_len(whole as u64).map_err(at(&path))?;
                    return Ok(Self {
                        dir: dir.to_path_buf(),
                        segments,
                        open,
                        open_size: whole as u64,
                        segment_size,
                        last_sequence: last.sequence,
                        event_hash: last.event_hash,
                        buffer: Vec::new(),
                        marks: RefCell::default(),
                    });
                }
                Some(_) => {
                    // It ends before the replay begins: it is of no use any more.
                    for first in segments.drain(..) {
                        let path = segment_path(dir, first);
                        fs::remove_file(&path).map_err(at(&path))?;
                    }
                }
                None => {
                    fs::remove_file(&path).map_err(at(&path))?;
                    segments.pop();
                }
            }
        }
        let open = begin_segment(dir, sequence + 1)?;
        Ok(Self {
            dir: dir.to_path_buf(),
            segments: vec![sequence + 1],
            open,
            open_size: MAGIC.len() as u64,
            segment_size,
            last_sequence: sequence,
            event_hash,
            buffer: Vec::new(),
            marks: RefCell::default(),
        })
    }

    pub fn last_sequence(&self) -> u64 {
        self.last_sequence
    }

    /// The running hash of all events up to the last sequence.
    pub fn event_hash(&self) -> [u8; 16] {
        self.event_hash
    }

    /// Adds what was applied; what is here already is passed over.
    pub fn append<'a>(
        &mut self,
        applied: impl IntoIterator<Item = &'a Applied>,
    ) -> Result<(), SpoolError> {
        self.buffer.clear();
        for applied in applied {
            if applied.sequence <= self.last_sequence {
                continue;
            }
            debug_assert_eq!(applied.sequence, self.last_sequence + 1);
            let full = self.open_size + self.buffer.len() as u64 >= self.segment_size;
            if full {
                self.flush()?;
                self.rotate(applied.sequence)?;
            }
            let offset = self.open_size + self.buffer.len() as u64;
            if let Some(marks) =
                self.marks.get_mut().get_mut(self.segments.last().expect("one is open"))
            {
                mark(marks, applied.sequence, offset);
            }
            self.event_hash = write_frame(applied, self.event_hash, &mut self.buffer);
            self.last_sequence = applied.sequence;
        }
        self.flush()
    }

    /// A command and what it left to later, as they were applied.
    pub fn read(&self, sequence: u64) -> Result<Vec<Applied>, SpoolError> {
        let gone = SpoolError::Gone { sequence };
        if sequence > self.last_sequence {
            return Err(gone);
        }
        let at_segment = self.segments.partition_point(|first| *first <= sequence);
        let mut found: Vec<Applied> = Vec::new();
        for first in &self.segments[at_segment.saturating_sub(1)..] {
            let path = segment_path(&self.dir, *first);
            let offset = match found.is_empty() {
                true => self.place_before(*first, sequence)?,
                false => MAGIC.len() as u64,
            };
            let done = read_command(&path, offset, sequence, &mut found).map_err(at(&path))?;
            if done {
                return Ok(found);
            }
        }
        if found.is_empty() { Err(gone) } else { Ok(found) }
    }

    /// Where in a segment to begin looking for a sequence.
    fn place_before(&self, first: u64, sequence: u64) -> Result<u64, SpoolError> {
        let mut all = self.marks.borrow_mut();
        if let std::collections::btree_map::Entry::Vacant(vacant) = all.entry(first) {
            let path = segment_path(&self.dir, first);
            let bytes = fs::read(&path).map_err(at(&path))?;
            let mut frames = Frames::new(&bytes);
            let marks = vacant.insert(Vec::new());
            let mut offset = frames.offset as u64;
            while let Some((header, _)) = frames.next_frame() {
                mark(marks, header.sequence, offset);
                offset = frames.offset as u64;
            }
        }
        let marks = &all[&first];
        let behind = marks.partition_point(|mark| mark.sequence <= sequence);
        Ok(behind.checked_sub(1).map_or(MAGIC.len() as u64, |index| marks[index].offset))
    }

    /// Puts all of it on stable storage: a snapshot may then stand in for the log before it.
    pub fn sync(&self) -> Result<(), SpoolError> {
        let path = self.open_path();
        self.open.sync_data().map_err(at(&path))
    }

    fn flush(&mut self) -> Result<(), SpoolError> {
        let path = self.open_path();
        self.open.write_all(&self.buffer).map_err(at(&path))?;
        self.open_size += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn rotate(&mut self, first: u64) -> Result<(), SpoolError> {
        self.sync()?;
        self.open = begin_segment(&self.dir, first)?;
        self.open_size = MAGIC.len() as u64;
        self.segments.push(first);
        while self.segments.len() > SEGMENTS_MAX {
            let oldest = self.segments.remove(0);
            self.marks.get_mut().remove(&oldest);
            let path = segment_path(&self.dir, oldest);
            fs::remove_file(&path).map_err(at(&path))?;
        }
        Ok(())
    }

    fn open_path(&self) -> PathBuf {
        segment_path(&self.dir, *self.segments.last().expect("one segment is open"))
    }
}

struct FrameHeader {
    sequence: u64,
    sequenced_ns: u64,
    account: types::AccountId,
    continues: bool,
    event_hash: [u8; 16],
}

impl FrameHeader {
    fn with_events(&self, body: &[u8]) -> Option<Applied> {
        let mut r = Reader(body);
        let mut events = Vec::new();
        while !r.is_empty() {
            events.push(r.read::<Event>()?);
        }
        Some(Applied {
            sequence: self.sequence,
            sequenced_ns: self.sequenced_ns,
            account: self.account,
            continues: self.continues,
            events,
        })
    }
}

/// The whole frames at the start of a segment's bytes.
struct Frames<'a> {
    bytes: &'a [u8],
    offset: usize,
    previous_hash: Option<[u8; 16]>,
}

impl<'a> Frames<'a> {
    /// From a frame on.
    fn from_frame(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0, previous_hash: None }
    }

    fn new(bytes: &'a [u8]) -> Self {
        let offset = if bytes.starts_with(&MAGIC) { MAGIC.len() } else { bytes.len() };
        Self { bytes, offset, previous_hash: None }
    }

    fn next_frame(&mut self) -> Option<(FrameHeader, &'a [u8])> {
        let mut r = Reader(self.bytes.get(self.offset..)?);
        let size: u32 = r.read()?;
        let frame = r.take_slice(size as usize)?;
        let (content, event_hash) = frame.split_last_chunk::<16>()?;
        // The first frame's predecessor lies in another segment.
        if self.previous_hash.is_some_and(|previous| extend(previous, content) != *event_hash) {
            return None;
        }
        let mut r = Reader(content);
        let header = FrameHeader {
            sequence: r.read()?,
            sequenced_ns: r.read()?,
            account: r.read()?,
            continues: r.read()?,
            event_hash: *event_hash,
        };
        self.offset += 4 + size as usize;
        self.previous_hash = Some(*event_hash);
        Some((header, r.0))
    }
}

/// Remembers where a frame lies, unless the last one remembered is near.
fn mark(marks: &mut Vec<Mark>, sequence: u64, offset: u64) {
    if marks.last().is_none_or(|last| offset >= last.offset + MARK_EVERY) {
        marks.push(Mark { sequence, offset });
    }
}

/// Reads on from a frame until the command and what it left to later are found, or rather their
/// end, which is the next command; `false` when the segment ends before that.
fn read_command(
    path: &Path,
    offset: u64,
    sequence: u64,
    found: &mut Vec<Applied>,
) -> io::Result<bool> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let (mut bytes, mut start) = (Vec::new(), 0);
    loop {
        bytes.drain(..start);
        let more = Read::by_ref(&mut file).take(MARK_EVERY).read_to_end(&mut bytes)?;
        let mut frames = Frames::from_frame(&bytes);
        while let Some((header, body)) = frames.next_frame() {
            let wanted = header.sequence == sequence || (!found.is_empty() && header.continues);
            if wanted {
                found.push(header.with_events(body).ok_or_else(damaged)?);
            } else if !found.is_empty() {
                return Ok(true);
            }
        }
        start = frames.offset;
        if more == 0 {
            return Ok(false);
        }
    }
}

fn write_frame(applied: &Applied, previous_hash: [u8; 16], out: &mut Vec<u8>) -> [u8; 16] {
    let start = out.len();
    0_u32.write(out);
    applied.sequence.write(out);
    applied.sequenced_ns.write(out);
    applied.account.write(out);
    applied.continues.write(out);
    for event in &applied.events {
        event.write(out);
    }
    let event_hash = extend(previous_hash, &out[start + 4..]);
    event_hash.write(out);
    let size = u32::try_from(out.len() - start - 4).expect("the work of one command is bounded");
    out[start..start + 4].copy_from_slice(&size.to_le_bytes());
    event_hash
}

fn extend(previous_hash: [u8; 16], content: &[u8]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&previous_hash).update(content);
    *hasher.finalize().as_bytes().first_chunk().expect("a hash has 32 bytes")
}

/// How many bytes hold whole frames, and the last of these.
fn scan(bytes: &[u8]) -> (usize, Option<FrameHeader>) {
    let mut frames = Frames::new(bytes);
    let mut last = None;
    while let Some((header, _)) = frames.next_frame() {
        last = Some(header);
    }
    (frames.offset, last)
}

fn list_segments(dir: &Path) -> Result<Vec<u64>, SpoolError> {
    let mut segments = Vec::new();
    for entry in fs::read_dir(dir).map_err(at(dir))? {
        let file = entry.map_err(at(dir))?.path();
        let first = file.file_name().and_then(|name| name.to_str()).and_then(parse_name);
        segments.push(first.ok_or(SpoolError::ForeignFile { file })?);
    }
    segments.sort_unstable();
    Ok(segments)
}

fn segment_path(dir: &Path, first: u64) -> PathBuf {
    dir.join(format!("{first:020}.spool"))
}

fn parse_name(name: &str) -> Option<u64> {
    name.strip_suffix(".spool").filter(|digits| digits.len() == 20)?.parse().ok()
}

fn begin_segment(dir: &Path, first: u64) -> Result<File, SpoolError> {
    let path = segment_path(dir, first);
    let begin = || {
        let mut file = OpenOptions::new().append(true).create_new(true).open(&path)?;
        file.write_all(&MAGIC)?;
        Ok(file)
    };
    begin().map_err(at(&path))
}

fn at(file: &Path) -> impl Fn(io::Error) -> SpoolError {
    move |error| SpoolError::Io { file: file.to_path_buf(), error }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a frame's events cannot be read")
}

impl std::fmt::Display for SpoolError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io { file, error } => write!(f, "the event spool {}: {error}", file.display()),
            Self::Gone { sequence } => {
                write!(f, "the events of command {sequence} are no longer kept")
            }
            Self::ForeignFile { file } => write!(
                f,
                "{} is not a segment of the event spool; move it elsewhere",
                file.display()
            ),
        }
    }
}

impl std::error::Error for SpoolError {}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{AccountId, CommandRepeated};

    fn applied(sequence: u64, continues: bool) -> Applied {
        let account = AccountId(7);
        let event = Event::CommandRepeated(CommandRepeated { account, first_sequence: sequence });
        Applied { sequence, sequenced_ns: 5, account, continues, events: vec![event; 3] }
    }

    #[test]
    fn what_was_appended_is_read_back_also_after_reopening() {
        let dir = tempfile::tempdir().unwrap();
        let mut spool = Spool::open(dir.path(), 0, [0; 16]).unwrap();
        spool.append(&[applied(1, false), applied(2, false), applied(3, true)]).unwrap();
        let hash = spool.event_hash();
        drop(spool);
        let mut spool = Spool::open(dir.path(), 2, [9; 16]).unwrap();
        assert_eq!((spool.last_sequence(), spool.event_hash()), (3, hash));
        assert_eq!(spool.read(1).unwrap(), [applied(1, false)]);
        assert_eq!(spool.read(2).unwrap(), [applied(2, false), applied(3, true)]);
        spool.append(&[applied(3, true), applied(4, false)]).unwrap();
        assert_eq!(spool.read(4).unwrap(), [applied(4, false)]);
        assert!(matches!(spool.read(5), Err(SpoolError::Gone { sequence: 5 })));
    }

    #[test]
    fn a_torn_end_is_cut_at_every_byte() {
        let dir = tempfile::tempdir().unwrap();
        let path = segment_path(dir.path(), 1);
        let mut spool = Spool::open(dir.path(), 0, [0; 16]).unwrap();
        spool.append(&[applied(1, false)]).unwrap();
        let one = fs::metadata(&path).unwrap().len();
        spool.append(&[applied(2, false)]).unwrap();
        let whole = fs::read(&path).unwrap();
        for cut in one as usize..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let mut spool = Spool::open(dir.path(), 0, [0; 16]).unwrap();
            assert_eq!(spool.last_sequence(), 1, "cut at {cut}");
            spool.append(&[applied(2, false)]).unwrap();
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_spool_that_ends_before_the_replay_begins_is_begun_anew() {
        let dir = tempfile::tempdir().unwrap();
        Spool::open(dir.path(), 0, [0; 16]).unwrap().append(&[applied(1, false)]).unwrap();
        let mut spool = Spool::open(dir.path(), 10, [1; 16]).unwrap();
        spool.append(&[applied(11, false)]).unwrap();
        assert!(matches!(spool.read(1), Err(SpoolError::Gone { .. })));
        assert_eq!(spool.read(11).unwrap(), [applied(11, false)]);
    }

    #[test]
    fn segments_rotate_and_the_oldest_go() {
        let dir = tempfile::tempdir().unwrap();
        let mut spool = Spool::open_sized(dir.path(), 0, [0; 16], 1_000).unwrap();
        for sequence in 1..=1_000 {
            spool.append(&[applied(sequence, false)]).unwrap();
        }
        assert_eq!(list_segments(dir.path()).unwrap().len(), SEGMENTS_MAX);
        assert!(matches!(spool.read(1), Err(SpoolError::Gone { .. })));
        assert_eq!(spool.read(1_000).unwrap()[0].sequence, 1_000);
        let kept = spool.segments[0];
        for sequence in kept..=1_000 {
            assert_eq!(spool.read(sequence).unwrap(), [applied(sequence, false)]);
        }
    }

    #[test]
    fn any_command_is_found_wherever_it_lies() {
        let dir = tempfile::tempdir().unwrap();
        let mut spool = Spool::open(dir.path(), 0, [0; 16]).unwrap();
        let count = 2 * SEGMENT_SIZE / 500;
        let check = |spool: &Spool, last: u64| {
            for sequence in (1..=last).step_by(997) {
                let found = spool.read(sequence).unwrap();
                let sequences: Vec<_> = found.iter().map(|applied| applied.sequence).collect();
                let continues = sequence % 3 == 0 && sequence < last;
                let expect = if continues { vec![sequence, sequence + 1] } else { vec![sequence] };
                assert_eq!(sequences, expect);
            }
        };
        for sequence in 1..=count {
            let mut applied = applied(sequence, sequence % 3 == 1 && sequence > 1);
            applied.events.resize(20, applied.events[0]);
            spool.append(&[applied]).unwrap();
            if sequence == count / 2 {
                check(&spool, sequence); // What is appended later is marked as it comes.
            }
        }
        assert!(spool.segments.len() > 1);
        check(&spool, count);
        let reopened = Spool::open(dir.path(), count, [0; 16]).unwrap();
        check(&reopened, count);
        assert!(reopened.marks.borrow().values().all(|marks| marks.len() > 10));
    }

    #[test]
    fn a_foreign_file_is_named() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("notes.txt"), "mine").unwrap();
        let error = Spool::open(dir.path(), 0, [0; 16]).unwrap_err();
        assert!(error.to_string().contains("notes.txt"), "{error}");
    }
}
