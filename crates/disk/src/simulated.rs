//! A disk of which only what was synced is sure to outlive the loss of power.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::file_system::{Access, FileSystem, StoredFile};

pub use crate::random::Random;

/// Sectors are written one by one, in any order.
const SECTOR_SIZE: u64 = 512;

/// Cheap to clone: all clones are the same disk.
#[derive(Clone, Debug)]
pub struct Disk(Arc<Mutex<State>>);

#[derive(Clone, Debug)]
struct State {
    files: Vec<Content>,
    names: BTreeMap<PathBuf, usize>,
    durable_names: BTreeMap<PathBuf, usize>,
    unsynced_names: Vec<NameChange>,
    /// What all files may have together.
    capacity: u64,
    /// How many more operations there are before the power fails.
    operations_left: u64,
    is_off: bool,
    fails_next_sync: bool,
    random: Random,
}

#[derive(Clone, Debug, Default)]
struct Content {
    /// What is read: the page cache.
    cached: Vec<u8>,
    durable: Vec<u8>,
    unsynced: Vec<Change>,
}

#[derive(Clone, Debug)]
enum Change {
    Write { offset: u64, bytes: Vec<u8> },
    Truncate { size: u64 },
}

/// The name that a file loses, and the one it gets.
#[derive(Clone, Debug)]
struct NameChange {
    file: usize,
    source: Option<PathBuf>,
    target: Option<PathBuf>,
}

