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
use types::{
    AccountMode, BandBreach, CancelRestriction, Command, Describe, Described, Entry, Envelope,
    Event, FeeAsset, OrderListKind, OrderType, Origin, PegReference, Phase, Qty, Reader,
    ReplaceMode, Role, Side, StpMode, Terms, TimeInForce, Wire,
};

struct Golden {
    rules: u16,
    commands: u64,
    events_hash: u64,
    state_hash: u64,
}

const FIRST: Golden = Golden {
    rules: 1,
    commands: 3835,
    events_hash: 0x402a_9052_bfe4_e748,
    state_hash: 0x58cf_d564_61a0_2aac,
};

const SECOND: Golden = Golden {
    rules: 2,
    commands: 4473,
    events_hash: 0x017d_34f4_137d_7da1,
    state_hash: 0x2e99_adc5_c45c_3362,
};

#[test]
fn a_log_of_the_first_version_leads_to_the_same_history() {
    check(&FIRST);
}

#[test]
fn a_log_of_the_second_version_leads_to_the_same_history() {
    check(&SECOND);
}

/// Twice, since every engine draws the keys of its hash tables anew.
fn check(golden: &Golden) {
    let Golden { rules, commands, events_hash, state_hash } = *golden;
    let log = read(rules, "commands");
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

/// A log that lacks a command or an instruction says nothing about its rules.
#[test]
fn the_newest_log_has_every_command_and_every_instruction() {
    let mut found = BTreeSet::new();
    for (_, entry) in entries(&read(engine::RULES_VERSION, "commands")) {
        note(&entry.command.describe(), &mut found);
    }
    let terms = match Terms::default().describe() {
        Described::Record(fields) => fields,
        other => panic!("{other:?}"),
    };
    let wanted = [
        Command::KINDS.iter().map(|kind| (*kind).to_owned()).collect(),
        terms.iter().map(|(term, _)| (*term).to_owned()).collect(),
        ["order_qty", "quote_order_qty", "strategy_id", "strategy_type"].map(str::to_owned).into(),
        words("order_type", OrderType::ALL),
        words("time_in_force", TimeInForce::ALL),
        words("stp_mode", StpMode::ALL),
        words("side", Side::ALL),
        words("reference", PegReference::ALL),
        words("restriction", CancelRestriction::ALL),
        words("mode", ReplaceMode::ALL),
        words("kind", OrderListKind::ALL),
        words("phase", Phase::ALL),
        words("breach", BandBreach::ALL),
        words("mode", AccountMode::ALL),
        words("fee_asset", FeeAsset::ALL),
        words("role", Role::ALL),
        ["login".to_owned(), "sign_out".to_owned()].into(),
    ];
    let missing: Vec<String> =
        wanted.concat().into_iter().filter(|what| !found.contains(what)).collect();
    assert!(missing.is_empty(), "the golden log has no {missing:?}");
}

/// Notes a value's choices, and the fields that are not empty.
fn note(value: &Described, found: &mut BTreeSet<String>) {
    match value {
        Described::Choice(kind, value) => {
            found.insert((*kind).to_owned());
            note(value, found);
        }
        Described::Record(fields) => {
            for (field, value) in fields {
                match value {
                    Described::Word(word) => found.insert(format!("{field} {word}")),
                    value if is_empty(value) => false,
                    _ => found.insert((*field).to_owned()),
                };
                note(value, found);
            }
        }
        Described::List(values) => values.iter().for_each(|value| note(value, found)),
        _ => {}
    }
}

fn is_empty(value: &Described) -> bool {
    match value {
        Described::Nothing | Described::Flag(false) | Described::Number(0) => true,
        Described::Wide(number) => *number == 0,
        Described::Qty(qty) => *qty == Qty::ZERO,
        _ => false,
    }
}

fn words<T: Describe>(field: &str, all: &[T]) -> Vec<String> {
    let word = |value: &T| match value.describe() {
        Described::Word(word) => format!("{field} {word}"),
        other => panic!("{other:?}"),
    };
    all.iter().map(word).collect()
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
    println!("rules {rules}: {}", played.summary());
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
