//! The file system of this machine.

use std::fs::{self, File};
use std::io;
#[cfg(target_os = "linux")]
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
use rustix::fs::Advice;

use crate::file_system::{Access, FileSystem, StoredFile};

/// The file system of this machine.
#[derive(Debug)]
pub(crate) struct Local;

impl FileSystem for Local {
    fn create(&self, path: &Path) -> io::Result<Box<dyn StoredFile>> {
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(true).open(path)?;
        Ok(Box::new(file))
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn StoredFile>> {
        let writes = access == Access::ReadWrite;
        Ok(Box::new(File::options().read(true).write(writes).open(path)?))
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
            fs::create_dir(dir)?;
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

    fn begin_write_back(&self, offset: u64, size: u64) {
        // Linux begins to write what it is to forget. A system that does not writes it when it is
        // synced.
        #[cfg(target_os = "linux")]
        let _ = rustix::fs::fadvise(self, offset, NonZeroU64::new(size), Advice::DontNeed);
        #[cfg(not(target_os = "linux"))]
        let _ = (offset, size);
    }

    fn truncate(&self, size: u64) -> io::Result<()> {
        self.set_len(size)
    }

    fn cut_off(&self, size: u64) -> io::Result<()> {
        self.set_len(size)
    }
}
