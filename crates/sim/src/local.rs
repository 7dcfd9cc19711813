//! One machine, and a disk to mistrust.

use std::path::Path;
use std::sync::Arc;

use disk::simulated::Random;
use disk::{Disk, FileSystem};
use engine::Engine;
use log::snapshot::{self, Section, Snapshot};
use log::{Durability, LogError, Options, SEGMENT_SIZE_MIN, inspect_on, simulated};
use types::{Reader, StateHash, Wire};
use venue::{Follower, Position};
use venue::{Machine, MachineError, Output};

use crate::answer::Answer;
use crate::checker::{History, Violation, first_state, state_of};
use crate::clients::{Clients, RequestId};
use crate::world::{Plant, Summary};

const LOG: &str = "log";
const SNAPSHOTS: &str = "snapshots";
const ARCHIVE: &str = "archive";
const REQUESTS: u64 = 120;
const STEPS_MAX: u64 = 40_000;
/// The step from which on nothing fails, and all commands must reach their end.
const TROUBLE_STEPS: u64 = 3_000;
const STEP_NS: u64 = 50_000;
/// More than a run writes.
const PLENTY: u64 = 1 << 40;

type Primary = Machine<simulated::FileLog, RequestId>;

struct Local {
    random: Random,
    plant: Option<Plant>,
    disk: disk::simulated::Disk,
    clients: Clients,
    machine: Option<Primary>,
    now_ns: u64,
    /// How far the machine's clock is ahead of the time; it may be stepped at any moment.
    clock_ahead_ns: i64,
    trims: bool,
    /// Whether the disk is full now.
    is_full: bool,
    summary: Summary,
}

pub(super) fn run(seed: u64, plant: Option<Plant>) -> Result<Summary, Violation> {
    let mut random = Random::new(seed);
    let disk = disk::simulated::Disk::new(random.draw());
    let clients = Clients::new(random.draw(), REQUESTS, plant);
    let trims = random.one_in(2);
    let mut local = Local {
        random,
        plant,
        disk,
        clients,
        machine: None,
        now_ns: 1_700_000_000_000_000_000,
        clock_ahead_ns: 0,
        trims,
        is_full: false,
        summary: Summary::default(),
    };
    for step in 0..STEPS_MAX {
        let is_calm = step >= TROUBLE_STEPS;
        if is_calm && local.clients.are_done() {
            break;
        }
        local.step(is_calm)?;
    }
    local.judge()
}

impl Local {
    fn step(&mut self, is_calm: bool) -> Result<(), Violation> {
        self.now_ns += self.random.below(STEP_NS);
        if is_calm {
            self.calm_down();
        } else if self.random.one_in(40) {
            self.make_trouble()?;
        }
        if self.machine.is_none() {
            self.start()?;
            return Ok(());
        }
        match self.random.below(8) {
            0..=2 => self.send(),
            3..=5 => return self.poll(),
            6 => self.log().step(),
            _ => self.log().fill_ahead(),
        }
        Ok(())
    }

    fn send(&mut self) {
        let Some((entry, id)) = self.clients.next(self.now_ns) else { return };
        if let Err((_, id)) = self.running().submit(entry, id) {
            self.clients.refused(id, self.now_ns);
        }
    }

    fn poll(&mut self) -> Result<(), Violation> {
        let now_ns = self.now_ns.saturating_add_signed(self.clock_ahead_ns);
        let mut outputs = Vec::new();
        let polled = self.running().poll(now_ns, &mut outputs);
        for Output { reply, ticket } in outputs {
            if let Some(id) = ticket {
                self.clients.answered(id, Answer::of(&reply));
            }
        }
        match polled {
            Ok(progress) if progress.takes_hash => self.take_snapshot(),
            Ok(_) => {}
            Err(MachineError::Log(LogError::Disk(_))) => self.machine = None,
            Err(error) => return Err(Violation::WrongStop(error.to_string())),
        }
        Ok(())
    }

