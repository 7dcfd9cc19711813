//! Connections that read, kept from one question to the next.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::error::ProjectionError;
use crate::sqlite::failure;
use crate::sqlite::files;
use crate::sqlite::schema;

/// Connections that wait for the next question.
pub(crate) const IDLE_MAX: usize = 8;

/// Reads the file on the thread of its caller. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    path: Arc<PathBuf>,
    idle: Arc<Mutex<Vec<Idle>>>,
}

/// A connection, and the file that it reads: there may be another one in its place by now.
#[derive(Debug)]
struct Idle {
    connection: Connection,
    inode: u64,
}

impl Reader {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path: Arc::new(path), idle: Arc::default() }
    }

    /// Asks on a connection that no other question uses.
    pub(crate) fn ask<R>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<R>,
    ) -> Result<R, ProjectionError> {
        let inode = files::inode(&self.path)?;
        let idle = self.idle().pop().filter(|idle| idle.inode == inode);
        let mut connection = match idle {
            Some(idle) => idle.connection,
            None => schema::open_to_read(&self.path)?,
        };
        let answer = (|| {
            // All that it reads is of one moment.
            let moment = connection.transaction()?;
            question(&moment)
        })();
        // One that has failed may belong to a file that is gone.
        if answer.is_ok() {
            let mut idle = self.idle();
            if idle.len() < IDLE_MAX {
                idle.push(Idle { connection, inode });
            }
        }
        answer.map_err(failure::at(&self.path))
    }

    /// The error of a file that is not the one that the feed writes.
    pub(crate) fn missing(&self) -> ProjectionError {
        ProjectionError::Missing { path: self.path.to_path_buf() }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
