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

const BLOCK: usize = 4 << 10;
/// Written with zeros before the measurement, like the log's segments: a sync then writes no sizes.
const BLOCKS: usize = 1_024;
const SYNCS_MAX: usize = 2_000;
const SYNC_TIME: Duration = Duration::from_millis(1_500);
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

/// The time to write and sync a block of 4 KiB.
pub(super) fn fdatasync_ms(folder: &Path) -> Result<Report, Failure> {
    let path = folder.join("bench-fdatasync");
    let named = |error: std::io::Error| Failure::new(format!("{}: {error}", path.display()));
    let mut options = OpenOptions::new();
    let mut file = options.create_new(true).write(true).open(&path).map_err(named)?;
    let measured = sync_blocks(&mut file).map_err(named);
    std::fs::remove_file(&path).map_err(named)?;
    measured
}

fn sync_blocks(file: &mut File) -> std::io::Result<Report> {
    file.write_all(&vec![0; BLOCK * BLOCKS])?;
    file.sync_all()?;
    let mut at = 0;
    let tally = timed(SYNCS_MAX, SYNC_TIME, || {
        if at % BLOCKS == 0 {
            file.seek(SeekFrom::Start(0))?;
        }
        at += 1;
        file.write_all(&[at as u8; BLOCK])?;
        file.sync_data()
    })?;
    Ok(report! { p50: tally.quantile_ms(0.5), p99: tally.quantile_ms(0.99) })
}

/// Measures `step` until a number of steps or a total time is reached.
fn timed(
    steps_max: usize,
    time_max: Duration,
    mut step: impl FnMut() -> std::io::Result<()>,
) -> std::io::Result<Tally> {
    let mut tally = Tally::default();
    let begun = Instant::now();
    while tally.orders < steps_max as u64 && begun.elapsed() <= time_max {
        let since = Instant::now();
        step()?;
        tally.record(since.elapsed().as_nanos() as u64, 1);
    }
    Ok(tally)
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
        Ok(turns?.quantile_ms(0.5) * 1_000.0)
    })
}

fn echo(mut peer: TcpStream) -> std::io::Result<()> {
    let mut byte = [0];
    while peer.read(&mut byte)? > 0 {
        peer.write_all(&byte)?;
    }
    Ok(())
}
