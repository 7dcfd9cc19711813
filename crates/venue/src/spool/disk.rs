//! The few calls by which the spool changes something on disk, so that tests can watch each, or make
//! it fail.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use super::SpoolError;

/// What is about to be done, for a test that watches.
#[derive(Debug)]
#[expect(dead_code, reason = "only tests look inside, and at some of it in print only")]
pub(super) enum Operation<'a> {
    Create { file: &'a Path },
    Write { file: &'a Path, offset: u64, bytes: &'a [u8] },
    Sync { file: &'a Path },
    Rename { source: &'a Path },
    Remove { file: &'a Path },
}

/// Sees every operation before it is carried out, and may refuse it.
pub(super) type Watch = dyn Fn(Operation<'_>) -> io::Result<()> + Send + Sync;

#[derive(Clone, Default)]
pub(super) struct Disk {
    pub(super) watch: Option<Arc<Watch>>,
}

impl Disk {
    /// Creates the file, or empties it.
    pub(super) fn create(&self, path: &Path) -> Result<File, SpoolError> {
        self.watched(Operation::Create { file: path })
            .and_then(|()| {
                File::options().read(true).write(true).create(true).truncate(true).open(path)
            })
            .map_err(SpoolError::at(path))
    }

    pub(super) fn write(
        &self,
        file: &File,
        path: &Path,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), SpoolError> {
        self.watched(Operation::Write { file: path, offset, bytes })
            .and_then(|()| file.write_all_at(bytes, offset))
            .map_err(SpoolError::at(path))
    }

    /// Returns when the file is on stable storage. One that is gone was not wanted any more.
    pub(super) fn sync(&self, path: &Path) -> Result<(), SpoolError> {
        let synced = self
            .watched(Operation::Sync { file: path })
            .and_then(|()| File::open(path)?.sync_data());
        unless_gone(synced).map_err(SpoolError::at(path))
    }

    pub(super) fn rename(&self, source: &Path, target: &Path) -> Result<(), SpoolError> {
        self.watched(Operation::Rename { source })
            .and_then(|()| fs::rename(source, target))
            .map_err(SpoolError::at(source))
    }

    /// A file that is gone already is no error.
    pub(super) fn remove(&self, path: &Path) -> Result<(), SpoolError> {
        let removed =
            self.watched(Operation::Remove { file: path }).and_then(|()| fs::remove_file(path));
        unless_gone(removed).map_err(SpoolError::at(path))
    }

    fn watched(&self, operation: Operation<'_>) -> io::Result<()> {
        self.watch.as_ref().map_or(Ok(()), |watch| watch(operation))
    }
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Disk")
    }
}

fn unless_gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
