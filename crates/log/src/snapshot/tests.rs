use std::error::Error;
use std::fs;

use disk::failing::Operation;
use proptest::prelude::*;

use super::*;
use crate::snapshot::format::{CHECKSUM_SIZE, MAGIC};

fn snapshot(batch_number: u64) -> Snapshot {
    let section =
        |name: &str, payload: &[u8]| Section { name: name.into(), payload: payload.into() };
    Snapshot {
        rules_version: 3,
        batch_number,
        sequence: 10 * batch_number,
        chain_hash: ChainHash([7; 16]),
        state_hash: [8; 32],
        sections: vec![section("engine", b"orders"), section("views", b"")],
    }
}

#[test]
fn others_have_the_disk_between_the_pieces() {
    let dir = tempfile::tempdir().unwrap();
    let large = |batch_number| {
        let mut large = snapshot(batch_number);
        large.sections[0].payload = vec![7; 9 << 20];
        large
    };
    let write = |batch_number| {
        let mut rests = 0;
        write_gently(dir.path(), &large(batch_number), Kept::Newest, &mut || rests += 1).unwrap();
        rests
    };
    let pieces = 1 + (9 << 20) / PIECE_SIZE;
    assert_eq!([write(1), write(2)], [pieces; 2], "the header is one, too");
    assert_eq!(write(3), pieces + 2, "the oldest is removed by pieces, too");
    assert_eq!(names(dir.path()).len(), 2);
    assert_eq!(load(&path(dir.path(), 3)).unwrap(), large(3));
    // A process that was ended while it did that has left this.
    fs::rename(path(dir.path(), 2), dir.path().join(numbered_name(2, UNFINISHED_EXTENSION)))
        .unwrap();
    let begun = fs::File::options()
        .write(true)
        .open(dir.path().join(numbered_name(2, UNFINISHED_EXTENSION)));
    begun.unwrap().set_len(5 << 20).unwrap();
    let newest = load_newest(dir.path()).unwrap();
    assert!(newest.damaged.is_empty() && newest.snapshot == Some(large(3)));
    assert_eq!(write(4), pieces + 1);
    assert_eq!(names(dir.path()).len(), 2);
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

fn seal(bytes: &mut [u8]) {
    let end = bytes.len() - CHECKSUM_SIZE;
    let checksum = blake3::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(checksum.as_bytes());
}

#[test]
fn the_newest_is_loaded_and_two_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("snapshots");
    assert!(load_newest(&dir).unwrap().snapshot.is_none());
    assert_eq!(write(&dir, &snapshot(5)).unwrap().trim_before, None);
    assert_eq!(write(&dir, &snapshot(8)).unwrap().trim_before, Some(6));
    fs::write(dir.join("00000000000000000009.snapshot.unfinished"), "torn").unwrap();
    let written = write(&dir, &snapshot(30)).unwrap();
    assert_eq!(written.trim_before, Some(9));
    assert_eq!(names(&dir), ["00000000000000000008.snapshot", "00000000000000000030.snapshot"]);
    let loaded = load_newest(&dir).unwrap();
    assert_eq!(loaded.snapshot.as_ref(), Some(&snapshot(30)));
    assert!(loaded.damaged.is_empty());
    assert_eq!(load(&written.file).unwrap().section("engine"), Some(&b"orders"[..]));
    assert_eq!(loaded.snapshot.unwrap().section("none"), None);
}

#[test]
fn the_room_of_what_a_crash_left_is_there_for_the_next_one() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &snapshot(5)).unwrap();
    let leftover = dir.path().join("00000000000000000006.snapshot.unfinished");
    fs::write(&leftover, "half of one").unwrap();
    let seen = leftover.clone();
    let disk = Disk::watched_by(move |operation| match operation {
        Operation::Write { .. } if seen.exists() => Err(io::ErrorKind::StorageFull.into()),
        _ => Ok(()),
    });
    write_on(&disk, dir.path(), &snapshot(8)).unwrap();
    assert_eq!(load_newest(dir.path()).unwrap().snapshot, Some(snapshot(8)));
    assert!(!leftover.exists());

    fs::write(&leftover, "half of one").unwrap();
    let seen = leftover.clone();
    let disk = Disk::watched_by(move |operation| match operation {
        Operation::Remove { file } if file == seen => Err(io::ErrorKind::TimedOut.into()),
        _ => Ok(()),
    });
    write_on(&disk, dir.path(), &snapshot(9)).unwrap();
    assert!(leftover.exists(), "it is in no snapshot's way");
    assert_eq!(load_newest(dir.path()).unwrap().snapshot, Some(snapshot(9)));
}

