//! Snapshots of the venue's state, so that replay need not begin at the first batch of all.
//!
//! A snapshot is one file of named, opaque sections, named by the last batch it covers. It gets its
//! name only when all of it is on stable storage. Two are kept: should the newer one not be
//! readable, the older one and the log since then lead to the same state. While something is to be
//! made anew from the log, a third one stays: the oldest, where the log goes on from.
//!
//! The fixed header is followed by a table of the sections, their payloads, and a BLAKE3 hash over
//! everything before it. The place of the hash and of the format version is for ever.

use std::io::{self, Read};
use std::mem::offset_of;
use std::path::{Path, PathBuf};

use disk::{Access, Disk, DiskError, DiskFile};

use crate::chain::ChainHash;
use crate::frame::field;
use crate::numbered::{numbered_name, parse_numbered_name};

pub const FORMAT_VERSION: u16 = 1;
pub const SECTIONS_MAX: usize = 16;
/// In bytes of ASCII.
pub const SECTION_NAME_SIZE_MAX: usize = 24;
pub const SNAPSHOTS_KEPT: usize = 2;

const MAGIC: [u8; 8] = *b"BWLOGSNP";
const NAME_EXTENSION: &str = "snapshot";
const UNFINISHED_EXTENSION: &str = "snapshot.unfinished";
const DAMAGED_EXTENSION: &str = "snapshot.damaged";
const CHECKSUM_SIZE: usize = 32;
const IO_SIZE: usize = 1 << 20;
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
        disk.begin_write_back(&file, offset, bytes.len() as u64);
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

fn check_sections(sections: &[Section]) -> Result<(), SnapshotError> {
    if sections.len() > SECTIONS_MAX {
        return Err(SnapshotError::Section { name: sections[SECTIONS_MAX].name.clone() });
    }
    for (index, Section { name, .. }) in sections.iter().enumerate() {
        let is_repeated = sections[..index].iter().any(|earlier| earlier.name == *name);
        if is_repeated || !is_section_name(name.as_bytes()) {
            return Err(SnapshotError::Section { name: name.clone() });
        }
    }
    Ok(())
}

