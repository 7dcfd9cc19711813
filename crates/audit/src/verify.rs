//! `buttonwood log verify`: checks log and snapshots, and lists what they contain.

use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};

use cli::Failure;
use cli::moment::format_time;
use log::snapshot::{Snapshot, SnapshotError};
use types::{Command, Entry, Reader, StateHash};
use venue::{Archive, ArchiveError, FollowError, Place, Replay, ReplayedCommand, SnapshotFile};

pub(super) fn run(dir: &Path) -> Result<(), Failure> {
    let findings = Findings::of(dir)?;
    cli::print(&findings)?;
    findings.result(dir)
}

/// The findings of a check.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    segments: usize,
    first_batch: u64,
    last_hash: String,
    /// The torn tail: file, offset, bytes.
    torn: Option<(PathBuf, u64, u64)>,
    commands: u64,
    /// Commands of ended epochs, which have no effect.
    skipped: u64,
    /// Compared state hashes of the log.
    claims: u64,
    first_ns: Option<u64>,
    /// Rules versions, each with its first batch.
    rules: Vec<(u16, u64)>,
    snapshots: Vec<(PathBuf, Verdict)>,
    /// The oldest and the newest state that can be rebuilt.
    pub(crate) oldest: Place,
    pub(crate) newest: Place,
    problems: Vec<String>,
}

#[derive(Debug)]
enum Verdict {
    /// Sound, and the replay reached its state.
    Reached(Place),
    /// Sound, but older than the log, so that no replay reaches its state.
    BeforeLog(Place),
    Unsound,
}

/// A sound snapshot, whose state the replay must reach.
#[derive(Debug)]
struct Expected {
    index: usize,
    place: Place,
    snapshot: Snapshot,
}

impl Findings {
    /// Fails only without a log; all other errors are among the problems.
    pub(crate) fn of(dir: &Path) -> Result<Self, Failure> {
        let mut findings = Self::default();
        let archive = match Archive::open(dir) {
            Ok(archive) => archive,
            Err(ArchiveError::Log(error)) => {
                findings.look_at_damage(&dir.join("log"), error);
                return Ok(findings);
            }
            Err(error) => return Err(error.into()),
        };
        findings.look_at_log(&archive);
        let mut expected = findings.look_at_snapshots(&archive);
        let replayed = archive.replay().and_then(|mut replay| {
            findings.oldest = replay.place();
            findings.look_at_commands_before(&archive, replay.place().batch_number)?;
            let replayed = findings.replay(&mut replay, &mut expected);
            findings.newest = replay.place();
            findings.skipped = replay.skipped();
            replayed
        });
        if let Err(error) = replayed {
            findings.problem(error);
        }
        Ok(findings)
    }

    /// A failure in one sentence, if there are problems.
    pub(crate) fn result(&self, dir: &Path) -> Result<(), Failure> {
        match self.problems.as_slice() {
            [] => Ok(()),
            [problem] => Err(Failure::new(problem)),
            [first, others @ ..] => Err(Failure::new(format!(
                "{} has {} problems, which `buttonwood log verify` lists; the first: {first}",
                dir.display(),
                others.len() + 1
            ))),
        }
    }

    /// Lists all damages of a log that cannot be read to its end; `error` is the first one.
    fn look_at_damage(&mut self, log_dir: &Path, error: log::OpenError) {
        self.problem(ArchiveError::Log(error));
        match log::damages(log_dir) {
            Ok(damages) => {
                damages.into_iter().for_each(|damage| self.problem(ArchiveError::Log(damage)));
            }
            Err(error) => self.problem(ArchiveError::Log(error)),
        }
    }

    fn look_at_log(&mut self, archive: &Archive) {
        let log = archive.log();
        self.segments = log.files().count();
        self.first_batch = log.first_batch;
        self.last_hash = format!("{:?}", log.last_hash);
        let end = log.files().last().and_then(|file| Some((file.path.to_path_buf(), file.end?)));
        self.torn = end
            .filter(|_| log.bytes_dropped > 0)
            .map(|(path, offset)| (path, offset, log.bytes_dropped));
    }

