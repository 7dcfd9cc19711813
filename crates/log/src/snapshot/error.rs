//! Why a snapshot could not be written or loaded.

use std::path::PathBuf;

use disk::DiskError;

use crate::snapshot::format::{SECTION_NAME_SIZE_MAX, SECTIONS_MAX};

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
    pub(super) fn is_unsound(&self) -> bool {
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