fn is_section_name(name: &[u8]) -> bool {
    (1..=SECTION_NAME_SIZE_MAX).contains(&name.len()) && name.iter().all(u8::is_ascii_graphic)
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

#[repr(C)]
struct Header {
    magic: [u8; 8],
    format_version: u16,
    rules_version: u16,
    section_count: u32,
    batch_number: u64,
    sequence: u64,
    chain_hash: ChainHash,
    state_hash: [u8; 32],
}

#[repr(C)]
struct SectionHeader {
    /// Zeros behind the name.
    name: [u8; SECTION_NAME_SIZE_MAX],
    size: u64,
}

const _: () = {
    assert!(size_of::<Header>() == 80);
    assert!(offset_of!(Header, format_version) == 8);
    assert!(offset_of!(Header, rules_version) == 10);
    assert!(offset_of!(Header, section_count) == 12);
    assert!(offset_of!(Header, batch_number) == 16);
    assert!(offset_of!(Header, sequence) == 24);
    assert!(offset_of!(Header, chain_hash) == 32);
    assert!(offset_of!(Header, state_hash) == 48);
    assert!(size_of::<SectionHeader>() == 32);
    assert!(offset_of!(SectionHeader, size) == 24);
};

fn encode_header(snapshot: &Snapshot) -> Vec<u8> {
    let section_count = snapshot.sections.len();
    let size = size_of::<Header>() + section_count * size_of::<SectionHeader>();
    let mut out = Vec::with_capacity(size);
    out.extend(MAGIC);
    out.extend(FORMAT_VERSION.to_le_bytes());
    out.extend(snapshot.rules_version.to_le_bytes());
    out.extend((section_count as u32).to_le_bytes());
    out.extend(snapshot.batch_number.to_le_bytes());
    out.extend(snapshot.sequence.to_le_bytes());
    out.extend(snapshot.chain_hash.0);
    out.extend(snapshot.state_hash);
    for Section { name, payload } in &snapshot.sections {
        out.extend(name.as_bytes());
        out.resize(out.len() + SECTION_NAME_SIZE_MAX - name.len(), 0);
        out.extend((payload.len() as u64).to_le_bytes());
    }
    debug_assert_eq!(out.len(), size);
    out
}

enum ReadError {
    Io(io::Error),
    Damaged { offset: u64, damage: &'static str },
    Newer { found: u16 },
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Nothing is allocated that the size of the file does not account for, and nothing is believed
/// before the checksum has been seen to hold.
fn read(mut input: impl Read, file_size: u64) -> Result<Snapshot, ReadError> {
    let damaged = |offset: u64, damage| Err(ReadError::Damaged { offset, damage });
    if file_size < (size_of::<Header>() + CHECKSUM_SIZE) as u64 {
        return damaged(file_size, "it is cut off");
    }
    let mut hasher = blake3::Hasher::new();
    let mut bytes = [0; size_of::<Header>()];
    input.read_exact(&mut bytes)?;
    hasher.update(&bytes);
    if field(&bytes, offset_of!(Header, magic)) != MAGIC {
        return damaged(0, "its first bytes are not those of a snapshot");
    }
    let format_version = u16::from_le_bytes(field(&bytes, offset_of!(Header, format_version)));
    let mut left = file_size - (size_of::<Header>() + CHECKSUM_SIZE) as u64;
    // Ahead of the checksum, which a later version may have elsewhere.
    if format_version > FORMAT_VERSION {
        return Err(ReadError::Newer { found: format_version });
    }
    if format_version != FORMAT_VERSION {
        return damaged(offset_of!(Header, format_version) as u64, "its version never was");
    }
    let section_count = u32::from_le_bytes(field(&bytes, offset_of!(Header, section_count)));
    let table_size = u64::from(section_count) * size_of::<SectionHeader>() as u64;
    if section_count as usize > SECTIONS_MAX || table_size > left {
        return damaged(
            offset_of!(Header, section_count) as u64,
            "its number of sections is wrong",
        );
    }
    left -= table_size;
    let mut table = vec![0; table_size as usize];
    input.read_exact(&mut table)?;
    hasher.update(&table);
    let mut sections = Vec::with_capacity(section_count as usize);
    for (index, entry) in table.chunks_exact(size_of::<SectionHeader>()).enumerate() {
        let offset = (size_of::<Header>() + index * size_of::<SectionHeader>()) as u64;
        let name: [u8; SECTION_NAME_SIZE_MAX] = field(entry, offset_of!(SectionHeader, name));
        let name_size = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
        let size = u64::from_le_bytes(field(entry, offset_of!(SectionHeader, size)));
        if size > left || !is_section_name(&name[..name_size]) {
            return damaged(offset, "its table of sections is wrong");
        }
        left -= size;
        let mut payload = vec![0; size as usize];
        for piece in payload.chunks_mut(IO_SIZE) {
            input.read_exact(piece)?;
            hasher.update(piece);
        }
        let name = String::from_utf8_lossy(&name[..name_size]).into_owned();
        sections.push(Section { name, payload });
    }
    if left > 0 {
        return damaged(file_size - left, "it is longer than its sections");
    }
    check_checksum(&mut input, &hasher, file_size)?;
    Ok(Snapshot {
        rules_version: u16::from_le_bytes(field(&bytes, offset_of!(Header, rules_version))),
        batch_number: u64::from_le_bytes(field(&bytes, offset_of!(Header, batch_number))),
        sequence: u64::from_le_bytes(field(&bytes, offset_of!(Header, sequence))),
        chain_hash: ChainHash(field(&bytes, offset_of!(Header, chain_hash))),
        state_hash: field(&bytes, offset_of!(Header, state_hash)),
        sections,
    })
}

fn check_checksum(
    input: &mut impl Read,
    hasher: &blake3::Hasher,
    file_size: u64,
) -> Result<(), ReadError> {
    let mut checksum = [0; CHECKSUM_SIZE];
    input.read_exact(&mut checksum)?;
    if hasher.finalize() != checksum {
        let offset = file_size - CHECKSUM_SIZE as u64;
        return Err(ReadError::Damaged { offset, damage: "its checksum does not fit its bytes" });
    }
    Ok(())
}

/// Why a snapshot could not be written or loaded. Neither does harm to the ones there are.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    #[error("{0}; the snapshots before are as they were: free some space")]
    DiskFull(#[source] DiskError),
    #[error("{0}; the snapshots before are as they were")]
    Disk(#[source] DiskError),
    /// The bytes are not those that were written.
    #[error(
        "the snapshot {file} is damaged at byte {offset}: {damage}; \
         the one before it and the log lead to the same state"
    )]
    Damaged { file: PathBuf, offset: u64, damage: &'static str },
    /// Written by a newer version of this program.
    #[error(
        "the snapshot {file} was made by a later build: it has format version {found}, and this \
         build reads up to {supported}; start the later build"
    )]
    NewerFormat { file: PathBuf, found: u16, supported: u16 },
    /// A section that is one too many, or whose name is taken, empty, too long or not ASCII.
    #[error(
        "the section {name:?} does not fit a snapshot: there may be {SECTIONS_MAX}, with \
         different names of 1 to {SECTION_NAME_SIZE_MAX} printable ASCII characters"
    )]
    Section { name: String },
}

