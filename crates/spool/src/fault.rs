//! Tests of the spool on a disk that is full, or fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use disk::Disk;
use disk::failing::Operation;

use super::*;
use crate::retention::MARK;
use crate::segment::{DOUBT, index_path};
use crate::tests::{SMALL, Story, WIDE, check, files, start, start_on, write};

/// A disk on which others take room, too.
#[derive(Debug, Default)]
struct Room {
    dir: Mutex<PathBuf>,
    left: AtomicU64,
    is_full: AtomicBool,
    /// How a full disk fails; usually that it is full.
    kind: Mutex<Option<io::ErrorKind>>,
}

/// The bytes that the spool may take up; `is_full` leaves it none.
fn limited(dir: &Path, bytes: u64) -> (Disk, Arc<Room>) {
    let room = Arc::new(Room::default());
    *room.dir.lock().unwrap() = dir.into();
    room.left.store(bytes, Ordering::SeqCst);
    let watched = Arc::clone(&room);
    let watch = move |seen: Operation<'_>| watched.see(seen);
    (Disk::watched_by(watch), room)
}

impl Room {
    fn see(&self, seen: Operation<'_>) -> io::Result<()> {
        let kind = self.kind.lock().unwrap().unwrap_or(io::ErrorKind::StorageFull);
        let full = || Err(kind.into());
        match seen {
            Operation::Create { .. } if self.is_full.load(Ordering::SeqCst) => full(),
            Operation::Write { file, offset, bytes } => {
                let used = files(&self.dir.lock().unwrap())
                    .iter()
                    .map(|file| fs::metadata(file).unwrap().len())
                    .sum::<u64>();
                let has_room = used + bytes.len() as u64 <= self.left.load(Ordering::SeqCst);
                if has_room && !self.is_full.load(Ordering::SeqCst) {
                    return Ok(());
                }
                // Such a write may leave some of it behind.
                let file = fs::File::options().write(true).open(file)?;
                std::os::unix::fs::FileExt::write_all_at(&file, &bytes[..bytes.len() / 2], offset)?;
                full()
            }
            _ => Ok(()),
        }
    }
}

/// Fails every operation of one kind, once it is switched on.
fn failing(kind: io::ErrorKind, operation: &'static str) -> (Disk, Arc<AtomicBool>) {
    let armed = Arc::new(AtomicBool::new(false));
    let is_armed = Arc::clone(&armed);
    let watch = move |seen: Operation<'_>| {
        let fails = is_armed.load(Ordering::SeqCst) && format!("{seen:?}").starts_with(operation);
        if fails { Err(kind.into()) } else { Ok(()) }
    };
    (Disk::watched_by(watch), armed)
}

/// What readers get of a story of which commands `lost` could not be kept, and are reported.
fn check_with_hole(spool: &Spool, story: &Story, lost: Range<u64>) {
    let reader = spool.reader();
    let first = spool.first_sequence();
    let before = reader.read_from(first, 10_000).unwrap();
    assert_eq!(before, story.applied[first as usize - 1..lost.start as usize - 1]);
    for from in [lost.start, lost.end - 1] {
        let gone = reader.read_from(from, 10).unwrap_err();
        assert!(matches!(gone, SpoolError::Gone { first } if first == lost.end), "{gone}");
    }
    let after = reader.read_from(lost.end, 10_000).unwrap();
    assert_eq!(after, story.applied[lost.end as usize - 1..]);
}

/// What readers get while `waiting` cannot be stored: all before it, and nothing yet of what comes
/// then.
fn check_waiting(spool: &Spool, story: &Story, waiting: Range<u64>) {
    assert!(spool.is_waiting());
    assert_eq!((spool.first_sequence(), spool.last_sequence()), (1, waiting.end - 1));
    let reader = spool.reader();
    let stored = reader.read_from(1, 10_000).unwrap();
    assert_eq!(stored, story.applied[..waiting.start as usize - 1]);
    assert_eq!(reader.read_from(waiting.start, 10).unwrap(), []);
    assert_eq!(spool.event_hash(), story.hash_before(waiting.end), "the hash goes on");
}

