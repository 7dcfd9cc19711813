//! Generator of the newest golden log of `tests/golden.rs`.

use std::path::Path;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use types::{
    AccountId, Calendar, Command, CreateKey, CreateLogin, DelistInstrument, InstrumentId, KeySpec,
    LoginId, LoginSpec, NewEpoch, Phase, Role, SESSIONS_MAX, Sealed, Session, SetPhase, Side,
    StateHash, UpdateLogin, UserName, Way, Ways, Wire,
};

use crate::house::{entry, limit};
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

/// What random scripts seldom or never have, then random scripts, one behind the other in one
/// venue, always the same; each begins by opening all that the last one may have closed. In the end
/// every instrument is delisted.
fn written() -> Vec<u8> {
    let mut runner = TestRunner::deterministic();
    let mut bytes = Vec::new();
    let mut now_ns = 0;
    for command in random::set_up() {
        now_ns += 1;
        (now_ns, entry(0, None, command)).write(&mut bytes);
    }
    for (account, command) in rare() {
        now_ns += 1;
        (now_ns, entry(account, None, command)).write(&mut bytes);
    }
    for _ in 0..40 {
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
    for instrument in (0..3).map(InstrumentId) {
        let delist = Command::DelistInstrument(DelistInstrument { instrument });
        (now_ns, entry(0, None, delist)).write(&mut bytes);
    }
    bytes
}

/// Orders in every phase, keys of every role, a login with its keys, a calendar, and what the
/// machines send.
fn rare() -> Vec<(u32, Command)> {
    let instrument = InstrumentId(0);
    let mut commands = Vec::new();
    for phase in Phase::ALL.iter().copied().chain([Phase::Continuous]) {
        commands.push((0, Command::SetPhase(SetPhase { instrument, phase })));
        for (account, side) in [(1, Side::Sell), (2, Side::Buy)] {
            let order = limit(&format!("g-{phase:?}"), side, 4, 5);
            commands.push((account, Command::NewOrder(order)));
        }
    }
    for (number, role) in (200..).zip(Role::ALL.iter().copied()) {
        let sealed_secret = Sealed::new(&[number; 40]).unwrap();
        let spec = KeySpec {
            account: AccountId(1),
            role,
            login: None,
            api_key_hash: [number; 16],
            sealed_secret,
        };
        commands.push((0, Command::CreateKey(Box::new(CreateKey { spec }))));
    }
    commands.extend(of_login().map(|command| (0, command)));
    let mut sessions = [None; SESSIONS_MAX];
    sessions[0] = Some(Session { weekdays: 1, begins_s: 60, phase: Phase::Continuous });
    commands.push((0, Command::SetCalendar(Calendar { instrument, sessions })));
    let hash = StateHash { sequence: 1, event_hash: [1; 16], state_hash: [2; 32] };
    let machines = [
        Command::NewEpoch(NewEpoch { epoch: 1, primary: 7 }),
        Command::TakeStateHash(()),
        Command::StateHash(hash),
        Command::Continue(()),
    ];
    commands.extend(machines.map(|command| (0, command)));
    commands
}

/// A login whose first key is revoked by a change of it.
fn of_login() -> [Command; 4] {
    let (account, role, login) = (AccountId(1), Role::Trader, LoginId(1));
    let sealed_secret = Sealed::new(&[210; 40]).unwrap();
    let ways = Ways::new(&[Way::Page]).unwrap();
    let user = UserName::parse("golden").unwrap();
    let spec = LoginSpec { user, account, role, ways, sealed_secret };
    let key = |number: u8| {
        let api_key_hash = [number; 16];
        let spec = KeySpec { account, role, login: Some(login), api_key_hash, sealed_secret };
        Command::CreateKey(Box::new(CreateKey { spec }))
    };
    let update = UpdateLogin { login, ways, sealed_secret, sign_out: true };
    [
        Command::CreateLogin(Box::new(CreateLogin { spec })),
        key(211),
        Command::UpdateLogin(Box::new(update)),
        key(212),
    ]
}