#[test]
fn a_snapshot_that_cannot_be_written_back_is_none() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &snapshot(5)).unwrap();
    let disk = Disk::watched_by(|operation| match operation {
        Operation::WriteBack { .. } => Err(io::ErrorKind::Other.into()),
        _ => Ok(()),
    });
    let error = write_on(&disk, dir.path(), &snapshot(8)).unwrap_err();
    assert!(error.to_string().contains("writing back"), "{error}");
    assert_eq!(load_newest(dir.path()).unwrap().snapshot, Some(snapshot(5)));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "its room is given back");
}

#[test]
fn what_a_disk_cannot_read_is_damaged_and_what_a_user_may_not_read_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), &snapshot(5)).unwrap().file;
    let unread = |number| {
        let error = io::Error::from_raw_os_error(number);
        SnapshotError::from(DiskError::at("reading", &file)(error))
    };
    let (sector, access) = (unread(5), unread(13));
    assert!(sector.is_unsound() && !access.is_unsound());
    assert!(
        SnapshotError::from(DiskError::at("reading", &file)(io::ErrorKind::UnexpectedEof.into()))
            .is_unsound()
    );
    let loaded = Loaded { snapshot: None, damaged: vec![sector] };
    loaded.set_aside(&Disk::default()).unwrap();
    assert_eq!(names(dir.path()), ["00000000000000000005.snapshot.damaged"]);
}

#[test]
fn the_oldest_stays_as_long_as_it_is_to() {
    let dir = tempfile::tempdir().unwrap();
    let write = |batch_number, kept| {
        let written = write_gently(dir.path(), &snapshot(batch_number), kept, &mut || {});
        (files(dir.path()).unwrap().into_iter().map(|(batch_number, _)| batch_number).collect(), {
            written.unwrap().trim_before
        })
    };
    assert_eq!(write(5, Kept::OldestToo), (vec![5], None));
    assert_eq!(write(8, Kept::OldestToo), (vec![5, 8], Some(6)));
    assert_eq!(write(10, Kept::OldestToo), (vec![5, 8, 10], Some(6)));
    assert_eq!(write(12, Kept::OldestToo), (vec![5, 10, 12], Some(6)));
    assert_eq!(write(15, Kept::Newest), (vec![12, 15], Some(13)));
}

#[test]
fn one_that_was_removed_does_not_come_back_with_a_loss_of_power() {
    let dir = Path::new("snapshots");
    for seed in 0..50 {
        let power = disk::simulated::Disk::new(seed);
        let disk = Disk::new(std::sync::Arc::new(power.clone()));
        for batch_number in [5, 8, 10] {
            write_by_pieces(&disk, dir, &snapshot(batch_number), Kept::Newest, &mut || {}).unwrap();
        }
        let after = Disk::new(std::sync::Arc::new(power.after_power_cut()));
        let there = list(&after, dir, NAME_EXTENSION).unwrap();
        let batches: Vec<_> = there.iter().map(|(batch_number, _)| *batch_number).collect();
        assert_eq!(batches, [8, 10], "seed {seed}");
    }
}

#[test]
fn the_one_before_is_loaded_when_the_newest_is_damaged_anywhere_or_cut_anywhere() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, &snapshot(5)).unwrap();
    let file = write(dir, &snapshot(8)).unwrap().file;
    let sound = fs::read(&file).unwrap();
    let check = |bytes: &[u8], what: &str| {
        fs::write(&file, bytes).unwrap();
        let loaded = load_newest(dir).unwrap();
        assert_eq!(loaded.snapshot, Some(snapshot(5)), "{what}");
        assert_eq!(loaded.damaged.len(), 1, "{what}");
        let error = loaded.damaged[0].to_string();
        assert!(error.contains("00000000000000000008.snapshot is damaged at byte"), "{error}");
        loaded
    };
    for at in 0..sound.len() {
        let mut flipped = sound.clone();
        flipped[at] ^= 4;
        if (8..10).contains(&at) {
            // Another version is that of a later build: refused, and no older snapshot taken.
            fs::write(&file, &flipped).unwrap();
            let error = load_newest(dir).unwrap_err();
            assert!(matches!(error, SnapshotError::NewerFormat { supported: 1, .. }), "{error}");
        } else {
            check(&flipped, &format!("flipped at {at}"));
        }
        check(&sound[..at], &format!("cut at {at}"));
    }
    let loaded = check(&[&sound[..], b"more"].concat(), "longer");

    loaded.set_aside(&Disk::default()).unwrap();
    assert!(load_newest(dir).unwrap().damaged.is_empty());
    assert_eq!(names(dir)[1], "00000000000000000008.snapshot.damaged");
    assert_eq!(write(dir, &snapshot(30)).unwrap().trim_before, Some(6));
    loaded.set_aside(&Disk::default()).unwrap_err();
}

