//! What is written back, and what of it a loss of power takes.

use std::sync::Mutex;

use super::*;
use crate::simulated;

const PIECE: u64 = Disk::WRITE_BACK_PIECE;

/// What a watch sees of a file of this size that is synced by pieces.
fn check(size: u64, operations: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&seen);
    let disk = Disk::watched_by(move |operation| {
        let shown = match operation {
            Operation::WriteBack { offset, .. } => format!("back {}", offset / PIECE),
            Operation::Sync { .. } => "sync".to_owned(),
            _ => return Ok(()),
        };
        log.lock().unwrap().push(shown);
        Ok(())
    });
    let file = disk.create(&path).unwrap();
    disk.write(&file, 0, &vec![7; size as usize]).unwrap();
    disk.sync_by_pieces(&file).unwrap();
    assert_eq!(disk.read(&path).unwrap(), vec![7; size as usize]);
    assert_eq!(*seen.lock().unwrap(), operations);
}

#[test]
fn a_sync_by_pieces_writes_each_piece_back_and_then_syncs() {
    check(0, &["sync"]);
    check(1, &["back 0", "sync"]);
    check(PIECE, &["back 0", "sync"]);
    check(2 * PIECE + 1, &["back 0", "back 1", "back 2", "sync"]);
}

#[test]
fn what_is_written_back_and_not_synced_may_be_lost() {
    let lost = (0..40).filter(|seed| {
        let simulated = simulated::Disk::new(*seed);
        let disk = Disk::new(Arc::new(simulated.clone()));
        let file = disk.create(Path::new("file")).unwrap();
        disk.sync_dir(Path::new("")).unwrap();
        disk.write(&file, 0, &[1, 2, 3, 4]).unwrap();
        disk.write_back_by_pieces(&file).unwrap();
        let is_lost = simulated.after_power_cut().read(Path::new("file")) != Some(vec![1, 2, 3, 4]);
        disk.sync_by_pieces(&file).unwrap();
        let kept = simulated.after_power_cut().read(Path::new("file"));
        assert_eq!(kept, Some(vec![1, 2, 3, 4]), "seed {seed}");
        is_lost
    });
    assert!(lost.count() > 0);
}
