//! Reading from any number on. A reader has what it needs in a table that it shares with the spool,
//! and reads files on its own thread: it holds up no other.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use disk::Disk;
use types::{AccountId, Event, InstrumentId};

use crate::applied::Applied;
use crate::batch::Batch;
use crate::bookmark::{Bookmark, Bookmarks};
use crate::error::SpoolError;
use crate::index::{Index, IndexFile, Key, KeyMap, Numbers, Range, Summary};
use crate::segment::{Sealed, add_to_index, index_path};
use crate::segment_file::{LONG_READ_SIZE, READ_SIZE, SegmentFile};

/// Events on one page, and commands: a reader that wants more asks again. A page may be longer by
/// the other events of its last command.
pub const PAGE_MAX: usize = 10_000;

/// An event by its number among those of an account or an instrument.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NumberedEvent {
    pub number: u64,
    /// Its command, and the time at which that was applied.
    pub sequence: u64,
    pub sequenced_ns: u64,
    /// All of it, for every reader: of a trade both sides, for instance. What an account may see of
    /// it is decided where it is shown.
    pub event: Event,
}

/// Reads the spool, from any thread. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SpoolReader {
    pub(super) shared: Arc<Shared>,
}

/// What the spool and its readers have in common.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) dir: PathBuf,
    pub(super) disk: Disk,
    table: Mutex<Table>,
    pub(super) bookmarks: Bookmarks,
    /// Something is not in the files, or not for sure, that the log has.
    is_lacking: AtomicBool,
}

impl Shared {
    pub(super) fn new(disk: &Disk, dir: &Path) -> Self {
        Self {
            dir: dir.to_path_buf(),
            disk: disk.clone(),
            table: Mutex::default(),
            bookmarks: Bookmarks::default(),
            is_lacking: AtomicBool::new(false),
        }
    }

    /// Until the next start, which makes it anew.
    pub(super) fn set_lacking(&self, is_lacking: bool) {
        self.is_lacking.store(is_lacking, Ordering::Release);
    }

    pub(super) fn is_lacking(&self) -> bool {
        self.is_lacking.load(Ordering::Acquire)
    }

    /// Of a full segment.
    fn index(&self, first: u64) -> Result<IndexFile, SpoolError> {
        IndexFile::open(&self.disk, &index_path(&self.dir, first))
    }

    pub(super) fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().expect("no holder of the table panics")
    }
}

/// What there is to read.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Full segments, oldest first. Readers take it with them.
    pub(super) sealed: Arc<Vec<Sealed>>,
    pub(super) open: Option<OpenSegment>,
    /// The last command that was taken on, kept or not.
    pub(super) last_sequence: u64,
    /// The last number of each key, where the segments may not have it any more.
    pub(super) heads: KeyMap<u64>,
}

/// What readers know of the segment that is being written.
#[derive(Debug)]
pub(super) struct OpenSegment {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) index: Index,
}

impl Table {
    pub(super) fn know_head(&mut self, key: Key, number: u64) {
        let head = self.heads.entry(key).or_default();
        *head = number.max(*head);
    }

    /// A batch was written at this place of the segment that is open, or is its beginning. Returns
    /// how many of its events do not continue the numbers before them.
    pub(super) fn add(&mut self, batch: &Batch, start: u64) -> usize {
        let open = self.open.get_or_insert_with(|| OpenSegment {
            first: batch.first,
            last: batch.last,
            index: Index::default(),
        });
        open.last = batch.last;
        let strays = add_to_index(&mut open.index, batch, start);
        self.last_sequence = batch.last;
        strays
    }

    /// Whether the numbers in the segment that is open continue those of the segments that were
    /// filled before it.
    pub(super) fn is_consecutive(&self) -> bool {
        let runs = self.open.iter().flat_map(|open| open.index.ranges());
        runs.into_iter()
            .all(|(key, range)| self.heads.get(&key).is_none_or(|head| head + 1 == range.first))
    }

    /// Whether these are the last numbers that the segments have, as far as they show them.
    pub(super) fn ends_with(&self, heads: &KeyMap<u64>) -> bool {
        heads.iter().all(|(key, number)| {
            let in_open = self.open.as_ref().and_then(|open| open.index.range(*key));
            let head = in_open.map(|range| range.first + range.count - 1);
            head.or(self.heads.get(key).copied()).is_none_or(|head| head == *number)
        })
    }

    /// A batch could not be written.
    pub(super) fn lose(&mut self, batch: &Batch) {
        for posting in &batch.postings {
            self.know_head(posting.key, posting.number);
        }
        self.last_sequence = batch.last;
    }

    /// What was open is full.
    pub(super) fn seal(&mut self, sealed: Sealed) {
        if let Some(open) = self.open.take() {
            for (key, number) in open.index.heads() {
                self.know_head(key, number);
            }
        }
        Arc::make_mut(&mut self.sealed).push(sealed);
    }

