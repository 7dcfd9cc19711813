//! What a venue's data folder holds, read without changing anything or taking a lock: for tools,
//! also beside a running venue.
//!
//! An [`Archive`] knows the log and the snapshots of a folder. A [`Replay`] starts at one of the
//! snapshots, or before the first batch of all, and applies one command after the other, with the
//! same function as the venue itself.
//!
//! # Known limits
//! All segments are read once when an archive is opened, and those that are replayed a second time;
//! [`Archive::open_at`] reads only what follows its snapshot.

use std::path::{Path, PathBuf};

use engine::Engine;
use log::snapshot::{self, Snapshot, SnapshotError};
use log::{BatchHeader, BatchReader, ChainHash, LogReader, LoggedBatch, Recovered};
use types::{Entry, Event, Reader};

use crate::follower::{FollowError, Follower, Position};
use crate::recovery::base::Base;
use crate::recovery::error::OpenError;
use crate::reply::Reply;

/// The log and the snapshots that lie in a data folder or in a backup.
#[derive(Debug)]
pub struct Archive<L = Recovered> {
    log: L,
    /// Oldest first.
    snapshots: Vec<SnapshotFile>,
}

/// A file that is named like a snapshot.
#[derive(Clone, Debug)]
pub struct SnapshotFile {
    pub path: PathBuf,
    pub batch_number: u64,
}

/// A place in a log from which the log can be replayed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Place {
    /// The last batch applied there; 0 before the first of all.
    pub batch_number: u64,
    /// The last command applied there.
    pub sequence: u64,
    /// The time that it was applied at; 0 before the first of all.
    pub time_ns: u64,
}

/// Why an archive cannot be read. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    #[error("there is no folder {path}: name the one that `serve --data` names, or a backup of it")]
    NoFolder { path: PathBuf },
    #[error("{path} is a file: name the folder of a venue, the one that `serve --data` names")]
    NotAFolder { path: PathBuf },
    /// There is no log in it.
    #[error(
        "there is no venue in {dir}, since it has no folder log: name the folder that `serve \
         --data` names, or a backup of it"
    )]
    NoVenue { dir: PathBuf },
    #[error("{path} cannot be read: {error}; run this as the user that the venue runs as")]
    Io { path: PathBuf, error: std::io::Error },
    #[error("{}", log_failure(.0))]
    Log(log::OpenError),
    #[error(transparent)]
    Snapshot(SnapshotError),
    #[error("{file}: {error}")]
    SnapshotUnreadable { file: PathBuf, error: OpenError },
    /// The log has another history than the one that the snapshot continues.
    #[error(
        "{file} holds the state after batch {batch_number} of another log than the one beside \
         it: move it elsewhere, or bring log and snapshots of one venue together"
    )]
    SnapshotOfAnotherLog { file: PathBuf, batch_number: u64 },
    #[error(
        "the log ends at batch {last_batch}, but {file} holds the state after batch \
         {batch_number}: the log's newest segments are missing; bring them back, or move \
         the snapshot elsewhere if it is of another venue"
    )]
    LogEndsBeforeSnapshot { file: PathBuf, batch_number: u64, last_batch: u64 },
    /// Nothing holds what came before the oldest batch that is left.
    #[error(
        "the log begins at batch {first_batch}, and no sound snapshot holds what came \
         before: bring a snapshot or the older segments back from a backup"
    )]
    NoStart { first_batch: u64 },
    /// It is older than what can be rebuilt.
    #[error(
        "older than what can be rebuilt: the oldest state left is that after sequence {} \
         (batch {}): ask for later, or look into a backup that reaches farther back",
        .oldest.sequence, .oldest.batch_number
    )]
    TooEarly { oldest: Place },
    /// The batch in this place cannot be applied.
    #[error("{file}, byte {offset}: {error}")]
    Follow { file: PathBuf, offset: u64, error: FollowError },
    /// The frame says how many commands it has, and has another number of them.
    #[error(
        "{file}, byte {offset}: batch {batch_number} says it has {said} commands and has \
         {found}: restore the file from a backup"
    )]
    CommandCount { file: PathBuf, offset: u64, batch_number: u64, said: u32, found: u32 },
}

impl ArchiveError {
    /// Whether another try may read more: nothing shows that the bytes are lost.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Io { .. } => true,
            Self::Log(log::OpenError::Disk(error)) | Self::Snapshot(SnapshotError::Disk(error)) => {
                !error.is_unreadable()
            }
            _ => false,
        }
    }
}