#[test]
fn a_full_disk_costs_nothing_and_what_comes_waits_until_there_is_room() {
    for (pause, go_on) in [(1, 2), (7, 30), (30, 31), (200, 260)] {
        for flushes_first in [false, true] {
            let dir = tempfile::tempdir().unwrap();
            let (disk, room) = limited(dir.path(), u64::MAX);
            let story = Story::of(300);
            let mut spool = start_on(disk, dir.path(), WIDE, &Story::of(0), 0);
            write(&mut spool, &story.applied[..pause]);
            room.is_full.store(true, Ordering::SeqCst);
            write(&mut spool, &story.applied[pause..go_on]);
            check_waiting(&spool, &story, pause as u64 + 1..go_on as u64 + 1);
            assert!(!spool.take_unsynced().is_whole(), "the log must not be trimmed");
            room.is_full.store(false, Ordering::SeqCst);
            if flushes_first {
                spool.flush();
                assert!(!spool.is_waiting(), "without anything new");
            }
            write(&mut spool, &story.applied[go_on..]);
            assert!(!spool.is_waiting() && spool.take_unsynced().is_whole());
            check(&spool, &story, 1);
            drop(spool);
            check(&start(dir.path(), WIDE, &story, 300), &story, 1);
        }
    }
}

/// It keeps all of a long story.
const ROOMY: Retention = Retention { max_bytes: 256 << 10, max_age_ns: None };

#[test]
fn on_a_disk_without_much_room_nothing_is_kept_for_a_reader_that_is_behind() {
    let dir = tempfile::tempdir().unwrap();
    let story = Story::of(2_000);
    let mut spool = start(dir.path(), SMALL, &Story::of(0), 0);
    spool.free_min = u64::MAX;
    let bookmark = spool.reader().bookmark();
    write(&mut spool, &story.applied);
    assert!(spool.first_sequence() > 1_000, "the usual limit holds");
    check(&spool, &story, spool.first_sequence());
    drop(bookmark);
}

/// As much is kept as without it.
#[test]
fn a_full_disk_gets_the_room_of_what_is_kept_for_a_reader_that_is_behind() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, _) = limited(dir.path(), 2 * SMALL.max_bytes);
    let story = Story::of(4_000);
    let mut spool = start_on(disk, dir.path(), SMALL, &Story::of(0), 0);
    let bookmark = spool.reader().bookmark();
    write(&mut spool, &story.applied);
    spool.flush();
    assert!(!spool.is_waiting() && spool.lost_from.is_none());
    check(&spool, &story, spool.first_sequence());
    drop(bookmark);
}

#[test]
fn what_is_cut_off_while_it_waits_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, _) = limited(dir.path(), 12 << 10);
    let story = Story::of(1_000);
    let mut spool = start_on(disk, dir.path(), ROOMY, &Story::of(0), 0);
    write(&mut spool, &story.applied);
    let stored = spool.reader().read_from(1, 10_000).unwrap().len() as u64;
    assert!((50..950).contains(&stored), "{stored}");
    check_waiting(&spool, &story, stored + 1..1_001);
    drop(spool);
    for replayed in [990, stored - 1] {
        let spool = start(dir.path(), ROOMY, &story, replayed);
        check(&spool, &story, 1);
    }
}

