//! Damaged commands: a command that can be read is carried out, and its work ends.

use std::fs;
use std::path::Path;

use engine::{Engine, WORK_PER_COMMAND};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use types::{Command, Entry, Event, Reader, Wire};

use crate::house::{entry, event_bytes, state_bytes};
use crate::random::{self, RandomStep, steps};

/// Limit of the events for one unit of a command's work.
const EVENTS_PER_WORK: usize = 16;

/// Limit of the events of one command.
const EVENTS_MAX: usize = (WORK_PER_COMMAND as usize + 1) * EVENTS_PER_WORK;

/// Far more work than the orders of a short script need.
const CONTINUES_MAX: usize = 100;

/// Indexes of bytes in a command, and their new values.
type Damage = (prop::sample::Index, u8);

fn damage() -> impl Strategy<Value = Vec<Damage>> {
    prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_work_of_damaged_commands_ends(
        steps in prop::collection::vec((random::step(), damage()), 1..80),
    ) {
        let mut engine = random::open().engine;
        for (step, damage) in steps {
            let mut bytes = Vec::new();
            step.entry.write(&mut bytes);
            for (at, byte) in damage {
                let len = bytes.len();
                bytes[at.index(len)] = byte;
            }
            if let Some(entry) = Reader(&bytes).read() {
                let now_ns = engine.now_ns() + step.after_ns;
                apply_whole(&mut engine, now_ns, &entry);
                engine.assert_consistent();
            }
        }
    }

    #[test]
    fn no_bytes_are_a_reason_to_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = Entry::read(&mut Reader(&bytes));
        let _ = Event::read(&mut Reader(&bytes));
        assert!(Engine::read_state(Reader(&bytes)).is_none());
    }
}

fn apply_whole(engine: &mut Engine, now_ns: u64, command: &Entry) {
    let mut events = Vec::new();
    engine.apply(now_ns, command, &mut events);
    assert!(events.len() <= EVENTS_MAX, "{} events of {command:?}", events.len());
    let mut continues = 0;
    while engine.has_deferred() {
        events.clear();
        engine.apply(now_ns, &entry(0, None, Command::Continue(())), &mut events);
        assert!(events.len() <= EVENTS_MAX, "{} events of {command:?}", events.len());
        continues += 1;
        assert!(continues <= CONTINUES_MAX, "{command:?} does not end");
    }
}

/// Seeds for `make fuzz`: scripts, and their entries, events and states, in a folder for each
/// target.
#[test]
#[ignore = "it writes files for the fuzzer"]
fn write_seeds() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let write = |target: &str, name: &str, bytes: &[u8]| {
        fs::create_dir_all(corpus.join(target)).unwrap();
        fs::write(corpus.join(target).join(name), bytes).unwrap();
    };
    let mut runner = TestRunner::deterministic();
    for number in 0..60 {
        let mut venue = random::open();
        let mut log = Vec::new();
        for RandomStep { after_ns, entry, .. } in steps(40).new_tree(&mut runner).unwrap().current()
        {
            venue.now_ns += after_ns - 1;
            let events = venue.apply_whole(&entry);
            (venue.now_ns, entry.clone()).write(&mut log);
            let mut bytes = Vec::new();
            entry.write(&mut bytes);
            write("entry_decode", &format!("seed-{number}"), &bytes);
            if let Some(event) = events.first() {
                write("event_decode", &format!("seed-{number}"), &event_bytes(&[*event]));
            }
        }
        write("apply", &format!("seed-{number}"), &log);
        let state = [&[1][..], &state_bytes(&venue.engine)].concat();
        write("state_read", &format!("seed-{number}"), &state);
    }
}
