//! What of the spool must be synced before a snapshot may stand in for the log.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::{Access, Disk, DiskError};

use crate::error::SpoolError;
use crate::reader::Shared;
use crate::segment::{DOUBT, FOLDER_DOUBT};

/// Files of the spool that may be in the page cache only.
#[derive(Debug)]
pub struct Unsynced {
    pub(crate) disk: Disk,
    pub(crate) shared: Arc<Shared>,
    pub(crate) files: BTreeSet<PathBuf>,
    /// There is more, which could not be stored yet.
    pub(crate) is_waiting: bool,
}

impl Unsynced {
    /// Returns when they are on stable storage.
    pub fn sync(&self) -> Result<(), SpoolError> {
        let doubt_of = |file: &Path| file.with_extension(DOUBT);
        let sync =
            |file: &PathBuf| self.sync_file(file).inspect_err(|_| self.doubt(&doubt_of(file)));
        let dir = &self.shared.dir;
        // A file that has lost its name is gone.
        let sync_names = || {
            let synced = unless_gone(self.disk.sync_dir(dir));
            synced.inspect_err(|_| self.doubt(&dir.join(FOLDER_DOUBT)))
        };
        let synced = self.files.iter().try_for_each(sync).and_then(|()| sync_names());
        if synced.is_err() {
            // The system takes it for written: no later sync says anything of it.
            self.shared.set_lacking(true);
        }
        Ok(synced?)
    }

    fn sync_file(&self, path: &Path) -> Result<(), DiskError> {
        let file = self.disk.open(path, Access::Read);
        unless_gone(file.and_then(|file| self.disk.sync_by_pieces(&file)))
    }

    /// A note for the next process, which can read what may not be on the disk.
    fn doubt(&self, note: &Path) {
        let created = self.disk.create(note);
        if let Err(error) = created.map_err(SpoolError::from) {
            tracing::error!(
                %error,
                "whether the event spool is on the disk is in doubt, and that could not be noted: see to \
                 the disk, and remove the spool before the next start, which makes it anew from the log"
            );
        }
    }

    /// Whether all is there, so that the log it was made from may go.
    pub fn is_whole(&self) -> bool {
        !self.is_waiting && !self.shared.is_lacking()
    }
}

/// A file that is gone was not wanted any more.
fn unless_gone(result: Result<(), DiskError>) -> Result<(), DiskError> {
    match result {
        Err(error) if error.is_missing() => Ok(()),
        result => result,
    }
}