#[test]
fn a_renamed_snapshot_is_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), &snapshot(5)).unwrap().file;
    fs::rename(file, dir.path().join("00000000000000000006.snapshot")).unwrap();
    let loaded = load_newest(dir.path()).unwrap();
    assert!(loaded.snapshot.is_none());
    assert!(loaded.damaged[0].to_string().contains("another batch number"));
}

#[test]
fn a_newer_format_is_refused_rather_than_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &snapshot(5)).unwrap();
    let file = write(dir.path(), &snapshot(8)).unwrap().file;
    let mut bytes = fs::read(&file).unwrap();
    bytes[8] = 2;
    let check = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        let error = load_newest(dir.path()).unwrap_err();
        assert!(matches!(error, SnapshotError::NewerFormat { found: 2, supported: 1, .. }));
        assert!(error.to_string().contains("made by a later build: it has format version 2"));
        assert!(error.source().is_none());
    };
    // A later version may have its checksum elsewhere.
    check(&bytes);
    seal(&mut bytes);
    check(&bytes);
}

#[test]
fn sections_have_names_and_a_limit() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |names: &[&str]| {
        let sections =
            names.iter().map(|&name| Section { name: name.into(), payload: vec![] }).collect();
        let error = write(dir.path(), &Snapshot { sections, ..snapshot(5) }).unwrap_err();
        assert!(error.to_string().contains("does not fit a snapshot"), "{names:?}");
    };
    refused(&["engine", "engine"]);
    refused(&[""]);
    refused(&["a name"]);
    refused(&["a-name-of-25-characters--"]);
    let many: Vec<_> = (0..=SECTIONS_MAX).map(|n| n.to_string()).collect();
    refused(&many.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_failure_at_any_step_leaves_the_snapshots_before_as_they_were() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, &snapshot(5)).unwrap();
    let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::Other];
    for (step, kind) in ["Create", "Write", "Sync", "Rename"]
        .into_iter()
        .flat_map(|step| kinds.map(|kind| (step, kind)))
    {
        let watch = move |operation: Operation<'_>| {
            let fails = format!("{operation:?}").starts_with(step);
            if fails { Err(kind.into()) } else { Ok(()) }
        };
        let disk = Disk::watched_by(watch);
        let error = write_on(&disk, dir, &snapshot(8)).unwrap_err();
        assert_eq!(matches!(error, SnapshotError::DiskFull(_)), kind == io::ErrorKind::StorageFull);
        assert!(error.to_string().contains("the snapshots before are as they were"), "{error}");
        assert!(error.source().is_some());
        assert_eq!(names(dir), ["00000000000000000005.snapshot"], "{step}");
    }
    let watch = |operation: Operation<'_>| match operation {
        Operation::SyncDir { .. } => Err(io::ErrorKind::Other.into()),
        _ => Ok(()),
    };
    let disk = Disk::watched_by(watch);
    // It is there by now, but no caller may count on it.
    write_on(&disk, dir, &snapshot(8)).unwrap_err();
}

#[test]
fn a_folder_that_cannot_be_read_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = load_newest(file.path()).unwrap_err();
    assert!(matches!(error, SnapshotError::Disk(_)));
    assert!(error.to_string().contains(file.path().to_str().unwrap()));
}

proptest! {
    #[test]
    fn reading_never_panics(mut bytes in prop::collection::vec(any::<u8>(), 80..300), sections in 0u8..4) {
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..16].copy_from_slice(&[1, 0, 0, 0, sections, 0, 0, 0]);
        let size = bytes.len() as u64;
        prop_assert!(read(&bytes[..], size).is_err());
        prop_assert!(read(&bytes[..], size + 1000).is_err());
    }
}
