//! A disk that a test watches operation by operation, and lets fail.
//!
//! The watch stands in front of the real disk: a test can then damage or cut off the files with
//! other tools. Without a watch, an operation pays one comparison for it. A watched disk is made by
//! [`Disk::watched_by`](crate::Disk::watched_by).

use std::io;
use std::path::Path;

/// What is about to be done, for a test that watches.
#[derive(Debug)]
pub enum Operation<'a> {
    Create { file: &'a Path },
    Write { file: &'a Path, offset: u64, bytes: &'a [u8] },
    WriteBack { file: &'a Path, offset: u64, size: u64 },
    Sync { file: &'a Path },
    Rename { source: &'a Path, target: &'a Path },
    SyncDir { dir: &'a Path },
    Remove { file: &'a Path },
}

/// Sees every operation before it is carried out, and may refuse it.
pub type Watch = dyn Fn(Operation<'_>) -> io::Result<()> + Send + Sync;
