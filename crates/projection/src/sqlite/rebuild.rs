//! Makes the read model anew, from the log.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use log::{DataDirLock, LockError};
use venue::{Archive, ArchiveError};

use crate::error::ProjectionError;
use crate::feed::backend::Store;
use crate::spooled::Applied;
use crate::sqlite::files::{self, remove};
use crate::sqlite::status;
use crate::sqlite::store::SqliteStore;

/// Commands in one transaction.
const PAGE: usize = 20_000;

/// What a read model holds that was made anew.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rebuilt {
    pub first_sequence: u64,
    pub last_sequence: u64,
}

#[derive(Debug)]
#[non_exhaustive]
pub enum RebuildError {
    /// The venue runs.
    Lock(LockError),
    Archive(ArchiveError),
    Projection(ProjectionError),
    /// What is there reaches farther back than the log.
    WouldForget {
        path: PathBuf,
        first_sequence: u64,
        log_first_sequence: u64,
    },
}

/// Makes all of the read model of a stopped venue anew, as far back as its log reaches. The old
/// one stays until the new one is complete. If it reaches farther back than the log it is kept,
/// unless it may be forgotten.
pub fn rebuild(data_dir: &Path, may_forget: bool) -> Result<Rebuilt, RebuildError> {
    let archive = Archive::open(data_dir).map_err(RebuildError::Archive)?;
    let _lock = DataDirLock::acquire(data_dir).map_err(RebuildError::Lock)?;
    let mut replay = archive.replay().map_err(RebuildError::Archive)?;
    let path = files::path(data_dir);
    let log_first_sequence = replay.place().sequence + 1;
    if !may_forget {
        check_older(&path, log_first_sequence)?;
    }
    let unfinished = path.with_extension("unfinished");
    let mut store = begin(&unfinished)?;
    if log_first_sequence > 1 {
        store.pass_over(log_first_sequence).map_err(RebuildError::Projection)?;
    }
    let mut page: Vec<Arc<Applied>> = Vec::with_capacity(PAGE);
    while let Some(command) = replay.step().map_err(RebuildError::Archive)? {
        page.push(command.reply.applied);
        page.extend(command.reply.continued);
        if page.len() >= PAGE {
            add(&mut store, &mut page)?;
        }
    }
    add(&mut store, &mut page)?;
    let progress = store.progress();
    store.finish().map_err(RebuildError::Projection)?;
    put_in_place(&unfinished, &path)?;
    Ok(Rebuilt { first_sequence: progress.first_sequence, last_sequence: progress.sequence })
}

fn check_older(path: &Path, log_first_sequence: u64) -> Result<(), RebuildError> {
    // What cannot be read has nothing to lose.
    let Ok(status) = status::of(path) else { return Ok(()) };
    let first_sequence = status.progress.first_sequence;
    let has_any = status.progress.sequence >= first_sequence;
    match has_any && first_sequence < log_first_sequence {
        true => {
            let path = path.to_path_buf();
            Err(RebuildError::WouldForget { path, first_sequence, log_first_sequence })
        }
        false => Ok(()),
    }
}

fn begin(path: &Path) -> Result<SqliteStore, RebuildError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |error| ProjectionError::Folder { path: folder.to_path_buf(), error };
    std::fs::create_dir_all(folder).map_err(failed).map_err(RebuildError::Projection)?;
    remove(path).map_err(RebuildError::Projection)?;
    SqliteStore::open(path).map_err(RebuildError::Projection)
}

fn add(store: &mut SqliteStore, page: &mut Vec<Arc<Applied>>) -> Result<(), RebuildError> {
    store.add(page.iter().map(|applied| &**applied)).map_err(RebuildError::Projection)?;
    page.clear();
    Ok(())
}

fn put_in_place(unfinished: &Path, path: &Path) -> Result<(), RebuildError> {
    remove(path).map_err(RebuildError::Projection)?;
    let failed = |error| ProjectionError::Folder { path: path.to_path_buf(), error };
    std::fs::rename(unfinished, path).map_err(failed).map_err(RebuildError::Projection)
}

impl fmt::Display for RebuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lock(error) => error.fmt(f),
            Self::Archive(error) => error.fmt(f),
            Self::Projection(error) => error.fmt(f),
            Self::WouldForget { path, first_sequence, log_first_sequence } => write!(
                f,
                "{} reaches back to command {first_sequence}, the log only to {log_first_sequence}: \
                 what is before that would be gone for ever; say --forget if that is meant",
                path.display()
            ),
        }
    }
}

impl std::error::Error for RebuildError {}
