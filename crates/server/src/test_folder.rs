//! The folder of a test: in memory where the system has such a place, and gone with the venue.
//!
//! A venue that is killed leaves its folder. The next test of the same user removes it.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, geteuid, test_kill_process};
use venue::random_text;

use crate::error::ServeError;
use crate::settings::Settings;

/// A file system in memory, on Linux.
const IN_MEMORY: &str = "/dev/shm";
const PREFIX: &str = "buttonwood-test-";

pub(crate) struct TestFolder(PathBuf);

impl TestFolder {
    /// The folder that a test has as the folder of its data.
    pub(crate) fn of(settings: &mut Settings) -> Result<Option<Self>, ServeError> {
        let folder = settings.test.enabled.then(Self::create).transpose()?;
        if let Some(Self(folder)) = &folder {
            settings.venue.data_dir.clone_from(folder);
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

    fn create_in(place: &Path) -> std::io::Result<Self> {
        remove_abandoned(place);
        let name = format!("{PREFIX}{}-{}", std::process::id(), random_text(8));
        let folder = place.join(name);
        fs::DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(folder = %self.0.display(), %error, "the folder of the test is left");
        }
    }
}

/// Removes the folders whose process is gone. Another test may be about to do the same.
fn remove_abandoned(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        let pid = number.and_then(|number| Pid::from_raw(number.parse().ok()?));
        let is_gone = pid.is_some_and(|pid| {
            test_kill_process(pid).is_err_and(|error| error == rustix::io::Errno::SRCH)
        });
        let is_own = entry.metadata().is_ok_and(|of| of.is_dir() && of.uid() == geteuid().as_raw());
        if is_gone && is_own {
            let _taken_by_another_test = fs::remove_dir_all(entry.path());
        }
    }
}
