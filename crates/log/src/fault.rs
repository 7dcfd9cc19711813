//! Tests of the file log on a disk that fails, waits, or loses power.

use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use disk::Disk;
use disk::failing::Operation;

use crate::file::filler::FULL_RETRY;
use crate::{
    Batch, Committed, Durability, FileLog, Log, LogError, OpenError, Options, Room,
    SEGMENT_SIZE_MIN, inspect, simulated,
};

/// How long a test waits before it takes a hang for a failure.
const PATIENCE: Duration = Duration::from_secs(20);

fn batch(number: u64, size: usize) -> Batch {
    let payload = (0..size).map(|at| (number as usize + at) as u8 | 1).collect();
    Batch { epoch: 1, sequenced_ns: number, rules_version: 1, command_count: 1, payload }
}

fn options() -> Options {
    Options { segment_size: SEGMENT_SIZE_MIN, ..Options::default() }
}

/// The next committed batch or the failure, whichever comes.
fn wait(log: &mut FileLog) -> Result<Committed, LogError> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(committed) = log.poll()? {
            return Ok(committed);
        }
        thread::sleep(Duration::from_micros(20));
    }
    panic!("nothing was committed");
}

fn until(mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "it never happened");
        thread::sleep(Duration::from_micros(100));
    }
}

/// Fails every operation of one kind on one file, once it is switched on.
fn failing(
    kind: io::ErrorKind,
    operation: &'static str,
    file: &'static str,
) -> (Disk, Arc<AtomicBool>) {
    let armed = Arc::new(AtomicBool::new(false));
    let is_armed = Arc::clone(&armed);
    let watch = move |seen: Operation<'_>| {
        let seen = format!("{seen:?}");
        let fails =
            is_armed.load(Ordering::SeqCst) && seen.starts_with(operation) && seen.contains(file);
        if fails { Err(kind.into()) } else { Ok(()) }
    };
    (Disk::watched_by(watch), armed)
}

#[test]
fn a_failed_write_or_sync_stops_the_log_for_ever() {
    for (operation, doing) in [("Write", "writing"), ("Sync ", "syncing")] {
        let dir = tempfile::tempdir().unwrap();
        let (disk, armed) = failing(io::ErrorKind::Other, operation, "01.log");
        let woken = Arc::new(AtomicUsize::new(0));
        let calls = Arc::clone(&woken);
        let on_commit: Arc<dyn Fn() + Send + Sync> = Arc::new(move || {
            calls.fetch_add(1, Ordering::SeqCst);
        });
        let (mut log, _) =
            FileLog::open_on(disk, dir.path(), Options { on_commit, ..options() }).unwrap();
        log.append(batch(1, 8)).unwrap();
        wait(&mut log).unwrap();
        let before = woken.load(Ordering::SeqCst);
        armed.store(true, Ordering::SeqCst);
        log.append(batch(2, 8)).unwrap();
        let error = wait(&mut log).unwrap_err();
        assert!(matches!(error, LogError::Disk(_)));
        let message = error.to_string();
        assert!(message.starts_with(doing) && message.contains("01.log"), "{message}");
        assert!(error.source().unwrap().source().is_some());
        // A disk that works again changes nothing: what was to be synced may be gone.
        armed.store(false, Ordering::SeqCst);
        assert!(matches!(log.append(batch(3, 8)), Err(LogError::Disk(_))));
        assert!(matches!(log.poll(), Err(LogError::Disk(_))));
        assert!(matches!(log.close(), Err(LogError::Disk(_))));
        assert!(woken.load(Ordering::SeqCst) > before);
        let recovered = inspect(dir.path()).unwrap();
        assert!((1..=2).contains(&recovered.last_batch));
    }
}

#[test]
fn what_was_committed_before_a_failure_is_still_given_out() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, armed) = failing(io::ErrorKind::Other, "Write", "01.log");
    let (sender, woken) = channel();
    let on_commit = Arc::new(move || sender.send(()).unwrap_or_default());
    let (mut log, _) =
        FileLog::open_on(disk, dir.path(), Options { on_commit, ..options() }).unwrap();
    log.append(batch(1, 8)).unwrap();
    woken.recv_timeout(PATIENCE).unwrap();
    armed.store(true, Ordering::SeqCst);
    log.append(batch(2, 8)).unwrap();
    woken.recv_timeout(PATIENCE).unwrap();
    assert_eq!(log.poll().unwrap().unwrap().batch_number, 1);
    log.poll().unwrap_err();
    log.poll().unwrap_err();
}

