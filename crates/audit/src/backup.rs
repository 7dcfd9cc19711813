//! `buttonwood backup` and `restore`: copy a venue's log and snapshots while it runs, and back.
//!
//! A backup has the form of a data folder: `log/` and `snapshots/`, with the mark `backup.json`.
//! Copied files never change, so a later backup into the same folder adds to them. A file receives
//! its name when all of it is on stable storage, and the log's files do so in their order. So an
//! interrupted copy, also by a loss of power, is a shorter backup, which the next one continues.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use clap::Args;
use cli::Failure;
use cli::moment::format_time;
use disk::Disk;
use serde_json::{Value, json};
use venue::Archive;

use crate::verify::Findings;

const FORMAT: u64 = 1;
const MARK_NAME: &str = "backup.json";
/// The name of a file until its copy is complete.
const UNFINISHED_NAME: &str = "copy.unfinished";

/// Copy a venue's log and snapshots, also while it runs
///
/// TARGET must not exist, be empty, or be an older backup of the same venue, to which only new
/// files are added. The copy is then checked as by `log verify`. The master key is not in it.
#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood backup my-venue /mnt/backup/my-venue")]
pub struct Backup {
    /// Folder of the venue
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Folder for the backup
    #[arg(value_name = "TARGET")]
    target: PathBuf,
}