    /// Checks each snapshot by itself; returns those that the replay must reach.
    fn look_at_snapshots(&mut self, archive: &Archive) -> VecDeque<Expected> {
        let mut expected = VecDeque::new();
        for file in archive.snapshots() {
            match look_at_snapshot(file, archive.log().last_batch) {
                Ok(None) => {}
                Ok(Some((place, snapshot))) => {
                    let index = self.snapshots.len();
                    // Until the replay reaches it.
                    self.snapshots.push((file.path.clone(), Verdict::BeforeLog(place)));
                    expected.push_back(Expected { index, place, snapshot });
                }
                Err(error) => {
                    self.snapshots.push((file.path.clone(), Verdict::Unsound));
                    self.problem(error);
                }
            }
        }
        expected
    }

    /// Decodes the commands before the oldest snapshot, because no replay applies them.
    fn look_at_commands_before(
        &mut self,
        archive: &Archive,
        last: u64,
    ) -> Result<(), ArchiveError> {
        if archive.log().first_batch > last {
            return Ok(());
        }
        let first_batch = archive.log().first_batch;
        let mut reader = archive.log().read_from(first_batch).map_err(ArchiveError::Log)?;
        while let Some(frame) = reader.read().map_err(ArchiveError::Log)? {
            let (header, mut rest) = (frame.header, Reader(frame.payload));
            if header.batch_number > last {
                break;
            }
            let mut count = 0;
            while !rest.is_empty() && rest.read::<Entry>().is_some() {
                count += 1;
            }
            let is_sound = rest.is_empty() && count == header.command_count;
            self.count_batch(header.batch_number, header.sequenced_ns, header.rules_version);
            self.commands += u64::from(count);
            if !is_sound {
                let (file, offset) = reader.place().expect("a frame was read");
                let error = FollowError::CommandUnreadable { batch_number: header.batch_number };
                return Err(ArchiveError::Follow { file: file.to_path_buf(), offset, error });
            }
        }
        Ok(())
    }

    /// Applies the rest of the log, and compares the state with each snapshot.
    fn replay(
        &mut self,
        replay: &mut Replay,
        expected: &mut VecDeque<Expected>,
    ) -> Result<(), ArchiveError> {
        expected.retain(|snapshot| snapshot.place.batch_number >= self.oldest.batch_number);
        let (mut last_batch, mut taken) = (0, None);
        loop {
            if let Some(next) = expected.front()
                && next.place.batch_number == replay.place().batch_number
            {
                self.compare(replay, expected.pop_front().expect("it is there"));
            }
            let Some(batch) = replay.next_batch()? else { return Ok(()) };
            let header = batch.header;
            if header.batch_number != last_batch {
                last_batch = header.batch_number;
                self.count_batch(last_batch, header.sequenced_ns, header.rules_version);
            }
            let Some(command) = replay.step()? else { return Ok(()) };
            self.commands += 1;
            match command.entry.command {
                // The last command of its batch: this state is the one to hash.
                Command::TakeStateHash(()) => {
                    taken = Some((replay.place().sequence, replay.state_hash()));
                }
                Command::StateHash(claim) => self.check_claim(&claim, taken, &command),
                _ => {}
            }
        }
    }

    /// Compares a state hash in the log with the hash of the replayed state.
    fn check_claim(
        &mut self,
        claim: &StateHash,
        taken: Option<(u64, [u8; 32])>,
        command: &ReplayedCommand,
    ) {
        // A state before the begin of the replay is not known.
        let Some((_, hash)) = taken.filter(|(sequence, _)| *sequence == claim.sequence) else {
            return;
        };
        self.claims += 1;
        if hash != claim.state_hash {
            self.problems.push(format!(
                "batch {} has another hash of the state after sequence {} than the replay: this \
                 program computes other states than the venue did; do not start the venue with it, \
                 but with the version that wrote the log",
                command.batch_number, claim.sequence
            ));
        }
    }

    fn compare(&mut self, replay: &Replay, expected: Expected) {
        let Expected { index, place, snapshot } = expected;
        let (path, verdict) = &mut self.snapshots[index];
        let batch = place.batch_number;
        let differs = if replay.chain_hash() != snapshot.chain_hash {
            "it belongs to another log than the one beside it"
        } else if replay.place().sequence != place.sequence {
            "the log leads to another sequence there"
        } else if replay.state_hash() != snapshot.state_hash {
            "the log leads to another state there"
        } else {
            *verdict = Verdict::Reached(place);
            return;
        };
        let problem = format!(
            "{}, of batch {batch}: {differs}; move the file elsewhere, and a start replays the log \
             from before it",
            path.display()
        );
        *verdict = Verdict::Unsound;
        self.problems.push(problem);
    }