#[test]
fn what_is_too_much_to_wait_is_a_hole_until_the_next_start() {
    for operation in ["Create", "Write"] {
        for waiting_max in [0, 1_000] {
            let dir = tempfile::tempdir().unwrap();
            let (disk, armed) = failing(io::ErrorKind::Other, operation);
            let story = Story::of(200);
            let mut spool = start_on(disk, dir.path(), WIDE, &Story::of(0), 0);
            spool.waiting.max = waiting_max;
            write(&mut spool, &story.applied[..60]);
            armed.store(true, Ordering::SeqCst);
            write(&mut spool, &story.applied[60..100]);
            let lost_from = spool.lost_from.expect("it is too much");
            let gone = spool.reader().read_from(lost_from, 10).unwrap_err();
            assert!(
                matches!(gone, SpoolError::Gone { first: 101 }),
                "names what is yet to come: {gone}"
            );
            armed.store(false, Ordering::SeqCst);
            write(&mut spool, &story.applied[100..]);
            assert_eq!(spool.first_sequence(), 1);
            check_with_hole(&spool, &story, lost_from..101);
            assert!(!spool.take_unsynced().is_whole(), "only the log can fill it");
            drop(spool);
            let mut spool = start(dir.path(), WIDE, &story, 200);
            check(&spool, &story, 1);
            assert!(spool.take_unsynced().is_whole());
        }
    }
}

#[test]
fn a_spool_whose_sync_failed_does_not_stand_in_for_the_log() {
    ["Sync ", "WriteBack"].into_iter().for_each(fails_to_be_synced);
}

fn fails_to_be_synced(operation: &'static str) {
    let dir = tempfile::tempdir().unwrap();
    let (disk, armed) = failing(io::ErrorKind::Other, operation);
    let story = Story::of(20);
    let mut spool = start_on(disk, dir.path(), WIDE, &Story::of(0), 0);
    write(&mut spool, &story.applied);
    armed.store(true, Ordering::SeqCst);
    let unsynced = spool.take_unsynced();
    assert!(unsynced.is_whole() && unsynced.sync().is_err() && !unsynced.is_whole());
    armed.store(false, Ordering::SeqCst);
    let again = spool.take_unsynced();
    assert!(again.sync().is_ok() && !again.is_whole(), "the system has forgotten what it lost");
    drop(spool);
    for is_writable in [false, true] {
        let (disk, armed) = failing(io::ErrorKind::Other, "Write");
        armed.store(!is_writable, Ordering::SeqCst);
        let mut spool = start_on(disk, dir.path(), WIDE, &story, 20);
        check(&spool, &story, 1);
        assert_eq!(spool.take_unsynced().is_whole(), is_writable, "it is to be written once more");
        assert_eq!(doubts(dir.path()).is_empty(), is_writable);
    }
}

/// The note outlives the process: else the next one would take names for durable that no sync has
/// written.
#[test]
fn a_failed_sync_of_the_folder_is_remembered_until_each_file_has_its_name_anew() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, armed) = failing(io::ErrorKind::Other, "SyncDir");
    let story = Story::of(60);
    let mut spool = start_on(disk, dir.path(), SMALL, &Story::of(0), 0);
    write(&mut spool, &story.applied[..40]);
    armed.store(true, Ordering::SeqCst);
    let unsynced = spool.take_unsynced();
    assert!(unsynced.is_whole() && unsynced.sync().is_err() && !unsynced.is_whole());
    armed.store(false, Ordering::SeqCst);
    write(&mut spool, &story.applied[40..]);
    let later = spool.take_unsynced();
    assert!(later.sync().is_ok() && !later.is_whole(), "the system has forgotten what it lost");
    drop(spool);
    for is_writable in [false, true] {
        let (disk, armed) = failing(io::ErrorKind::Other, "Rename");
        armed.store(!is_writable, Ordering::SeqCst);
        let mut spool = start_on(disk, dir.path(), SMALL, &story, 60);
        check(&spool, &story, 1);
        assert_eq!(spool.take_unsynced().is_whole(), is_writable, "each is to be named once more");
        assert_eq!(doubts(dir.path()).is_empty(), is_writable);
        let unfinished = |file: &PathBuf| file.extension() == Some("unfinished".as_ref());
        if is_writable {
            assert!(!files(dir.path()).iter().any(unfinished));
        }
    }
}