    fn take_snapshot(&mut self) {
        let machine = self.machine.as_mut().expect("it has just been polled");
        let (state, position) = (state_of(machine.engine()), machine.position());
        let mut epoch = Vec::new();
        position.epoch.write(&mut epoch);
        let state_hash = *blake3::hash(&state).as_bytes();
        let sequence = machine.engine().sequence();
        let snapshot = Snapshot {
            rules_version: machine.engine().rules(),
            batch_number: position.batch_number,
            sequence,
            chain_hash: position.chain_hash,
            state_hash,
            sections: vec![
                Section { name: "engine".into(), payload: state },
                Section { name: "epoch".into(), payload: epoch },
            ],
        };
        machine.found_state_hash(StateHash { sequence, event_hash: [0; 16], state_hash });
        // One that fails leaves those before as they were.
        let disk = Disk::new(Arc::new(self.disk.clone()));
        let Ok(written) = snapshot::write_on(&disk, Path::new(SNAPSHOTS), &snapshot) else {
            return;
        };
        self.summary.snapshots += 1;
        if self.trims
            && let Some(before) = written.trim_before
        {
            // It fails later, if at all.
            let _ = machine.trim(before);
        }
    }

    fn make_trouble(&mut self) -> Result<(), Violation> {
        match self.random.below(12) {
            // The process is killed: what it wrote, the operating system still has.
            0 => self.machine = None,
            1 | 2 => {
                self.machine = None;
                self.cut_power();
            }
            3 | 4 => self.disk.fail_power_after(1 + self.random.below(30)),
            5 => {
                self.disk.fail_next_sync();
                self.summary.failed_syncs += 1;
            }
            6 | 7 => {
                self.is_full = !self.is_full;
                let free = if self.is_full { self.random.below(8_192) } else { PLENTY };
                self.disk.set_free(free);
                self.summary.full_disks += u64::from(self.is_full);
            }
            8 => self.clock_ahead_ns = self.random.below(20_000_000) as i64 - 10_000_000,
            9 => self.damage()?,
            _ => {
                if let Some(machine) = &mut self.machine {
                    machine.want_state_hash();
                }
            }
        }
        Ok(())
    }

    fn calm_down(&mut self) {
        if self.is_full {
            self.is_full = false;
            self.disk.set_free(PLENTY);
        }
    }

    fn cut_power(&mut self) {
        self.disk.cut_power();
        self.summary.power_cuts += 1;
    }

    /// Starts the venue; what happens meanwhile may bring it down once more.
    fn start(&mut self) -> Result<(), Violation> {
        if self.disk.is_off() {
            self.cut_power();
        }
        self.summary.restarts += 1;
        let now_ns = self.now_ns.saturating_add_signed(self.clock_ahead_ns);
        let primary = self.random.draw();
        let opened = open(&self.disk, self.plant).and_then(|(follower, log)| {
            let mut machine = Machine::new(follower, log);
            machine.take_over(primary, now_ns).map_err(|error| error.to_string())?;
            Ok(machine)
        });
        match opened {
            Ok(machine) => self.machine = Some(machine),
            Err(_) if self.disk.is_off() || self.is_full => {}
            // A sync was to fail, and the one at the start was it.
            Err(error) if error.contains("did not answer") => {}
            Err(error) => return Err(Violation::DoesNotStart(error)),
        }
        Ok(())
    }

    /// Changes a byte that was written, on a copy of the disk, and starts from that.
    fn damage(&mut self) -> Result<(), Violation> {
        let copy = self.disk.after_power_cut();
        let Ok((whole, _)) = open(&copy, None) else { return Ok(()) };
        let paths = copy.paths();
        if paths.is_empty() {
            return Ok(());
        }
        let path = self.random.pick(&paths).clone();
        let size = copy.read(&path).map_or(0, |bytes| bytes.len() as u64);
        if size == 0 {
            return Ok(());
        }
        let offset = self.random.below(size);
        copy.damage(&path, offset, 1 << self.random.below(8));
        if self.plant == Some(Plant::SkipChecksum) {
            simulated::reseal(&copy, &path);
        }
        match open(&copy, None) {
            Err(_) => self.summary.damage_seen += 1,
            Ok((damaged, _)) => {
                // Nothing was hit that counts; or the last write was, which looks like a torn one.
                let lost = whole.position().batch_number - damaged.position().batch_number;
                let is_same = state_of(whole.engine()) == state_of(damaged.engine());
                if lost > 1 || (lost == 0 && !is_same) {
                    let what = format!("byte {offset} of {}, {lost} batches lost", path.display());
                    return Err(Violation::DamageUnseen(what));
                }
                self.summary.damage_seen += u64::from(lost > 0);
            }
        }
        Ok(())
    }