/// Restore a venue from a backup
///
/// The backup is checked first, as by `log verify`. Then `serve --data DIR` continues it, with the
/// venue's master key.
#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood restore /mnt/backup/my-venue my-venue")]
pub struct Restore {
    /// Folder of a backup by `buttonwood backup`
    #[arg(value_name = "BACKUP")]
    backup: PathBuf,
    /// Folder for the venue, which must be empty or not exist
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

impl Backup {
    pub fn run(&self) -> Result<(), Failure> {
        let source = Archive::open(&self.dir)?;
        if is_empty(&self.target)? {
            mark(&self.target)?;
        } else {
            check_mark(&self.target)?;
        }
        let unfinished =
            |failure| after(&failure, "the venue is as it was, and this can be run again");
        make_folders(&self.target).map_err(unfinished)?;
        let older = open_older(&self.target, &source, &self.dir)?;
        let copied = copy(&source, older.as_ref(), &self.target).map_err(unfinished)?;
        let findings = verified(&self.target)?;
        let (oldest, newest) = (findings.oldest, findings.newest);
        cli::print_line(format_args!(
            "backup of {} in {}: {copied} bytes copied, checked; it holds the venue up to batch {} \
             (sequence {}, {}), and states from sequence {} on",
            self.dir.display(),
            self.target.display(),
            newest.batch_number,
            newest.sequence,
            format_time(newest.time_ns),
            oldest.sequence,
        ))
    }
}

impl Restore {
    pub fn run(&self) -> Result<(), Failure> {
        check_mark(&self.backup)?;
        if !is_empty(&self.dir)? {
            return Err(Failure::new(format!(
                "{} is not empty: a venue is restored into a folder of its own; name another",
                self.dir.display()
            )));
        }
        let findings = verified(&self.backup)?;
        let source = Archive::open(&self.backup)?;
        let unfinished = |failure| after(&failure, "empty the folder, and restore again");
        make_folders(&self.dir).map_err(unfinished)?;
        copy(&source, None, &self.dir).map_err(unfinished)?;
        let copied = Archive::open(&self.dir)?;
        if copied.log().last_hash != source.log().last_hash {
            return Err(Failure::new(format!(
                "{} does not hold what was copied into it: check its disk, empty it, and restore \
                 again",
                self.dir.display()
            )));
        }
        let newest = findings.newest;
        cli::print_line(format_args!(
            "restored into {}: the venue after batch {} (sequence {}, {})",
            self.dir.display(),
            newest.batch_number,
            newest.sequence,
            format_time(newest.time_ns)
        ))
    }
}

/// An interrupted backup may have left an incomplete mark.
fn is_empty(dir: &Path) -> Result<bool, Failure> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(cannot("using", dir)(error)),
    };
    for entry in entries {
        if entry.map_err(cannot("using", dir))?.file_name() != UNFINISHED_NAME {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The older backup in `target`, if `source` continues it.
fn open_older(target: &Path, source: &Archive, dir: &Path) -> Result<Option<Archive>, Failure> {
    let older = Archive::open(target)?;
    if older.log().files().next().is_none() {
        return Ok(None);
    }
    let (old, new) = (older.log(), source.log());
    if old.last_batch + 1 < new.first_batch {
        return Err(Failure::new(format!(
            "the log in {} begins at batch {}, but the backup {} ends at batch {}: what was between \
             has been trimmed; back up into another folder",
            dir.display(),
            new.first_batch,
            target.display(),
            old.last_batch
        )));
    }
    let goes_on = old.last_batch <= new.last_batch && {
        let reader = new.read_from(old.last_batch + 1).map_err(venue::ArchiveError::Log)?;
        reader.previous_hash() == old.last_hash
    };
    if goes_on {
        return Ok(Some(older));
    }
    Err(Failure::new(format!(
        "{} is a backup of another venue than that in {}, or of a later state of it (it ends at \
         batch {}, the venue at batch {}): back up into another folder",
        target.display(),
        dir.display(),
        old.last_batch,
        new.last_batch
    )))
}

fn mark(target: &Path) -> Result<(), Failure> {
    make_folder(target)?;
    let path = target.join(MARK_NAME);
    let mark = format!("{}\n", json!({ "format": FORMAT }));
    let write = |file: &mut File| {
        file.write_all(mark.as_bytes()).map_err(cannot("writing", &path))?;
        Ok(Some(mark.len() as u64))
    };
    write_file(&path, write).map(drop)
}

fn check_mark(backup: &Path) -> Result<(), Failure> {
    let path = backup.join(MARK_NAME);
    let text = match fs::read_to_string(&path) {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Err(Failure::new(format!(
                "{} is no backup: it has no {MARK_NAME}; name a folder that `buttonwood backup` made",
                backup.display()
            )));
        }
        text => text.map_err(cannot("reading", &path))?,
    };
    let mark: Value = serde_json::from_str(&text).unwrap_or_default();
    match mark["format"].as_u64() {
        Some(FORMAT) => Ok(()),
        Some(found) => Err(Failure::new(format!(
            "{} says that the backup has format {found}, this version reads {FORMAT}: use the newer \
             version that made it",
            path.display()
        ))),
        None => Err(Failure::new(format!(
            "{} does not say which format the backup has: write {{\"format\":{FORMAT}}} into it if \
             this version of buttonwood made the backup",
            path.display()
        ))),
    }
}

fn make_folders(dir: &Path) -> Result<(), Failure> {
    [dir, &dir.join("log"), &dir.join("snapshots")].into_iter().try_for_each(make_folder)
}

/// Creates a folder that only its owner may read, and puts its name on stable storage.
fn make_folder(dir: &Path) -> Result<(), Failure> {
    let make_durable =
        |dir: &Path| Disk::default().create_dir(dir).map_err(|error| error.to_string());
    if let Some(parent) = dir.parent() {
        make_durable(parent)?;
    }
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(cannot("making", dir))?;
    Ok(make_durable(dir)?)
}

/// Copies what `older` does not have, snapshots first, because the log continues each of them.
fn copy(source: &Archive, older: Option<&Archive>, target: &Path) -> Result<u64, Failure> {
    let mut copied = 0;
    for snapshot in source.snapshots().iter().rev() {
        copied += copy_snapshot(&snapshot.path, &target.join("snapshots"))?;
    }
    // The newest segment of an older backup is unchanged up to its last whole frame.
    let newest = older.and_then(|older| older.log().files().last());
    for file in source.log().files() {
        let start = match newest {
            Some(newest) if file.first_batch < newest.first_batch => continue,
            Some(newest) if file.first_batch == newest.first_batch => newest.end.unwrap_or(0),
            _ => 0,
        };
        copied += copy_segment(file.path, file.end, start, &target.join("log"))?;
    }
    Ok(copied)
}

/// A snapshot never changes once it has its name.
fn copy_snapshot(path: &Path, target: &Path) -> Result<u64, Failure> {
    let copy = target.join(path.file_name().expect("it was listed by its name"));
    if copy.exists() {
        return Ok(0);
    }
    let mut source = match File::open(path) {
        // A running venue has replaced this snapshot by a newer one.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        source => source.map_err(cannot("reading", path))?,
    };
    write_file(&copy, |file| {
        let copied = io::copy(&mut source, file).map_err(cannot("copying", path))?;
        // A running venue takes the name of an old snapshot away before it cuts the file, perhaps
        // while it was read.
        Ok(path.exists().then_some(copied))
    })
}

/// Copies a segment to `end`, or to the end of the file if it is full. The target has the bytes up
/// to `start`: they are copied into the new file, because appending in place would look like damage
/// after a loss of power.
fn copy_segment(path: &Path, end: Option<u64>, start: u64, target: &Path) -> Result<u64, Failure> {
    let copy = target.join(path.file_name().expect("it was listed by its name"));
    let mut source = File::open(path).map_err(cannot("reading", path))?;
    let size = source.metadata().map_err(cannot("reading", path))?.len();
    let size = end.unwrap_or(size).saturating_sub(start);
    if start > 0 && size == 0 {
        return Ok(0);
    }
    source.seek(SeekFrom::Start(start)).map_err(cannot("reading", path))?;
    write_file(&copy, |file| {
        if start > 0 {
            let older = File::open(&copy).map_err(cannot("reading", &copy))?;
            io::copy(&mut older.take(start), file).map_err(cannot("copying", &copy))?;
        }
        io::copy(&mut source.take(size), file).map(Some).map_err(cannot("copying", path))
    })
}

/// Writes a file, which receives its name when all of it is on stable storage. Returns when the
/// name is there, too, with the bytes that were copied. Without any, the file is dropped.
fn write_file(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<Option<u64>, Failure>,
) -> Result<u64, Failure> {
    let unfinished = path.with_file_name(UNFINISHED_NAME);
    let mut options = File::options();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&unfinished)
        .map_err(cannot("writing", &unfinished))?;
    let Some(written) = write(&mut file)? else {
        fs::remove_file(&unfinished).map_err(cannot("removing", &unfinished))?;
        return Ok(0);
    };
    file.sync_all().map_err(cannot("writing", &unfinished))?;
    fs::rename(&unfinished, path).map_err(cannot("naming", path))?;
    sync_folder(path.parent().expect("it lies in a folder"))?;
    Ok(written)
}

