//! The file log as its users see it: append, poll, stop, damage, open again.

mod damage;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use log::frame::{self, PAYLOAD_SIZE_MAX};
use log::{
    Batch, ChainHash, Committed, DataDirLock, Durability, FileLog, Log, LogError, MemoryLog,
    OpenError, Options, Recovered, Room, SEGMENT_SIZE_MIN, Start, inspect, inspect_from,
};
use proptest::prelude::*;

const SEGMENT_HEADER_SIZE: usize = 56;
/// Payloads end in a byte that is not zero, and frames have three bytes of padding.
const PAYLOAD_SIZE: usize = 21;
const FRAME_SIZE: usize = frame::size(PAYLOAD_SIZE);

/// How long a test waits before it takes a hang for a failure.
const PATIENCE: Duration = Duration::from_secs(20);

fn batch(number: u64) -> Batch {
    let payload = (0..PAYLOAD_SIZE).map(|at| (number as usize * 3 + at) as u8 | 1).collect();
    Batch { epoch: 1, sequenced_ns: 1000 + number, rules_version: 2, command_count: 1, payload }
}

fn options() -> Options {
    Options { segment_size: SEGMENT_SIZE_MIN, ..Options::default() }
}

fn wait(log: &mut FileLog) -> Committed {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(committed) = log.poll().expect("the log works") {
            return committed;
        }
        std::thread::sleep(Duration::from_micros(20));
    }
    panic!("nothing was committed");
}

/// Appends the batches up to `last`, each committed by itself.
fn append_to(log: &mut FileLog, last: u64) {
    loop {
        log.append(batch(0)).expect("appended");
        if wait(log).batch_number == last {
            return;
        }
    }
}

/// A log of that many numbered batches, closed again.
fn written(dir: &Path, range: std::ops::RangeInclusive<u64>) {
    let (mut log, recovered) = FileLog::open(dir, options()).expect("opens");
    assert_eq!(recovered.last_batch + 1, *range.start());
    for number in range {
        log.append(batch(number)).expect("appended");
        let committed = wait(&mut log);
        assert_eq!((committed.batch_number, committed.batch), (number, batch(number)));
    }
    log.close().expect("closes");
}

fn segment(dir: &Path, first_batch: u64) -> PathBuf {
    dir.join(format!("{first_batch:020}.log"))
}

fn segments(dir: &Path) -> Vec<u64> {
    let names = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut numbers: Vec<_> = names
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
        .map(|path| path.file_stem().and_then(|stem| stem.to_str()?.parse().ok()).expect("named"))
        .collect();
    numbers.sort_unstable();
    numbers
}

/// The files of a folder, to see that nothing was changed.
fn contents(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut contents: Vec<_> = paths
        .filter(|path| !path.ends_with("lock"))
        .map(|path| (path.clone(), fs::read(path).expect("a file")))
        .collect();
    contents.sort();
    contents
}

fn refused(dir: &Path) -> OpenError {
    refused_with(dir, options())
}

fn refused_with(dir: &Path, options: Options) -> OpenError {
    let before = contents(dir);
    let error = FileLog::open(dir, options).expect_err("refused");
    assert!(contents(dir) == before, "a log that is refused is left as it was");
    error
}

fn numbers(recovered: &Recovered, from: u64) -> Vec<u64> {
    let mut reader = recovered.read_from(from).expect("in the log");
    let mut numbers = Vec::new();
    while let Some(frame) = reader.read().expect("sound") {
        assert_eq!(frame.payload, batch(frame.header.batch_number).payload);
        assert_eq!(frame.header.sequenced_ns, 1000 + frame.header.batch_number);
        numbers.push(frame.header.batch_number);
    }
    assert_eq!(reader.previous_hash(), recovered.last_hash);
    numbers
}

