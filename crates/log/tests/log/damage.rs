//! What is wrong with a log when it is opened: a torn tail is cut off, all else is refused.

use std::fs;

use log::frame::FrameHeader;
use log::{Batch, FileLog, Log, OpenError, Options, Start, inspect};

use crate::{
    FRAME_SIZE, PAYLOAD_SIZE, SEGMENT_HEADER_SIZE, append_to, batch, numbers, options, refused,
    refused_with, segment, segments, wait, written,
};

#[test]
fn a_tail_torn_at_any_byte_is_cut_off_and_nothing_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    written(dir, 1..=4);
    let path = segment(dir, 1);
    let sound = fs::read(&path).unwrap();
    let start = SEGMENT_HEADER_SIZE + 3 * FRAME_SIZE;
    let end = start + FRAME_SIZE;
    let used_end = start + FrameHeader::SIZE + PAYLOAD_SIZE;
    let check = |torn: &[u8], dropped: usize, what: &str| {
        // A file that is cut short is left at that, and the log goes on in the next one.
        segments(dir)
            .into_iter()
            .skip(1)
            .for_each(|first| fs::remove_file(segment(dir, first)).unwrap());
        fs::write(&path, torn).unwrap();
        let seen = inspect(dir).unwrap();
        assert_eq!((seen.last_batch, seen.bytes_dropped), (3, dropped as u64), "{what}");
        assert!(fs::read(&path).unwrap() == torn, "looking changes nothing");
        written(dir, 4..=5); // Opening cuts, and the log goes on from there.
        let recovered = inspect(dir).unwrap();
        assert_eq!((recovered.last_batch, recovered.bytes_dropped), (5, 0), "{what}");
        assert_eq!(numbers(&recovered, 1), [1, 2, 3, 4, 5], "{what}");
    };
    for cut in start..end {
        // What counts is what is not zero: zeros are what a log has behind its end.
        let used = sound[start..cut].iter().rposition(|&byte| byte != 0).map_or(0, |at| at + 1);
        check(&sound[..cut], used, &format!("cut off at {cut}"));
        let mut garbage = sound.clone();
        garbage[cut..end + 100].fill(0xa7);
        check(&garbage, end + 100 - start, &format!("garbage from {cut}"));
        if cut < used_end {
            let mut zeros = sound.clone();
            zeros[cut..].fill(0);
            check(&zeros, used, &format!("zeros from {cut}"));
        }
    }
    // What was dropped has been overwritten: it cannot come back when less is written over it.
    let mut garbage = sound.clone();
    garbage[start..end + 100].fill(0xa7);
    fs::write(&path, &garbage).unwrap();
    let (log, recovered) = FileLog::open(dir, options()).unwrap();
    assert_eq!(recovered.bytes_dropped as usize, FRAME_SIZE + 100);
    log.close().unwrap();
    assert!(fs::read(&path).unwrap()[start..].iter().all(|&byte| byte == 0));
}

/// The last frame has no other behind it that proves it. A snapshot does.
#[test]
fn a_tail_that_a_snapshot_holds_is_never_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    written(dir, 1..=4);
    let path = segment(dir, 1);
    let sound = fs::read(&path).unwrap();
    let start = SEGMENT_HEADER_SIZE + 3 * FRAME_SIZE;
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        refused_with(dir, Options { snapshot_batch: 4, ..options() })
    };
    let mut flipped = sound.clone();
    flipped[start + 20] ^= 1;
    let OpenError::Corrupt { file, offset, batch_number, .. } = refused(&flipped) else {
        panic!("damage")
    };
    assert_eq!((file, offset, batch_number), (path.clone(), start as u64, 4));

    let mut gone = sound.clone();
    gone[start..].fill(0);
    let error = refused(&gone);
    assert!(matches!(error, OpenError::EndsBeforeSnapshot { last_batch: 3, snapshot_batch: 4 }));
    fs::remove_file(&path).unwrap();
    let error = refused_with(dir, Options { snapshot_batch: 4, ..options() });
    assert!(matches!(error, OpenError::EndsBeforeSnapshot { last_batch: 0, snapshot_batch: 4 }));

    fs::write(&path, &sound).unwrap();
    let (_log, recovered) = FileLog::open(dir, Options { snapshot_batch: 4, ..options() }).unwrap();
    assert_eq!(recovered.last_batch, 4);
}

