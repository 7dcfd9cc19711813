//! The trait between a disk's users and its implementations.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A file system, as far as a log or a spool needs one.
pub trait FileSystem: fmt::Debug + Send + Sync {
    /// Creates the file, or empties it.
    fn create(&self, path: &Path) -> io::Result<Box<dyn StoredFile>>;
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn StoredFile>>;
    /// What lies in the folder, in no order.
    fn list(&self, dir: &Path) -> io::Result<Vec<PathBuf>>;
    fn is_file(&self, path: &Path) -> bool;
    fn rename(&self, source: &Path, target: &Path) -> io::Result<()>;
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Creates the folder where there is none, and makes its name durable.
    fn create_dir(&self, dir: &Path) -> io::Result<()>;
    /// Returns when the names in the folder are on stable storage.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Access {
    Read,
    ReadWrite,
}

pub trait StoredFile: fmt::Debug + Send {
    fn size(&self) -> io::Result<u64>;
    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Returns when the bytes of the file, and its length, are on stable storage.
    fn sync(&self) -> io::Result<()>;
    /// Returns when the device has taken what was written to a part of the file. That is no sync.
    fn write_back(&self, offset: u64, size: u64) -> io::Result<()>;
    /// Makes the file end at this size, which is at most the one it has.
    fn truncate(&self, size: u64) -> io::Result<()>;
    /// Gives back what lies behind this size, of a file that is about to be removed.
    fn cut_off(&self, size: u64) -> io::Result<()>;
}
