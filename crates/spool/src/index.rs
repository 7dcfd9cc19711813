//! Where in a segment the frames lie: of each command, and of each event of an account or an
//! instrument. It is built while the segment grows, and lies beside it once that is full.
//!
//! The numbers of a key's events have no gap within a segment, so the first of them and a list of
//! offsets say all. An index file is a header, a table of the runs in the order of their keys, the
//! offsets, and a BLAKE3 hash over all of that. Readers look up in the file what they need.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::io;
use std::path::Path;

use disk::{Access, Disk, DiskFile};
use types::{AccountId, InstrumentId, Reader, Wire};

use crate::error::SpoolError;
use crate::frame::EventHash;

/// The last character is the format's version.
const MAGIC: [u8; 8] = *b"BWSPIDX1";
const CHECKSUM_SIZE: usize = 16;
const OFFSET_SIZE: u64 = 4;

/// Which numbers are meant.
#[derive(Clone, Copy, Debug)]
pub(super) enum Numbers {
    /// Sequences.
    Commands,
    Of(Key),
}

/// Whose numbers they are.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) struct Key(u64);

const KIND_SHIFT: u32 = 32;

impl Key {
    pub(super) const fn account(account: AccountId) -> Self {
        Self(account.0 as u64)
    }

    pub(super) const fn instrument(instrument: InstrumentId) -> Self {
        Self(1 << KIND_SHIFT | instrument.0 as u64)
    }
}

pub(super) type KeyMap<V> = HashMap<Key, V, BuildHasherDefault<KeyHasher>>;

/// An event of a key, and where its frame lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posting {
    pub(super) key: Key,
    pub(super) number: u64,
    pub(super) offset: u32,
}

/// The consecutive events of a key in a segment.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Run {
    first: u64,
    offsets: Vec<u32>,
}

#[derive(Debug, Default)]
pub(super) struct Index {
    /// Of each command.
    frames: Vec<u32>,
    runs: KeyMap<Run>,
    posting_count: usize,
}

impl Index {
    pub(super) fn add_frame(&mut self, offset: u32) {
        self.frames.push(offset);
    }

    /// `false` when it does not continue the key's numbers.
    pub(super) fn add(&mut self, posting: Posting) -> bool {
        let Posting { key, number, offset } = posting;
        let run = self.runs.entry(key).or_default();
        if run.offsets.is_empty() {
            run.first = number;
        } else if run.first.checked_add(run.offsets.len() as u64) != Some(number) {
            return false;
        }
        run.offsets.push(offset);
        self.posting_count += 1;
        true
    }

    pub(super) fn ranges(&self) -> impl Iterator<Item = (Key, Range)> {
        let range = |run: &Run| Range { first: run.first, count: run.offsets.len() as u64 };
        self.runs.iter().map(move |(key, run)| (*key, range(run)))
    }

    pub(super) fn range(&self, key: Key) -> Option<Range> {
        let run = self.runs.get(&key)?;
        Some(Range { first: run.first, count: run.offsets.len() as u64 })
    }

    /// Where up to `max` of these lie, from the one on that is `skip` behind the first.
    pub(super) fn offsets(&self, numbers: Numbers, skip: u64, max: usize) -> &[u32] {
        let offsets = match numbers {
            Numbers::Commands => Some(&self.frames),
            Numbers::Of(key) => self.runs.get(&key).map(|run| &run.offsets),
        };
        part(offsets.map_or(&[], |offsets| offsets), skip, max)
    }

    /// The last number of each key.
    pub(super) fn heads(&self) -> impl Iterator<Item = (Key, u64)> {
        self.runs.iter().map(|(key, run)| (*key, run.first + (run.offsets.len() as u64 - 1)))
    }

    /// Of its file.
    pub(super) fn size(&self) -> u64 {
        let offsets = (self.frames.len() + self.posting_count) as u64;
        HEADER_SIZE
            + self.runs.len() as u64 * RUN_SIZE
            + offsets * OFFSET_SIZE
            + CHECKSUM_SIZE as u64
    }

