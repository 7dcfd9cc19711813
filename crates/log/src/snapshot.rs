//! Snapshots of the venue's state, so that replay need not begin at the first batch of all.
//!
//! A snapshot is one file of named, opaque sections, named by the last batch it covers. It gets its
//! name only when all of it is on stable storage. Two are kept: should the newer one not be
//! readable, the older one and the log since then lead to the same state. While something is to be
//! made anew from the log, a third one stays: the oldest, where the log goes on from.

mod error;
mod format;
#[cfg(test)]
mod tests;

use std::io;
use std::mem::offset_of;
use std::path::{Path, PathBuf};

use disk::{Access, Disk, DiskError, DiskFile};

use crate::chain::ChainHash;
use crate::numbered::{numbered_name, parse_numbered_name};
use crate::snapshot::format::{Header, IO_SIZE, ReadError, check_sections, encode_header, read};

pub use crate::snapshot::error::SnapshotError;
pub use crate::snapshot::format::{FORMAT_VERSION, SECTION_NAME_SIZE_MAX, SECTIONS_MAX};

pub const SNAPSHOTS_KEPT: usize = 2;

const NAME_EXTENSION: &str = "snapshot";
const UNFINISHED_EXTENSION: &str = "snapshot.unfinished";
const DAMAGED_EXTENSION: &str = "snapshot.damaged";
/// So much is written at a time, and then the disk is left to others.
const PIECE_SIZE: usize = 128 << 10;
/// And so much of an old one is removed.
const OLD_PIECE_SIZE: u64 = 4 << 20;

/// The state of the venue after one batch.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Snapshot {
    pub rules_version: u16,
    /// The last batch whose outcome is in here.
    pub batch_number: u64,
    /// The last command whose outcome is in here.
    pub sequence: u64,
    /// The log's hash at that batch: the batch that comes next must name it.
    pub chain_hash: ChainHash,
    pub state_hash: [u8; 32],
    /// At most [`SECTIONS_MAX`], with different names.
    pub sections: Vec<Section>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Section {
    /// At most [`SECTION_NAME_SIZE_MAX`] printable ASCII characters.
    pub name: String,
    pub payload: Vec<u8>,
}

impl Snapshot {
    pub fn section(&self, name: &str) -> Option<&[u8]> {
        let section = self.sections.iter().find(|section| section.name == name)?;
        Some(&section.payload)
    }
}

/// What stays when there is a newer snapshot.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kept {
    /// [`SNAPSHOTS_KEPT`].
    Newest,
    /// These, and the oldest there is.
    OldestToo,
}

/// A snapshot was written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Written {
    pub file: PathBuf,
    /// Where the log may be trimmed to such that it continues the oldest of the snapshots kept.
    /// `None` while there is no older one to fall back on.
    pub trim_before: Option<u64>,
}

/// Writes a snapshot and removes those that are no longer needed.
pub fn write(dir: &Path, snapshot: &Snapshot) -> Result<Written, SnapshotError> {
    write_on(&Disk::default(), dir, snapshot)
}

/// What there was to load.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The newest one that can be read; `None` when there is none, or none is sound.
    pub snapshot: Option<Snapshot>,
    /// What was wrong with the ones that are newer than it.
    pub damaged: Vec<SnapshotError>,
}

impl Loaded {
    /// Renames what is damaged, so that it is kept for a look but no longer counts as a snapshot:
    /// else it would be kept in the place of a sound one. To be called by the writer of snapshots
    /// here.
    pub fn set_aside(&self, disk: &Disk) -> Result<(), SnapshotError> {
        for error in &self.damaged {
            if let SnapshotError::Damaged { file, .. }
            | SnapshotError::Disk(DiskError { file, .. }) = error
            {
                disk.rename_path(file, &file.with_extension(DAMAGED_EXTENSION))?;
            }
        }
        Ok(())
    }
}

/// Loads the newest sound snapshot. One of a newer format is an error, not damage: the one before
/// it would lead to a state that has been left behind already.
pub fn load_newest(dir: &Path) -> Result<Loaded, SnapshotError> {
    load_newest_on(&Disk::default(), dir)
}

/// [`load_newest`] on a disk of one's own.
pub fn load_newest_on(disk: &Disk, dir: &Path) -> Result<Loaded, SnapshotError> {
    let mut loaded = Loaded::default();
    for (_, path) in list(disk, dir, NAME_EXTENSION)?.into_iter().rev() {
        match load_on(disk, &path) {
            Ok(snapshot) => {
                loaded.snapshot = Some(snapshot);
                break;
            }
            Err(error) if error.is_unsound() => loaded.damaged.push(error),
            Err(error) => return Err(error),
        }
    }
    Ok(loaded)
}

/// The snapshots in a folder by their last batch, oldest first, sound or not; none when there is no
/// folder.
pub fn files(dir: &Path) -> Result<Vec<(u64, PathBuf)>, SnapshotError> {
    list(&Disk::default(), dir, NAME_EXTENSION)
}

/// Where the snapshot of this batch lies.
pub fn path(dir: &Path, batch_number: u64) -> PathBuf {
    dir.join(numbered_name(batch_number, NAME_EXTENSION))
}

/// Loads this very file.
pub fn load(path: &Path) -> Result<Snapshot, SnapshotError> {
    load_on(&Disk::default(), path)
}