    /// The first command that is kept, or else the next one.
    pub(super) fn first_sequence(&self) -> u64 {
        let of_open = self.open.as_ref().map(|open| open.first);
        let first = self.sealed.first().map(|sealed| sealed.summary.first).or(of_open);
        first.unwrap_or(self.last_sequence + 1)
    }

    fn head(&self, numbers: Numbers) -> u64 {
        match numbers {
            Numbers::Commands => self.last_sequence,
            Numbers::Of(key) => self.heads.get(&key).copied().unwrap_or_default(),
        }
    }
}

impl OpenSegment {
    fn range(&self, numbers: Numbers) -> Option<Range> {
        match numbers {
            Numbers::Commands => {
                Some(Range { first: self.first, count: self.last - self.first + 1 })
            }
            Numbers::Of(key) => self.index.range(key),
        }
    }
}

impl SpoolReader {
    /// For a reader that follows: the spool keeps for longer what comes after it.
    pub fn bookmark(&self) -> Bookmark {
        self.shared.bookmarks.begin()
    }

    /// A command and what it left to later, as they were applied; nothing when it is yet to come.
    pub fn read(&self, sequence: u64) -> Result<Vec<Applied>, SpoolError> {
        let mut found = self.read_from(sequence, 1)?;
        while !found.is_empty() {
            let next = match self.read_from(sequence + found.len() as u64, CONTINUED_AT_ONCE) {
                Err(SpoolError::Gone { .. }) => break,
                next => next?,
            };
            let (before, there) = (found.len(), next.len());
            found.extend(next.into_iter().take_while(|applied| applied.continues));
            if there == 0 || found.len() < before + there {
                break;
            }
        }
        Ok(found)
    }

    /// Up to `max` commands from this one on, in order; no more than [`PAGE_MAX`], and fewer when
    /// they have many events. Nothing when it is yet to come.
    pub fn read_from(&self, sequence: u64, max: usize) -> Result<Vec<Applied>, SpoolError> {
        let mut page = Vec::new();
        self.each_from(sequence, max, |applied| page.push(std::mem::take(applied)))?;
        Ok(page)
    }

    /// Passes to `take` what [`SpoolReader::read_from`] returns, one command after the other in the
    /// same memory. What was taken before an error is sound.
    pub fn each_from(
        &self,
        sequence: u64,
        max: usize,
        mut take: impl FnMut(&mut Applied),
    ) -> Result<Taken, SpoolError> {
        let (mut next, max) = (sequence.max(1), max.min(PAGE_MAX));
        let (mut taken, mut applied) = (Taken::default(), Applied::default());
        loop {
            let found = Found::take(&self.shared, Numbers::Commands, next, max - taken.commands);
            let read = found.parts(&self.shared).and_then(|parts| {
                for part in parts {
                    let size = if part.offsets.len() > 1 { LONG_READ_SIZE } else { READ_SIZE };
                    let mut file = SegmentFile::open(&self.shared, part.segment, size)?;
                    for offset in part.offsets {
                        if taken.events >= PAGE_MAX {
                            return Ok(());
                        }
                        file.read_applied(offset, &mut applied)?;
                        taken.commands += 1;
                        taken.events += applied.events.len();
                        next = applied.sequence + 1;
                        take(&mut applied);
                    }
                }
                Ok(())
            });
            match read {
                // The retention was faster: there is another table by now.
                Err(error) if error.is_not_found() && !found.is_current(&self.shared) => {}
                Err(error) => return Err(error),
                Ok(()) => break,
            }
        }
        taken.has_more = taken.commands >= max || taken.events >= PAGE_MAX;
        Ok(taken)
    }

    /// Up to `max` events of an account from this number on, in order; no more than [`PAGE_MAX`].
    /// Nothing when it is yet to come.
    pub fn read_account(
        &self,
        account: AccountId,
        from: u64,
        max: usize,
    ) -> Result<Vec<NumberedEvent>, SpoolError> {
        self.read_key(Key::account(account), from.max(1), max)
    }

    /// The same of an instrument.
    pub fn read_instrument(
        &self,
        instrument: InstrumentId,
        from: u64,
        max: usize,
    ) -> Result<Vec<NumberedEvent>, SpoolError> {
        self.read_key(Key::instrument(instrument), from.max(1), max)
    }

    fn read_key(&self, key: Key, from: u64, max: usize) -> Result<Vec<NumberedEvent>, SpoolError> {
        self.read_parts(Numbers::Of(key), from, max, |parts| {
            let mut page = Vec::new();
            for part in parts {
                let mut file = SegmentFile::open(&self.shared, part.segment, READ_SIZE)?;
                let wanted = page.len() + part.offsets.len();
                let mut previous = None;
                for offset in part.offsets {
                    // A frame with several of its events is there once for each.
                    if previous.replace(offset) != Some(offset) {
                        let next = from + page.len() as u64;
                        page.extend(file.events_of(offset, key, next, wanted - page.len())?);
                    }
                }
            }
            Ok(page)
        })
    }