#[test]
fn a_damaged_middle_is_refused_and_its_place_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    written(dir, 1..=5);
    let path = segment(dir, 1);
    let sound = fs::read(&path).unwrap();
    let start = SEGMENT_HEADER_SIZE + 2 * FRAME_SIZE;
    let check = |bytes: &[u8], what: &str| {
        fs::write(&path, bytes).unwrap();
        let error = refused(dir);
        let OpenError::Corrupt { file, offset, batch_number, .. } = &error else {
            panic!("{what}: {error}");
        };
        assert_eq!((file, *offset, *batch_number), (&path, start as u64, 3), "{what}");
        let message = error.to_string();
        assert!(message.contains("00000001.log is damaged at byte"), "{message}");
    };
    for at in start..start + FRAME_SIZE {
        let mut flipped = sound.clone();
        flipped[at] ^= 0x10;
        check(&flipped, &format!("flipped at {at}"));
    }
    let mut zeros = sound.clone();
    zeros[start..start + FRAME_SIZE].fill(0);
    check(&zeros, "zeros");
    let without = [&sound[..start], &sound[start + FRAME_SIZE..]].concat();
    check(&without, "taken out");
}

#[test]
fn damage_in_an_older_segment_is_never_taken_for_a_torn_tail() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    written(dir, 1..=80);
    let firsts = segments(dir);
    let path = segment(dir, firsts[0]);
    let sound = fs::read(&path).unwrap();
    let last = firsts[1] - 1;
    let start = SEGMENT_HEADER_SIZE + (last as usize - 1) * FRAME_SIZE;
    let mut flipped = sound.clone();
    flipped[start + 20] ^= 1;
    fs::write(&path, &flipped).unwrap();
    let error = refused(dir);
    assert!(matches!(error, OpenError::Corrupt { batch_number, .. } if batch_number == last));

    let mut zeros = sound.clone();
    zeros[start..].fill(0);
    fs::write(&path, &zeros).unwrap();
    let error = refused(dir);
    let OpenError::Gap { expected, found, .. } = error else { panic!("{error}") };
    assert_eq!((expected, found), (last, firsts[1]));

    let mut behind = sound.clone();
    *behind.last_mut().unwrap() = 1;
    fs::write(&path, &behind).unwrap();
    let error = refused(dir);
    assert!(matches!(error, OpenError::Corrupt { batch_number, .. } if batch_number == last + 1));
}

#[test]
fn a_missing_segment_is_a_gap_and_a_foreign_one_does_not_fit() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    written(dir, 1..=120);
    let firsts = segments(dir);
    let middle = segment(dir, firsts[1]);
    let kept = fs::read(&middle).unwrap();
    fs::remove_file(&middle).unwrap();
    let error = refused(dir);
    let message = error.to_string();
    assert!(matches!(error, OpenError::Gap { .. }));
    assert!(message.contains(&format!("batches {} to {}", firsts[1], firsts[2] - 1)), "{message}");

    // The same batch numbers, but another history.
    let other = tempfile::tempdir().unwrap();
    let (mut log, _) = FileLog::open(other.path(), options()).unwrap();
    append_to(&mut log, 120);
    log.close().unwrap();
    assert_eq!(segments(other.path()), firsts);
    fs::copy(segment(other.path(), firsts[1]), &middle).unwrap();
    let error = refused(dir);
    assert!(error.to_string().contains("does not continue the one before it"), "{error}");

    // Frames of another history behind the right header.
    let mut mixed = fs::read(segment(other.path(), firsts[1])).unwrap();
    mixed[..SEGMENT_HEADER_SIZE].copy_from_slice(&kept[..SEGMENT_HEADER_SIZE]);
    fs::write(&middle, mixed).unwrap();
    let error = refused(dir);
    assert!(error.to_string().contains("sound frame does not continue"), "{error}");

    // A segment that begins in the middle of the one before it.
    fs::write(&middle, &kept).unwrap();
    let (log, _) = FileLog::open(
        &dir.join("late"),
        Options { start: Start { last_batch: 9, ..Start::default() }, ..options() },
    )
    .unwrap();
    log.close().unwrap();
    fs::copy(segment(&dir.join("late"), 10), segment(dir, 10)).unwrap();
    fs::remove_dir_all(dir.join("late")).unwrap();
    let error = refused(dir);
    assert!(error.to_string().contains("already holds its first batch"), "{error}");
}

