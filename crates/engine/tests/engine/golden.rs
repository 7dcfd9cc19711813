//! A log of every rules version, and what it led to.
//!
//! `golden/rules-N.commands` is a list of (time, entry) as [`Wire`] writes them. A difference means
//! that a log of that version would be replayed to another history: that takes a new rules version,
//! with the old rules kept. While no release has a version, `write_the_newest_log` may write its
//! log anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use engine::Engine;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use types::{Command, Entry, InstrumentId, Phase, Reader, SetPhase, Wire};

use crate::house::{event_bytes, state_bytes};
use crate::random;

struct Golden {
    rules: u16,
    /// How many kinds of commands are in it: all that the version has.
    kinds: usize,
    commands: u64,
    events_hash: u64,
    state_hash: u64,
}

const FIRST: Golden = Golden {
    rules: 1,
    kinds: 15,
    commands: 2188,
    events_hash: 0x4f0a_c1d5_9406_d0f9,
    state_hash: 0x1db9_c6dc_1408_1e20,
};

#[test]
fn a_log_of_the_first_version_leads_to_the_same_history() {
    let bytes = std::fs::read(path(FIRST.rules)).unwrap();
    assert_eq!(played(FIRST.rules, FIRST.kinds, &bytes), expected(&FIRST));
}

const SECOND: Golden = Golden {
    rules: 2,
    kinds: 35,
    commands: 3128,
    events_hash: 0x139f_3a73_501c_1f6d,
    state_hash: 0xe6a6_7343_1fe6_b76a,
};

#[test]
fn a_log_of_the_second_version_leads_to_the_same_history() {
    let bytes = std::fs::read(path(SECOND.rules)).unwrap();
    assert_eq!(played(SECOND.rules, SECOND.kinds, &bytes), expected(&SECOND));
}

/// Writes the log of the newest version anew, and prints what its entry in this file says.
#[test]
#[ignore = "only while no release has this version"]
fn write_the_newest_log() {
    let rules = engine::RULES_VERSION;
    let bytes = written();
    std::fs::write(path(rules), &bytes).unwrap();
    let kinds = kinds_in(&bytes);
    println!("rules {rules}, {kinds} kinds: {}", played(rules, kinds, &bytes));
}

fn path(rules: u16) -> PathBuf {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine/golden");
    golden.join(format!("rules-{rules}.commands"))
}

fn expected(golden: &Golden) -> String {
    let Golden { commands, events_hash, state_hash, .. } = golden;
    format!("{commands} {events_hash:#018x} {state_hash:#018x}")
}

/// The number of commands, and the hashes of all events and of the state that they lead to.
fn played(rules: u16, kinds: usize, bytes: &[u8]) -> String {
    assert_eq!(kinds_in(bytes), kinds, "all kinds of commands are in it");
    let (mut engine, mut events) = (Engine::with_rules(rules).unwrap(), Vec::new());
    for (sequenced_ns, entry) in entries(bytes) {
        engine.apply(sequenced_ns, &entry, &mut events);
        while engine.has_deferred() {
            let rest = crate::house::entry(0, None, Command::Continue(()));
            engine.apply(sequenced_ns, &rest, &mut events);
        }
    }
    engine.assert_consistent();
    let events_hash = fnv1a(&event_bytes(&events));
    let state_hash = fnv1a(&state_bytes(&engine));
    format!("{} {events_hash:#018x} {state_hash:#018x}", engine.sequence())
}

fn entries(bytes: &[u8]) -> Vec<(u64, Entry)> {
    let (mut reader, mut entries) = (Reader(bytes), Vec::new());
    while !reader.is_empty() {
        entries.push(reader.read().expect("a time and an entry"));
    }
    entries
}

fn kinds_in(bytes: &[u8]) -> usize {
    let kinds = entries(bytes).into_iter().map(|(_, entry)| {
        let mut command = Vec::new();
        entry.command.write(&mut command);
        command[0]
    });
    kinds.collect::<BTreeSet<u8>>().len()
}

/// Random scripts, one behind the other in one venue, always the same; each begins by opening all
/// that the last one may have closed.
fn written() -> Vec<u8> {
    let mut runner = TestRunner::deterministic();
    let mut bytes = Vec::new();
    let mut now_ns = 0;
    for command in random::set_up() {
        now_ns += 1;
        (now_ns, crate::house::entry(0, None, command)).write(&mut bytes);
    }
    for _ in 0..30 {
        for instrument in (0..3).map(InstrumentId) {
            let phase = Phase::Continuous;
            let open = Command::SetPhase(SetPhase { instrument, phase });
            for command in [Command::ResumeVenue(()), open] {
                (now_ns, crate::house::entry(0, None, command)).write(&mut bytes);
            }
        }
        for step in random::steps(200).new_tree(&mut runner).unwrap().current() {
            now_ns += step.after_ns;
            (now_ns, step.entry).write(&mut bytes);
        }
    }
    bytes
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
