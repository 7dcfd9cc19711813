//! The folder of a test: in memory where the system has such a place, and gone with the venue.
//!
//! A venue that is killed leaves its folder. The next test of the same user removes it: nothing
//! holds its lock. The number of a process would not show that, because containers share such a
//! place and count their processes apart.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;
use venue::random_text;

use crate::error::ServeError;
use crate::settings::Settings;

/// A file system in memory, on Linux.
const IN_MEMORY: &str = "/dev/shm";
const PREFIX: &str = "buttonwood-test.";
/// Before a new folder has its lock. No test looks at it: a process that is killed in between
/// leaves a folder without data.
const UNLOCKED_PREFIX: &str = "buttonwood-new-test.";
/// The file with the lock. The venue's own `lock` is free until the venue opens the folder.
const LOCK_NAME: &str = "test.lock";

pub(crate) struct TestFolder {
    path: PathBuf,
    /// Locked as long as the folder is in use. The kernel unlocks it when the process ends.
    lock: File,
}

impl TestFolder {
    /// The folder that a test has as the folder of its data.
    pub(crate) fn of(settings: &mut Settings) -> Result<Option<Self>, ServeError> {
        let folder = settings.test.enabled.then(Self::create).transpose()?;
        if let Some(folder) = &folder {
            settings.venue.data_dir.clone_from(&folder.path);
        }
        Ok(folder)
    }

    fn create() -> Result<Self, ServeError> {
        Self::create_in(Path::new(IN_MEMORY)).or_else(|_| {
            let place = std::env::temp_dir();
            Self::create_in(&place)
                .map_err(|error| ServeError::new(format!("{}: {error}", place.display())))
        })
    }

    /// The folder has its name only once it is locked, so no other test takes it for abandoned.
    fn create_in(place: &Path) -> io::Result<Self> {
        remove_abandoned(place);
        let name = random_text(16);
        let unlocked = place.join(format!("{UNLOCKED_PREFIX}{name}"));
        fs::DirBuilder::new().mode(0o700).create(&unlocked)?;
        let path = place.join(format!("{PREFIX}{name}"));
        let locked = lock(&unlocked).and_then(|lock| {
            fs::rename(&unlocked, &path)?;
            Ok(lock)
        });
        match locked {
            Ok(lock) => Ok(Self { path, lock }),
            Err(error) => {
                let _left = fs::remove_dir_all(&unlocked);
                Err(error)
            }
        }
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(folder = %self.path.display(), %error, "the folder of the test is left");
        }
        let _unlocked_at_its_end = self.lock.unlock();
    }
}

fn lock(folder: &Path) -> io::Result<File> {
    let mut options = File::options();
    let file = options.write(true).create(true).mode(0o600).open(folder.join(LOCK_NAME))?;
    file.try_lock()?;
    Ok(file)
}

/// Removes the folders that no process uses. Another test may be about to do the same.
fn remove_abandoned(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_test = name.to_str().is_some_and(|name| name.starts_with(PREFIX));
        let is_own = entry.metadata().is_ok_and(|of| of.is_dir() && of.uid() == geteuid().as_raw());
        if is_test && is_own && is_abandoned(&entry.path()) {
            let _taken_by_another_test = fs::remove_dir_all(entry.path());
        }
    }
}

/// A folder without the file is one that a test began to remove.
fn is_abandoned(folder: &Path) -> bool {
    match File::open(folder.join(LOCK_NAME)) {
        Ok(file) => file.try_lock().is_ok(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(place: &Path) -> Vec<PathBuf> {
        fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn a_folder_in_use_is_kept_whatever_its_process_is_called() {
        let place = tempfile::tempdir().unwrap();
        let folder = TestFolder::create_in(place.path()).unwrap();
        // Of this name is the folder of a process that another container counts.
        let other = place.path().join(format!("{PREFIX}{}-abcdefgh", i32::MAX));
        fs::create_dir(&other).unwrap();
        let held = lock(&other).unwrap();
        let next = TestFolder::create_in(place.path()).unwrap();
        assert_eq!(folders(place.path()).len(), 3);
        drop((folder, next));
        let left = folders(place.path());
        assert_eq!(left, std::slice::from_ref(&other), "each ends with its own test");
        drop(held);
        drop(TestFolder::create_in(place.path()).unwrap());
        assert!(!other.exists(), "its lock is free");
        fs::create_dir(&other).unwrap();
        drop(TestFolder::create_in(place.path()).unwrap());
        assert!(!other.exists(), "its removal was interrupted");
    }

    #[test]
    fn a_folder_that_is_being_made_is_kept() {
        let place = tempfile::tempdir().unwrap();
        let made = place.path().join(format!("{UNLOCKED_PREFIX}abcdefgh"));
        fs::create_dir(&made).unwrap();
        fs::write(made.join(LOCK_NAME), "").unwrap();
        drop(TestFolder::create_in(place.path()).unwrap());
        assert!(made.exists());
    }
}
