//! The data folder belongs to the venue's user: others neither read it nor lay paths in it.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::process::geteuid;

use crate::recovery::error::{OpenError, at};

/// Refuses symbolic links in the folder.
pub(super) fn refuse_links(data_dir: &Path) -> Result<(), OpenError> {
    for entry in std::fs::read_dir(data_dir).map_err(at(data_dir))? {
        let entry = entry.map_err(at(data_dir))?;
        if entry.file_type().map_err(at(data_dir))?.is_symlink() {
            return Err(OpenError::SymbolicLink { path: entry.path() });
        }
    }
    Ok(())
}

/// Warns of a folder that other users can use.
pub(super) fn warn_of_others(data_dir: &Path) -> Result<(), OpenError> {
    let folder = std::fs::metadata(data_dir).map_err(at(data_dir))?;
    let mode = folder.permissions().mode() & 0o777;
    let (owner, user) = (folder.uid(), geteuid().as_raw());
    if mode & 0o077 != 0 {
        let (folder, mode) = (data_dir.display(), format!("{mode:o}"));
        tracing::warn!(%folder, mode, "other users can use the data folder: `chmod 700` it");
    }
    if owner != user {
        let folder = data_dir.display();
        tracing::warn!(%folder, owner, user, "the data folder belongs to another user");
    }
    Ok(())
}