fn verified(backup: &Path) -> Result<Findings, Failure> {
    let findings = Findings::of(backup)?;
    findings.result(backup)?;
    Ok(findings)
}

fn sync_folder(dir: &Path) -> Result<(), Failure> {
    File::open(dir).and_then(|open| open.sync_all()).map_err(cannot("writing", dir))
}

fn after(failure: &Failure, what_to_do: &str) -> Failure {
    Failure::new(format!("{failure}; {what_to_do}"))
}

fn cannot<'a>(doing: &'static str, path: &'a Path) -> impl Fn(io::Error) -> Failure + 'a {
    move |error| Failure::new(format!("{doing} {} failed: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::thread;

    use super::*;

    /// The copy may be short, and must not receive a name under which it is never copied again.
    #[test]
    fn a_snapshot_that_the_venue_removes_while_it_is_copied_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let (source, target) = (dir.path().join("7.snapshot"), dir.path().join("target"));
        fs::create_dir(&target).unwrap();
        // Its reader gets what a test writes, when it writes it.
        assert!(Command::new("mkfifo").arg(&source).status().unwrap().success());
        let named = source.clone();
        let writing = thread::spawn(move || {
            let mut pipe = File::options().write(true).open(&named).unwrap();
            pipe.write_all(b"half of it").unwrap();
            fs::remove_file(&named).unwrap();
        });
        assert_eq!(copy_snapshot(&source, &target).unwrap(), 0);
        writing.join().unwrap();
        assert!(fs::read_dir(&target).unwrap().next().is_none());

        fs::write(&source, "all of it").unwrap();
        assert_eq!(copy_snapshot(&source, &target).unwrap(), 9);
        assert_eq!(fs::read_to_string(target.join("7.snapshot")).unwrap(), "all of it");
    }
}
