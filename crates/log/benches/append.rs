//! What the file log costs over the device below it: commands of 64 bytes, as many as come through,
//! and one at a time, against one writer that does the same writes and syncs and nothing else.
//!
//! Both take turns in one run, so that the load of the machine hits both.

#![allow(clippy::unwrap_used, reason = "a bench that fails there says where")]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::thread::Thread;
use std::time::{Duration, Instant};

use log::{Batch, FileLog, Log, Options, frame};

const COMMAND_SIZE: usize = 64;
const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(800);
const SINGLES: usize = 400;
/// As many as the sequencer packs into a batch at most.
const BATCH_COMMANDS: usize = 8_192;

fn main() {
    // Where the log of a venue would lie; a memory file system has no syncs to speak of.
    let place = std::env::var("BENCH_DIR").unwrap_or_else(|_| ".".into());
    let dir = tempfile::tempdir_in(place).unwrap();
    println!("commands of {COMMAND_SIZE} bytes, fsync, {ROUNDS} rounds, medians");
    let mut log = Waited::open(&dir.path().join("log"));
    let bare = filled(&dir.path().join("bare"));
    // The first segment of a new log is short; what counts is how it goes on.
    log_rate(&mut log, 64);
    std::thread::sleep(ROUND);
    for commands in [1, 64, 1_024, BATCH_COMMANDS] {
        let rounds =
            (0..ROUNDS).map(|_| (log_rate(&mut log, commands), bare_rate(&bare, commands)));
        let (ours, bare): (Vec<f64>, Vec<f64>) = rounds.unzip();
        let ratios = ours.iter().zip(&bare).map(|(ours, bare)| ours / bare).collect();
        println!(
            "batches of {commands:>5}: log {:>10.0} commands/s, bare writer {:>10.0}, ratio {:.2}",
            median(ours),
            median(bare),
            median(ratios)
        );
    }
    latency(dir.path());
}

/// Commands per second through the log, one batch under way and the next one ready.
fn log_rate(log: &mut Waited, commands: usize) -> f64 {
    let mut committed = 0;
    log.append(commands);
    let begun = Instant::now();
    while begun.elapsed() < ROUND {
        log.append(commands);
        log.wait();
        committed += commands;
    }
    log.wait();
    committed as f64 / begun.elapsed().as_secs_f64()
}

/// The same bytes written and synced by one writer, into a file that was filled before.
fn bare_rate(file: &File, commands: usize) -> f64 {
    let size = frame::size(commands * COMMAND_SIZE);
    let bytes = vec![7; size];
    let (mut offset, mut written) = (0, 0);
    let begun = Instant::now();
    while begun.elapsed() < ROUND {
        if offset + size > FILLED {
            offset = 0;
        }
        file.write_all_at(&bytes, offset as u64).unwrap();
        file.sync_data().unwrap();
        offset += size;
        written += commands;
    }
    written as f64 / begun.elapsed().as_secs_f64()
}

/// One command at a time, in turns with a bare write and sync.
fn latency(dir: &Path) {
    let mut log = Waited::open(&dir.join("latency"));
    let file = filled(&dir.join("latency-bare"));
    let bytes = vec![7; frame::size(COMMAND_SIZE)];
    let (mut ours, mut bare, mut added) = (Vec::new(), Vec::new(), Vec::new());
    for at in 0..SINGLES {
        let begun = Instant::now();
        log.append(1);
        log.wait();
        let one = begun.elapsed().as_secs_f64() * 1e6;
        let begun = Instant::now();
        file.write_all_at(&bytes, (at * bytes.len()) as u64).unwrap();
        file.sync_data().unwrap();
        let other = begun.elapsed().as_secs_f64() * 1e6;
        ours.push(one);
        bare.push(other);
        added.push(one - other);
    }
    println!(
        "one at a time: log p50 {:.0} us, bare write and fdatasync {:.0} us, added {:.0} us",
        median(ours),
        median(bare),
        median(added)
    );
}

const FILLED: usize = 64 << 20;

fn filled(path: &Path) -> File {
    let file =
        File::options().read(true).write(true).create(true).truncate(true).open(path).unwrap();
    let zeros = vec![0; 1 << 20];
    for at in 0..FILLED / zeros.len() {
        file.write_all_at(&zeros, (at * zeros.len()) as u64).unwrap();
    }
    file.sync_all().unwrap();
    file
}

/// A log with a user that sleeps until it is woken, as the venue does.
struct Waited {
    log: FileLog,
    spare: Vec<Vec<u8>>,
}

impl Waited {
    fn open(dir: &Path) -> Self {
        let sleeper: Thread = std::thread::current();
        let on_commit = Arc::new(move || sleeper.unpark());
        let (log, _) = FileLog::open(dir, Options { on_commit, ..Options::default() }).unwrap();
        Self { log, spare: Vec::new() }
    }

    fn append(&mut self, commands: usize) {
        let mut payload = self.spare.pop().unwrap_or_default();
        payload.clear();
        payload.resize(commands * COMMAND_SIZE, 7);
        let command_count = commands as u32;
        let batch = Batch { epoch: 1, sequenced_ns: 1, rules_version: 1, command_count, payload };
        self.log.append(batch).unwrap();
    }

    fn wait(&mut self) {
        loop {
            if let Some(committed) = self.log.poll().unwrap() {
                self.spare.push(committed.batch.payload);
                return;
            }
            std::thread::park_timeout(Duration::from_millis(100));
        }
    }
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}