#[test]
fn what_was_appended_is_polled_and_read_back_after_reopening() {
    for durability in [Durability::Fsync, Durability::Os] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().join("log");
        let options = || Options { durability, ..options() };
        let (mut log, recovered) = FileLog::open(&dir, options()).unwrap();
        assert_eq!((recovered.first_batch, recovered.last_batch), (1, 0));
        assert_eq!(recovered.last_hash, ChainHash::GENESIS);
        assert_eq!(numbers(&recovered, 1), []);
        let mut last_hash = ChainHash::GENESIS;
        for number in 1..=3 {
            log.append(batch(number)).unwrap();
            let committed = wait(&mut log);
            assert_eq!((committed.batch_number, &committed.batch), (number, &batch(number)));
            last_hash = committed.hash;
        }
        assert_eq!(log.poll().unwrap(), None);
        // Closing commits what has not been polled yet.
        log.append(batch(4)).unwrap();
        log.append(batch(5)).unwrap();
        log.close().unwrap();

        let (mut log, recovered) = FileLog::open(&dir, options()).unwrap();
        assert_eq!((recovered.first_batch, recovered.last_batch), (1, 5));
        assert_eq!(recovered.bytes_dropped, 0);
        assert_eq!(numbers(&recovered, 1), [1, 2, 3, 4, 5]);
        assert_eq!(numbers(&recovered, 4), [4, 5]);
        assert_eq!(recovered.read_from(4).unwrap().previous_hash(), last_hash);
        assert_eq!(numbers(&recovered, 6), []);
        log.append(batch(6)).unwrap();
        drop(log);
        assert_eq!(inspect(&dir).unwrap().last_batch, 6);
    }
}

#[test]
fn a_log_in_memory_is_a_log() {
    let mut log = MemoryLog::new(Start { last_batch: 4, ..Start::default() }, 2);
    log.append(batch(5)).unwrap();
    log.append(batch(6)).unwrap();
    assert!(matches!(log.append(batch(7)), Err(LogError::Busy { in_flight: 2 })));
    let first = log.poll().unwrap().unwrap();
    let second = log.poll().unwrap().unwrap();
    assert_eq!((first.batch_number, &first.batch), (5, &batch(5)));
    assert_eq!((second.batch_number, &second.batch), (6, &batch(6)));
    assert_ne!(first.hash, second.hash);
    assert_eq!(log.poll().unwrap(), None);
    assert_eq!(log.room(), Room::Enough);
    log.trim(2).unwrap();
    let large = Batch { payload: vec![7; PAYLOAD_SIZE_MAX + 1], ..batch(7) };
    assert!(matches!(log.append(large), Err(LogError::TooLarge { .. })));
}

#[test]
fn the_buffer_that_was_appended_is_the_one_that_is_polled() {
    let dir = tempfile::tempdir().unwrap();
    let (mut log, _) = FileLog::open(dir.path(), options()).unwrap();
    let batch = batch(1);
    let buffer = batch.payload.as_ptr();
    log.append(batch).unwrap();
    assert_eq!(wait(&mut log).batch.payload.as_ptr(), buffer);
}

#[test]
fn on_commit_is_called_for_each_commit() {
    let dir = tempfile::tempdir().unwrap();
    let (sender, woken) = channel();
    let on_commit = Arc::new(move || sender.send(()).unwrap_or_default());
    let options = Options { on_commit, ..options() };
    assert!(format!("{options:?}").contains("Fsync"));
    let (mut log, _) = FileLog::open(dir.path(), options).unwrap();
    for number in 1..=5 {
        log.append(batch(number)).unwrap();
        woken.recv_timeout(PATIENCE).unwrap();
        assert_eq!(log.poll().unwrap().unwrap().batch_number, number);
    }
}

