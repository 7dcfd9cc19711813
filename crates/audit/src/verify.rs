//! `buttonwood log verify`: whether a history is whole, and what is in it.

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
    print!("{findings}");
    findings.result(dir)
}

/// What a look at all of a history found out.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    segments: usize,
    first_batch: u64,
    last_hash: String,
    /// The newest file and how much of its end is an unfinished write.
    torn: Option<(PathBuf, u64, u64)>,
    commands: u64,
    /// Commands that count for nothing, of epochs that were over.
    skipped: u64,
    /// Hashes of states that the log carries and that were compared.
    claims: u64,
    first_ns: Option<u64>,
    /// Rules versions, each with the first batch that goes by it.
    rules: Vec<(u16, u64)>,
    snapshots: Vec<(PathBuf, Verdict)>,
    /// From where the state can be rebuilt, and where that leads to.
    pub(crate) oldest: Place,
    pub(crate) newest: Place,
    problems: Vec<String>,
}

#[derive(Debug)]
enum Verdict {
    /// Sound, and the replay reached its state.
    Reached(Place),
    /// Sound, but nothing is left from which its state could be replayed.
    BeforeLog(Place),
    Unsound,
}

/// What a sound snapshot says of a state.
#[derive(Debug)]
struct Expected {
    index: usize,
    place: Place,
    snapshot: Snapshot,
}

impl Findings {
    /// Fails only where there is nothing to look at; all else is among the problems.
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

    /// One sentence for all that is wrong.
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

    /// All that is wrong with a log that cannot be read from end to end, for `error` to begin with.
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

    /// Checks each snapshot by itself; returns what the replay is to come to.
    fn look_at_snapshots(&mut self, archive: &Archive) -> VecDeque<Expected> {
        let mut expected = VecDeque::new();
        for file in archive.snapshots() {
            match look_at_snapshot(file, archive.log().last_batch) {
                Ok(None) => {}
                Ok(Some((place, snapshot))) => {
                    let index = self.snapshots.len();
                    // Until the replay has come there.
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

    /// Of commands that no snapshot is old enough for, one can at least say that they can be read.
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

    /// Applies all that is left, and compares the state with each snapshot on the way.
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
                // It is the last one of its batch: the state is the one that is meant.
                Command::TakeStateHash(()) => {
                    taken = Some((replay.place().sequence, replay.state_hash()));
                }
                Command::StateHash(claim) => self.check_claim(&claim, taken, &command),
                _ => {}
            }
        }
    }

    /// Compares what the log says that a state's hash is with what it is.
    fn check_claim(
        &mut self,
        claim: &StateHash,
        taken: Option<(u64, [u8; 32])>,
        command: &ReplayedCommand,
    ) {
        // Of a state before the replay's own beginning nothing can be said.
        let Some((_, hash)) = taken.filter(|(sequence, _)| *sequence == claim.sequence) else {
            return;
        };
        self.claims += 1;
        if hash != claim.state_hash {
            self.problems.push(format!(
                "batch {} says that the state after sequence {} has another hash than the log leads \
                 to: this program does not come to the states that the venue came to; do not start \
                 the venue with it, and look for the version that wrote the log",
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

    /// The same cause may be met more than once.
    fn problem(&mut self, error: ArchiveError) {
        let problem = error.to_string();
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

/// Checksum, decoding and the state's hash; `None` when a running venue has removed it since.
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
    // The state is not needed any more, only what it is said to be.
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
