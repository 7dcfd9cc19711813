//! Why events cannot be read, or the spool cannot be opened.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::DiskError;
use thiserror::Error;

/// Why events cannot be shown, or the spool cannot be opened.
#[derive(Debug, Error)]
pub enum SpoolError {
    #[error("the event spool {file}: {error}")]
    Io {
        file: PathBuf,
        #[source]
        error: Arc<io::Error>,
    },
    /// What was asked for is not kept any more: the next number that there is, or that there will
    /// be. Of a command it is its sequence, of an account or an instrument its own number.
    #[error("these events are no longer kept; the next ones begin at {first}")]
    Gone { first: u64 },
    /// A file was changed while the venue ran, or the disk is at fault.
    #[error(
        "the event spool {file} is damaged at byte {offset}: {damage}; start the venue again, and it \
         is made anew from the log"
    )]
    Damaged { file: PathBuf, offset: u64, damage: &'static str },
    /// Written by a later version of this program.
    #[error(
        "the event spool {file} was made by a later build: it has format version {found}, and this \
         build reads {supported}; it is made anew from the log"
    )]
    NewerFormat { file: PathBuf, found: char, supported: char },
    #[error("{file} is not a file of the event spool; move it elsewhere")]
    ForeignFile { file: PathBuf },
}

impl SpoolError {
    pub(super) fn at(file: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Io { file: file.to_path_buf(), error: Arc::new(error) }
    }

    pub(super) fn damaged(file: &Path, offset: u64, damage: &'static str) -> Self {
        Self::Damaged { file: file.to_path_buf(), offset, damage }
    }

    pub(super) fn is_full(&self) -> bool {
        matches!(self, Self::Io { error, .. } if disk::is_full(error))
    }

    /// Whether a file is not there: a reader may have been overtaken by the retention.
    pub(super) fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { error, .. } if error.kind() == io::ErrorKind::NotFound)
    }

    /// Whether the bytes themselves are at fault, so that they are of no use. Any other failure may
    /// pass, and the log may have been trimmed of what a file holds.
    pub(super) fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::NewerFormat { .. })
    }
}

impl From<DiskError> for SpoolError {
    fn from(error: DiskError) -> Self {
        Self::Io { file: error.file, error: error.source }
    }
}
