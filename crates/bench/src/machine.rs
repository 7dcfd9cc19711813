//! The machine of a run, its versions, and the speed of its disk and loopback in that minute: a
//! figure of the venue means nothing without them.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use cli::Failure;

use super::report::{Report, report};
use super::tally::Tally;

/// A page of the kernel's cache, which a sync writes whole.
pub(super) const BLOCK: usize = 4 << 10;
/// Written with zeros before the measurement, like the log's segments: a sync then writes no sizes.
const BLOCKS_LEN: usize = 4 << 20;
const SYNCS_MAX: usize = 2_000;
const SYNC_TIME: Duration = Duration::from_millis(500);
const TURNS_MAX: usize = 5_000;
const TURN_TIME: Duration = Duration::from_millis(500);

/// `folder` is the venue's: its disk is measured.
pub(super) fn here(folder: &Path) -> Report {
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    report! {
        machine: machine(folder),
        versions: report! { buttonwood: env!("CARGO_PKG_VERSION"), build: build },
    }
}

fn machine(folder: &Path) -> Report {
    let uname = rustix::system::uname();
    let (system, release) = (uname.sysname().to_string_lossy(), uname.release().to_string_lossy());
    report! {
        cpu: value_of("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
        cores: thread::available_parallelism().map_or(1, usize::from),
        memory_mb: value_of("/proc/meminfo", "MemTotal")
            .and_then(|text| text.split(' ').next()?.parse::<u64>().ok())
            .map_or(0, |kib| kib / 1_024),
        kernel: format!("{system} {release}"),
        file_system: file_system(folder),
        // The average of the minute before the run.
        load_before: std::fs::read_to_string("/proc/loadavg")
            .ok()
            .and_then(|text| text.split(' ').next().map(str::to_owned))
            .unwrap_or_else(unknown),
    }
}

fn unknown() -> String {
    "unknown".into()
}

fn value_of(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

/// What is mounted at the nearest folder above.
fn file_system(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    let mount = |line: &str| {
        let mut words = line.split(' ');
        let (_, at, kind) = (words.next()?, words.next()?.to_owned(), words.next()?.to_owned());
        folder.starts_with(&at).then_some((at.len(), kind))
    };
    mounts.lines().filter_map(mount).max().map_or_else(unknown, |(_, kind)| kind)
}

/// The times, in ns, to write some bytes to a file and to sync it.
#[derive(Debug, Default)]
pub(super) struct Syncs(pub(super) Vec<u64>);

impl Syncs {
    /// Adds syncs of `len` bytes each.
    pub(super) fn measure(&mut self, folder: &Path, len: usize) -> Result<(), Failure> {
        let path = folder.join("bench-fdatasync");
        let named = |error: std::io::Error| Failure::new(format!("{}: {error}", path.display()));
        let mut options = OpenOptions::new();
        let mut file = options.create_new(true).write(true).open(&path).map_err(named)?;
        let measured = sync_blocks(&mut file, len.clamp(1, BLOCKS_LEN)).map_err(named);
        std::fs::remove_file(&path).map_err(named)?;
        self.0.extend(measured?);
        Ok(())
    }

    pub(super) fn report(&self) -> Report {
        let tally = Tally::of(&self.0);
        report! {
            mean: tally.mean_ms(),
            p50: tally.quantile_ms(0.5),
            p99: tally.quantile_ms(0.99),
        }
    }
}

/// Appends within the written part of the file, as the log does.
fn sync_blocks(file: &mut File, len: usize) -> std::io::Result<Vec<u64>> {
    file.write_all(&vec![0; BLOCKS_LEN])?;
    file.sync_all()?;
    file.seek(SeekFrom::Start(0))?;
    let mut at = 0;
    timed(SYNCS_MAX, SYNC_TIME, || {
        if at + len > BLOCKS_LEN {
            at = 0;
            file.seek(SeekFrom::Start(0))?;
        }
        at += len;
        file.write_all(&vec![at as u8; len])?;
        file.sync_data()
    })
}

/// The ns of each `step`, until a number of steps or a total time is reached.
fn timed(
    steps_max: usize,
    time_max: Duration,
    mut step: impl FnMut() -> std::io::Result<()>,
) -> std::io::Result<Vec<u64>> {
    let mut ns = Vec::new();
    let begun = Instant::now();
    while ns.len() < steps_max && begun.elapsed() <= time_max {
        let since = Instant::now();
        step()?;
        ns.push(since.elapsed().as_nanos() as u64);
    }
    Ok(ns)
}

/// The median of a byte's round trip to another thread over TCP.
pub(super) fn loopback_us() -> Result<f64, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut stream = TcpStream::connect(listener.local_addr()?)?;
    let (peer, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    peer.set_nodelay(true)?;
    thread::scope(|scope| {
        let echo = scope.spawn(move || echo(peer));
        let turns = timed(TURNS_MAX, TURN_TIME, || {
            stream.write_all(&[1])?;
            stream.read_exact(&mut [0])
        });
        // The echo ends with the connection.
        drop(stream);
        echo.join().map_err(|_| Failure::new("the echo panicked"))??;
        Ok(Tally::of(&turns?).quantile_ms(0.5) * 1_000.0)
    })
}

fn echo(mut peer: TcpStream) -> std::io::Result<()> {
    let mut byte = [0];
    while peer.read(&mut byte)? > 0 {
        peer.write_all(&byte)?;
    }
    Ok(())
}