#[test]
fn no_more_is_taken_than_may_be_in_flight() {
    let dir = tempfile::tempdir().unwrap();
    let (mut log, _) =
        FileLog::open(dir.path(), Options { in_flight_max: 3, ..options() }).unwrap();
    (1..=3).for_each(|number| log.append(batch(number)).unwrap());
    assert!(!log.ready());
    let error = log.append(batch(4)).unwrap_err();
    assert!(error.to_string().contains("3 batches are under way"), "{error}");
    wait(&mut log);
    assert!(log.ready());
    log.append(batch(4)).unwrap();
}

#[test]
fn a_payload_may_be_as_large_as_the_limit_and_no_larger() {
    let dir = tempfile::tempdir().unwrap();
    let (mut log, _) = FileLog::open(dir.path(), options()).unwrap();
    let large = Batch { payload: vec![7; PAYLOAD_SIZE_MAX + 1], ..batch(1) };
    let error = log.append(large).unwrap_err();
    assert!(matches!(error, LogError::TooLarge { .. }));
    assert!(error.to_string().contains("16777217"), "{error}");
    // Larger than a segment, too: it gets one of its own.
    let largest = Batch { payload: vec![7; PAYLOAD_SIZE_MAX], ..batch(1) };
    for batch in [batch(1), largest.clone(), batch(3)] {
        log.append(batch.clone()).unwrap();
        assert_eq!(wait(&mut log).batch, batch);
    }
    log.close().unwrap();
    assert_eq!(segments(dir.path()), [1, 2, 3]);
    let recovered = inspect(dir.path()).unwrap();
    let mut reader = recovered.read_from(2).unwrap();
    assert_eq!(reader.read().unwrap().unwrap().payload, largest.payload);
    assert_eq!(reader.read().unwrap().unwrap().payload, batch(3).payload);
    assert!(reader.read().unwrap().is_none());
}

#[test]
fn segments_follow_each_other_and_are_filled_to_their_size() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let per_segment = (SEGMENT_SIZE_MIN as usize - SEGMENT_HEADER_SIZE) / FRAME_SIZE;
    let last = 7 * per_segment as u64 + 3;
    written(dir, 1..=100);
    written(dir, 101..=last);
    let firsts: Vec<_> = (0..=7).map(|index| index * per_segment as u64 + 1).collect();
    assert_eq!(segments(dir), firsts);
    for first in &firsts {
        assert_eq!(fs::metadata(segment(dir, *first)).unwrap().len(), SEGMENT_SIZE_MIN);
    }
    let recovered = inspect(dir).unwrap();
    assert_eq!((recovered.first_batch, recovered.last_batch), (1, last));
    for from in [1, firsts[1] - 1, firsts[1], firsts[1] + 1, last, last + 1] {
        assert_eq!(numbers(&recovered, from), (from..=last).collect::<Vec<_>>());
    }
}

#[test]
fn a_trimmed_log_starts_later_and_still_knows_its_chain() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    written(dir, 1..=150);
    let all = segments(dir);
    let before = inspect(dir).unwrap();
    let hash = before.read_from(all[2]).unwrap().previous_hash();
    let (mut log, _) = FileLog::open(dir, options()).unwrap();
    log.trim(all[2] + 1).unwrap();
    log.append(batch(151)).unwrap();
    wait(&mut log);
    log.trim(2).unwrap();
    log.close().unwrap();
    assert_eq!(segments(dir), all[2..]);
    let recovered = inspect(dir).unwrap();
    assert_eq!((recovered.first_batch, recovered.last_batch), (all[2], 151));
    assert_eq!(recovered.read_from(all[2]).unwrap().previous_hash(), hash);
    for wanted in [1, all[2] - 1, 153] {
        let error = recovered.read_from(wanted).unwrap_err();
        assert!(matches!(error, OpenError::NotInLog { last_batch: 151, .. }));
        assert!(error.to_string().contains(&format!("batch {wanted} is wanted")), "{error}");
    }
    // What is being written stays, whatever is asked.
    let (mut log, _) = FileLog::open(dir, options()).unwrap();
    log.trim(u64::MAX).unwrap();
    log.close().unwrap();
    assert_eq!(segments(dir).len(), 1);
    assert_eq!(inspect(dir).unwrap().last_batch, 151);
}

