//! The error of a call to the file system.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What Linux says of a part of a disk that cannot be read.
const EIO: i32 = 5;

/// A call to the file system that failed.
#[derive(Clone, Debug)]
pub struct DiskError {
    /// What was being done, as in "writing".
    pub doing: &'static str,
    pub file: PathBuf,
    pub source: Arc<io::Error>,
}

/// Whether a file system has no room, for all or for this user.
pub fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

impl DiskError {
    /// For `map_err`: the error of what was being done to a file.
    pub fn at(doing: &'static str, file: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { doing, file: file.to_path_buf(), source: Arc::new(source) }
    }

    /// Whether the reason is that there is no room: the one failure an operator can undo quickly.
    pub fn is_full(&self) -> bool {
        is_full(&self.source)
    }

    /// Whether the bytes of the file cannot be had, however often it is tried.
    pub fn is_unreadable(&self) -> bool {
        let is_cut = self.source.kind() == io::ErrorKind::UnexpectedEof;
        is_cut || self.source.raw_os_error() == Some(EIO)
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