/// What the device did not take of the zeros, no later sync would report.
#[test]
fn a_next_segment_that_cannot_be_written_back_stops_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, armed) = failing(io::ErrorKind::Other, "WriteBack", "next.segment");
    FileLog::open_on(disk.clone(), dir.path(), options()).unwrap().0.close().unwrap();
    armed.store(true, Ordering::SeqCst);
    let (mut log, _) = FileLog::open_on(disk, dir.path(), options()).unwrap();
    log.append(batch(1, 8)).unwrap();
    until(|| log.poll().is_err());
    let message = log.poll().unwrap_err().to_string();
    assert!(message.starts_with("writing back") && message.contains("next.segment"), "{message}");
    assert_eq!(inspect(dir.path()).unwrap().last_batch, 1);
}

#[test]
fn a_full_disk_has_an_error_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, armed) = failing(io::ErrorKind::StorageFull, "Write", "next.segment");
    armed.store(true, Ordering::SeqCst);
    let error = FileLog::open_on(disk, dir.path(), options()).unwrap_err();
    assert!(matches!(error, OpenError::DiskFull(_)));
    let message = error.to_string();
    assert!(message.contains("the disk is full") && message.contains("next.segment"), "{message}");
    assert!(error.source().is_some());
}

/// Zeros that are written ahead are what a full disk is lived through with.
#[test]
fn a_disk_that_fills_up_leaves_what_is_kept_ready_and_the_log_goes_on_when_there_is_room() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, armed) = failing(io::ErrorKind::StorageFull, "Write", "next.segment");
    let (log, _) = FileLog::open_on(disk.clone(), dir.path(), options()).unwrap();
    assert_eq!(log.room(), Room::Enough);
    log.close().unwrap();
    // Before the thread starts that fills the next segment, which would else be first now and then.
    armed.store(true, Ordering::SeqCst);
    let (mut log, _) = FileLog::open_on(disk, dir.path(), options()).unwrap();
    let mut left = 4096 - 56;
    for number in 1..=4 {
        log.append(batch(number, 880)).unwrap();
        left -= 960;
        if number > 1 {
            assert_eq!(log.room(), Room::Left(left), "a batch under way takes its room");
        }
        assert_eq!(wait(&mut log).unwrap().batch_number, number);
        // The first batch has the log fill ahead, which finds the disk full.
        until(|| log.room() == Room::Left(left));
    }
    let looks_again = Instant::now() + 3 * FULL_RETRY;
    while Instant::now() < looks_again {
        assert_eq!(log.room(), Room::Left(left), "a look at a full disk finds no room");
    }
    log.append(batch(5, 880)).unwrap();
    until(|| log.room() == Room::Left(0));
    assert_eq!(log.poll().unwrap(), None, "it waits for room, and is not lost");
    armed.store(false, Ordering::SeqCst);
    assert_eq!(wait(&mut log).unwrap().batch_number, 5);
    until(|| log.room() == Room::Enough);
    log.close().unwrap();
    let (_, recovered) = FileLog::open(dir.path(), options()).unwrap();
    assert_eq!(recovered.last_batch, 5);
}

/// A batch that found no place is not acknowledged, and closing the log returns the error.
#[test]
fn a_log_that_is_closed_while_the_disk_is_full_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, armed) = failing(io::ErrorKind::StorageFull, "Write", "next.segment");
    armed.store(true, Ordering::SeqCst);
    let error = FileLog::open_on(disk.clone(), dir.path(), options()).unwrap_err();
    assert!(matches!(error, OpenError::DiskFull(_)), "{error}");
    armed.store(false, Ordering::SeqCst);
    let (mut log, _) = FileLog::open_on(disk, dir.path(), options()).unwrap();
    armed.store(true, Ordering::SeqCst);
    log.append(batch(1, 3000)).unwrap();
    log.append(batch(2, 3000)).unwrap();
    assert_eq!(wait(&mut log).unwrap().batch_number, 1);
    let error = log.close().unwrap_err();
    assert!(matches!(error, LogError::DiskFull(_)));
    assert!(error.to_string().contains("free some space"), "{error}");
    assert!(error.source().is_some());
    let (mut log, recovered) = FileLog::open(dir.path(), options()).unwrap();
    assert_eq!(recovered.last_batch, 1);
    log.append(batch(2, 880)).unwrap();
    assert_eq!(wait(&mut log).unwrap().batch_number, 2);
}

