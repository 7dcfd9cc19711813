//! A log of every rules version, and what it led to.
//!
//! `golden/rules-N.commands` is a list of (time, entry) as [`Wire`] writes them. A difference means
//! that a log of that version would be replayed to another history: that takes a new rules version,
//! with the old rules kept. Only while no release has this version may the file be written anew, by
//! running the test with `ENGINE_GOLDEN=write` and copying the hashes that it prints.

use std::path::Path;

use engine::Engine;
use types::{Command, Entry, Reader, Wire};

use crate::house::{entry, event_bytes, state_bytes};

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
    if std::env::var_os("ENGINE_GOLDEN").is_some_and(|value| value == "write") {
        std::fs::write(&path, written()).unwrap();
    }
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

/// Random commands of all kinds, always the same, and a sweep through more than one command's work.
fn written() -> Vec<u8> {
    use proptest::strategy::{Strategy, ValueTree};
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let house = crate::random::house();
    let mut entries: Vec<(u64, Entry)> = Vec::new();
    let mut now_ns = 1_700_000_000_000_000_000;
    for command in house.commands() {
        now_ns += 1_000;
        entries.push((now_ns, entry(0, None, command)));
    }
    for _ in 0..10 {
        let steps = crate::random::steps(200).new_tree(&mut runner).unwrap().current();
        for step in steps {
            now_ns += step.after_ns * 1_000;
            entries.push((now_ns, step.entry));
        }
    }
    let mut spec = house.instruments[0];
    spec.symbol = types::Symbol::parse("SWEEP").unwrap();
    spec.min_notional = types::Amount::ZERO;
    spec.min_qty = types::Qty::from_lots(1);
    (spec.max_open_orders, spec.max_qty) = (5_000, types::Qty::from_lots(5_000));
    spec.max_notional = types::Amount::from_minor(1_000_000);
    let mut account = crate::house::account_spec(50);
    account.fees = None;
    let mut engine = Engine::default();
    let mut events = Vec::new();
    for (at, entry) in &entries {
        engine.apply(*at, entry, &mut events);
    }
    let instrument = types::InstrumentId(engine.instruments().count() as u32);
    let number = engine.accounts().count() as u32;
    let mut last = vec![
        entry(0, None, Command::ListInstrument(types::ListInstrument { spec })),
        entry(0, None, Command::CreateAccount(types::CreateAccount { spec: account })),
        entry(0, None, crate::house::deposit(number, 0, 10_000, "base")),
        entry(0, None, crate::house::deposit(number, 1, 100_000, "quote")),
    ];
    for order in 0..1_010 {
        let price = 1 + order % 12;
        let name = format!("s{order}");
        let sell = crate::house::limit(&name, types::Side::Sell, 1, price);
        let sell = types::NewOrder { instrument, ..sell };
        last.push(entry(number, None, Command::NewOrder(sell)));
    }
    let buy = crate::house::limit("sweep", types::Side::Buy, 1_003, 12);
    let buy = types::NewOrder { instrument, ..buy };
    last.push(entry(number, None, Command::NewOrder(buy)));
    let cl_ord_id = crate::house::name("all");
    let all = types::CancelAll { instrument, cl_ord_id };
    last.push(entry(number, None, Command::CancelAll(all)));
    entries.extend(last.into_iter().map(|entry| (now_ns, entry)));
    let mut bytes = Vec::new();
    for (at, entry) in &entries {
        at.write(&mut bytes);
        entry.write(&mut bytes);
    }
    bytes
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
