//! A handle on a file system. It adds to each error what was being done to which file, and shows
//! each change to a watch, if a test has set one.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::DiskError;
use crate::failing::{Operation, Watch};
use crate::file_system::{Access, FileSystem, StoredFile};
use crate::real::Local;

/// Where logs and snapshots lie: on this machine's file system, if nothing else is said.
#[derive(Clone)]
pub struct Disk {
    files: Arc<dyn FileSystem>,
    watch: Option<Arc<Watch>>,
}

impl Default for Disk {
    fn default() -> Self {
        Self::new(Arc::new(Local))
    }
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files.fmt(f)
    }
}

/// An open file that knows its name.
#[derive(Debug)]
pub struct DiskFile {
    file: Box<dyn StoredFile>,
    pub path: PathBuf,
}

impl Disk {
    /// How much is written back at a time. The device takes it in about the time of one sync.
    pub const WRITE_BACK_PIECE: u64 = 256 << 10;

    pub fn new(files: Arc<dyn FileSystem>) -> Self {
        Self { files, watch: None }
    }

    /// The real disk behind a watch, which sees each operation first and may fail it.
    pub fn watched_by(
        watch: impl Fn(Operation<'_>) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self { watch: Some(Arc::new(watch)), ..Self::default() }
    }

    /// Creates the file, or empties it.
    pub fn create(&self, path: &Path) -> Result<DiskFile, DiskError> {
        self.watched(Operation::Create { file: path })
            .and_then(|()| self.files.create(path))
            .map(|file| DiskFile { file, path: path.to_path_buf() })
            .map_err(DiskError::at("creating", path))
    }

    pub fn open(&self, path: &Path, access: Access) -> Result<DiskFile, DiskError> {
        self.files
            .open(path, access)
            .map(|file| DiskFile { file, path: path.to_path_buf() })
            .map_err(DiskError::at("opening", path))
    }

    /// All of a file.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, DiskError> {
        let file = self.open(path, Access::Read)?;
        let mut bytes = vec![0; file.size()? as usize];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }

    /// What lies in the folder, in no order.
    pub fn list(&self, dir: &Path) -> Result<Vec<PathBuf>, DiskError> {
        self.files.list(dir).map_err(DiskError::at("reading", dir))
    }

    pub fn is_file(&self, path: &Path) -> bool {
        self.files.is_file(path)
    }

    /// Creates the folder where there is none, and makes its name durable.
    pub fn create_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.files.create_dir(dir).map_err(DiskError::at("creating", dir))
    }

    pub fn write(&self, file: &DiskFile, offset: u64, bytes: &[u8]) -> Result<(), DiskError> {
        self.watched(Operation::Write { file: &file.path, offset, bytes })
            .and_then(|()| file.file.write_all_at(bytes, offset))
            .map_err(DiskError::at("writing", &file.path))
    }

    /// Returns when the bytes of the file, and its length, are on stable storage.
    pub fn sync(&self, file: &DiskFile) -> Result<(), DiskError> {
        self.watched(Operation::Sync { file: &file.path })
            .and_then(|()| file.file.sync())
            .map_err(DiskError::at("syncing", &file.path))
    }

    /// Returns when the device has taken what was written to a part of the file. A sync is needed
    /// all the same, which then has less to write. A failure counts as one of a sync: a later sync
    /// may not report it again.
    pub fn write_back(&self, file: &DiskFile, offset: u64, size: u64) -> Result<(), DiskError> {
        self.watched(Operation::WriteBack { file: &file.path, offset, size })
            .and_then(|()| file.file.write_back(offset, size))
            .map_err(DiskError::at("writing back", &file.path))
    }

    /// [`Disk::sync`] of a file of which much may be in the cache. The log's sync, for which every
    /// order waits, then has one piece before it at the device, and not the file.
    pub fn sync_by_pieces(&self, file: &DiskFile) -> Result<(), DiskError> {
        self.write_back_by_pieces(file)?;
        self.sync(file)
    }

    /// [`Disk::write_back`] of all that is in the file, piece by piece.
    pub fn write_back_by_pieces(&self, file: &DiskFile) -> Result<(), DiskError> {
        let mut pieces = (0..file.size()?).step_by(Self::WRITE_BACK_PIECE as usize);
        pieces.try_for_each(|offset| self.write_back(file, offset, Self::WRITE_BACK_PIECE))
    }

    pub fn rename(&self, file: &mut DiskFile, target: PathBuf) -> Result<(), DiskError> {
        self.rename_path(&file.path, &target)?;
        file.path = target;
        Ok(())
    }

    pub fn rename_path(&self, source: &Path, target: &Path) -> Result<(), DiskError> {
        self.watched(Operation::Rename { source, target })
            .and_then(|()| self.files.rename(source, target))
            .map_err(DiskError::at("renaming", source))
    }

    /// Returns when the names in the folder are on stable storage.
    pub fn sync_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.watched(Operation::SyncDir { dir })
            .and_then(|()| self.files.sync_dir(dir))
            .map_err(DiskError::at("syncing", dir))
    }

    /// A file that is gone already is no error.
    pub fn remove(&self, path: &Path) -> Result<(), DiskError> {
        match self.watched(Operation::Remove { file: path }).and_then(|()| self.files.remove(path))
        {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result.map_err(DiskError::at("removing", path)),
        }
    }

    /// Removes a large file, after all of it but the beginning has been cut off piece by piece: a
    /// thread that syncs another file meanwhile would else wait until all of its room was given
    /// back.
    pub fn remove_by_pieces(
        &self,
        path: &Path,
        piece: u64,
        rest: &mut dyn FnMut(),
    ) -> Result<(), DiskError> {
        let file = self.open(path, Access::ReadWrite)?;
        let mut size = file.size()?;
        while size > piece {
            size -= piece;
            file.file.cut_off(size).map_err(DiskError::at("cutting off", path))?;
            rest();
        }
        self.remove(path)
    }

    fn watched(&self, operation: Operation<'_>) -> io::Result<()> {
        self.watch.as_ref().map_or(Ok(()), |watch| watch(operation))
    }
}

impl DiskFile {
    pub fn size(&self) -> Result<u64, DiskError> {
        self.file.size().map_err(DiskError::at("reading", &self.path))
    }

    pub fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> Result<(), DiskError> {
        self.file.read_exact_at(bytes, offset).map_err(DiskError::at("reading", &self.path))
    }

    /// Cuts off what lies behind this size, if anything does.
    pub fn truncate(&self, size: u64) -> Result<(), DiskError> {
        self.file.truncate(size).map_err(DiskError::at("cutting off", &self.path))
    }

    /// Reads it from its beginning, up to the size it has now.
    pub fn reader(&self) -> Result<FileReader<'_>, DiskError> {
        Ok(FileReader { file: self, offset: 0, size: self.size()? })
    }
}

#[derive(Debug)]
pub struct FileReader<'a> {
    file: &'a DiskFile,
    offset: u64,
    size: u64,
}

impl Read for FileReader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = bytes.len().min((self.size - self.offset) as usize);
        self.file.file.read_exact_at(&mut bytes[..count], self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests;