impl Disk {
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State {
            files: Vec::new(),
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            unsynced_names: Vec::new(),
            capacity: u64::MAX,
            operations_left: u64::MAX,
            is_off: false,
            fails_next_sync: false,
            random: Random::new(seed),
        })))
    }

    /// Lets the power fail after this number of operations, the last of them half done.
    pub fn fail_power_after(&self, operations: u64) {
        self.state().operations_left = operations;
    }

    pub fn is_off(&self) -> bool {
        self.state().is_off
    }

    /// The power fails, if it has not yet, and comes back: of what was not synced, anything is
    /// there.
    pub fn cut_power(&self) {
        self.state().lose_unsynced();
    }

    /// The next sync fails, and what it was to bring to stable storage never comes there: a later
    /// sync has forgotten it.
    pub fn fail_next_sync(&self) {
        self.state().fails_next_sync = true;
    }

    /// Limits the size of all files together to what they have now and this number of bytes.
    pub fn set_free(&self, bytes: u64) {
        let mut state = self.state();
        state.capacity = state.used().saturating_add(bytes);
    }

    /// Changes bits of a byte that is on stable storage already. `false` where there is no such
    /// byte.
    pub fn damage(&self, path: &Path, offset: u64, bits: u8) -> bool {
        let mut state = self.state();
        let Some(&file) = state.names.get(path) else { return false };
        let content = &mut state.files[file];
        let mut copies = [&mut content.cached, &mut content.durable];
        copies.iter_mut().all(|copy| match copy.get_mut(offset as usize) {
            Some(byte) => {
                *byte ^= bits;
                true
            }
            None => false,
        })
    }

    /// What a reader sees of a file now.
    pub fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let state = self.state();
        state.names.get(path).map(|&file| state.files[file].cached.clone())
    }

    /// Another disk, as this one would be after a loss of power.
    pub fn after_power_cut(&self) -> Self {
        let mut state = self.state().clone();
        state.lose_unsynced();
        state.capacity = u64::MAX;
        Self(Arc::new(Mutex::new(state)))
    }

    /// Replaces what a file holds, on stable storage as well, and counts no operation for it.
    pub fn replace(&self, path: &Path, bytes: Vec<u8>) {
        let mut state = self.state();
        let Some(&file) = state.names.get(path) else { return };
        let content = &mut state.files[file];
        content.cached = bytes;
        content.durable.clone_from(&content.cached);
    }

    pub fn paths(&self) -> Vec<PathBuf> {
        self.state().names.keys().cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Counts an operation; the one that the power fails in is carried out in part by its caller.
    fn begin(&mut self) -> io::Result<Power> {
        if self.is_off {
            return Err(io::Error::other("the machine is off"));
        }
        self.operations_left = self.operations_left.saturating_sub(1);
        if self.operations_left > 0 {
            return Ok(Power::On);
        }
        self.is_off = true;
        Ok(Power::Fails)
    }

    fn used(&self) -> u64 {
        self.names.values().map(|&file| self.files[file].cached.len() as u64).sum()
    }

    fn lookup(&self, path: &Path) -> io::Result<usize> {
        self.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn rename(&mut self, file: usize, source: Option<&Path>, target: Option<&Path>) {
        let owned = |path: Option<&Path>| path.map(Path::to_path_buf);
        let change = NameChange { file, source: owned(source), target: owned(target) };
        change.apply(&mut self.names);
        self.unsynced_names.push(change);
    }

    fn write(&mut self, file: usize, bytes: &[u8], offset: u64) -> io::Result<()> {
        let power = self.begin()?;
        let end = offset + bytes.len() as u64;
        let grows = end.saturating_sub(self.files[file].cached.len() as u64);
        if self.used() + grows > self.capacity {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let mut start = 0;
        while start < bytes.len() as u64 {
            let position = offset + start;
            let sector_end = ((position / SECTOR_SIZE + 1) * SECTOR_SIZE).min(end);
            let sector = &bytes[start as usize..(sector_end - offset) as usize];
            start = sector_end - offset;
            if power == Power::Fails && self.random.one_in(2) {
                continue;
            }
            let content = &mut self.files[file];
            put(&mut content.cached, position, sector);
            content.unsynced.push(Change::Write { offset: position, bytes: sector.to_vec() });
        }
        power.check()
    }

    fn truncate(&mut self, file: usize, size: u64) -> io::Result<()> {
        self.begin()?.check()?;
        let content = &mut self.files[file];
        let change = Change::Truncate { size };
        change.apply(&mut content.cached);
        content.unsynced.push(change);
        Ok(())
    }

    fn sync(&mut self, file: usize) -> io::Result<()> {
        self.begin()?.check()?;
        let content = &mut self.files[file];
        let unsynced = std::mem::take(&mut content.unsynced);
        if std::mem::take(&mut self.fails_next_sync) {
            return Err(io::Error::other("the device did not answer"));
        }
        for change in unsynced {
            change.apply(&mut content.durable);
        }
        // A sync makes the length durable, too.
        let size = content.cached.len();
        if content.durable.len() < size {
            content.durable.resize(size, 0);
        }
        Ok(())
    }

    fn lose_unsynced(&mut self) {
        let mut names = std::mem::take(&mut self.durable_names);
        for change in std::mem::take(&mut self.unsynced_names) {
            if self.random.one_in(2) {
                change.apply(&mut names);
            }
        }
        for content in &mut self.files {
            let chance = self.random.below(5);
            for change in std::mem::take(&mut content.unsynced) {
                if self.random.below(4) < chance {
                    change.apply(&mut content.durable);
                }
            }
            content.cached.clone_from(&content.durable);
        }
        self.names = names.clone();
        self.durable_names = names;
        self.operations_left = u64::MAX;
        self.is_off = false;
        self.fails_next_sync = false;
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Power {
    On,
    Fails,
}

impl Power {
    fn check(self) -> io::Result<()> {
        match self {
            Self::On => Ok(()),
            Self::Fails => Err(io::Error::other("the power has failed")),
        }
    }
}

impl NameChange {
    fn apply(&self, names: &mut BTreeMap<PathBuf, usize>) {
        if let Some(source) = &self.source
            && names.get(source) == Some(&self.file)
        {
            names.remove(source);
        }
        if let Some(target) = &self.target {
            names.insert(target.clone(), self.file);
        }
    }
}

impl Change {
    fn apply(&self, file: &mut Vec<u8>) {
        match self {
            Self::Write { offset, bytes } => put(file, *offset, bytes),
            Self::Truncate { size } => file.truncate(*size as usize),
        }
    }
}

fn put(file: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let (start, end) = (offset as usize, offset as usize + bytes.len());
    if file.len() < end {
        file.resize(end, 0);
    }
    file[start..end].copy_from_slice(bytes);
}

#[derive(Debug)]
struct OpenFile {
    disk: Disk,
    file: usize,
}

impl FileSystem for Disk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn StoredFile>> {
        let mut state = self.state();
        state.begin()?.check()?;
        let file = state.files.len();
        state.files.push(Content::default());
        state.rename(file, None, Some(path));
        Ok(Box::new(OpenFile { disk: self.clone(), file }))
    }

    fn open(&self, path: &Path, _: Access) -> io::Result<Box<dyn StoredFile>> {
        let file = self.state().lookup(path)?;
        Ok(Box::new(OpenFile { disk: self.clone(), file }))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<PathBuf>> {
        let state = self.state();
        Ok(state.names.keys().filter(|path| path.parent() == Some(dir)).cloned().collect())
    }

    fn is_file(&self, path: &Path) -> bool {
        self.state().names.contains_key(path)
    }

    fn rename(&self, source: &Path, target: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.begin()?.check()?;
        let file = state.lookup(source)?;
        state.rename(file, Some(source), Some(target));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.begin()?.check()?;
        let file = state.lookup(path)?;
        state.rename(file, Some(path), None);
        Ok(())
    }

    fn create_dir(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    /// The names of all folders become durable.
    fn sync_dir(&self, _: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.begin()?.check()?;
        state.durable_names = state.names.clone();
        state.unsynced_names.clear();
        Ok(())
    }
}

impl StoredFile for OpenFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.disk.state().files[self.file].cached.len() as u64)
    }

    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        let state = self.disk.state();
        let cached = &state.files[self.file].cached;
        let start = offset as usize;
        let found = cached.get(start..start + bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        bytes.copy_from_slice(found);
        Ok(())
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.disk.state().write(self.file, bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.state().sync(self.file)
    }

    fn truncate(&self, size: u64) -> io::Result<()> {
        self.disk.state().truncate(self.file, size)
    }

    /// What is not synced may be lost here, whatever was written back.
    fn write_back(&self, _: u64, _: u64) -> io::Result<()> {
        Ok(())
    }

    /// Room is not counted here before the file is gone.
    fn cut_off(&self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_comes_back_with_the_power_unless_that_was_synced() {
        let path = Path::new("file");
        let (mut came_back, mut stayed_off) = (0, 0);
        for seed in 0..40 {
            let disk = Disk::new(seed);
            let file = disk.create(path).unwrap();
            disk.sync_dir(Path::new("")).unwrap();
            file.write_all_at(&[1, 2, 3, 4], 0).unwrap();
            file.sync().unwrap();
            file.truncate(2).unwrap();
            assert_eq!(disk.read(path).unwrap(), [1, 2], "seed {seed}: what readers see");
            match disk.after_power_cut().read(path).unwrap().as_slice() {
                [1, 2, 3, 4] => came_back += 1,
                [1, 2] => stayed_off += 1,
                other => panic!("seed {seed}: {other:?}"),
            }
            file.sync().unwrap();
            assert_eq!(disk.after_power_cut().read(path).unwrap(), [1, 2], "seed {seed}");
        }
        assert!(came_back > 0 && stayed_off > 0, "{came_back} {stayed_off}");
    }
}
