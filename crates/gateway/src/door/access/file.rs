//! A file of lines, and the older one beside it.

use std::fs::{File, OpenOptions, rename};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The file being written. The one before it lies beside it.
pub(super) struct RotatingFile {
    path: PathBuf,
    older: PathBuf,
    file: File,
    size: u64,
    size_max: u64,
    /// The last line may be torn.
    is_torn: bool,
}

impl RotatingFile {
    pub(super) fn open(dir: &Path, name: &str, size_max: u64) -> io::Result<Self> {
        let (path, older) =
            (dir.join(format!("{name}.jsonl")), dir.join(format!("{name}.1.jsonl")));
        let file = open(&path)?;
        let size = file.metadata()?.len();
        // The next write ends a line that a killed process left torn.
        Ok(Self { path, older, file, size, size_max, is_torn: size > 0 })
    }

    pub(super) fn write(&mut self, line: &str) -> io::Result<()> {
        if self.size >= self.size_max {
            rename(&self.path, &self.older)?;
            (self.file, self.size, self.is_torn) = (open(&self.path)?, 0, false);
        }
        if self.is_torn {
            self.file.write_all(b"\n")?;
        }
        self.is_torn = true;
        self.file.write_all(line.as_bytes())?;
        self.is_torn = false;
        self.size += line.len() as u64;
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn replace(&mut self, file: File) -> File {
        std::mem::replace(&mut self.file, file)
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn lines_stay_in_two_files_of_a_bounded_size() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = RotatingFile::open(dir.path(), "access", 100).unwrap();
        for n in 0..100 {
            file.write(&format!("{{\"n\":{n},\"padding\":\"................\"}}\n")).unwrap();
        }
        let (older, newer) = (read(&file.older), read(&file.path));
        assert!(newer.last().is_some_and(|line| line.starts_with("{\"n\":99,")), "{newer:?}");
        assert!(older.len() + newer.len() <= 8, "{older:?} {newer:?}");
    }

    #[test]
    fn a_line_that_was_cut_short_ends_where_the_next_begins() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("access.jsonl"), "{\"n\":").unwrap();
        let mut file = RotatingFile::open(dir.path(), "access", 100).unwrap();
        file.write("{\"n\":1}\n").unwrap();
        assert_eq!(read(&file.path), ["{\"n\":", "{\"n\":1}"]);
    }
}