/// The files of which a sync has failed, by their note of it.
fn doubts(dir: &Path) -> Vec<PathBuf> {
    let mut doubts = files(dir);
    doubts.retain(|file| file.extension() == Some(DOUBT.as_ref()));
    doubts
}

/// What each file holds.
fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    files(dir).into_iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect()
}

#[test]
fn what_a_failed_sync_was_of_is_written_once_more_to_the_last_byte() {
    let dir = tempfile::tempdir().unwrap();
    let story = Story::of(60);
    let (disk, armed) = failing(io::ErrorKind::Other, "Sync");
    let mut spool = start_on(disk, dir.path(), SMALL, &story, 0);
    armed.store(true, Ordering::SeqCst);
    spool.take_unsynced().sync().unwrap_err();
    drop(spool);
    let doubts = doubts(dir.path());
    assert_eq!(doubts.len(), 1, "the others are not known to be lost");

    let (is_written, synced) = (Arc::new(Mutex::new(BTreeMap::new())), Arc::default());
    let (written, seen): (_, Arc<Mutex<BTreeSet<PathBuf>>>) =
        (Arc::clone(&is_written), Arc::clone(&synced));
    let watch = move |operation: Operation<'_>| {
        match operation {
            Operation::Write { file, offset: 0, bytes } => {
                written.lock().unwrap().insert(file.to_path_buf(), bytes.to_vec());
            }
            Operation::Sync { file } => _ = seen.lock().unwrap().insert(file.to_path_buf()),
            _ => {}
        }
        Ok(())
    };
    let before = contents(dir.path());
    let disk = Disk::watched_by(watch);
    let mut spool = start_on(disk, dir.path(), SMALL, &story, 60);
    spool.take_unsynced().sync().unwrap();
    for extension in ["spool", "index"] {
        let file = doubts[0].with_extension(extension);
        assert_eq!(is_written.lock().unwrap().get(&file), before.get(&file), "{extension}");
        assert!(synced.lock().unwrap().contains(&file) && !doubts[0].exists());
    }
}

#[test]
fn what_cannot_be_deleted_stays_and_nothing_stops() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, armed) = failing(io::ErrorKind::PermissionDenied, "Remove");
    let story = Story::of(1_500);
    let mut spool = start_on(disk, dir.path(), SMALL, &Story::of(0), 0);
    armed.store(true, Ordering::SeqCst);
    write(&mut spool, &story.applied);
    let first = spool.first_sequence();
    assert!(first > 100);
    drop(spool);
    check(&start(dir.path(), SMALL, &story, 1_490), &story, first);
    let size: u64 = files(dir.path()).iter().map(|file| fs::metadata(file).unwrap().len()).sum();
    assert!(size <= SMALL.max_bytes, "the next start has deleted it: {size}");
}

#[test]
fn a_disk_that_fails_while_events_are_made_anew_stops_no_start() {
    let story = Story::of(60);
    for operation in ["Create", "Write", "Rename"] {
        let dir = tempfile::tempdir().unwrap();
        let (disk, armed) = failing(io::ErrorKind::StorageFull, operation);
        armed.store(true, Ordering::SeqCst);
        let spool = start_on(disk, dir.path(), SMALL, &story, 60);
        if operation != "Rename" {
            let gone = spool.reader().read_from(1, 10).unwrap_err();
            assert!(matches!(gone, SpoolError::Gone { first: 61 }), "{gone}");
        }
        drop(spool);
        check(&start(dir.path(), SMALL, &story, 60), &story, 1);
    }
}

#[test]
fn a_start_on_a_full_disk_does_without_what_it_cannot_index() {
    let story = Story::of(60);
    let dir = tempfile::tempdir().unwrap();
    drop(start(dir.path(), WIDE, &Story::of(5), 0));
    let (disk, room) = limited(dir.path(), u64::MAX);
    room.is_full.store(true, Ordering::SeqCst);
    drop(start_on(disk, dir.path(), WIDE, &story, 60));
    check(&start(dir.path(), WIDE, &story, 60), &story, 1);
}

