//! A log of every rules version, and the events and state that it led to, entry by entry.
//!
//! `golden/rules-N.commands` is a list of (time, entry) as [`Wire`] writes them, and
//! `golden/rules-N.hashes` has, for each of them, the hash of all events so far. A difference means
//! that a log of that version would be replayed to another history: such a change needs a new rules
//! version, with the old rules kept. While no release has a version, `write_the_newest_log` in
//! `engine/golden_log.rs` and then `write_the_newest_hashes` here may write its files anew.
//!
//! This is a program of its own so that it can be built the way users run it as well: `make test`
//! runs it with debug assertions and in release, and both must come to what the files say.

#![allow(clippy::unwrap_used)] // A test that panics is a test that fails.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use engine::Engine;
use types::{Command, Entry, Envelope, Event, Origin, Reader, Wire};

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
    kinds: 35,
    commands: 2851,
    events_hash: 0x4b85_e002_9209_fe83,
    state_hash: 0x6ed6_08f6_9ebf_5da6,
};

#[test]
fn a_log_of_the_first_version_leads_to_the_same_history() {
    check(&FIRST);
}

/// Twice, since every engine draws the keys of its hash tables anew.
fn check(golden: &Golden) {
    let Golden { rules, kinds, commands, events_hash, state_hash } = *golden;
    let log = read(rules, "commands");
    assert_eq!(kinds_in(&log), kinds, "all kinds of commands are in it");
    let recorded = read(rules, "hashes");
    let recorded = recorded.chunks(8).map(|hash| u64::from_le_bytes(hash.try_into().unwrap()));
    let recorded: Vec<u64> = recorded.collect();
    for _ in 0..2 {
        let played = play(rules, &log);
        let mut both = played.hashes.iter().zip(&recorded);
        if let Some(at) = both.position(|(hash, expect)| hash != expect) {
            panic!("rules {rules}: entry {at} leads to other events, {:?}", entries(&log)[at]);
        }
        assert_eq!(played.hashes.len(), recorded.len());
        let expect = format!("{commands} {events_hash:#018x} {state_hash:#018x}");
        assert_eq!(played.summary(), expect);
    }
}

/// Writes the hashes of the newest version anew, and prints what its entry in this file says.
#[test]
#[ignore = "only while no release has this version"]
fn write_the_newest_hashes() {
    let rules = engine::RULES_VERSION;
    let log = read(rules, "commands");
    let played = play(rules, &log);
    let bytes: Vec<u8> = played.hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    std::fs::write(path(rules, "hashes"), bytes).unwrap();
    println!("rules {rules}, {} kinds: {}", kinds_in(&log), played.summary());
}

/// What a log led to.
struct Played {
    /// Of all events so far, at every entry.
    hashes: Vec<u64>,
    commands: u64,
    state_hash: u64,
}

impl Played {
    fn summary(&self) -> String {
        let events_hash = self.hashes.last().copied().unwrap_or(FNV_OFFSET);
        format!("{} {events_hash:#018x} {:#018x}", self.commands, self.state_hash)
    }
}

fn play(rules: u16, log: &[u8]) -> Played {
    let mut engine = Engine::with_rules(rules).unwrap();
    let (mut hashes, mut hash) = (Vec::new(), FNV_OFFSET);
    let envelope = Envelope::venue(Origin::Rest, 0);
    let rest = Entry { envelope, command: Command::Continue(()) };
    for (sequenced_ns, entry) in entries(log) {
        let mut events: Vec<Event> = Vec::new();
        engine.apply(sequenced_ns, &entry, &mut events);
        while engine.has_deferred() {
            engine.apply(sequenced_ns, &rest, &mut events);
        }
        let mut bytes = Vec::new();
        events.iter().for_each(|event| event.write(&mut bytes));
        hash = fnv1a(hash, &bytes);
        hashes.push(hash);
    }
    engine.assert_consistent();
    let mut state = Vec::new();
    engine.write_state(&mut state);
    Played { hashes, commands: engine.sequence(), state_hash: fnv1a(FNV_OFFSET, &state) }
}

fn entries(log: &[u8]) -> Vec<(u64, Entry)> {
    let (mut reader, mut entries) = (Reader(log), Vec::new());
    while !reader.is_empty() {
        entries.push(reader.read().expect("a time and an entry"));
    }
    entries
}

fn kinds_in(log: &[u8]) -> usize {
    let kinds = entries(log).into_iter().map(|(_, entry)| {
        let mut command = Vec::new();
        entry.command.write(&mut command);
        command[0]
    });
    kinds.collect::<BTreeSet<u8>>().len()
}

fn read(rules: u16, kind: &str) -> Vec<u8> {
    std::fs::read(path(rules, kind)).unwrap()
}

fn path(rules: u16, kind: &str) -> PathBuf {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    golden.join(format!("rules-{rules}.{kind}"))
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