/// Large segments are read side by side.
#[test]
fn of_all_that_is_wrong_with_a_long_log_the_first_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let long = || Options { segment_size: 1 << 20, ..options() };
    let (mut log, _) = FileLog::open(dir, long()).unwrap();
    for number in 1..=60 {
        log.append(Batch { payload: vec![7; 100_000], ..batch(number) }).unwrap();
        wait(&mut log);
    }
    log.close().unwrap();
    let (log, recovered) = FileLog::open(dir, long()).unwrap();
    assert_eq!((recovered.first_batch, recovered.last_batch), (1, 60));
    log.close().unwrap();

    let firsts = segments(dir);
    for first in [firsts[3], firsts[5]] {
        let path = segment(dir, first);
        let mut damaged = fs::read(&path).unwrap();
        damaged[SEGMENT_HEADER_SIZE + FrameHeader::SIZE] ^= 1;
        fs::write(&path, damaged).unwrap();
    }
    let error = refused(dir);
    let OpenError::Corrupt { batch_number, .. } = error else { panic!("{error}") };
    assert_eq!(batch_number, firsts[3]);

    fs::remove_file(segment(dir, firsts[2])).unwrap();
    let error = refused(dir);
    let OpenError::Gap { expected, found, .. } = error else { panic!("{error}") };
    assert_eq!((expected, found), (firsts[2], firsts[3]));
}

#[test]
fn a_segment_with_a_damaged_header_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    written(dir, 1..=2);
    let path = segment(dir, 1);
    let sound = fs::read(&path).unwrap();
    let check = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let error = refused(dir);
        assert!(matches!(error, OpenError::Corrupt { offset: 0, batch_number: 1, .. }), "{error}");
    };
    for at in 0..SEGMENT_HEADER_SIZE {
        let mut flipped = sound.clone();
        flipped[at] ^= 1;
        // Another high byte of the version is that of a later build.
        if at != 9 {
            check(&flipped);
        }
        check(&sound[..at]);
    }
    fs::write(&path, &sound).unwrap();
    fs::rename(&path, segment(dir, 2)).unwrap();
    let error = refused(dir);
    assert!(error.to_string().contains("have different batch numbers"), "{error}");
}

#[test]
fn a_newer_format_is_refused_by_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    written(dir, 1..=2);
    let path = segment(dir, 1);
    let sound = fs::read(&path).unwrap();
    let check = |bytes: Vec<u8>| {
        fs::write(&path, bytes).unwrap();
        let error = refused(dir);
        assert!(matches!(error, OpenError::NewerFormat { found: 2, supported: 1, .. }), "{error}");
        let sentence = error.to_string();
        assert!(sentence.contains("01.log was made by a later build"), "{sentence}");
        assert!(sentence.contains("format version 2"), "{sentence}");
    };

    let mut newer_segment = sound.clone();
    newer_segment[8] = 2;
    // A later version may have its checksum elsewhere.
    check(newer_segment.clone());
    let checksum = blake3::hash(&newer_segment[..40]);
    newer_segment[40..56].copy_from_slice(&checksum.as_bytes()[..16]);
    check(newer_segment);

    for number in 0..2 {
        let mut newer_frame = sound.clone();
        let frame = &mut newer_frame[SEGMENT_HEADER_SIZE + number * FRAME_SIZE..][..FRAME_SIZE];
        frame[4] = 2;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&frame[..64]).update(&frame[80..80 + PAYLOAD_SIZE]);
        frame[64..80].copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        check(newer_frame);
    }
}

#[test]
fn a_foreign_file_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    written(dir, 1..=2);
    fs::write(dir.join("notes.txt"), "not looked at").unwrap();
    for name in ["debug.log", "1.log", "000000000000000000x1.log", "99999999999999999999.log"] {
        fs::write(dir.join(name), "?").unwrap();
        let error = refused(dir);
        assert!(matches!(error, OpenError::ForeignFile { .. }));
        assert!(error.to_string().contains(name), "{error}");
        fs::remove_file(dir.join(name)).unwrap();
    }
    fs::create_dir(segment(dir, 3)).unwrap();
    assert!(matches!(FileLog::open(dir, options()), Err(OpenError::ForeignFile { .. })));
}
