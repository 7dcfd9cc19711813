//! Snapshots of a venue that goes on meanwhile, what they let go of the log, and the replica.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use log::snapshot::{self, Snapshot};
use testing::settings;
use types::{Command, Entry, Reader, StateHash};
use venue::{Handle, LogRetention, OpenError, Opened, ReplicaStatus, Settings};

use super::{knowledge, newest_snapshot, set_up, start, trade};

/// The smallest there are, so that few orders fill some.
fn short_segments(dir: &Path) -> Settings {
    Settings { log_segment_size: 4 << 10, ..settings(dir) }
}

fn figure(handle: &Handle, name: &str) -> u64 {
    let text = handle.metrics().text();
    let prefix = format!("buttonwood_{name} ");
    let line = text.lines().find_map(|line| line.strip_prefix(&prefix));
    line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < Duration::from_secs(20), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Takes a snapshot and waits until its hash is in the log; the sequence that it is of.
fn take_snapshot(handle: &Handle) -> u64 {
    let before = figure(handle, "snapshot_sequence");
    handle.take_snapshot().unwrap();
    wait_until("a snapshot is written", || figure(handle, "snapshot_sequence") > before);
    let taken = figure(handle, "snapshot_sequence");
    wait_until("its hash is entered", || figure(handle, "applied_sequence") > taken);
    taken
}

/// The hashes that the log says of states, by sequence.
fn claims(dir: &Path) -> BTreeMap<u64, StateHash> {
    let recovered = log::inspect(&dir.join("log")).unwrap();
    let mut reader = recovered.read_from(recovered.first_batch).unwrap();
    let mut claims = BTreeMap::new();
    while let Some(frame) = reader.read().unwrap() {
        let mut r = Reader(frame.payload);
        while !r.is_empty() {
            let entry: Entry = r.read().unwrap();
            if let Command::StateHash(claim) = entry.command {
                claims.insert(claim.sequence, claim);
            }
        }
    }
    claims
}

fn snapshots(dir: &Path) -> Vec<Snapshot> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(dir.join("snapshots")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort_unstable();
    paths.iter().map(|path| snapshot::load(path).unwrap()).collect()
}

fn damage(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(file, bytes).unwrap();
}

#[test]
fn a_snapshot_is_of_one_moment_though_orders_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let running = start(settings(dir.path()));
    let handle = running.handle();
    set_up(&handle);
    trade(&handle, 0..300);
    handle.take_snapshot().unwrap();
    let mut number = 300;
    while figure(&handle, "snapshot_sequence") == 0 {
        trade(&handle, number..number + 1);
        number += 1;
    }
    take_snapshot(&handle);
    trade(&handle, number..number + 50);

    let claims = claims(dir.path());
    for snapshot in snapshots(dir.path()) {
        let claim = claims[&snapshot.sequence];
        assert_eq!(claim.state_hash, snapshot.state_hash);
        assert_eq!(claim.event_hash[..], *snapshot.section("event_hash").unwrap());
    }
    running.stop().unwrap();

    let with_snapshots = knowledge(dir.path());
    damage(&newest_snapshot(dir.path())); // Of the stop: the one before was taken in flight.
    assert!(knowledge(dir.path()) == with_snapshots);
    fs::remove_dir_all(dir.path().join("snapshots")).unwrap();
    assert!(knowledge(dir.path()) == with_snapshots);
}

#[test]
fn an_idle_venue_does_not_take_one_snapshot_after_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let running = start(Settings { snapshot_every: 1, ..settings(dir.path()) });
    let handle = running.handle();
    set_up(&handle);
    wait_until("a snapshot is written", || figure(&handle, "snapshot_sequence") > 0);
    for _ in 0..300 {
        // A question is no command, yet has the engine look at what is due.
        handle.read(|_| ()).unwrap().blocking_recv().unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    running.stop().unwrap();

    let claims: Vec<u64> = claims(dir.path()).into_keys().collect();
    // Each is of the entry that asked for it; the claim itself is entered behind that.
    let needless = claims.windows(2).filter(|pair| pair[1] == pair[0] + 2).count();
    assert_eq!(needless, 0, "{claims:?}: two without a command between");
}

