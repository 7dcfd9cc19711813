//! One process per data folder.

use std::fs::{File, Permissions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use disk::{Disk, DiskError};

const FILE_NAME: &str = "lock";
const FILE_MODE: u32 = 0o600;

/// Holds a folder for this process until it is dropped. The kernel lets go of it when the process
/// ends, however it ends: a `lock` file that lies about is no obstacle, and need not be removed.
#[derive(Debug)]
pub struct DataDirLock {
    file: File,
}

impl DataDirLock {
    /// Creates the folder if there is none.
    pub fn acquire(dir: &Path) -> Result<Self, LockError> {
        Disk::default().create_dir(dir)?;
        let path = dir.join(FILE_NAME);
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(FILE_MODE)
            .open(&path)
            .map_err(DiskError::at("opening", &path))?;
        // A user that can open it can hold it.
        file.set_permissions(Permissions::from_mode(FILE_MODE))
            .map_err(DiskError::at("taking away from other users", &path))?;
        match try_lock_for(&file, PATIENCE) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                // The holder of the lock may be about to write its number: then it stays unknown.
                let _ = file.read_to_string(&mut pid);
                return Err(LockError::Held {
                    dir: dir.to_path_buf(),
                    pid: pid.trim().parse().ok(),
                });
            }
            Err(TryLockError::Error(error)) => {
                return Err(DiskError::at("locking", &path)(error).into());
            }
        }
        file.set_len(0)
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(DiskError::at("writing", &path))?;
        Ok(Self { file })
    }
}

impl DataDirLock {
    /// The process that has the folder; `None` if it is free, or holds no lock yet.
    pub fn holder(dir: &Path) -> Option<u32> {
        let mut file = File::open(dir.join(FILE_NAME)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                file.read_to_string(&mut pid).ok()?;
                pid.trim().parse().ok()
            }
            _ => None,
        }
    }
}

impl Drop for DataDirLock {
    fn drop(&mut self) {
        // A child that was forked just now has the file too, and would keep the lock for a while.
        // If this fails, the lock goes with the last of them.
        let _ = self.file.unlock();
    }
}

/// A process that was killed a moment ago may still be ending.
const PATIENCE: Duration = Duration::from_millis(500);

fn try_lock_for(file: &File, patience: Duration) -> Result<(), TryLockError> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if begun.elapsed() < patience => {
                std::thread::sleep(patience / 50);
            }
            result => return result,
        }
    }
}

#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process, or another part of this one, works in the folder.
    #[error(
        "{dir} is in use by {}; stop that one first, or choose another folder",
        pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
    )]
    Held { dir: PathBuf, pid: Option<u32> },
    #[error("{0}; the folder could not be locked")]
    Disk(#[from] DiskError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_once_until_let_go() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("new/data");
        let held = DataDirLock::acquire(&data).unwrap();
        let error = DataDirLock::acquire(&data).unwrap_err();
        let pid = std::process::id();
        assert!(matches!(&error, LockError::Held { pid: Some(found), .. } if *found == pid));
        assert!(
            error.to_string().contains(&format!("{} is in use by process {pid}", data.display()))
        );
        drop(held);
        DataDirLock::acquire(&data).unwrap();
    }

    #[test]
    fn a_process_that_comes_while_the_holder_ends_waits_for_that() {
        let dir = tempfile::tempdir().unwrap();
        let held = DataDirLock::acquire(dir.path()).unwrap();
        let ends = std::thread::spawn(move || {
            std::thread::sleep(PATIENCE / 10);
            drop(held);
        });
        DataDirLock::acquire(dir.path()).unwrap();
        ends.join().unwrap();
    }

    #[test]
    fn a_holder_without_a_number_stays_unknown() {
        let dir = tempfile::tempdir().unwrap();
        let file = File::create(dir.path().join(FILE_NAME)).unwrap();
        file.lock().unwrap();
        let error = DataDirLock::acquire(dir.path()).unwrap_err();
        assert!(matches!(error, LockError::Held { pid: None, .. }));
        assert!(error.to_string().contains("another process"));
    }

    #[test]
    fn a_lock_that_is_let_go_is_free_though_a_child_has_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let lock = DataDirLock::acquire(dir.path()).unwrap();
        let _of_child = lock.file.try_clone().unwrap();
        drop(lock);
        DataDirLock::acquire(dir.path()).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        File::create(&file).unwrap();
        let error = DataDirLock::acquire(&file.join("data")).unwrap_err();
        assert!(error.to_string().contains("file/data"), "{error}");
        assert!(std::error::Error::source(&error).is_some());
    }
}