/// What was filled of the next segment when the disk became full is a smaller segment then.
#[test]
fn a_segment_may_be_as_short_as_the_disk_leaves_it() {
    let disk = disk::simulated::Disk::new(1);
    let large = Options { segment_size: 1 << 20, ..options() };
    let (mut log, _) =
        simulated::FileLog::open(Disk::new(Arc::new(disk.clone())), Path::new("log"), &large)
            .unwrap();
    (0..2).for_each(|_| log.fill_ahead()); // half of the next segment; the first one is short
    disk.set_free(0);
    log.fill_ahead();
    let mut sizes = Vec::new();
    while let Room::Left(bytes) = log.room()
        && bytes > 300_000
    {
        log.append(batch(sizes.len() as u64 + 1, 200_000)).unwrap();
        log.step();
        sizes.push(log.poll().unwrap().unwrap().batch_number);
    }
    assert_eq!(sizes, [1, 2, 3], "one in the first segment, two in half a segment");
    disk.cut_power();
    let disk = Disk::new(Arc::new(disk));
    assert_eq!(crate::inspect_on(&disk, Path::new("log")).unwrap().last_batch, 3);
}

#[test]
fn a_failed_trim_is_reported_by_the_next_one_and_made_up_for() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, armed) = failing(io::ErrorKind::PermissionDenied, "Remove", ".log");
    let (mut log, _) = FileLog::open_on(disk, dir.path(), options()).unwrap();
    let mut number = 0;
    let mut append = |log: &mut FileLog| {
        number += 1;
        log.append(batch(number, 2000)).unwrap();
        wait(log).unwrap();
    };
    (0..6).for_each(|_| append(&mut log));
    armed.store(true, Ordering::SeqCst);
    log.trim(6).unwrap();
    append(&mut log);
    append(&mut log); // Its commit comes after the removal that the one before brought about.
    let error = log.trim(6).unwrap_err();
    assert!(error.to_string().starts_with("removing"), "{error}");
    armed.store(false, Ordering::SeqCst);
    log.close().unwrap();
    assert_eq!(inspect(dir.path()).unwrap().first_batch, 6);
}

#[test]
fn a_segment_of_the_archive_is_never_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let archive = dir.path().join("archive");
    let name = format!("{:020}.log", 1);
    fs::create_dir(&archive).unwrap();
    fs::write(archive.join(&name), "of another log").unwrap();
    let options = Options { archive_dir: Some(archive.clone()), ..options() };
    let log_dir = dir.path().join("log");
    let (mut log, _) = FileLog::open(&log_dir, options).unwrap();
    let append = |log: &mut FileLog, number| {
        log.append(batch(number, 2000)).unwrap();
        wait(log).unwrap();
    };
    (1..=6).for_each(|number| append(&mut log, number));
    log.trim(6).unwrap();
    (7..=8).for_each(|number| append(&mut log, number));
    let sentence = log.trim(6).unwrap_err().to_string();
    assert!(sentence.contains(&name) && sentence.contains("is there already"), "{sentence}");
    assert_eq!(fs::read_to_string(archive.join(&name)).unwrap(), "of another log");
    fs::remove_file(archive.join(&name)).unwrap();
    log.close().unwrap();
    assert_eq!(inspect(&log_dir).unwrap().first_batch, 6, "the log goes on, and trims at its end");
}

#[test]
fn a_call_on_commit_that_panics_stops_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let on_commit = Arc::new(|| {
        if !thread::panicking() {
            panic!("on purpose");
        }
    });
    let (mut log, _) = FileLog::open(dir.path(), Options { on_commit, ..options() }).unwrap();
    log.append(batch(1, 8)).unwrap();
    wait(&mut log).unwrap();
    let error = wait(&mut log).unwrap_err();
    assert!(error.to_string().contains("has died"), "{error}");
    assert!(error.source().is_none());
    assert!(matches!(log.append(batch(2, 8)), Err(LogError::WriterDied)));
    assert!(matches!(log.close(), Err(LogError::WriterDied)));
}

/// Holds each sync of a segment back until it is let go.
struct Gate {
    reached: Receiver<()>,
    let_go: Sender<()>,
}

fn gated() -> (Disk, Gate) {
    let (reached_sender, reached) = channel();
    let (let_go, let_go_receiver) = channel();
    let let_go_receiver = Mutex::new(let_go_receiver);
    let watch = move |seen: Operation<'_>| {
        if matches!(seen, Operation::Sync { file } if file.extension().unwrap() == "log") {
            // Closed from the other side means open for good.
            let _ = reached_sender.send(());
            let _ = let_go_receiver.lock().unwrap().recv_timeout(PATIENCE);
        }
        Ok(())
    };
    (Disk::watched_by(watch), Gate { reached, let_go })
}