    fn count_batch(&mut self, batch_number: u64, sequenced_ns: u64, rules_version: u16) {
        self.first_ns.get_or_insert(sequenced_ns);
        if self.rules.last().is_none_or(|(version, _)| *version != rules_version) {
            self.rules.push((rules_version, batch_number));
        }
    }

    /// Adds a problem once, because several checks may find the same cause.
    fn problem(&mut self, error: ArchiveError) {
        let problem = error.to_string();
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

/// Checks checksum, decoding and state hash; `None` when a running venue has removed the file.
fn look_at_snapshot(
    file: &SnapshotFile,
    last_batch: u64,
) -> Result<Option<(Place, Snapshot)>, ArchiveError> {
    let snapshot = match file.load() {
        Err(SnapshotError::Disk(error)) if error.is_missing() => return Ok(None),
        snapshot => snapshot.map_err(ArchiveError::Snapshot)?,
    };
    if snapshot.batch_number > last_batch {
        let (file, batch_number) = (file.path.clone(), snapshot.batch_number);
        return Err(ArchiveError::LogEndsBeforeSnapshot { file, batch_number, last_batch });
    }
    let engine = file.engine(&snapshot)?;
    let place = Place {
        batch_number: snapshot.batch_number,
        sequence: snapshot.sequence,
        time_ns: engine.now_ns(),
    };
    // Only the hashes are needed from here on.
    Ok(Some((place, Snapshot { sections: Vec::new(), ..snapshot })))
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.segments > 0 {
            self.fmt_log(f)?;
        }
        for (path, verdict) in &self.snapshots {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            match verdict {
                Verdict::Reached(place) => writeln!(
                    f,
                    "snapshot   {name}: sound, and the log leads to its state (sequence {})",
                    place.sequence
                )?,
                Verdict::BeforeLog(place) => writeln!(
                    f,
                    "snapshot   {name}: sound, not replayed (sequence {})",
                    place.sequence
                )?,
                Verdict::Unsound => writeln!(f, "snapshot   {name}: not sound")?,
            }
        }
        for problem in &self.problems {
            writeln!(f, "problem    {problem}")?;
        }
        if self.problems.is_empty() {
            writeln!(f, "sound")?;
        }
        Ok(())
    }
}

impl Findings {
    fn fmt_log(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { segments, first_batch, last_hash, oldest, newest, .. } = self;
        let last_batch = newest.batch_number;
        writeln!(f, "log        batches {first_batch} to {last_batch}; segments: {segments}")?;
        writeln!(f, "chain      {last_hash}")?;
        match &self.torn {
            None => writeln!(f, "end        clean")?,
            Some((path, offset, bytes)) => writeln!(
                f,
                "end        {bytes} bytes of an unfinished write at byte {offset} of {}; a running \
                 venue may be writing them, else the next start cuts them off",
                path.display()
            )?,
        }
        if let Some(first_ns) = self.first_ns {
            let (first, last) = (format_time(first_ns), format_time(newest.time_ns));
            writeln!(f, "time       {first} to {last}")?;
        }
        writeln!(f, "commands   {}, up to sequence {}", self.commands, newest.sequence)?;
        if self.skipped > 0 {
            writeln!(f, "skipped    {} commands of epochs that were over", self.skipped)?;
        }
        if self.claims > 0 {
            writeln!(f, "hashes     {} in the log itself, all compared", self.claims)?;
        }
        for (version, batch) in &self.rules {
            writeln!(f, "rules      version {version} from batch {batch}")?;
        }
        match oldest.batch_number {
            0 => writeln!(f, "rebuilds   every state from the beginning"),
            batch => writeln!(
                f,
                "rebuilds   states from sequence {}, {} (batch {batch})",
                oldest.sequence,
                format_time(oldest.time_ns)
            ),
        }
    }
}
