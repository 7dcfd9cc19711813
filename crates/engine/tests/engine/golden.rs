//! A log of every rules version, and what it led to.
//!
//! `golden/rules-N.commands` is a list of (time, entry) as [`Wire`] writes them. A difference means
//! that a log of that version would be replayed to another history: that takes a new rules version,
//! with the old rules kept.

use std::path::Path;

use engine::Engine;
use types::{Command, Entry, Reader, Wire};

use crate::house::{event_bytes, state_bytes};

struct Golden {
    file: &'static str,
    commands: u64,
    events_hash: u64,
    state_hash: u64,
}

const GOLDEN: Golden = Golden {
    file: "tests/engine/golden/rules-1.commands",
    commands: 2188,
    events_hash: 0x4f0a_c1d5_9406_d0f9,
    state_hash: 0x1db9_c6dc_1408_1e20,
};

#[test]
fn a_log_of_the_first_version_leads_to_the_same_history() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(GOLDEN.file);
    let bytes = std::fs::read(&path).unwrap();
    let mut reader = Reader(&bytes);
    let (mut engine, mut events) = (Engine::with_rules(1).unwrap(), Vec::new());
    let mut kinds = std::collections::BTreeSet::new();
    while !reader.is_empty() {
        let sequenced_ns: u64 = reader.read().expect("a time");
        let entry: Entry = reader.read().expect("an entry");
        let mut command = Vec::new();
        entry.command.write(&mut command);
        kinds.insert(command[0]);
        engine.apply(sequenced_ns, &entry, &mut events);
        while engine.has_deferred() {
            let rest = crate::house::entry(0, None, Command::Continue(()));
            engine.apply(sequenced_ns, &rest, &mut events);
        }
    }
    engine.assert_consistent();
    assert_eq!(kinds.len(), 15, "all kinds of commands are in it");
    let events_hash = fnv1a(&event_bytes(&events));
    let state_hash = fnv1a(&state_bytes(&engine));
    let found = format!("{} {events_hash:#018x} {state_hash:#018x}", engine.sequence());
    let expect =
        format!("{} {:#018x} {:#018x}", GOLDEN.commands, GOLDEN.events_hash, GOLDEN.state_hash);
    assert_eq!(found, expect);
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