/// Commits batch 1 alone, and 2 to `last` with one write.
fn two_groups(dir: &Path, last: u64) {
    let (disk, gate) = gated();
    let (mut log, _) = FileLog::open_on(disk, dir, options()).unwrap();
    log.append(batch(1, 8)).unwrap();
    gate.reached.recv_timeout(PATIENCE).unwrap();
    (2..=last).for_each(|number| log.append(batch(number, 8)).unwrap());
    drop(gate);
    (1..=last).for_each(|number| assert_eq!(wait(&mut log).unwrap().batch_number, number));
    log.close().unwrap();
}

#[test]
fn nothing_is_polled_before_it_is_synced() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, gate) = gated();
    let (mut log, _) = FileLog::open_on(disk, dir.path(), options()).unwrap();
    for number in 1..=3 {
        log.append(batch(number, 8)).unwrap();
        gate.reached.recv_timeout(PATIENCE).unwrap();
        thread::sleep(Duration::from_millis(2));
        assert_eq!(log.poll().unwrap(), None);
        gate.let_go.send(()).unwrap();
        assert_eq!(wait(&mut log).unwrap().batch_number, number);
    }
    drop(gate);
}

#[test]
fn with_durability_os_nothing_waits_for_a_sync() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, gate) = gated();
    let os = Options { durability: Durability::Os, ..options() };
    let (mut log, _) = FileLog::open_on(disk, dir.path(), os).unwrap();
    log.append(batch(1, 8)).unwrap();
    wait(&mut log).unwrap();
    let Gate { reached, let_go } = gate;
    drop(let_go);
    reached.try_recv().unwrap_err();
    log.close().unwrap();
    reached.try_recv().expect("closing syncs");
}

/// A process that was killed may leave frames behind that are in the page cache only.
#[test]
fn what_is_found_at_opening_is_synced_before_it_counts() {
    let dir = tempfile::tempdir().unwrap();
    two_groups(dir.path(), 2);
    for operation in ["Sync ", "SyncDir"] {
        let (disk, armed) = failing(io::ErrorKind::Other, operation, "");
        armed.store(true, Ordering::SeqCst);
        let error = FileLog::open_on(disk, dir.path(), options()).unwrap_err();
        assert!(error.to_string().starts_with("syncing"), "{error}");
    }
}

/// After a sync that failed, the next one has forgotten what was to be synced, although it is still
/// read from the cache. The simulation found that a venue started again went on behind such frames.
#[test]
fn what_a_failed_sync_forgot_is_written_once_more_before_it_counts() {
    let disk = disk::simulated::Disk::new(3);
    let open = || {
        let disk = Disk::new(Arc::new(disk.clone()));
        simulated::FileLog::open(disk, Path::new("log"), &options()).unwrap()
    };
    let commit = |log: &mut simulated::FileLog, number| {
        log.append(batch(number, 8)).unwrap();
        log.step();
        log.poll()
    };
    let (mut log, _) = open();
    commit(&mut log, 1).unwrap();
    disk.fail_next_sync();
    let error = commit(&mut log, 2).unwrap_err();
    assert!(error.to_string().contains("check the disk"), "{error}");
    // The process is started again on a machine that goes on.
    let (mut log, recovered) = open();
    assert_eq!(recovered.last_batch, 2);
    assert_eq!(commit(&mut log, 3).unwrap().unwrap().batch_number, 3);
    disk.cut_power();
    assert_eq!(open().1.last_batch, 3);
}

/// Nor are the zeros over a torn end on disk, if the sync failed that was to bring them there. The
/// simulation found that what they were to cover came back with the next loss of power.
#[test]
fn a_torn_end_is_covered_once_more_where_that_failed_before() {
    let mut torn = 0;
    for seed in 1..=40 {
        let disk = disk::simulated::Disk::new(seed);
        let try_open = || {
            let disk = Disk::new(Arc::new(disk.clone()));
            simulated::FileLog::open(disk, Path::new("log"), &options())
        };
        let open = || try_open().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let commit = |log: &mut simulated::FileLog, number, size| {
            log.append(batch(number, size)).unwrap();
            log.step();
            log.poll()
        };
        let (mut log, _) = open();
        commit(&mut log, 1, 8).unwrap();
        disk.fail_power_after(1);
        commit(&mut log, 2, 2_000).unwrap_err();
        disk.cut_power();
        disk.fail_next_sync();
        let error = try_open().unwrap_err();
        assert!(error.to_string().contains("did not answer"), "seed {seed}: {error}");
        let (mut log, recovered) = open();
        torn += u64::from(recovered.last_batch == 1);
        // The last one needs the next segment.
        for (next, size) in (recovered.last_batch + 1..).zip([8, 3_900]) {
            commit(&mut log, next, size).unwrap();
        }
        disk.cut_power();
        assert_eq!(open().1.last_batch, recovered.last_batch + 2, "seed {seed}");
    }
    assert!(torn > 10, "the end was torn {torn} times");
}