fn load_on(disk: &Disk, path: &Path) -> Result<Snapshot, SnapshotError> {
    let file = disk.open(path, Access::Read)?;
    let (reader, size) = (file.reader()?, file.size()?);
    let snapshot = match read(io::BufReader::with_capacity(IO_SIZE, reader), size) {
        Ok(snapshot) => snapshot,
        Err(ReadError::Io(error)) => return Err(DiskError::at("reading", path)(error).into()),
        Err(ReadError::Damaged { offset, damage }) => {
            return Err(SnapshotError::Damaged { file: path.to_path_buf(), offset, damage });
        }
        Err(ReadError::Newer { found }) => {
            return Err(SnapshotError::NewerFormat {
                file: path.to_path_buf(),
                found,
                supported: FORMAT_VERSION,
            });
        }
    };
    if parse_numbered_name(path, NAME_EXTENSION) != Some(snapshot.batch_number) {
        return Err(SnapshotError::Damaged {
            file: path.to_path_buf(),
            offset: offset_of!(Header, batch_number) as u64,
            damage: "it holds another batch number than its name says",
        });
    }
    Ok(snapshot)
}

/// [`write`] on a disk of one's own.
pub fn write_on(disk: &Disk, dir: &Path, snapshot: &Snapshot) -> Result<Written, SnapshotError> {
    write_by_pieces(disk, dir, snapshot, Kept::Newest, &mut || {})
}

/// [`write`] that leaves the disk to others in between: `rest` is called after each piece, and
/// takes its time. The log is on the same disk, and every order waits for it.
pub fn write_gently(
    dir: &Path,
    snapshot: &Snapshot,
    kept: Kept,
    rest: &mut dyn FnMut(),
) -> Result<Written, SnapshotError> {
    write_by_pieces(&Disk::default(), dir, snapshot, kept, rest)
}

fn write_by_pieces(
    disk: &Disk,
    dir: &Path,
    snapshot: &Snapshot,
    kept: Kept,
    rest: &mut dyn FnMut(),
) -> Result<Written, SnapshotError> {
    check_sections(&snapshot.sections)?;
    disk.create_dir(dir)?;
    // Left behind by a process that ended while it wrote. Its room may be what is lacking. What
    // cannot be removed now is no reason to write nothing: the next snapshot tries again.
    for (_, leftover) in list(disk, dir, UNFINISHED_EXTENSION)? {
        let _stays = disk.remove_by_pieces(&leftover, OLD_PIECE_SIZE, rest);
    }
    let unfinished = dir.join(numbered_name(snapshot.batch_number, UNFINISHED_EXTENSION));
    let target = path(dir, snapshot.batch_number);
    let written = write_file(disk, &unfinished, snapshot, rest).and_then(|mut file| {
        disk.rename(&mut file, target.clone())?;
        disk.sync_dir(dir)
    });
    if let Err(error) = written {
        // What was written is of no use, and its room may be what is lacking.
        let _ = disk.remove(&unfinished);
        return Err(error.into());
    }
    let mut snapshots = list(disk, dir, NAME_EXTENSION)?;
    let first_removed = match kept {
        Kept::Newest => 0,
        Kept::OldestToo => 1,
    };
    let mut removed = Vec::new();
    while snapshots.len() > first_removed + SNAPSHOTS_KEPT {
        let (batch_number, old) = snapshots.remove(first_removed);
        // A reader that finds a part of it must not take it for damaged.
        let unfinished = dir.join(numbered_name(batch_number, UNFINISHED_EXTENSION));
        disk.rename_path(&old, &unfinished)?;
        removed.push(unfinished);
    }
    if !removed.is_empty() {
        // One that came back after a loss of power would be the oldest there is, from which a log
        // that was trimmed meanwhile does not go on; and it would stay in place of the one it does.
        disk.sync_dir(dir)?;
    }
    for old in removed {
        disk.remove_by_pieces(&old, OLD_PIECE_SIZE, rest)?;
    }
    let trim_before = (snapshots.len() >= SNAPSHOTS_KEPT).then(|| snapshots[0].0 + 1);
    Ok(Written { file: target, trim_before })
}

fn write_file(
    disk: &Disk,
    path: &Path,
    snapshot: &Snapshot,
    rest: &mut dyn FnMut(),
) -> Result<DiskFile, DiskError> {
    let file = disk.create(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut offset = 0;
    let mut write = |bytes: &[u8]| -> Result<(), DiskError> {
        hasher.update(bytes);
        disk.write(&file, offset, bytes)?;
        // Without a sync, which would make others wait: the one at the end has little left to do.
        disk.write_back(&file, offset, bytes.len() as u64)?;
        offset += bytes.len() as u64;
        rest();
        Ok(())
    };
    write(&encode_header(snapshot))?;
    for section in &snapshot.sections {
        // Piece by piece, so that hash and copy find the bytes in the cache.
        section.payload.chunks(PIECE_SIZE).try_for_each(&mut write)?;
    }
    let checksum = hasher.finalize();
    disk.write(&file, offset, checksum.as_bytes())?;
    disk.sync(&file)?;
    Ok(file)
}

/// The files in the folder that are named by a batch, oldest first; none when there is no folder.
fn list(disk: &Disk, dir: &Path, extension: &str) -> Result<Vec<(u64, PathBuf)>, SnapshotError> {
    let paths = match disk.list(dir) {
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        paths => paths?,
    };
    let numbered = |path: PathBuf| Some((parse_numbered_name(&path, extension)?, path));
    let mut snapshots: Vec<_> = paths.into_iter().filter_map(numbered).collect();
    snapshots.sort_unstable();
    Ok(snapshots)
}