#[test]
fn the_log_before_the_older_snapshot_may_go() {
    let dir = tempfile::tempdir().unwrap();
    let running =
        start(Settings { log_retention: LogRetention::Delete, ..short_segments(dir.path()) });
    let handle = running.handle();
    set_up(&handle);
    for round in 0..4 {
        trade(&handle, round * 200..round * 200 + 200);
        take_snapshot(&handle);
    }
    trade(&handle, 800..900);
    running.stop().unwrap();
    let recovered = log::inspect(&dir.path().join("log")).unwrap();
    let older = snapshots(dir.path())[0].batch_number;
    assert!((2..=older + 1).contains(&recovered.first_batch), "{} {older}", recovered.first_batch);

    let before = knowledge(dir.path());
    damage(&newest_snapshot(dir.path()));
    assert!(knowledge(dir.path()) == before, "the older one and the log still lead there");

    // It goes on, and what was damaged takes the place of no sound one.
    let running =
        start(Settings { log_retention: LogRetention::Delete, ..short_segments(dir.path()) });
    trade(&running.handle(), 900..1_100);
    take_snapshot(&running.handle());
    running.stop().unwrap();
    let before = knowledge(dir.path());
    damage(&newest_snapshot(dir.path()));
    assert!(knowledge(dir.path()) == before);

    fs::remove_dir_all(dir.path().join("snapshots")).unwrap();
    let error = Opened::open(settings(dir.path())).unwrap_err();
    assert!(matches!(error, OpenError::SnapshotMissing { .. }), "{error}");
}

#[test]
fn the_archive_and_the_log_are_the_whole_log() {
    let dir = tempfile::tempdir().unwrap();
    let archive = dir.path().join("archive");
    let data = dir.path().join("data");
    let log_retention = LogRetention::Archive(archive.clone());
    let running = start(Settings { log_retention, ..short_segments(&data) });
    let handle = running.handle();
    set_up(&handle);
    for round in 0..3 {
        trade(&handle, round * 200..round * 200 + 200);
        take_snapshot(&handle);
    }
    trade(&handle, 600..700);
    running.stop().unwrap();
    let before = knowledge(&data);

    assert!(log::inspect(&data.join("log")).unwrap().first_batch > 1);
    for entry in fs::read_dir(&archive).unwrap() {
        let file = entry.unwrap();
        fs::rename(file.path(), data.join("log").join(file.file_name())).unwrap();
    }
    assert_eq!(log::inspect(&data.join("log")).unwrap().first_batch, 1);
    fs::remove_dir_all(data.join("snapshots")).unwrap();
    fs::remove_dir_all(data.join("spool")).unwrap();
    assert!(knowledge(&data) == before);
}

#[test]
fn an_archive_on_another_disk_is_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let log_retention = LogRetention::Archive("/proc/archive".into());
    let error = Opened::open(Settings { log_retention, ..settings(&data) }).unwrap_err();
    assert!(error.to_string().contains("/proc"), "{error}");
    assert!(!data.join("log").exists());
}

#[test]
fn a_snapshot_that_cannot_be_written_stops_no_order() {
    let dir = tempfile::tempdir().unwrap();
    let running = start(settings(dir.path()));
    let handle = running.handle();
    set_up(&handle);
    let folder = dir.path().join("snapshots");
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "in the way").unwrap();
    handle.take_snapshot().unwrap();
    wait_until("it fails", || figure(&handle, "snapshot_failures_total") == 1);
    trade(&handle, 0..20);
    fs::remove_file(&folder).unwrap();
    take_snapshot(&handle);
    running.stop().unwrap();
    assert_eq!(claims(dir.path()).len(), 2, "the hash was found all the same");
}

#[test]
fn a_replica_comes_to_the_same_state_and_gives_the_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    for numbers in [0..300, 300..600] {
        let is_first = numbers.start == 0;
        let running = start(Settings { replica: true, ..settings(dir.path()) });
        let handle = running.handle();
        if is_first {
            set_up(&handle);
        }
        trade(&handle, numbers);
        let taken = take_snapshot(&handle);
        take_snapshot(&handle);
        wait_until("the replica has followed", || figure(&handle, "replica_lag_batches") == 0);
        assert_eq!(handle.metrics().replica_status(), ReplicaStatus::InStep);
        assert!(snapshots(dir.path()).iter().any(|snapshot| snapshot.sequence == taken));
        running.stop().unwrap();
    }
    let before = knowledge(dir.path());
    fs::remove_dir_all(dir.path().join("snapshots")).unwrap();
    assert!(knowledge(dir.path()) == before);
}

#[test]
fn a_replica_that_differs_raises_the_alarm_and_the_venue_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let running =
        start(Settings { replica: true, replica_errs_at: Some(100), ..settings(dir.path()) });
    let handle = running.handle();
    set_up(&handle);
    trade(&handle, 0..40);
    take_snapshot(&handle);
    assert_eq!(figure(&handle, "replica_alarm"), 0, "nothing is wrong yet");
    trade(&handle, 40..300);
    handle.take_snapshot().unwrap();
    wait_until("the alarm is raised", || figure(&handle, "replica_alarm") == 1);
    assert_eq!(handle.metrics().replica_status(), ReplicaStatus::Differs);
    assert_eq!(figure(&handle, "snapshot_failures_total"), 1, "neither state is kept");

    trade(&handle, 300..320);
    take_snapshot(&handle); // The primary's alone.
    running.stop().unwrap();
    knowledge(dir.path());
}