impl SnapshotError {
    /// Whether the file is of no use, while the one before it may be sound.
    fn is_unsound(&self) -> bool {
        match self {
            Self::Damaged { .. } => true,
            Self::Disk(error) => error.is_unreadable(),
            _ => false,
        }
    }
}

impl From<DiskError> for SnapshotError {
    fn from(error: DiskError) -> Self {
        if error.is_full() { Self::DiskFull(error) } else { Self::Disk(error) }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use proptest::prelude::*;

    use std::fs;

    use super::*;
    use disk::failing::Operation;

    fn snapshot(batch_number: u64) -> Snapshot {
        let section =
            |name: &str, payload: &[u8]| Section { name: name.into(), payload: payload.into() };
        Snapshot {
            rules_version: 3,
            batch_number,
            sequence: 10 * batch_number,
            chain_hash: ChainHash([7; 16]),
            state_hash: [8; 32],
            sections: vec![section("engine", b"orders"), section("views", b"")],
        }
    }

    #[test]
    fn others_have_the_disk_between_the_pieces() {
        let dir = tempfile::tempdir().unwrap();
        let large = |batch_number| {
            let mut large = snapshot(batch_number);
            large.sections[0].payload = vec![7; 9 << 20];
            large
        };
        let write = |batch_number| {
            let mut rests = 0;
            write_gently(dir.path(), &large(batch_number), Kept::Newest, &mut || rests += 1)
                .unwrap();
            rests
        };
        let pieces = 1 + (9 << 20) / PIECE_SIZE;
        assert_eq!([write(1), write(2)], [pieces; 2], "the header is one, too");
        assert_eq!(write(3), pieces + 2, "the oldest is removed by pieces, too");
        assert_eq!(names(dir.path()).len(), 2);
        assert_eq!(load(&path(dir.path(), 3)).unwrap(), large(3));
        // A process that was ended while it did that has left this.
        fs::rename(path(dir.path(), 2), dir.path().join(numbered_name(2, UNFINISHED_EXTENSION)))
            .unwrap();
        let begun = fs::File::options()
            .write(true)
            .open(dir.path().join(numbered_name(2, UNFINISHED_EXTENSION)));
        begun.unwrap().set_len(5 << 20).unwrap();
        let newest = load_newest(dir.path()).unwrap();
        assert!(newest.damaged.is_empty() && newest.snapshot == Some(large(3)));
        assert_eq!(write(4), pieces + 1);
        assert_eq!(names(dir.path()).len(), 2);
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    fn seal(bytes: &mut [u8]) {
        let end = bytes.len() - CHECKSUM_SIZE;
        let checksum = blake3::hash(&bytes[..end]);
        bytes[end..].copy_from_slice(checksum.as_bytes());
    }

    #[test]
    fn the_newest_is_loaded_and_two_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().join("snapshots");
        assert!(load_newest(&dir).unwrap().snapshot.is_none());
        assert_eq!(write(&dir, &snapshot(5)).unwrap().trim_before, None);
        assert_eq!(write(&dir, &snapshot(8)).unwrap().trim_before, Some(6));
        fs::write(dir.join("00000000000000000009.snapshot.unfinished"), "torn").unwrap();
        let written = write(&dir, &snapshot(30)).unwrap();
        assert_eq!(written.trim_before, Some(9));
        assert_eq!(names(&dir), ["00000000000000000008.snapshot", "00000000000000000030.snapshot"]);
        let loaded = load_newest(&dir).unwrap();
        assert_eq!(loaded.snapshot.as_ref(), Some(&snapshot(30)));
        assert!(loaded.damaged.is_empty());
        assert_eq!(load(&written.file).unwrap().section("engine"), Some(&b"orders"[..]));
        assert_eq!(loaded.snapshot.unwrap().section("none"), None);
    }

    #[test]
    fn the_room_of_what_a_crash_left_is_there_for_the_next_one() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &snapshot(5)).unwrap();
        let leftover = dir.path().join("00000000000000000006.snapshot.unfinished");
        fs::write(&leftover, "half of one").unwrap();
        let seen = leftover.clone();
        let disk = Disk::watched_by(move |operation| match operation {
            Operation::Write { .. } if seen.exists() => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        });
        write_on(&disk, dir.path(), &snapshot(8)).unwrap();
        assert_eq!(load_newest(dir.path()).unwrap().snapshot, Some(snapshot(8)));
        assert!(!leftover.exists());

