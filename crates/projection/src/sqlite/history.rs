//! Questions about the past. Each is answered from one moment of the read model, on the thread of
//! whoever asks; how far it has come is told beforehand.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::error::ProjectionError;
use crate::feed::pace::Pace;
use crate::sqlite::failure;
use crate::sqlite::schema;

/// Connections that wait for the next question.
const IDLE_MAX: usize = 8;

/// Reads the read model. Cheap to clone.
#[derive(Clone, Debug)]
pub struct History {
    path: Arc<PathBuf>,
    idle: Arc<Mutex<Vec<Idle>>>,
    followed: watch::Receiver<u64>,
    pace: Arc<Pace>,
}

/// The read model had not come so far in time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Behind {
    /// How far it had.
    pub sequence: u64,
}

/// A connection, and the file that it reads: there may be another one in its place by now.
#[derive(Debug)]
struct Idle {
    connection: Connection,
    inode: u64,
}

impl History {
    pub(crate) fn new(path: PathBuf, followed: watch::Receiver<u64>, pace: Arc<Pace>) -> Self {
        Self { path: Arc::new(path), idle: Arc::default(), followed, pace }
    }

    /// The last command whose events it has.
    pub fn sequence(&self) -> u64 {
        *self.followed.borrow()
    }

    /// Waits until it has the events of a command. Who was told of that command then finds what it
    /// did in every answer.
    pub async fn wait_until(&self, sequence: u64, deadline: Instant) -> Result<(), Behind> {
        if self.sequence() < sequence {
            self.pace.want(sequence);
        }
        let mut followed = self.followed.clone();
        let come = followed.wait_for(|followed| *followed >= sequence);
        match timeout_at(deadline, come).await {
            Ok(Ok(_)) => Ok(()),
            // Too late, or it has ended.
            _ => Err(Behind { sequence: self.sequence() }),
        }
    }

    /// Asks on a connection that nobody else uses.
    pub(crate) fn ask<R>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<R>,
    ) -> Result<R, ProjectionError> {
        let inode = self.inode()?;
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

    fn inode(&self) -> Result<u64, ProjectionError> {
        let path = self.path.to_path_buf();
        match std::fs::metadata(&*self.path) {
            Ok(metadata) => Ok(metadata.ino()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(ProjectionError::Missing { path })
            }
            Err(error) => Err(ProjectionError::Folder { path, error }),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