    /// What is left in the end, read from its beginning.
    fn judge(mut self) -> Result<Summary, Violation> {
        self.calm_down();
        self.disk.fail_power_after(u64::MAX);
        if self.disk.is_off() {
            self.machine = None;
            self.cut_power();
        }
        while self.machine.as_ref().is_some_and(Machine::is_busy) {
            self.log().step();
            self.poll()?;
        }
        let history = self.read_history()?;
        history.check_answers(&self.clients)?;
        history.check_all_answered(&self.clients)?;
        if let Some(machine) = &self.machine {
            history.check_equal(machine.engine())?;
        }
        self.summary.commands = history.commands;
        self.summary.repeated = history.repeated;
        self.summary.acknowledged =
            self.clients.requests.values().filter(|request| request.answer.is_some()).count()
                as u64;
        Ok(self.summary)
    }

    /// The archive and the log are the whole log.
    fn read_history(&self) -> Result<History, Violation> {
        let unreadable = |error: log::OpenError| Violation::DoesNotStart(error.to_string());
        for archived in self.disk.paths() {
            if archived.parent() == Some(Path::new(ARCHIVE)) {
                let name = archived.file_name().expect("it is in a folder");
                let renamed = self.disk.rename(&archived, &Path::new(LOG).join(name));
                renamed.map_err(|error| Violation::DoesNotStart(error.to_string()))?;
            }
        }
        let disk = Disk::new(Arc::new(self.disk.clone()));
        let recovered = inspect_on(&disk, Path::new(LOG)).map_err(unreadable)?;
        let mut reader = recovered.read_from(1).map_err(unreadable)?;
        let mut history = History::new();
        while let Some(frame) = reader.read().map_err(unreadable)? {
            history.read(frame.into())?;
        }
        Ok(history)
    }

    fn running(&mut self) -> &mut Primary {
        self.machine.as_mut().expect("the step began with one")
    }

    fn log(&mut self) -> &mut simulated::FileLog {
        self.running().log_mut()
    }
}

/// A venue from its disk: the newest sound snapshot, and the log behind it.
fn open(
    disk: &disk::simulated::Disk,
    plant: Option<Plant>,
) -> Result<(Follower, simulated::FileLog), String> {
    let disk = Disk::new(Arc::new(disk.clone()));
    let text = |error: &dyn std::error::Error| error.to_string();
    let loaded = snapshot::load_newest_on(&disk, Path::new(SNAPSHOTS)).map_err(|e| text(&e))?;
    loaded.set_aside(&disk).map_err(|e| text(&e))?;
    let mut follower = match loaded.snapshot {
        Some(snapshot) => read_snapshot(&snapshot).ok_or("a snapshot cannot be read")?,
        None => first_state(),
    };
    let durability = match plant {
        Some(Plant::AckBeforeSync) => Durability::Os,
        _ => Durability::Fsync,
    };
    let options = Options {
        durability,
        segment_size: SEGMENT_SIZE_MIN,
        archive_dir: Some(ARCHIVE.into()),
        ..Options::default()
    };
    let (log, recovered) =
        simulated::FileLog::open(disk, Path::new(LOG), &options).map_err(|e| text(&e))?;
    let Position { batch_number, chain_hash, .. } = follower.position();
    let mut reader = recovered.read_from(batch_number + 1).map_err(|e| text(&e))?;
    if reader.previous_hash() != chain_hash {
        return Err("the snapshot is of another log".to_owned());
    }
    while let Some(frame) = reader.read().map_err(|e| text(&e))? {
        follower.follow(frame.into(), |_| {}).map_err(|e| text(&e))?;
    }
    Ok((follower, log))
}

fn read_snapshot(snapshot: &Snapshot) -> Option<Follower> {
    let state = snapshot.section("engine")?;
    let engine = Engine::read_state(Reader(state))?;
    let epoch = Reader(snapshot.section("epoch")?).read()?;
    let Snapshot { batch_number, chain_hash, .. } = *snapshot;
    Some(Follower::new(engine, Position { batch_number, chain_hash, epoch }))
}
