//! The file in a data folder, and what SQLite keeps beside it.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use disk::{Access, Disk};

use crate::error::ProjectionError;

/// Where the file lies in a data folder.
pub fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("projection").join("history.sqlite")
}

/// Moves a damaged file out of the way.
pub(crate) fn set_aside(path: &Path, error: &ProjectionError) -> Result<(), ProjectionError> {
    let aside = path.with_extension("damaged");
    tracing::error!(
        %error,
        kept = %aside.display(),
        "the damaged read model is set aside, and made anew from the log and the spool"
    );
    move_to(path, &aside)
}

/// Moves a file of another log out of the way. It may have what this log has lost.
pub(crate) fn keep_beside(path: &Path) -> Result<(), ProjectionError> {
    let beside = path.with_extension("other");
    tracing::warn!(
        kept = %beside.display(),
        "the read model was of another log than the one here: it is kept, and made anew"
    );
    move_to(path, &beside)
}

fn move_to(path: &Path, target: &Path) -> Result<(), ProjectionError> {
    let moved = std::fs::rename(path, target);
    moved.map_err(|error| ProjectionError::Folder { path: path.to_path_buf(), error })?;
    remove(path)
}

/// Writes back what transactions have added, so that the sync of a checkpoint, for which the log
/// may have to wait, has little left to write. The file itself must not be opened here: closing it
/// would release the locks that SQLite has on it.
pub(crate) fn write_back_wal(path: &Path) -> Result<(), ProjectionError> {
    let disk = Disk::default();
    let wal = disk.open(&beside(path, "-wal"), Access::Read);
    match wal.and_then(|wal| disk.write_back_by_pieces(&wal)) {
        Err(error) if error.is_full() => Err(ProjectionError::DiskFull { path: error.file }),
        Err(error) if !error.is_missing() => {
            Err(ProjectionError::Database { path: error.file.clone(), error: error.into() })
        }
        _ => Ok(()),
    }
}

/// The file, and what SQLite keeps beside it.
pub(crate) fn remove(path: &Path) -> Result<(), ProjectionError> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let path = beside(path, suffix);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(ProjectionError::Folder { path, error });
            }
            _ => {}
        }
    }
    Ok(())
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Distinguishes the file from another one in its place.
pub(crate) fn inode(path: &Path) -> Result<u64, ProjectionError> {
    let path = path.to_path_buf();
    match std::fs::metadata(&path) {
        Ok(metadata) => Ok(metadata.ino()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(ProjectionError::Missing { path })
        }
        Err(error) => Err(ProjectionError::Folder { path, error }),
    }
}
