//! The file system of this machine.

#[cfg(target_os = "linux")]
mod write_back;

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::file_system::{Access, FileSystem, StoredFile};

/// Other users neither read nor write what is stored.
const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;
/// A symbolic link in a data folder could lead anywhere.
const FOLLOW_NO_LINK: i32 = OFlags::NOFOLLOW.bits().cast_signed();

/// What an unprivileged process may still write on the file system of this folder.
pub fn free_bytes(dir: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(dir)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// The file system of this machine.
#[derive(Debug)]
pub(crate) struct Local;

impl FileSystem for Local {
    fn create(&self, path: &Path) -> io::Result<Box<dyn StoredFile>> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true).mode(FILE_MODE);
        Ok(Box::new(options.custom_flags(FOLLOW_NO_LINK).open(path)?))
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn StoredFile>> {
        let writes = access == Access::ReadWrite;
        let mut options = File::options();
        options.read(true).write(writes).custom_flags(FOLLOW_NO_LINK);
        Ok(Box::new(options.open(path)?))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<PathBuf>> {
        fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect()
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn rename(&self, source: &Path, target: &Path) -> io::Result<()> {
        fs::rename(source, target)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        let Some(parent) = dir.parent() else { return Ok(()) };
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let is_new = !dir.is_dir();
        if is_new {
            if !parent.is_dir() {
                self.create_dir(parent)?;
            }
            DirBuilder::new().mode(FOLDER_MODE).create(dir)?;
        }
        // Where it is there already, its creator may have been killed before this sync.
        match File::open(parent) {
            // Then a process without our rights created it.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && !is_new => Ok(()),
            parent => parent?.sync_all(),
        }
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        File::open(dir)?.sync_all()
    }
}

impl StoredFile for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        FileExt::read_exact_at(self, bytes, offset)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        FileExt::write_all_at(self, bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    #[cfg(target_os = "linux")]
    fn write_back(&self, offset: u64, size: u64) -> io::Result<()> {
        write_back::write_back(self, offset, size)
    }

    /// Such a system writes it when it is synced.
    #[cfg(not(target_os = "linux"))]
    fn write_back(&self, _: u64, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&self, size: u64) -> io::Result<()> {
        self.set_len(size)
    }

    fn cut_off(&self, size: u64) -> io::Result<()> {
        self.set_len(size)
    }
}
