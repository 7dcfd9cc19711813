//! The few calls that this crate makes to a file system. All reading and writing of logs and
//! snapshots goes through here, so that every failure names its file, that tests can watch each
//! call or make it fail, and that the same code runs on a simulated disk.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
#[cfg(target_os = "linux")]
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(target_os = "linux")]
use rustix::fs::Advice;

/// A call to the file system that failed.
#[derive(Clone, Debug)]
pub struct DiskError {
    /// What was being done, as in "writing".
    pub doing: &'static str,
    pub file: PathBuf,
    pub source: Arc<io::Error>,
}

impl DiskError {
    pub(crate) fn at(doing: &'static str, file: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { doing, file: file.to_path_buf(), source: Arc::new(source) }
    }

    /// Whether the reason is that there is no room: the one failure an operator can undo quickly.
    pub fn is_full(&self) -> bool {
        matches!(self.source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }

    /// Whether the file is not there.
    pub fn is_missing(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }
}

impl fmt::Display for DiskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { doing, file, source } = self;
        let file = file.display();
        if self.is_full() {
            write!(f, "the disk is full ({doing} {file} failed: {source})")
        } else {
            write!(f, "{doing} {file} failed: {source}")
        }
    }
}

impl std::error::Error for DiskError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.source)
    }
}

/// A file system, as far as a log needs one.
pub trait FileSystem: fmt::Debug + Send + Sync {
    /// Creates the file, or empties it.
    fn create(&self, path: &Path) -> io::Result<Box<dyn StoredFile>>;
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn StoredFile>>;
    /// What lies in the folder, in no order.
    fn list(&self, dir: &Path) -> io::Result<Vec<PathBuf>>;
    fn is_file(&self, path: &Path) -> bool;
    fn rename(&self, source: &Path, target: &Path) -> io::Result<()>;
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Creates the folder where there is none, and makes its name durable.
    fn create_dir(&self, dir: &Path) -> io::Result<()>;
    /// Returns when the names in the folder are on stable storage.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Access {
    Read,
    ReadWrite,
}

pub trait StoredFile: fmt::Debug + Send {
    fn size(&self) -> io::Result<u64>;
    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Returns when the bytes of the file, and its length, are on stable storage.
    fn sync(&self) -> io::Result<()>;
    /// Begins to write a part of the file that nobody is going to read soon, and waits for nothing.
    fn begin_write_back(&self, offset: u64, size: u64);
    /// Gives back what lies behind this size, of a file that is about to be removed.
    fn cut_off(&self, size: u64) -> io::Result<()>;
}

/// The file system of this machine.
#[derive(Debug)]
struct Local;

