//! The speed of the machine's disk and loopback in the minute of a run, to judge the venue's by.

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
