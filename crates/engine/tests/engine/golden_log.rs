//! Generator of the newest golden log of `tests/golden.rs`.

use std::path::Path;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use types::{Command, InstrumentId, Phase, SetPhase, Wire};

use crate::house::entry;
use crate::random;

/// Writes the log of the newest version anew; what it leads to is written by
/// `write_the_newest_hashes`.
#[test]
#[ignore = "only while no release has this version"]
fn write_the_newest_log() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let file = golden.join(format!("rules-{}.commands", engine::RULES_VERSION));
    std::fs::write(file, written()).unwrap();
}

/// Random scripts, one behind the other in one venue, always the same; each begins by opening all
/// that the last one may have closed.
fn written() -> Vec<u8> {
    let mut runner = TestRunner::deterministic();
    let mut bytes = Vec::new();
    let mut now_ns = 0;
    for command in random::set_up() {
        now_ns += 1;
        (now_ns, entry(0, None, command)).write(&mut bytes);
    }
    for _ in 0..30 {
        for instrument in (0..3).map(InstrumentId) {
            let phase = Phase::Continuous;
            let open = Command::SetPhase(SetPhase { instrument, phase });
            for command in [Command::ResumeVenue(()), open] {
                (now_ns, entry(0, None, command)).write(&mut bytes);
            }
        }
        for step in random::steps(200).new_tree(&mut runner).unwrap().current() {
            now_ns += step.after_ns;
            (now_ns, step.entry).write(&mut bytes);
        }
    }
    bytes
}