/// The log may have been trimmed of it.
#[test]
fn a_start_on_a_full_or_failing_disk_leaves_what_it_cannot_index_to_the_next_one() {
    let mut story = Story::of(60);
    story.bases = vec![55];
    let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::TimedOut];
    let changes =
        [("oldest", "index", None), ("oldest", "spool", Some(9)), ("newest", "spool", Some(-1))];
    for (kind, (segment, extension, change)) in
        kinds.into_iter().flat_map(|kind| changes.map(|change| (kind, change)))
    {
        let dir = tempfile::tempdir().unwrap();
        drop(start(dir.path(), WIDE, &story, 0));
        let mut segments = files(dir.path());
        segments.retain(|file| file.extension() == Some(extension.as_ref()));
        let changed = if segment == "oldest" { segments.first() } else { segments.last() };
        match change {
            Some(by) => {
                let file = fs::File::options().write(true).open(changed.unwrap()).unwrap();
                file.set_len(file.metadata().unwrap().len().strict_add_signed(by)).unwrap();
            }
            None => fs::remove_file(changed.unwrap()).unwrap(),
        }
        let (disk, room) = limited(dir.path(), u64::MAX);
        *room.kind.lock().unwrap() = Some(kind);
        room.is_full.store(true, Ordering::SeqCst);
        let mut spool = start_on(disk, dir.path(), WIDE, &story, 60);
        assert!(!spool.take_unsynced().is_whole(), "the log must not be trimmed further");
        drop(spool);
        check(&start(dir.path(), WIDE, &story, 60), &story, 1);
    }
}

/// A disk, and what was synced on it.
fn syncs() -> (Arc<Mutex<BTreeSet<PathBuf>>>, Disk) {
    let synced = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&synced);
    let watch = move |operation: Operation<'_>| {
        if let Operation::Sync { file } | Operation::SyncDir { dir: file } = operation {
            seen.lock().unwrap().insert(file.to_path_buf());
        }
        Ok(())
    };
    (synced, Disk::watched_by(watch))
}

#[test]
fn what_was_written_is_synced_for_a_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    let (synced, disk) = syncs();
    let mut spool = start_on(disk, dir.path(), SMALL, &Story::of(60), 0);
    spool.take_unsynced().sync().unwrap();
    let mut expect = files(dir.path());
    expect.retain(|file| file.file_name().unwrap() != MARK);
    expect.insert(0, dir.path().to_path_buf());
    assert_eq!(Vec::from_iter(synced.lock().unwrap().clone()), expect);
    synced.lock().unwrap().clear();
    spool.take_unsynced().sync().unwrap();
    assert_eq!(synced.lock().unwrap().len(), 2, "the one that grows, and the folder");
}

#[test]
fn what_a_process_left_unsynced_is_synced_for_the_next_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    let story = Story::of(60);
    drop(start(dir.path(), SMALL, &story, 0));
    let (synced, disk) = syncs();
    let mut spool = start_on(disk, dir.path(), SMALL, &story, 60);
    spool.take_unsynced().sync().unwrap();
    let mut expect = files(dir.path());
    expect.retain(|file| file.file_name().unwrap() != MARK);
    expect.insert(0, dir.path().to_path_buf());
    assert_eq!(Vec::from_iter(synced.lock().unwrap().clone()), expect);
}

