//! Opening: what lies in the folder, and how far it is whole.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::Disk;
use super::frame::{Chain, EventHash};
use super::framer::Framer;
use super::index::{Index, Numbers, Summary};
use super::reader::{OpenSegment, Shared};
use super::retention::{MARK, MARK_UNFINISHED, read_mark};
use super::segment::{
    DOUBT, Found, Scanned, Sealed, SegmentWriter, doubt_path, index_path, parse_name, scan,
    segment_path,
};
use super::waiting::Waiting;
use super::{Retention, Spool, SpoolError};
use crate::applied::Told;

impl Spool {
    pub(super) fn open_on(
        disk: Disk,
        dir: &Path,
        retention: Retention,
        sequence: u64,
        event_hash: Option<EventHash>,
    ) -> Result<Self, SpoolError> {
        fs::create_dir_all(dir).map_err(SpoolError::at(dir))?;
        let Tidied { mut segments, is_doubtful } = tidy(&disk, dir)?;
        let mut spool = Self {
            shared: Arc::new(Shared::new(dir)),
            disk,
            retention,
            writer: None,
            framer: Framer {
                chain: Chain::new(event_hash.unwrap_or_default()),
                batch_size: retention.batch_size(),
                last_sequence: sequence,
                ..Framer::default()
            },
            newest_ns: 0,
            waiting: Waiting::default(),
            lost_from: None,
            unsynced: BTreeSet::new(),
            checking: None,
            has_no_hash: false,
            has_unindexed: false,
            is_doubtful,
        };
        if let Some(first) = segments.pop() {
            spool.resume(first, sequence, event_hash)?;
        }
        spool.has_no_hash = event_hash.is_none() && spool.writer.is_none();
        spool.framer.is_other_history |= spool.has_no_hash;
        spool.shared.table().last_sequence = spool.framer.last_sequence;
        let (disk, dir) = (spool.disk.clone(), dir.to_path_buf());
        let checking = std::thread::Builder::new().name("spool-checker".into());
        let check = move || Checked::of(&disk, &dir, &segments);
        spool.checking = Some(checking.spawn(check).expect("there is room for a thread"));
        Ok(spool)
    }

    /// Goes on in the newest segment, as far as it is whole.
    fn resume(
        &mut self,
        first: u64,
        sequence: u64,
        event_hash: Option<EventHash>,
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
            match writer.seal(&self.disk, dir, &index) {
                Ok(sealed) => {
                    self.unsynced.extend([path, index_path(dir, first)]);
                    self.shared.table().seal(sealed);
                }
                Err(error) if error.is_disk_full() => self.has_unindexed = true,
                Err(error) => {
                    // It can be made anew; a start that fails cannot.
                    tracing::warn!(%error, "the newest part of the event spool is removed");
                    self.disk.remove(&path)?;
                }
            }
            return Ok(());
        }
        let found = hash_at(&bytes, &index, summary, sequence);
        self.framer.is_other_history =
            found.zip(event_hash).is_some_and(|(found, expected)| found != expected);
        self.writer = Some(writer);
        self.framer.chain = Chain::new(summary.event_hash);
        self.framer.last_sequence = summary.last;
        self.framer.spooled = Spooled { first, times_ns };
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
        for first in tidy(&disk, dir)?.segments {
            disk.remove(&segment_path(dir, first))?;
            disk.remove(&index_path(dir, first))?;
        }
        disk.remove(&dir.join(MARK))
    }
}

/// What was found of the full segments.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) sound: Vec<Sealed>,
    /// What follows it in a segment is cut off, or all of the segment removed.
    pub(super) damage: Vec<SpoolError>,
    /// Files that may be in the page cache only: of whoever was ended before he could sync them, too.
    pub(super) unsynced: Vec<PathBuf>,
    pub(super) has_unindexed: bool,
}

impl Checked {
    fn of(disk: &Disk, dir: &Path, segments: &[u64]) -> Self {
        let mut checked = Self::default();
        for first in segments.iter().copied() {
            let files = [segment_path(dir, first), index_path(dir, first)];
            match Sealed::check(disk, dir, first) {
                Ok(Found::Whole(sealed)) => {
                    checked.sound.push(sealed);
                    checked.unsynced.extend(files);
                }
                Ok(Found::Mended(sealed, damage)) => {
                    checked.sound.push(sealed);
                    checked.damage.extend(damage);
                    checked.unsynced.extend(files);
                }
                // The replay has made room meanwhile.
                Err(error) if error.is_not_found() => {}
                Err(error) if error.is_disk_full() => checked.has_unindexed = true,
                Err(error) => {
                    checked.damage.push(error);
                    checked.damage.extend(files.iter().filter_map(|file| disk.remove(file).err()));
                }
            }
        }
        checked
    }
}

struct Tidied {
    /// Oldest first.
    segments: Vec<u64>,
    is_doubtful: bool,
}

/// Lists the segments, removes what was left behind, and ends doubts.
fn tidy(disk: &Disk, dir: &Path) -> Result<Tidied, SpoolError> {
    let (mut segments, mut indexes) = (BTreeSet::new(), BTreeSet::new());
    let mut doubts = Vec::new();
    for entry in fs::read_dir(dir).map_err(SpoolError::at(dir))? {
        let file = entry.map_err(SpoolError::at(dir))?.path();
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(first) = parse_name(name, "spool") {
            segments.insert(first);
        } else if let Some(first) = parse_name(name, "index") {
            indexes.insert(first);
        } else if let Some(first) = parse_name(name, DOUBT) {
            doubts.push(first);
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
    let mut is_doubtful = false;
    for first in doubts {
        if let Err(error) = write_once_more(disk, dir, first) {
            tracing::warn!(%error, "a part of the event spool may not be on the disk, and is not taken for it");
            is_doubtful = true;
        }
    }
    Ok(Tidied { segments: segments.into_iter().collect(), is_doubtful })
}

/// The same bytes in the same place: whatever of them is on the disk stays as it is, and the rest will be
/// by the next sync, which all that is found here gets.
fn write_once_more(disk: &Disk, dir: &Path, first: u64) -> Result<(), SpoolError> {
    for path in [segment_path(dir, first), index_path(dir, first)] {
        let read = || {
            let bytes = fs::read(&path)?;
            io::Result::Ok((bytes, fs::File::options().write(true).open(&path)?))
        };
        match read() {
            Ok((bytes, file)) => disk.write(&file, &path, 0, &bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(SpoolError::at(&path)(error)),
        }
    }
    disk.remove(&doubt_path(dir, first))
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
pub(super) struct Spooled {
    first: u64,
    times_ns: Vec<u64>,
}

impl Spooled {
    pub(super) fn may_be(&self, applied: &Told<'_>) -> bool {
        let place = applied.sequence.checked_sub(self.first);
        let spooled_ns = place.and_then(|place| self.times_ns.get(usize::try_from(place).ok()?));
        spooled_ns.is_none_or(|spooled_ns| *spooled_ns == applied.sequenced_ns)
    }
}