impl FileSystem for Local {
    fn create(&self, path: &Path) -> io::Result<Box<dyn StoredFile>> {
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(true).open(path)?;
        Ok(Box::new(file))
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn StoredFile>> {
        let writes = access == Access::ReadWrite;
        Ok(Box::new(File::options().read(true).write(writes).open(path)?))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<PathBuf>> {
        fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect()
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn rename(&self, source: &Path, target: &Path) -> io::Result<()> {
        fs::rename(source, target)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        let Some(parent) = dir.parent() else { return Ok(()) };
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let is_new = !dir.is_dir();
        if is_new {
            if !parent.is_dir() {
                self.create_dir(parent)?;
            }
            fs::create_dir(dir)?;
        }
        // Where it is there already, who created it may have been killed before this.
        match File::open(parent) {
            // Nor was it created by somebody with our rights.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && !is_new => Ok(()),
            parent => parent?.sync_all(),
        }
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        File::open(dir)?.sync_all()
    }
}

impl StoredFile for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        FileExt::read_exact_at(self, bytes, offset)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        FileExt::write_all_at(self, bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn begin_write_back(&self, offset: u64, size: u64) {
        // Linux begins to write what it is to forget. A system that does not writes it when it is synced.
        #[cfg(target_os = "linux")]
        let _ = rustix::fs::fadvise(self, offset, NonZeroU64::new(size), Advice::DontNeed);
        #[cfg(not(target_os = "linux"))]
        let _ = (offset, size);
    }

    fn cut_off(&self, size: u64) -> io::Result<()> {
        self.set_len(size)
    }
}

/// What is about to be done, for a test that watches.
#[derive(Debug)]
#[expect(dead_code, reason = "only tests look inside, and at some of it in print only")]
pub(crate) enum Operation<'a> {
    Create { file: &'a Path },
    Write { file: &'a Path, offset: u64, bytes: &'a [u8] },
    Sync { file: &'a Path },
    Rename { source: &'a Path, target: &'a Path },
    SyncDir,
    Remove { file: &'a Path },
}

/// Sees every operation before it is carried out, and may refuse it.
pub(crate) type Watch = dyn Fn(Operation<'_>) -> io::Result<()> + Send + Sync;

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
pub(crate) struct DiskFile {
    file: Box<dyn StoredFile>,
    pub(crate) path: PathBuf,
}

impl Disk {
    pub fn new(files: Arc<dyn FileSystem>) -> Self {
        Self { files, watch: None }
    }

    #[cfg(test)]
    pub(crate) fn watched_by(
        watch: impl Fn(Operation<'_>) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self { watch: Some(Arc::new(watch)), ..Self::default() }
    }

    /// Creates the file, or empties it.
    pub(crate) fn create(&self, path: &Path) -> Result<DiskFile, DiskError> {
        self.watched(Operation::Create { file: path })
            .and_then(|()| self.files.create(path))
            .map(|file| DiskFile { file, path: path.to_path_buf() })
            .map_err(DiskError::at("creating", path))
    }

    pub(crate) fn open(&self, path: &Path, access: Access) -> Result<DiskFile, DiskError> {
        self.files
            .open(path, access)
            .map(|file| DiskFile { file, path: path.to_path_buf() })
            .map_err(DiskError::at("opening", path))
    }

    /// What lies in the folder, in no order.
    pub(crate) fn list(&self, dir: &Path) -> Result<Vec<PathBuf>, DiskError> {
        self.files.list(dir).map_err(DiskError::at("reading", dir))
    }

    pub(crate) fn is_file(&self, path: &Path) -> bool {
        self.files.is_file(path)
    }

    /// Creates the folder where there is none, and makes its name durable.
    pub fn create_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.files.create_dir(dir).map_err(DiskError::at("creating", dir))
    }

    pub(crate) fn write(
        &self,
        file: &DiskFile,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DiskError> {
        self.watched(Operation::Write { file: &file.path, offset, bytes })
            .and_then(|()| file.file.write_all_at(bytes, offset))
            .map_err(DiskError::at("writing", &file.path))
    }

    /// Returns when the bytes of the file, and its length, are on stable storage.
    pub(crate) fn sync(&self, file: &DiskFile) -> Result<(), DiskError> {
        self.watched(Operation::Sync { file: &file.path })
            .and_then(|()| file.file.sync())
            .map_err(DiskError::at("syncing", &file.path))
    }

    /// Begins to write a part of the file that nobody is going to read soon, and waits for nothing. That
    /// is a hint; a sync is needed all the same.
    pub(crate) fn begin_write_back(&self, file: &DiskFile, offset: u64, size: u64) {
        file.file.begin_write_back(offset, size);
    }

    pub(crate) fn rename(&self, file: &mut DiskFile, target: PathBuf) -> Result<(), DiskError> {
        self.rename_path(&file.path, &target)?;
        file.path = target;
        Ok(())
    }

    pub(crate) fn rename_path(&self, source: &Path, target: &Path) -> Result<(), DiskError> {
        self.watched(Operation::Rename { source, target })
            .and_then(|()| self.files.rename(source, target))
            .map_err(DiskError::at("renaming", source))
    }

    /// Returns when the names in the folder are on stable storage.
    pub(crate) fn sync_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.watched(Operation::SyncDir)
            .and_then(|()| self.files.sync_dir(dir))
            .map_err(DiskError::at("syncing", dir))
    }

    /// A file that is gone already is no error.
    pub(crate) fn remove(&self, path: &Path) -> Result<(), DiskError> {
        match self.watched(Operation::Remove { file: path }).and_then(|()| self.files.remove(path))
        {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result.map_err(DiskError::at("removing", path)),
        }
    }

    /// Removes a large file, after all of it but the beginning has been cut off piece by piece: whoever
    /// syncs another file meanwhile would else wait until all of its room was given back.
    pub(crate) fn remove_by_pieces(
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
    pub(crate) fn size(&self) -> Result<u64, DiskError> {
        self.file.size().map_err(DiskError::at("reading", &self.path))
    }

    pub(crate) fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> Result<(), DiskError> {
        self.file.read_exact_at(bytes, offset).map_err(DiskError::at("reading", &self.path))
    }

    /// Reads it from its beginning, up to the size it has now.
    pub(crate) fn reader(&self) -> Result<FileReader<'_>, DiskError> {
        Ok(FileReader { file: self, offset: 0, size: self.size()? })
    }
}

pub(crate) struct FileReader<'a> {
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