#[test]
fn a_reader_of_the_end_does_not_read_older_segments() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    written(dir, 1..=150);
    let all = segments(dir);
    assert!(all.len() > 3, "{all:?}");
    fs::write(segment(dir, all[0]), b"damaged").unwrap();
    inspect(dir).unwrap_err();
    for from in [all[2], all[2] + 1, all[3] - 1, 150, 151] {
        let recovered = inspect_from(dir, from).unwrap();
        let held = all.iter().copied().filter(|first| *first <= from).max();
        assert_eq!((Some(recovered.first_batch), recovered.last_batch), (held, 150));
        assert_eq!(numbers(&recovered, from), (from..=150).collect::<Vec<_>>());
    }
    // What a reader does meet is checked then.
    let from = all[1] - 1;
    inspect_from(dir, from).unwrap().read_from(from).unwrap_err();
    let read_over = |from| {
        let recovered = inspect_from(dir, from).unwrap();
        let mut reader = recovered.read_from(from).unwrap();
        while reader.read()?.is_some() {}
        Ok::<_, OpenError>(())
    };
    read_over(all[1]).unwrap();
    let sound = fs::read(segment(dir, all[2])).unwrap();
    let mut damaged = sound.clone();
    damaged[sound.len() / 2] ^= 1;
    fs::write(segment(dir, all[2]), damaged).unwrap();
    assert!(matches!(read_over(all[1]), Err(OpenError::Corrupt { .. })));
    fs::remove_file(segment(dir, all[2])).unwrap();
    assert!(matches!(read_over(all[1]), Err(OpenError::Corrupt { .. })));
}

#[test]
fn a_log_may_begin_behind_a_snapshot() {
    let start = Start { last_batch: 41, last_hash: ChainHash([5; 16]) };
    let dir = tempfile::tempdir().unwrap();
    let options = || Options { start, ..options() };
    let (mut log, recovered) = FileLog::open(dir.path(), options()).unwrap();
    assert_eq!((recovered.first_batch, recovered.last_batch), (42, 41));
    assert_eq!(recovered.read_from(42).unwrap().previous_hash(), start.last_hash);
    log.append(batch(42)).unwrap();
    assert_eq!(wait(&mut log).batch_number, 42);
    log.close().unwrap();
    let (_log, recovered) = FileLog::open(dir.path(), options()).unwrap();
    assert_eq!((recovered.first_batch, recovered.last_batch), (42, 42));
    assert_eq!(recovered.read_from(42).unwrap().previous_hash(), start.last_hash);
}