fn log_failure(error: &log::OpenError) -> String {
    match error {
        // Trimming is the one way in which a file of the log goes while a venue runs.
        log::OpenError::Disk(error) if error.is_missing() => {
            format!("{error}; the venue has trimmed its log while it was read: run this again")
        }
        _ => error.to_string(),
    }
}

impl Archive {
    /// Reads all of the log, and which snapshots there are.
    pub fn open(dir: &Path) -> Result<Self, ArchiveError> {
        check_venue(dir)?;
        // In this order: a running venue writes a snapshot only of what its log holds already.
        let snapshots = snapshot::files(&dir.join("snapshots")).map_err(ArchiveError::Snapshot)?;
        let log = log::inspect(&dir.join("log")).map_err(ArchiveError::Log)?;
        let snapshots = snapshots
            .into_iter()
            .map(|(batch_number, path)| SnapshotFile { path, batch_number })
            .collect();
        Ok(Self { log, snapshots })
    }
}

impl Archive {
    /// A replay from the latest place that is early enough. The log before it is not read, and what
    /// is behind it is checked when it is read.
    pub fn open_at(
        dir: &Path,
        is_early_enough: impl Fn(Place) -> bool,
    ) -> Result<Replay, ArchiveError> {
        check_venue(dir)?;
        let files = snapshot::files(&dir.join("snapshots")).map_err(ArchiveError::Snapshot)?;
        for (batch_number, path) in files.into_iter().rev() {
            let file = SnapshotFile { path, batch_number };
            let Some(base) = file.base()? else { continue };
            if is_early_enough(base_place(&base)) {
                return Self::of_log_from(dir, batch_number + 1)?.start(base, Some(&file));
            }
        }
        let whole = Self::of_log_from(dir, 1)?;
        if whole.log.first_batch() <= 1 && is_early_enough(Place::default()) {
            return whole.start(Base::default(), None);
        }
        Self::open(dir)?.replay_from(is_early_enough)
    }
}

impl Archive {
    fn of_log_from(dir: &Path, batch_number: u64) -> Result<Self, ArchiveError> {
        let log = log::inspect_from(&dir.join("log"), batch_number);
        Ok(Self { log: log.map_err(ArchiveError::Log)?, snapshots: Vec::new() })
    }
}

fn base_place(base: &Base) -> Place {
    let engine = base.follower.engine();
    Place {
        batch_number: base.follower.position().batch_number,
        sequence: engine.sequence(),
        time_ns: engine.now_ns(),
    }
}

impl<L: LogReader> Archive<L> {
    pub fn log(&self) -> &L {
        &self.log
    }

    /// The snapshots there were when the archive was opened, oldest first, sound or not. A running
    /// venue may have removed the oldest since.
    pub fn snapshots(&self) -> &[SnapshotFile] {
        &self.snapshots
    }

    /// A replay from as far back as the archive reaches.
    pub fn replay(&self) -> Result<Replay, ArchiveError> {
        if self.log.first_batch() <= 1 {
            return self.start(Base::default(), None);
        }
        for file in &self.snapshots {
            if file.batch_number + 1 < self.log.first_batch() {
                continue;
            }
            if let Some(replay) = self.start_at(file)? {
                return Ok(replay);
            }
        }
        Err(ArchiveError::NoStart { first_batch: self.log.first_batch() })
    }

    /// A replay from the latest place that is early enough, so that the least is replayed.
    pub fn replay_from(
        &self,
        is_early_enough: impl Fn(Place) -> bool,
    ) -> Result<Replay, ArchiveError> {
        for file in self.snapshots.iter().rev() {
            if file.batch_number + 1 < self.log.first_batch() {
                break;
            }
            match self.start_at(file)? {
                Some(replay) if is_early_enough(replay.place()) => return Ok(replay),
                _ => {}
            }
        }
        let oldest = self.replay()?;
        if is_early_enough(oldest.place()) {
            Ok(oldest)
        } else {
            Err(ArchiveError::TooEarly { oldest: oldest.place() })
        }
    }

    /// `None` when the snapshot is damaged, or gone by now: then an older one, or the log alone,
    /// leads to the same state.
    fn start_at(&self, file: &SnapshotFile) -> Result<Option<Replay>, ArchiveError> {
        file.base()?.map(|base| self.start(base, Some(file))).transpose()
    }

