//! The few calls that change something on disk. All writing of this crate goes through here, so that
//! every failure names its file, and so that tests can watch each call, or make it fail.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// What is about to be done, for a test that watches.
#[derive(Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "only tests look inside"))]
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

#[derive(Clone, Default)]
pub(crate) struct Disk {
    pub(crate) watch: Option<Arc<Watch>>,
}

/// An open file that knows its name.
#[derive(Debug)]
pub(crate) struct DiskFile {
    pub(crate) file: File,
    pub(crate) path: PathBuf,
}

impl Disk {
    /// Creates the file, or empties it.
    pub(crate) fn create(&self, path: &Path) -> Result<DiskFile, DiskError> {
        self.watched(Operation::Create { file: path })
            .and_then(|()| {
                File::options().read(true).write(true).create(true).truncate(true).open(path)
            })
            .map(|file| DiskFile { file, path: path.to_path_buf() })
            .map_err(DiskError::at("creating", path))
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
            .and_then(|()| file.file.sync_data())
            .map_err(DiskError::at("syncing", &file.path))
    }

    pub(crate) fn rename(&self, file: &mut DiskFile, target: PathBuf) -> Result<(), DiskError> {
        self.watched(Operation::Rename { source: &file.path, target: &target })
            .and_then(|()| fs::rename(&file.path, &target))
            .map_err(DiskError::at("renaming", &file.path))?;
        file.path = target;
        Ok(())
    }

    /// Returns when the names in the folder are on stable storage.
    pub(crate) fn sync_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.watched(Operation::SyncDir)
            .and_then(|()| File::open(dir)?.sync_all())
            .map_err(DiskError::at("syncing", dir))
    }

    /// A file that is gone already is no error.
    pub(crate) fn remove(&self, path: &Path) -> Result<(), DiskError> {
        match self.watched(Operation::Remove { file: path }).and_then(|()| fs::remove_file(path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result.map_err(DiskError::at("removing", path)),
        }
    }

    fn watched(&self, operation: Operation<'_>) -> io::Result<()> {
        self.watch.as_ref().map_or(Ok(()), |watch| watch(operation))
    }
}

/// Creates the folder and makes its name durable.
pub(crate) fn create_dir(dir: &Path) -> Result<(), DiskError> {
    if dir.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(dir)
        .and_then(|()| match dir.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => File::open(parent)?.sync_all(),
            _ => Ok(()),
        })
        .map_err(DiskError::at("creating", dir))
}
