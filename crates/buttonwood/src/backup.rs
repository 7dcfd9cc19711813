//! `buttonwood backup` and `restore`: a venue's log and snapshots, copied while it runs and brought
//! back.
//!
//! A backup looks like a data folder: `log/` and `snapshots/`, and `backup.json`, which says that it
//! is one. What is copied never changes afterwards, so a later backup into the same folder adds to it.
//! A copy that is cut short leaves at worst an unfinished frame at the end of the newest segment,
//! which the next one goes on from.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use venue::Archive;

use crate::failure::Failure;
use crate::history::moment::format_time;
use crate::history::verify::Findings;

const FORMAT: u64 = 1;
const MARK_NAME: &str = "backup.json";

/// Copy a venue's log and snapshots, also while it runs
///
/// TARGET must not be there, be empty, or be an older backup of the same venue: then only what is new
/// is copied. What was copied is checked as by `log verify`. The master key is not in it.
#[derive(Args, Debug)]
pub(crate) struct Backup {
    /// Folder that holds the venue
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Folder for the backup
    #[arg(value_name = "TARGET")]
    target: PathBuf,
}

/// Bring a venue back from a backup
///
/// The backup is checked first, as by `log verify`. Then `serve --data DIR` goes on from it, with the
/// master key that the venue had.
#[derive(Args, Debug)]
pub(crate) struct Restore {
    /// Folder that `buttonwood backup` made
    #[arg(value_name = "BACKUP")]
    backup: PathBuf,
    /// Folder for the venue; it must be empty, or not be there
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

impl Backup {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let source = Archive::open(&self.dir)?;
        let older = match is_empty(&self.target)? {
            true => None,
            false => Some(open_older(&self.target, &source, &self.dir)?),
        };
        if older.is_none() {
            make_folders(&self.target)?;
            mark(&self.target)?;
        }
        let copied = copy(&source, older.as_ref(), &self.target)?;
        let findings = verified(&self.target)?;
        let (oldest, newest) = (findings.oldest, findings.newest);
        println!(
            "backup of {} in {}: {copied} bytes copied, checked; it holds the venue up to batch {} \
             (sequence {}, {}), and states from sequence {} on",
            self.dir.display(),
            self.target.display(),
            newest.batch_number,
            newest.sequence,
            format_time(newest.time_ns),
            oldest.sequence,
        );
        Ok(())
    }
}

impl Restore {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        check_mark(&self.backup)?;
        if !is_empty(&self.dir)? {
            return Err(Failure::new(format!(
                "{} is not empty: a venue is brought back into a folder of its own; name another",
                self.dir.display()
            )));
        }
        let findings = verified(&self.backup)?;
        let source = Archive::open(&self.backup)?;
        make_folders(&self.dir)?;
        copy(&source, None, &self.dir)?;
        let copied = Archive::open(&self.dir)?;
        if copied.log().last_hash != source.log().last_hash {
            return Err(Failure::new(format!(
                "{} does not hold what was copied into it: check its disk, empty it, and restore \
                 again",
                self.dir.display()
            )));
        }
        let newest = findings.newest;
        println!(
            "brought back into {}: the venue as it was after batch {} (sequence {}, {})",
            self.dir.display(),
            newest.batch_number,
            newest.sequence,
            format_time(newest.time_ns)
        );
        Ok(())
    }
}

fn is_empty(dir: &Path) -> Result<bool, Failure> {
    match fs::read_dir(dir) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(cannot("using", dir)(error)),
    }
}

/// A backup that is there already, if what lies in `source` goes on from it.
fn open_older(target: &Path, source: &Archive, dir: &Path) -> Result<Archive, Failure> {
    check_mark(target)?;
    let older = Archive::open(target)?;
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
        return Ok(older);
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
    let path = target.join(MARK_NAME);
    fs::write(&path, format!("{}\n", json!({ "format": FORMAT }))).map_err(cannot("writing", &path))
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
    for path in [dir.to_path_buf(), dir.join("log"), dir.join("snapshots")] {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&path)
            .map_err(cannot("making", &path))?;
    }
    Ok(())
}

/// Copies what `older` does not have yet, snapshots first: the log goes on from each of them.
fn copy(source: &Archive, older: Option<&Archive>, target: &Path) -> Result<u64, Failure> {
    let mut copied = 0;
    for snapshot in source.snapshots().iter().rev() {
        copied += copy_snapshot(&snapshot.path, &target.join("snapshots"))?;
    }
    sync_folder(&target.join("snapshots"))?;
    // Up to its last whole frame the newest segment of an older backup is as it was.
    let newest = older.and_then(|older| older.log().files().last());
    for file in source.log().files() {
        let start = match newest {
            Some(newest) if file.first_batch < newest.first_batch => continue,
            Some(newest) if file.first_batch == newest.first_batch => newest.end.unwrap_or(0),
            _ => 0,
        };
        copied += copy_segment(file.path, file.end, start, &target.join("log"))?;
    }
    sync_folder(&target.join("log"))?;
    sync_folder(target)?;
    Ok(copied)
}

/// A snapshot gets its name when all of it is there, and never changes then.
fn copy_snapshot(path: &Path, target: &Path) -> Result<u64, Failure> {
    let name = path.file_name().expect("it was listed by its name");
    let (copy, unfinished) = (target.join(name), target.join("copy.unfinished"));
    if copy.exists() {
        return Ok(0);
    }
    let mut source = match File::open(path) {
        // A running venue has a newer one, and has removed this one since.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        source => source.map_err(cannot("reading", path))?,
    };
    let mut file = File::create(&unfinished).map_err(cannot("writing", &unfinished))?;
    let copied = io::copy(&mut source, &mut file).map_err(cannot("copying", path))?;
    file.sync_all().map_err(cannot("writing", &unfinished))?;
    fs::rename(&unfinished, &copy).map_err(cannot("naming", &copy))?;
    Ok(copied)
}

/// Copies a segment from `start` to `end`, or to the end of the file if it is full.
fn copy_segment(path: &Path, end: Option<u64>, start: u64, target: &Path) -> Result<u64, Failure> {
    let copy = target.join(path.file_name().expect("it was listed by its name"));
    let mut source = File::open(path).map_err(cannot("reading", path))?;
    let size = source.metadata().map_err(cannot("reading", path))?.len();
    let size = end.unwrap_or(size).saturating_sub(start);
    let mut options = File::options();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(false)
        .open(&copy)
        .map_err(cannot("writing", &copy))?;
    // Behind the last whole frame there may be part of one, from a copy that was cut short.
    file.set_len(start).map_err(cannot("writing", &copy))?;
    file.seek(SeekFrom::Start(start)).map_err(cannot("writing", &copy))?;
    source.seek(SeekFrom::Start(start)).map_err(cannot("reading", path))?;
    let copied = io::copy(&mut source.take(size), &mut file).map_err(cannot("copying", path))?;
    file.sync_all().map_err(cannot("writing", &copy))?;
    Ok(copied)
}

fn verified(backup: &Path) -> Result<Findings, Failure> {
    let findings = Findings::of(backup)?;
    findings.result(backup)?;
    Ok(findings)
}

fn sync_folder(dir: &Path) -> Result<(), Failure> {
    File::open(dir).and_then(|open| open.sync_all()).map_err(cannot("writing", dir))
}

fn cannot<'a>(doing: &'static str, path: &'a Path) -> impl Fn(io::Error) -> Failure + 'a {
    move |error| {
        Failure::new(format!(
            "{doing} {} failed: {error}; the venue is as it was, and this can be run again",
            path.display()
        ))
    }
}