    pub(super) fn encode(&self, segment: &Summary) -> Vec<u8> {
        let mut runs: Vec<_> = self.runs.iter().collect();
        runs.sort_unstable_by_key(|(key, _)| **key);
        let mut out = Vec::with_capacity(usize::try_from(self.size()).unwrap_or_default());
        out.extend_from_slice(&MAGIC);
        segment.write(&mut out);
        (runs.len() as u64).write(&mut out);
        let mut start = self.frames.len() as u64;
        for (key, run) in &runs {
            let entry =
                RunEntry { key: key.0, first: run.first, start, count: run.offsets.len() as u64 };
            entry.write(&mut out);
            start += entry.count;
        }
        let offsets = runs.iter().flat_map(|(_, run)| &run.offsets);
        for offset in self.frames.iter().chain(offsets) {
            offset.write(&mut out);
        }
        let checksum = checksum(&out);
        out.extend_from_slice(&checksum);
        out
    }
}

fn part(offsets: &[u32], skip: u64, max: usize) -> &[u32] {
    let rest = usize::try_from(skip).ok().and_then(|skip| offsets.get(skip..)).unwrap_or_default();
    &rest[..rest.len().min(max)]
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_SIZE] {
    *blake3::hash(bytes).as_bytes().first_chunk().expect("a hash has 32 bytes")
}

/// What is known of a whole segment without reading it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Summary {
    pub(super) first: u64,
    pub(super) last: u64,
    /// The time of the first and the last command.
    pub(super) first_ns: u64,
    pub(super) last_ns: u64,
    /// The running hash before the first frame and behind the last one.
    pub(super) previous_hash: EventHash,
    pub(super) event_hash: EventHash,
    /// Of the segment's file.
    pub(super) size: u64,
}

impl Summary {
    /// Whether both can be of one history: the one behind begins later, and where it follows at
    /// once, it goes on from the same hash.
    pub(super) fn may_precede(&self, next: &Self) -> bool {
        self.last < next.first
            && (self.last + 1 < next.first || self.event_hash == next.previous_hash)
    }
}

impl Wire for Summary {
    fn write(&self, out: &mut Vec<u8>) {
        self.first.write(out);
        self.last.write(out);
        self.first_ns.write(out);
        self.last_ns.write(out);
        self.previous_hash.write(out);
        self.event_hash.write(out);
        self.size.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            first: r.read()?,
            last: r.read()?,
            first_ns: r.read()?,
            last_ns: r.read()?,
            previous_hash: r.read()?,
            event_hash: r.read()?,
            size: r.read()?,
        })
    }
}

const SUMMARY_SIZE: u64 = 5 * 8 + 2 * 16;
const HEADER_SIZE: u64 = 8 + SUMMARY_SIZE + 8;
const RUN_SIZE: u64 = 4 * 8;

/// A run as it lies in the table. `start` and `count` are places among all offsets.
#[derive(Clone, Copy, Debug)]
struct RunEntry {
    key: u64,
    first: u64,
    start: u64,
    count: u64,
}

impl Wire for RunEntry {
    fn write(&self, out: &mut Vec<u8>) {
        self.key.write(out);
        self.first.write(out);
        self.start.write(out);
        self.count.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self { key: r.read()?, first: r.read()?, start: r.read()?, count: r.read()? })
    }
}

/// Consecutive numbers, at least one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Range {
    pub(super) first: u64,
    pub(super) count: u64,
}

impl Range {
    /// The number that comes next.
    pub(super) fn end(&self) -> u64 {
        self.first.saturating_add(self.count)
    }
}

/// Reads a whole index file: `None` unless every byte of it is as it was written.
pub(super) fn check(bytes: &[u8]) -> Option<Summary> {
    let (content, found) = bytes.split_last_chunk::<CHECKSUM_SIZE>()?;
    if !content.starts_with(&MAGIC) || checksum(content) != *found {
        return None;
    }
    let mut r = Reader(content.get(MAGIC.len()..)?);
    r.read()
}