#[test]
fn a_log_has_one_writer_and_any_readers() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let (mut log, _) = FileLog::open(dir, options()).unwrap();
    log.append(batch(1)).unwrap();
    wait(&mut log);
    let error = FileLog::open(dir, options()).unwrap_err();
    assert!(matches!(error, OpenError::Locked(_)));
    assert!(error.to_string().contains("in use by process"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
    assert_eq!(inspect(dir).unwrap().last_batch, 1);
    drop(log);
    drop(DataDirLock::acquire(dir).unwrap());
    FileLog::open(dir, options()).unwrap();
}

#[test]
fn settings_and_folders_that_will_not_do_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let small = Options { segment_size: SEGMENT_SIZE_MIN - 1, ..Options::default() };
    let error = FileLog::open(dir.path(), small).unwrap_err();
    assert!(error.to_string().contains("set at least 4096"), "{error}");
    assert!(std::error::Error::source(&error).is_none());
    let error = inspect(&dir.path().join("nowhere")).unwrap_err();
    assert!(matches!(error, OpenError::Disk(_)));
    assert!(error.to_string().contains("nowhere"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn a_reader_notices_what_changes_under_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    written(dir, 1..=80);
    let recovered = inspect(dir).unwrap();
    let path = segment(dir, 1);
    let mut bytes = fs::read(&path).unwrap();
    bytes[SEGMENT_HEADER_SIZE + FRAME_SIZE + 90] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let mut reader = recovered.read_from(1).unwrap();
    reader.read().unwrap().unwrap();
    let error = reader.read().unwrap_err();
    assert!(matches!(error, OpenError::Corrupt { batch_number: 2, .. }), "{error}");

    bytes.copy_within(
        SEGMENT_HEADER_SIZE..SEGMENT_HEADER_SIZE + FRAME_SIZE,
        SEGMENT_HEADER_SIZE + FRAME_SIZE,
    );
    fs::write(&path, &bytes).unwrap();
    let error = recovered.read_from(3).unwrap_err();
    assert!(error.to_string().contains("has changed since"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is appended, in whatever groups and over whatever restarts, is read back in order.
    #[test]
    fn random_batches_are_read_back(
        runs in prop::collection::vec(
            prop::collection::vec((any::<u64>(), any::<u16>(), 0usize..1500), 0..40), 1..4),
        segment_size in SEGMENT_SIZE_MIN..20_000,
        in_flight_max in 1usize..20,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let options = || Options {
            durability: Durability::Os, segment_size, in_flight_max, ..Options::default()
        };
        let mut model = Vec::new();
        for run in runs {
            let (mut log, recovered) = FileLog::open(dir.path(), options()).unwrap();
            prop_assert_eq!(recovered.last_batch, model.len() as u64);
            let mut polled = model.len();
            for (word, rules_version, size) in run {
                let batch = Batch {
                    epoch: word,
                    sequenced_ns: !word,
                    rules_version,
                    command_count: size as u32,
                    payload: vec![word as u8; size],
                };
                while !log.ready() {
                    prop_assert_eq!(&wait(&mut log).batch, &model[polled]);
                    polled += 1;
                }
                model.push(batch.clone());
                log.append(batch).unwrap();
            }
            log.close().unwrap();
        }
        let recovered = inspect(dir.path()).unwrap();
        let mut reader = recovered.read_from(1).unwrap();
        for expected in &model {
            let frame = reader.read().unwrap().unwrap();
            prop_assert_eq!(frame.payload, &expected.payload[..]);
            prop_assert_eq!(frame.header.epoch, expected.epoch);
            prop_assert_eq!(frame.header.sequenced_ns, expected.sequenced_ns);
            prop_assert_eq!(frame.header.rules_version, expected.rules_version);
            prop_assert_eq!(frame.header.command_count, expected.command_count);
        }
        prop_assert!(reader.read().unwrap().is_none());
        prop_assert_eq!(recovered.bytes_dropped, 0);
    }
}

#[test]
fn a_log_that_is_being_written_and_trimmed_is_inspected_as_sound() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let options = Options { segment_size: 64 << 10, ..options() };
    let (mut log, _) = FileLog::open(dir, options).unwrap();
    let written = std::sync::atomic::AtomicU64::new(0);
    const LAST: u64 = 40_000;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=LAST {
                while !log.ready() {
                    written
                        .store(wait(&mut log).batch_number, std::sync::atomic::Ordering::Release);
                }
                log.append(batch(number)).unwrap();
                log.trim(number.saturating_sub(5_000)).unwrap();
            }
        });
        let mut seen = 0;
        while seen < LAST / 2 {
            let known = written.load(std::sync::atomic::Ordering::Acquire);
            let recovered = inspect(dir).unwrap();
            assert!(recovered.last_batch >= known, "batch {known} was committed before the look");
            let end = recovered.files().last().unwrap().end;
            assert!(end.is_some_and(|end| end >= SEGMENT_HEADER_SIZE as u64));
            seen = recovered.last_batch;
        }
    });
}
