//! Opening: what lies in the folder, and how far it is whole.

use std::collections::BTreeSet;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::{Access, Disk};

use crate::checked::Checked;
use crate::error::SpoolError;
use crate::frame::{Chain, EventHash};
use crate::framer::{Framer, Spooled};
use crate::index::{Index, Numbers, Summary};
use crate::reader::{OpenSegment, Shared};
use crate::retention::{MARK, Retention, UNFINISHED, read_mark};
use crate::segment::{
    DOUBT, FOLDER_DOUBT, Scanned, SegmentWriter, check_version, doubt_path, index_path, parse_name,
    scan, segment_path,
};
use crate::waiting::Waiting;
use crate::writer::{FREE_MIN, Spool};

impl Spool {
    /// Opens the spool, or begins one behind `sequence`, the last one applied before the replay
    /// whose running hash is `event_hash`. Frames that the replay will bring again stay as they
    /// are. What is older is there for readers after [`Spool::complete`].
    pub fn open(
        dir: &Path,
        retention: Retention,
        sequence: u64,
        event_hash: [u8; 16],
    ) -> Result<Self, SpoolError> {
        Self::open_on(Disk::default(), dir, retention, sequence, event_hash)
    }

    pub(super) fn open_on(
        disk: Disk,
        dir: &Path,
        retention: Retention,
        sequence: u64,
        event_hash: EventHash,
    ) -> Result<Self, SpoolError> {
        // Its name need not be durable: what a loss of power takes is made anew from the log.
        DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(SpoolError::at(dir))?;
        let Tidied { mut segments, is_doubtful } = tidy(&disk, dir)?;
        let mut spool = Self {
            shared: Arc::new(Shared::new(&disk, dir)),
            disk,
            retention,
            writer: None,
            framer: Framer {
                chain: Chain::new(event_hash),
                batch_size: retention.batch_size(),
                last_sequence: sequence,
                ..Framer::default()
            },
            newest_ns: 0,
            waiting: Waiting::default(),
            lost_from: None,
            unsynced: BTreeSet::new(),
            checking: None,
            unread: None,
            is_doubtful,
            is_replaying: true,
            has_strays: false,
            deletes_more: false,
            free_min: FREE_MIN,
        };
        if let Some(first) = segments.pop() {
            spool.resume(first, sequence, event_hash)?;
        }
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
        event_hash: EventHash,
    ) -> Result<(), SpoolError> {
        let dir = &self.shared.dir;
        let path = segment_path(dir, first);
        let bytes = self.disk.read(&path)?;
        self.disk.remove(&index_path(dir, first))?;
        if let Err(error) = check_version(&path, &bytes) {
            tracing::warn!(%error, "the newest part of the event spool is made anew");
        }
        let Some(Scanned { summary, index, times_ns }) =
            scan(&bytes, first).filter(|scanned| scanned.summary.last >= first)
        else {
            return Ok(self.disk.remove(&path)?);
        };
        let writer = SegmentWriter::resume(&self.disk, dir, summary)?;
        if summary.last < sequence {
            // It ends before the replay begins. What lies between is a hole so far.
            match writer.seal(&self.disk, dir, &index) {
                Ok(sealed) => {
                    self.unsynced.extend([path, index_path(dir, first)]);
                    self.shared.table().seal(sealed);
                }
                Err(error) => self.unread = Some(error),
            }
            return Ok(());
        }
        let found = hash_at(&bytes, &index, summary, sequence);
        self.framer.is_other_history = found.is_some_and(|found| found != event_hash);
        self.writer = Some(writer);
        self.framer.chain = Chain::new(summary.event_hash);
        self.framer.last_sequence = summary.last;
        self.framer.spooled = Spooled { first, times_ns };
        self.unsynced.insert(path);
        self.shared.table().open = Some(OpenSegment { first, last: summary.last, index });
        Ok(())
    }

    /// Deletes all files of a spool that no process has open.
    pub fn delete(dir: &Path) -> Result<(), SpoolError> {
        if !dir.exists() {
            return Ok(());
        }
        let disk = Disk::default();
        for first in tidy(&disk, dir)?.segments {
            disk.remove(&segment_path(dir, first))?;
            disk.remove(&index_path(dir, first))?;
        }
        Ok(disk.remove(&dir.join(MARK))?)
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
    let (mut doubts, mut is_folder_doubtful) = (Vec::new(), false);
    for file in disk.list(dir)? {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(first) = parse_name(name, "spool") {
            segments.insert(first);
        } else if let Some(first) = parse_name(name, "index") {
            indexes.insert(first);
        } else if let Some(first) = parse_name(name, DOUBT) {
            doubts.push(first);
        } else if name == FOLDER_DOUBT {
            is_folder_doubtful = true;
        } else if name.ends_with(UNFINISHED) {
            disk.remove(&file)?;
        } else if name != MARK {
            return Err(SpoolError::ForeignFile { file });
        }
    }
    if let Some(oldest) = read_mark(disk, dir) {
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
    if is_folder_doubtful && let Err(error) = name_once_more(disk, dir, &segments) {
        tracing::warn!(%error, "names in the event spool may not be on the disk, and are not taken for it");
        is_doubtful = true;
    }
    Ok(Tidied { segments: segments.into_iter().collect(), is_doubtful })
}

/// The same bytes in the same place: whatever of them is on the disk stays as it is, and the rest
/// will be by the next sync, which all that is found here gets.
fn write_once_more(disk: &Disk, dir: &Path, first: u64) -> Result<(), SpoolError> {
    for path in [segment_path(dir, first), index_path(dir, first)] {
        let bytes = match disk.read(&path) {
            Err(error) if error.is_missing() => continue,
            bytes => bytes?,
        };
        disk.write(&disk.open(&path, Access::ReadWrite)?, 0, &bytes)?;
    }
    Ok(disk.remove(&doubt_path(dir, first))?)
}

/// Gives each file a new name in the folder, over the old one: whatever name was lost is written by
/// the next sync of the folder. All that is found here gets one.
fn name_once_more(disk: &Disk, dir: &Path, segments: &BTreeSet<u64>) -> Result<(), SpoolError> {
    for first in segments {
        for path in [segment_path(dir, *first), index_path(dir, *first)] {
            let bytes = match disk.read(&path) {
                Err(error) if error.is_missing() => continue,
                bytes => bytes?,
            };
            let mut unfinished = path.clone().into_os_string();
            unfinished.push(UNFINISHED);
            let unfinished = PathBuf::from(unfinished);
            disk.write(&disk.create(&unfinished)?, 0, &bytes)?;
            disk.rename_path(&unfinished, &path)?;
        }
    }
    Ok(disk.remove(&dir.join(FOLDER_DOUBT))?)
}

/// The running hash after a command, if the segment has it.
fn hash_at(bytes: &[u8], index: &Index, summary: Summary, sequence: u64) -> Option<EventHash> {
    if sequence == summary.last {
        return Some(summary.event_hash);
    }
    // It lies before the next frame.
    let skip = (sequence + 1).checked_sub(summary.first)?;
    let next = *index.offsets(Numbers::Commands, skip, 1).first()? as usize;
    bytes[..next].last_chunk().copied()
}