/// The index of a full segment, for looking things up. Its bytes were checked when the spool was
/// opened, or written since; what a frame holds is checked again when that is read.
#[derive(Debug)]
pub(super) struct IndexFile {
    file: DiskFile,
    summary: Summary,
    run_count: u64,
}

impl IndexFile {
    pub(super) fn open(disk: &Disk, path: &Path) -> Result<Self, SpoolError> {
        let file = disk.open(path, Access::Read)?;
        let mut header = [0; HEADER_SIZE as usize];
        file.read_exact_at(&mut header, 0)?;
        let damaged = || SpoolError::damaged(path, 0, "it is not an index of this version");
        let mut r = Reader(header.strip_prefix(&MAGIC).ok_or_else(damaged)?);
        let summary: Summary = r.read().ok_or_else(damaged)?;
        let run_count = r.read().ok_or_else(damaged)?;
        let is_sound = summary.first <= summary.last && run_count <= u64::from(u32::MAX);
        if is_sound { Ok(Self { file, summary, run_count }) } else { Err(damaged()) }
    }

    pub(super) fn range(&self, key: Key) -> Result<Option<Range>, SpoolError> {
        let run = self.find(key)?;
        Ok(run.map(|run| Range { first: run.first, count: run.count }))
    }

    /// Where up to `max` of these lie, from the one on that is `skip` behind the first.
    pub(super) fn offsets(
        &self,
        numbers: Numbers,
        skip: u64,
        max: usize,
    ) -> Result<Vec<u32>, SpoolError> {
        let (start, count) = match numbers {
            Numbers::Commands => (0, (self.summary.last - self.summary.first).saturating_add(1)),
            Numbers::Of(key) => match self.find(key)? {
                Some(run) => (run.start, run.count),
                None => return Ok(Vec::new()),
            },
        };
        self.part(start, count, skip, max)
    }

    fn find(&self, key: Key) -> Result<Option<RunEntry>, SpoolError> {
        let (mut low, mut high) = (0, self.run_count);
        while low < high {
            let middle = low.midpoint(high);
            let run = self.run(middle)?;
            match run.key.cmp(&key.0) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Ok(Some(run)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    fn run(&self, place: u64) -> Result<RunEntry, SpoolError> {
        let mut bytes = [0; RUN_SIZE as usize];
        self.read_at(&mut bytes, HEADER_SIZE + place * RUN_SIZE)?;
        Ok(Reader(&bytes).read().expect("it has the size of an entry"))
    }

    fn part(&self, start: u64, count: u64, skip: u64, max: usize) -> Result<Vec<u32>, SpoolError> {
        let count = count.saturating_sub(skip).min(max as u64);
        let mut bytes = vec![0; usize::try_from(count).unwrap_or_default() * OFFSET_SIZE as usize];
        let table_end = HEADER_SIZE + self.run_count * RUN_SIZE;
        let place = start.saturating_add(skip).saturating_mul(OFFSET_SIZE);
        self.read_at(&mut bytes, table_end.saturating_add(place))?;
        let (offsets, _) = bytes.as_chunks::<{ OFFSET_SIZE as usize }>();
        Ok(offsets.iter().map(|offset| u32::from_le_bytes(*offset)).collect())
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> Result<(), SpoolError> {
        self.file.read_exact_at(bytes, offset).map_err(|error| match error.source.kind() {
            io::ErrorKind::UnexpectedEof => {
                SpoolError::damaged(&self.file.path, offset, "the file ends before that")
            }
            _ => error.into(),
        })
    }
}

/// Spreads keys, which the engine hands out one after the other: no client can choose colliding
/// ones.
#[derive(Debug, Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, _: &[u8]) {
        unreachable!("a key is one number");
    }

    fn write_u64(&mut self, key: u64) {
        // The table takes its places from the low bits and compares them by the high ones.
        let spread = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = spread ^ spread >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
