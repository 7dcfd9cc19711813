//! The file as the feed's backend.

use std::fmt;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, OpenFlags};

use crate::error::ProjectionError;
use crate::feed::backend::{Backend, ReadModel};
use crate::feed::followed::Followed;
use crate::history::History;
use crate::sqlite::column::Columns;
use crate::sqlite::files;
use crate::sqlite::history::SqliteHistory;
use crate::sqlite::store::SqliteStore;

/// The read model of a venue in an SQLite file.
#[derive(Clone, Debug)]
pub struct Sqlite {
    path: PathBuf,
}

impl Sqlite {
    /// Of the venue in this folder.
    pub fn of(data_dir: &Path) -> Self {
        Self { path: files::path(data_dir) }
    }
}

impl Backend for Sqlite {
    type Store = SqliteStore;

    fn open(&self) -> Result<SqliteStore, ProjectionError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| ProjectionError::Folder { path: folder.to_path_buf(), error })?;
        if !self.path.exists() {
            // Parts of a file that was removed are not parts of the next one.
            files::remove(&self.path)?;
        }
        SqliteStore::open(&self.path)
    }

    fn newest(&self) -> Option<(u64, u64)> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags).ok()?;
        let select = "SELECT sequence, sequenced_ns FROM progress WHERE sequenced_ns > 0";
        connection.query_row(select, [], |row| Ok((row.uint(0)?, row.uint(1)?))).ok()
    }

    fn remove(&self) -> Result<(), ProjectionError> {
        files::remove(&self.path)
    }

    fn set_aside(&self, damage: &ProjectionError) -> Result<(), ProjectionError> {
        files::set_aside(&self.path, damage)
    }

    fn keep_beside(&self) -> Result<(), ProjectionError> {
        files::keep_beside(&self.path)
    }
}

impl ReadModel for Sqlite {
    fn history(&self, followed: Followed) -> Arc<dyn History> {
        Arc::new(SqliteHistory::new(self.path.clone(), followed))
    }
}

impl fmt::Display for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}
