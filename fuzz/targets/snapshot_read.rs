//! Whatever lies in a snapshot's file, it is refused, or its state goes on.
//!
//! Behind a zero, the input is bytes to put into the sections of a whole snapshot (section, and
//! then as [`fuzz::patch`] takes them), which gets its right hashes; behind a one, a file without
//! its checksum, which is added; behind anything else, a file itself.

#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use log::snapshot::{self, Snapshot};
use venue::{Durability, Opened, Settings, SnapshotFile};

const BATCH: u64 = 1;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let dir = folder();
    let path = snapshot::path(&dir, BATCH);
    match kind {
        0 => drop(snapshot::write(&dir, &patched(rest)).expect("it is sound")),
        1 => {
            let hash = blake3::hash(rest);
            fs::write(&path, [rest, hash.as_bytes()].concat()).expect("there is room");
        }
        _ => fs::write(&path, rest).expect("there is room"),
    }
    let file = SnapshotFile { path, batch_number: BATCH };
    let Ok(snapshot) = file.load() else {
        assert_ne!(*kind, 0, "its checksum is right");
        return;
    };
    let written = fs::read(&file.path).expect("it is there");
    snapshot::write(&dir, &snapshot).expect("it is sound");
    assert!(fs::read(&file.path).expect("it is there") == written, "each snapshot has one form");
    if let Ok(mut engine) = file.engine(&snapshot) {
        fuzz::go_on(&mut engine);
    }
});

fn patched(patches: &[u8]) -> Snapshot {
    static WHOLE: OnceLock<Snapshot> = OnceLock::new();
    let mut snapshot = WHOLE.get_or_init(whole).clone();
    let sections = snapshot.sections.len();
    for patch in patches.chunks_exact(5) {
        let section = &mut snapshot.sections[usize::from(patch[0]) % sections];
        fuzz::patch(&mut section.payload, &patch[1..]);
    }
    let state = snapshot.section("engine").expect("each snapshot has a state");
    snapshot.state_hash = *blake3::hash(state).as_bytes();
    snapshot
}

/// The snapshot that a venue writes at its end.
fn whole() -> Snapshot {
    let dir = folder().join("venue");
    let settings = Settings { durability: Durability::Os, ..Settings::new(&dir) };
    let running = Opened::open(settings).expect("an empty folder").start(Vec::new());
    fuzz::set_up_and_trade(&running.handle());
    running.stop().expect("it runs");
    let loaded = snapshot::load_newest(&dir.join("snapshots")).expect("it was written");
    let snapshot = loaded.snapshot.expect("it was written");
    fs::remove_dir_all(dir).expect("it was made");
    Snapshot { batch_number: BATCH, ..snapshot }
}

fn folder() -> PathBuf {
    let dir = std::env::temp_dir().join(format!("buttonwood-fuzz-{}", std::process::id()));
    create(&dir);
    dir
}

fn create(dir: &Path) {
    fs::create_dir_all(dir).expect("there is room");
}