        fs::write(&leftover, "half of one").unwrap();
        let seen = leftover.clone();
        let disk = Disk::watched_by(move |operation| match operation {
            Operation::Remove { file } if file == seen => Err(io::ErrorKind::TimedOut.into()),
            _ => Ok(()),
        });
        write_on(&disk, dir.path(), &snapshot(9)).unwrap();
        assert!(leftover.exists(), "it is in no snapshot's way");
        assert_eq!(load_newest(dir.path()).unwrap().snapshot, Some(snapshot(9)));
    }

    #[test]
    fn what_a_disk_cannot_read_is_damaged_and_what_a_user_may_not_read_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let file = write(dir.path(), &snapshot(5)).unwrap().file;
        let unread = |number| {
            let error = io::Error::from_raw_os_error(number);
            SnapshotError::from(DiskError::at("reading", &file)(error))
        };
        let (sector, access) = (unread(5), unread(13));
        assert!(sector.is_unsound() && !access.is_unsound());
        assert!(
            SnapshotError::from(DiskError::at("reading", &file)(
                io::ErrorKind::UnexpectedEof.into()
            ))
            .is_unsound()
        );
        let loaded = Loaded { snapshot: None, damaged: vec![sector] };
        loaded.set_aside(&Disk::default()).unwrap();
        assert_eq!(names(dir.path()), ["00000000000000000005.snapshot.damaged"]);
    }

    #[test]
    fn the_oldest_stays_as_long_as_it_is_to() {
        let dir = tempfile::tempdir().unwrap();
        let write = |batch_number, kept| {
            let written = write_gently(dir.path(), &snapshot(batch_number), kept, &mut || {});
            (
                files(dir.path())
                    .unwrap()
                    .into_iter()
                    .map(|(batch_number, _)| batch_number)
                    .collect(),
                { written.unwrap().trim_before },
            )
        };
        assert_eq!(write(5, Kept::OldestToo), (vec![5], None));
        assert_eq!(write(8, Kept::OldestToo), (vec![5, 8], Some(6)));
        assert_eq!(write(10, Kept::OldestToo), (vec![5, 8, 10], Some(6)));
        assert_eq!(write(12, Kept::OldestToo), (vec![5, 10, 12], Some(6)));
        assert_eq!(write(15, Kept::Newest), (vec![12, 15], Some(13)));
    }

    #[test]
    fn one_that_was_removed_does_not_come_back_with_a_loss_of_power() {
        let dir = Path::new("snapshots");
        for seed in 0..50 {
            let power = disk::simulated::Disk::new(seed);
            let disk = Disk::new(std::sync::Arc::new(power.clone()));
            for batch_number in [5, 8, 10] {
                write_by_pieces(&disk, dir, &snapshot(batch_number), Kept::Newest, &mut || {})
                    .unwrap();
            }
            let after = Disk::new(std::sync::Arc::new(power.after_power_cut()));
            let there = list(&after, dir, NAME_EXTENSION).unwrap();
            let batches: Vec<_> = there.iter().map(|(batch_number, _)| *batch_number).collect();
            assert_eq!(batches, [8, 10], "seed {seed}");
        }
    }

    #[test]
    fn the_one_before_is_loaded_when_the_newest_is_damaged_anywhere_or_cut_anywhere() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        write(dir, &snapshot(5)).unwrap();
        let file = write(dir, &snapshot(8)).unwrap().file;
        let sound = fs::read(&file).unwrap();
        let check = |bytes: &[u8], what: &str| {
            fs::write(&file, bytes).unwrap();
            let loaded = load_newest(dir).unwrap();
            assert_eq!(loaded.snapshot, Some(snapshot(5)), "{what}");
            assert_eq!(loaded.damaged.len(), 1, "{what}");
            let error = loaded.damaged[0].to_string();
            assert!(error.contains("00000000000000000008.snapshot is damaged at byte"), "{error}");
            loaded
        };
        for at in 0..sound.len() {
            let mut flipped = sound.clone();
            flipped[at] ^= 4;
            if (8..10).contains(&at) {
                // Another version is that of a later build: refused, and no older snapshot taken.
                fs::write(&file, &flipped).unwrap();
                let error = load_newest(dir).unwrap_err();
                assert!(
                    matches!(error, SnapshotError::NewerFormat { supported: 1, .. }),
                    "{error}"
                );
            } else {
                check(&flipped, &format!("flipped at {at}"));
            }
            check(&sound[..at], &format!("cut at {at}"));
        }
        let loaded = check(&[&sound[..], b"more"].concat(), "longer");

        loaded.set_aside(&Disk::default()).unwrap();
        assert!(load_newest(dir).unwrap().damaged.is_empty());
        assert_eq!(names(dir)[1], "00000000000000000008.snapshot.damaged");
        assert_eq!(write(dir, &snapshot(30)).unwrap().trim_before, Some(6));
        loaded.set_aside(&Disk::default()).unwrap_err();
    }

    #[test]
    fn a_renamed_snapshot_is_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let file = write(dir.path(), &snapshot(5)).unwrap().file;
        fs::rename(file, dir.path().join("00000000000000000006.snapshot")).unwrap();
        let loaded = load_newest(dir.path()).unwrap();
        assert!(loaded.snapshot.is_none());
        assert!(loaded.damaged[0].to_string().contains("another batch number"));
    }

    #[test]
    fn a_newer_format_is_refused_rather_than_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &snapshot(5)).unwrap();
        let file = write(dir.path(), &snapshot(8)).unwrap().file;
        let mut bytes = fs::read(&file).unwrap();
        bytes[8] = 2;
        let check = |bytes: &[u8]| {
            fs::write(&file, bytes).unwrap();
            let error = load_newest(dir.path()).unwrap_err();
            assert!(matches!(error, SnapshotError::NewerFormat { found: 2, supported: 1, .. }));
            assert!(error.to_string().contains("made by a later build: it has format version 2"));
            assert!(error.source().is_none());
        };
        // A later version may have its checksum elsewhere.
        check(&bytes);
        seal(&mut bytes);
        check(&bytes);
    }

    #[test]
    fn sections_have_names_and_a_limit() {
        let dir = tempfile::tempdir().unwrap();
        let refused = |names: &[&str]| {
            let sections =
                names.iter().map(|&name| Section { name: name.into(), payload: vec![] }).collect();
            let error = write(dir.path(), &Snapshot { sections, ..snapshot(5) }).unwrap_err();
            assert!(error.to_string().contains("does not fit a snapshot"), "{names:?}");
        };
        refused(&["engine", "engine"]);
        refused(&[""]);
        refused(&["a name"]);
        refused(&["a-name-of-25-characters--"]);
        let many: Vec<_> = (0..=SECTIONS_MAX).map(|n| n.to_string()).collect();
        refused(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(names(dir.path()).is_empty());
    }

    #[test]
    fn a_failure_at_any_step_leaves_the_snapshots_before_as_they_were() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        write(dir, &snapshot(5)).unwrap();
        let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::Other];
        for (step, kind) in ["Create", "Write", "Sync", "Rename"]
            .into_iter()
            .flat_map(|step| kinds.map(|kind| (step, kind)))
        {
            let watch = move |operation: Operation<'_>| {
                let fails = format!("{operation:?}").starts_with(step);
                if fails { Err(kind.into()) } else { Ok(()) }
            };
            let disk = Disk::watched_by(watch);
            let error = write_on(&disk, dir, &snapshot(8)).unwrap_err();
            assert_eq!(
                matches!(error, SnapshotError::DiskFull(_)),
                kind == io::ErrorKind::StorageFull
            );
            assert!(error.to_string().contains("the snapshots before are as they were"), "{error}");
            assert!(error.source().is_some());
            assert_eq!(names(dir), ["00000000000000000005.snapshot"], "{step}");
        }
        let watch = |operation: Operation<'_>| match operation {
            Operation::SyncDir { .. } => Err(io::ErrorKind::Other.into()),
            _ => Ok(()),
        };
        let disk = Disk::watched_by(watch);
        // It is there by now, but no caller may count on it.
        write_on(&disk, dir, &snapshot(8)).unwrap_err();
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = load_newest(file.path()).unwrap_err();
        assert!(matches!(error, SnapshotError::Disk(_)));
        assert!(error.to_string().contains(file.path().to_str().unwrap()));
    }

    proptest! {
        #[test]
        fn reading_never_panics(mut bytes in prop::collection::vec(any::<u8>(), 80..300), sections in 0u8..4) {
            bytes[..8].copy_from_slice(&MAGIC);
            bytes[8..16].copy_from_slice(&[1, 0, 0, 0, sections, 0, 0, 0]);
            let size = bytes.len() as u64;
            prop_assert!(read(&bytes[..], size).is_err());
            prop_assert!(read(&bytes[..], size + 1000).is_err());
        }
    }
}