    fn start(&self, base: Base, file: Option<&SnapshotFile>) -> Result<Replay, ArchiveError> {
        let follower = base.follower;
        let Position { batch_number, chain_hash, .. } = follower.position();
        let last_batch = self.log.last_batch();
        let path = || file.map(|file| file.path.clone()).unwrap_or_default();
        if last_batch < batch_number {
            let file = path();
            return Err(ArchiveError::LogEndsBeforeSnapshot { file, batch_number, last_batch });
        }
        let reader = self.log.read_from(batch_number + 1).map_err(ArchiveError::Log)?;
        if reader.previous_hash() != chain_hash {
            return Err(ArchiveError::SnapshotOfAnotherLog { file: path(), batch_number });
        }
        let (payload, events) = (Vec::new(), Vec::new());
        Ok(Replay { follower, reader, batch: None, payload, read: 0, skipped: 0, events })
    }
}

impl SnapshotFile {
    pub fn load(&self) -> Result<Snapshot, SnapshotError> {
        snapshot::load(&self.path)
    }

    /// The state that it holds, checked against its hash.
    pub fn engine(&self, snapshot: &Snapshot) -> Result<Engine, ArchiveError> {
        self.read(snapshot).map(|base| base.follower.into_engine())
    }

    /// `None` when the file is damaged, or gone by now.
    fn base(&self) -> Result<Option<Base>, ArchiveError> {
        match self.load() {
            Ok(snapshot) => self.read(&snapshot).map(Some),
            Err(SnapshotError::Damaged { .. }) => Ok(None),
            Err(SnapshotError::Disk(error)) if error.is_missing() => Ok(None),
            Err(error) => Err(ArchiveError::Snapshot(error)),
        }
    }

    fn read(&self, snapshot: &Snapshot) -> Result<Base, ArchiveError> {
        let file = self.path.clone();
        Base::read(snapshot).map_err(|error| ArchiveError::SnapshotUnreadable { file, error })
    }
}

/// Applies a log again, one command at a time.
#[derive(Debug)]
pub struct Replay {
    follower: Follower,
    reader: Box<dyn BatchReader>,
    /// The batch that is being applied.
    batch: Option<ReplayedBatch>,
    payload: Vec<u8>,
    /// How much of the payload is applied.
    read: usize,
    skipped: u64,
    /// Kept to reuse its memory.
    events: Vec<Event>,
}

/// A batch that is being applied, and where it lies.
#[derive(Clone, Debug)]
pub struct ReplayedBatch {
    pub header: BatchHeader,
    pub file: PathBuf,
    pub offset: u64,
    /// Commands of it that have been taken.
    taken: u32,
}

/// A command of the log that was applied.
#[derive(Debug)]
pub struct ReplayedCommand {
    pub batch_number: u64,
    pub sequenced_ns: u64,
    pub entry: Entry,
    pub reply: Reply,
}

impl Replay {
    pub fn engine(&self) -> &Engine {
        self.follower.engine()
    }

    /// The chain's hash behind the last batch that was begun.
    pub fn chain_hash(&self) -> ChainHash {
        self.reader.previous_hash()
    }

    /// What a snapshot of the state here would carry.
    pub fn state_hash(&self) -> [u8; 32] {
        let mut state = Vec::new();
        self.engine().write_state(&mut state);
        *blake3::hash(&state).as_bytes()
    }

    /// The last batch in it is the last one of which all is applied.
    pub fn place(&self) -> Place {
        Place {
            batch_number: self.follower.position().batch_number,
            sequence: self.engine().sequence(),
            time_ns: self.engine().now_ns(),
        }
    }

    /// Commands so far that count for nothing, since their epoch was over when they were logged.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The batch of the command that comes next; `None` at the end of the log.
    pub fn next_batch(&mut self) -> Result<Option<&ReplayedBatch>, ArchiveError> {
        while self.batch.is_none() && self.begin_batch()? {
            if self.payload.is_empty() {
                self.follow(0)?;
            }
        }
        Ok(self.batch.as_ref())
    }

    /// Applies the next command that counts; `None` at the end of the log.
    pub fn step(&mut self) -> Result<Option<ReplayedCommand>, ArchiveError> {
        while let Some(batch) = self.next_batch()? {
            let header = batch.header;
            if let Some(command) = self.take(header)? {
                return Ok(Some(command));
            }
        }
        Ok(None)
    }