/// Else the next loss of power takes with it what was whole, and the log may be trimmed by then.
#[test]
fn what_a_start_rebuilds_is_synced_for_the_next_snapshot() {
    let story = Story::of(60);
    let cases = [
        ("oldest", "index", -1),
        ("oldest", "spool", 9),
        ("oldest", "spool", -9),
        ("newest", "spool", -1),
    ];
    for (segment, extension, change) in cases {
        let dir = tempfile::tempdir().unwrap();
        drop(start(dir.path(), WIDE, &story, 0));
        let mut segments = files(dir.path());
        segments.retain(|file| file.extension() == Some(extension.as_ref()));
        let damaged = if segment == "oldest" { segments.first() } else { segments.last() };
        let damaged = fs::File::options().write(true).open(damaged.unwrap()).unwrap();
        damaged.set_len(damaged.metadata().unwrap().len().strict_add_signed(change)).unwrap();
        let before = contents(dir.path());
        let (synced, disk) = syncs();
        let mut spool = start_on(disk, dir.path(), WIDE, &story, 60);
        check(&spool, &story, 1);
        spool.take_unsynced().sync().unwrap();
        let mut changed = contents(dir.path());
        changed.retain(|file, now| before.get(file) != Some(now) && !file.ends_with(MARK));
        assert!(!changed.is_empty(), "{segment} {extension} {change}");
        for file in changed.keys() {
            assert!(synced.lock().unwrap().contains(file), "{}: {change}", file.display());
        }
    }
}

/// A log, or a snapshot, that fails while it is read.
struct Unread<'a> {
    story: &'a Story,
    /// The first command that cannot be had.
    from: u64,
}

impl History for Unread<'_> {
    type Error = &'static str;

    fn replay(&self, _: u64, listener: &mut dyn HistoryListener) -> Result<(), &'static str> {
        let mut goes_on = listener.begin(0, self.story.hash_before(1));
        for applied in &self.story.applied[..self.from as usize - 1] {
            goes_on = goes_on && listener.applied(applied);
        }
        Err("a part of the disk cannot be read")
    }
}

#[test]
fn a_log_that_cannot_be_read_stops_no_start_and_is_read_at_the_next_one() {
    let story = Story::of(60);
    for from in [1, 2, 20] {
        let dir = tempfile::tempdir().unwrap();
        let base = 50;
        let hash = story.hash_before(base + 1);
        let mut spool = Spool::open(dir.path(), WIDE, base, hash).unwrap();
        write(&mut spool, &story.applied[base as usize..]);
        spool.complete(&Unread { story: &story, from }, 60);
        assert!(!spool.take_unsynced().is_whole(), "the log must not be trimmed");
        assert_eq!(spool.reader().read_from(51, 100).unwrap(), story.applied[50..]);
        drop(spool);
        let mut spool = start(dir.path(), WIDE, &story, 60);
        assert!(spool.take_unsynced().is_whole());
        check(&spool, &story, 1);
    }
}

#[test]
fn a_segment_that_cannot_be_closed_stays_the_newest() {
    let story = Story::of(200);
    let dir = tempfile::tempdir().unwrap();
    let index = index_path(dir.path(), 1);
    let disk = Disk::watched_by(move |operation| match operation {
        Operation::Create { file } if file == index => Err(io::ErrorKind::TimedOut.into()),
        _ => Ok(()),
    });
    let mut spool = Spool::open_on(disk, dir.path(), WIDE, 0, story.hash_before(1)).unwrap();
    write(&mut spool, &story.applied);
    spool.complete(&story, story.last());
    assert!(!spool.take_unsynced().is_whole(), "the log must not be trimmed");
    let reader = spool.reader();
    let stored = reader.read_from(1, 1_000).unwrap();
    assert_eq!(stored, story.applied[..stored.len()]);
    let behind = reader.read_from(stored.len() as u64 + 1, 10);
    assert!(matches!(behind, Err(SpoolError::Gone { first: 201 })), "{behind:?}");
    assert_eq!(files(dir.path()).len(), 1, "nothing is made that has no place");
    drop(spool);
    let mut spool = start(dir.path(), WIDE, &story, 200);
    assert!(spool.take_unsynced().is_whole());
    check(&spool, &story, 1);
}