#[test]
fn batches_written_together_are_torn_together() {
    let dir = tempfile::tempdir().unwrap();
    two_groups(dir.path(), 4);
    let path = dir.path().join("00000000000000000001.log");
    let frame_size = crate::frame::size(8);
    let mut bytes = fs::read(&path).unwrap();
    // The power failed when the sectors of batch 2 were not yet on disk, but those of 3 and 4 were.
    bytes[56 + frame_size..56 + 2 * frame_size].fill(0);
    fs::write(&path, &bytes).unwrap();
    let (mut log, recovered) = FileLog::open(dir.path(), options()).unwrap();
    assert_eq!(recovered.last_batch, 1);
    assert_eq!(recovered.bytes_dropped, 3 * frame_size as u64);
    log.append(batch(2, 8)).unwrap();
    wait(&mut log).unwrap();
    log.close().unwrap();
    assert_eq!(inspect(dir.path()).unwrap().last_batch, 2);

    // Batch 1 was acknowledged before 2 was written.
    bytes[70] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let error = FileLog::open(dir.path(), options()).unwrap_err();
    assert!(matches!(error, OpenError::Corrupt { offset: 56, batch_number: 1, .. }), "{error}");
}

/// Loses power again and again while the threads are at work: whatever was polled is there
/// afterwards, the log opens, and goes on from there.
#[test]
fn no_loss_of_power_loses_what_was_polled() {
    for (seed, durability) in
        (1..=6).flat_map(|seed| [(seed, Durability::Fsync), (seed, Durability::Os)])
    {
        let mut random = disk::simulated::Random::new(seed);
        let dir = tempfile::tempdir().unwrap(); // For the lock; all else is on the simulated disk.
        let disk = disk::simulated::Disk::new(seed);
        let options = Options { durability, ..options() };
        let on_disk = Disk::new(Arc::new(disk.clone()));
        let (mut log, _) = FileLog::open_on(on_disk, dir.path(), options).unwrap();
        let (mut last, mut polled, mut cuts) = (0, 0, 0);
        // A writer that is ahead of its caller leaves little to cut off: go on for some cuts.
        while polled < 60 || cuts <= 20 {
            for _ in 0..random.below(6) {
                last += 1;
                let size = if random.one_in(20) { 5000 } else { random.below(700) as usize };
                log.append(batch(last, size)).unwrap();
            }
            while polled < last {
                // Now and then between any two of the operations that a commit is made of.
                if random.one_in(4) {
                    let what = format!("seed {seed}, {durability:?}, {polled} polled, cut {cuts}");
                    let is_safe = durability == Durability::Fsync;
                    goes_on(
                        disk.after_power_cut(),
                        dir.path(),
                        if is_safe { polled } else { 0 },
                        &what,
                    );
                    cuts += 1;
                }
                if let Some(committed) = log.poll().unwrap() {
                    polled = committed.batch_number;
                }
            }
            if random.one_in(5) {
                log.trim(polled / 2).unwrap();
            }
        }
        log.close().unwrap();
        goes_on(disk.after_power_cut(), dir.path(), last, "closed");
    }
}

fn goes_on(disk: disk::simulated::Disk, dir: &Path, polled: u64, what: &str) {
    let on_disk = Disk::new(Arc::new(disk.clone()));
    let (mut log, recovered) = simulated::FileLog::open(on_disk.clone(), dir, &options())
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(recovered.last_batch >= polled, "{what}: {recovered:?}");
    let mut reader = recovered.read_from(recovered.first_batch).unwrap();
    while let Some(frame) = reader.read().unwrap() {
        assert_eq!(frame.header.sequenced_ns, frame.header.batch_number, "{what}");
    }
    log.append(batch(recovered.last_batch + 1, 20)).unwrap();
    log.step();
    assert!(log.poll().unwrap().is_some(), "{what}");
    disk.cut_power();
    let again = crate::inspect_on(&on_disk, dir).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(again.last_batch, recovered.last_batch + 1, "{what}");
}