    /// Reads what lies from a number on, as far as it has no hole.
    fn read_parts<R>(
        &self,
        numbers: Numbers,
        from: u64,
        max: usize,
        read: impl Fn(Vec<Part>) -> Result<R, SpoolError>,
    ) -> Result<R, SpoolError> {
        loop {
            let found = Found::take(&self.shared, numbers, from, max.min(PAGE_MAX));
            match found.parts(&self.shared).and_then(&read) {
                // The retention was faster: there is another table by now.
                Err(error) if error.is_not_found() && !found.is_current(&self.shared) => {}
                result => return result,
            }
        }
    }
}

/// What [`SpoolReader::each_from`] handed out.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Taken {
    pub commands: usize,
    pub events: usize,
    /// There may be more: a limit ended it.
    pub has_more: bool,
}

/// Commands that are asked for at once when it is not known whether they belong to the one before.
const CONTINUED_AT_ONCE: usize = 16;

/// Of one segment, where the frames lie.
#[derive(Debug)]
struct Part {
    segment: u64,
    offsets: Vec<u32>,
}

/// What the table had to say to a question.
struct Found {
    numbers: Numbers,
    from: u64,
    max: usize,
    sealed: Arc<Vec<Sealed>>,
    open: Option<(Range, Part)>,
    head: u64,
}

impl Found {
    fn take(shared: &Shared, numbers: Numbers, from: u64, max: usize) -> Self {
        let table = shared.table();
        let open = table.open.as_ref().and_then(|open| {
            let range = open.range(numbers)?;
            let skip = from.saturating_sub(range.first);
            let offsets = open.index.offsets(numbers, skip, max).to_vec();
            Some((range, Part { segment: open.first, offsets }))
        });
        let (sealed, head) = (Arc::clone(&table.sealed), table.head(numbers));
        Self { numbers, from, max, sealed, open, head }
    }

    fn is_current(&self, shared: &Shared) -> bool {
        Arc::ptr_eq(&self.sealed, &shared.table().sealed)
    }

    fn parts(&self, shared: &Shared) -> Result<Vec<Part>, SpoolError> {
        let Some(start) = self.start(shared)? else { return Ok(Vec::new()) };
        let (mut parts, mut next, mut left) = (Vec::new(), self.from, self.max);
        for sealed in &self.sealed[start..] {
            if left == 0 {
                return Ok(parts);
            }
            let Some(range) = self.range_in(shared, sealed)? else { continue };
            if range.first > next {
                return Ok(parts);
            }
            let index = shared.index(sealed.summary.first)?;
            let offsets = index.offsets(self.numbers, next - range.first, left)?;
            left -= offsets.len();
            next = range.end();
            parts.push(Part { segment: sealed.summary.first, offsets });
        }
        if let Some((range, Part { segment, offsets })) = &self.open
            && range.first <= next
        {
            let offsets = offsets[..left.min(offsets.len())].to_vec();
            parts.push(Part { segment: *segment, offsets });
        }
        Ok(parts)
    }

    /// The place of the full segment with the first number asked for, the one behind them all if it
    /// lies in the open one; `None` when it is yet to come.
    fn start(&self, shared: &Shared) -> Result<Option<usize>, SpoolError> {
        let open = self.open.as_ref().map(|(range, _)| *range);
        let newest_first = self.sealed.iter().enumerate().rev();
        let in_sealed = newest_first.map(|(place, sealed)| (place, self.range_in(shared, sealed)));
        // The first number that is kept, of those behind what was looked at.
        let mut next = self.head + 1;
        let mut is_newest = true;
        for (place, range) in std::iter::once((self.sealed.len(), Ok(open))).chain(in_sealed) {
            let Some(range) = range? else { continue };
            if is_newest {
                next = next.max(range.end());
                if self.from >= next {
                    return Ok(None);
                }
                is_newest = false;
            }
            if self.from >= range.end() {
                return Err(SpoolError::Gone { first: next });
            }
            if self.from >= range.first {
                return Ok(Some(place));
            }
            next = range.first;
        }
        if self.from >= next { Ok(None) } else { Err(SpoolError::Gone { first: next }) }
    }

    fn range_in(&self, shared: &Shared, sealed: &Sealed) -> Result<Option<Range>, SpoolError> {
        let Summary { first, last, .. } = sealed.summary;
        match self.numbers {
            Numbers::Commands => Ok(Some(Range { first, count: last - first + 1 })),
            Numbers::Of(key) => shared.index(first)?.range(key),
        }
    }
}
