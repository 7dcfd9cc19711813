//! Makes the file anew, beside the old one.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Arc;

use crate::error::ProjectionError;
use crate::feed::backend::Store;
use crate::rebuild::{RebuildError, Rebuilt, fill};
use crate::sqlite::files::{self, remove};
use crate::sqlite::status;
use crate::sqlite::store::SqliteStore;
use spool::Applied;

/// Makes all of the read model of a stopped venue anew. `events` is all that its log has, and
/// begins with the command `log_first_sequence`. The old read model stays until the new one is
/// complete. If it reaches farther back than the log it is kept, unless it may be forgotten.
///
/// The caller holds the lock of the data folder, so that no venue is running on it.
pub fn rebuild<E>(
    data_dir: &Path,
    log_first_sequence: u64,
    events: impl IntoIterator<Item = Result<Arc<Applied>, E>>,
    may_forget: bool,
) -> Result<Rebuilt, RebuildError<E>> {
    let path = files::path(data_dir);
    if !may_forget {
        check_older(&path, log_first_sequence)?;
    }
    let unfinished = path.with_extension("unfinished");
    let mut store = begin(&unfinished)?;
    fill(&mut store, log_first_sequence, events)?;
    let progress = store.progress();
    store.finish()?;
    put_in_place(&unfinished, &path)?;
    Ok(Rebuilt { first_sequence: progress.first_sequence, last_sequence: progress.sequence })
}

fn check_older<E>(path: &Path, log_first_sequence: u64) -> Result<(), RebuildError<E>> {
    if log_first_sequence <= 1 {
        return Ok(());
    }
    let status = match status::of(path) {
        Err(ProjectionError::Missing { .. } | ProjectionError::Damaged { .. }) => return Ok(()),
        Err(error) => return Err(RebuildError::MightForget { error, log_first_sequence }),
        Ok(status) => status,
    };
    let first_sequence = status.progress.first_sequence;
    let has_any = status.progress.sequence >= first_sequence;
    if has_any && first_sequence < log_first_sequence {
        let path = path.to_path_buf();
        Err(RebuildError::WouldForget { path, first_sequence, log_first_sequence })
    } else {
        Ok(())
    }
}

fn begin(path: &Path) -> Result<SqliteStore, ProjectionError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |error| ProjectionError::Folder { path: folder.to_path_buf(), error };
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    remove(path)?;
    SqliteStore::open(path)
}

fn put_in_place(unfinished: &Path, path: &Path) -> Result<(), ProjectionError> {
    remove(path)?;
    let failed = |error| ProjectionError::Folder { path: path.to_path_buf(), error };
    std::fs::rename(unfinished, path).map_err(failed)
}