    /// Applies commands, for their state alone, while `goes_on` says so of the state before each
    /// one and of its batch.
    pub fn pass(
        &mut self,
        mut goes_on: impl FnMut(Place, &BatchHeader) -> bool,
    ) -> Result<(), ArchiveError> {
        while let Some(batch) = self.next_batch()? {
            let header = batch.header;
            if !goes_on(self.place(), &header) {
                break;
            }
            // Batches of an epoch that is over count for nothing, and one that begins an epoch has
            // one command.
            if header.command_count > 1 && header.epoch == self.follower.position().epoch {
                self.pass_in_batch(header, |place| goes_on(place, &header))?;
            } else {
                self.take(header)?;
            }
        }
        Ok(())
    }

    fn pass_in_batch(
        &mut self,
        header: BatchHeader,
        mut goes_on: impl FnMut(Place) -> bool,
    ) -> Result<(), ArchiveError> {
        let rest = LoggedBatch { header, payload: &self.payload[self.read..] };
        let before = self.place();
        let passed = self.follower.pass(&rest, &mut self.events, |engine| {
            goes_on(Place { sequence: engine.sequence(), time_ns: engine.now_ns(), ..before })
        });
        let (commands, bytes) = passed.map_err(|error| self.unfollowed(error))?;
        self.taken(commands, bytes)
    }

    /// Takes the next command of the batch; `None` if it counts for nothing.
    fn take(&mut self, header: BatchHeader) -> Result<Option<ReplayedCommand>, ArchiveError> {
        let BatchHeader { batch_number, sequenced_ns, .. } = header;
        let payload = &self.payload[self.read..];
        let mut rest = Reader(payload);
        let Some(entry) = rest.read::<Entry>() else {
            return Err(self.unfollowed(FollowError::CommandUnreadable { batch_number }));
        };
        let reply = self.follow(payload.len() - rest.0.len())?;
        self.skipped += u64::from(reply.is_none());
        Ok(reply.map(|reply| ReplayedCommand { batch_number, sequenced_ns, entry, reply }))
    }

    fn begin_batch(&mut self) -> Result<bool, ArchiveError> {
        let Some(batch) = self.reader.read().map_err(ArchiveError::Log)? else { return Ok(false) };
        let header = batch.header;
        self.payload.clear();
        self.payload.extend_from_slice(batch.payload);
        self.read = 0;
        let (file, offset) = self.reader.place().expect("a batch was read");
        self.batch = Some(ReplayedBatch { header, file: file.to_path_buf(), offset, taken: 0 });
        Ok(true)
    }

    /// Applies the next `size` bytes of the batch, which are one command.
    fn follow(&mut self, size: usize) -> Result<Option<Reply>, ArchiveError> {
        let header = self.batch.as_ref().expect("it has been begun").header;
        let part = LoggedBatch { header, payload: &self.payload[self.read..self.read + size] };
        let mut reply = None;
        if let Err(error) = self.follower.follow(part, |one| reply = Some(one)) {
            return Err(self.unfollowed(error));
        }
        self.taken(u32::from(size > 0), size)?;
        Ok(reply)
    }

    /// The follower has taken the next commands of the batch.
    fn taken(&mut self, commands: u32, size: usize) -> Result<(), ArchiveError> {
        self.read += size;
        self.batch.as_mut().expect("it has been begun").taken += commands;
        if self.read < self.payload.len() {
            self.follower.go_on_in_batch();
            return Ok(());
        }
        self.end_batch()
    }

    fn end_batch(&mut self) -> Result<(), ArchiveError> {
        let ReplayedBatch { header, file, offset, taken } =
            self.batch.take().expect("it has been begun");
        if taken != header.command_count {
            return Err(ArchiveError::CommandCount {
                file,
                offset,
                batch_number: header.batch_number,
                said: header.command_count,
                found: taken,
            });
        }
        Ok(())
    }

    fn unfollowed(&self, error: FollowError) -> ArchiveError {
        let batch = self.batch.as_ref().expect("it has been begun");
        ArchiveError::Follow { file: batch.file.clone(), offset: batch.offset, error }
    }
}

fn check_venue(dir: &Path) -> Result<(), ArchiveError> {
    check_folder(dir)?;
    match check_folder(&dir.join("log")) {
        Err(ArchiveError::NoFolder { .. }) => Err(ArchiveError::NoVenue { dir: dir.to_path_buf() }),
        other => other,
    }
}

fn check_folder(path: &Path) -> Result<(), ArchiveError> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(ArchiveError::NotAFolder { path: path.to_path_buf() }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(ArchiveError::NoFolder { path: path.to_path_buf() })
        }
        Err(error) => Err(ArchiveError::Io { path: path.to_path_buf(), error }),
    }
}
