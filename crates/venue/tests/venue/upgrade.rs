//! The upgrade to a newer rules version, with a synthetic one.
//!
//! It has the rules of the version before. Its program differs only in what it knows and in the
//! version that it enters in the log ([`Engine::know_rules`]).

use std::fs;
use std::path::Path;

use engine::{Engine, RULES_VERSION};
use log::FileLog;
use log::snapshot::{self, Section, Snapshot};
use testing::{ALICE, settings};
use types::{Entry, Envelope, Origin, Reader};
use venue::{FollowError, Follower, Machine, OpenError, Opened, Output, Position, Settings};

use super::{newest_snapshot, order, set_up, start, trade};

const NEWER: u16 = RULES_VERSION + 1;

#[test]
fn a_newer_program_goes_on_and_an_older_one_is_refused_by_version() {
    let dir = tempfile::tempdir().unwrap();
    let running = start(Settings { snapshot_every: 100, ..settings(dir.path()) });
    set_up(&running.handle());
    trade(&running.handle(), 0..150);
    running.stop().unwrap();

    let (live, position) = go_on_with_newer_rules(dir.path());
    let last_batch = position.batch_number;
    assert_eq!(live.rules(), NEWER);

    // From the first batch on, a newer program reaches the same state under each batch's rules.
    let mut follower = Follower::new(newer(Engine::with_rules(1).unwrap()), Position::default());
    let versions = replay(dir.path(), &mut follower).unwrap();
    assert!(
        versions.is_sorted() && versions[0] == RULES_VERSION && *versions.last().unwrap() == NEWER
    );
    assert!(state(follower.engine()) == state(&live));

    // An older one does not, however it starts: by the log, or from a snapshot of newer rules.
    let mut follower = Follower::new(Engine::with_rules(1).unwrap(), Position::default());
    let first_newer = 1 + versions.iter().position(|version| *version == NEWER).unwrap() as u64;
    let (found, supported) = (NEWER, RULES_VERSION);
    let error = FollowError::OtherRules { batch_number: first_newer, found, supported };
    assert_eq!(replay(dir.path(), &mut follower), Err(error));
    check_refused(dir.path(), first_newer);
    write_snapshot(dir.path(), &live, position);
    check_refused(dir.path(), last_batch);
    let bytes = state(&live);
    assert!(Engine::read_state(Reader(&bytes)).is_none());
}

/// What a newer program does in a folder that an older one has stopped in: it reads the snapshot
/// and the log, begins an epoch, and applies orders.
fn go_on_with_newer_rules(dir: &Path) -> (Engine, Position) {
    let snapshot = snapshot::load(&newest_snapshot(dir)).unwrap();
    assert_eq!(snapshot.rules_version, RULES_VERSION);
    let engine = newer(Engine::read_state(Reader(snapshot.section("engine").unwrap())).unwrap());
    let epoch = Reader(snapshot.section("epoch").unwrap()).read().unwrap();
    let (batch_number, chain_hash) = (snapshot.batch_number, snapshot.chain_hash);
    let mut follower = Follower::new(engine, Position { batch_number, chain_hash, epoch });

    let (log, recovered) = FileLog::open(&dir.join("log"), log::Options::default()).unwrap();
    let mut reader = recovered.read_from(batch_number + 1).unwrap();
    while let Some(batch) = reader.read().unwrap() {
        follower.follow(batch.into(), |_| {}).unwrap();
    }
    assert_eq!(follower.engine().rules(), RULES_VERSION, "the older program's batches end here");

    let now_ns = follower.engine().now_ns();
    let mut machine = Machine::new(follower, log);
    machine.take_over(7, now_ns).unwrap();
    for number in 150..200 {
        let envelope = Envelope { account: ALICE, ..Envelope::venue(Origin::Rest, now_ns) };
        machine.submit(Entry { envelope, command: order(number) }, ()).unwrap();
    }
    let mut outputs: Vec<Output<()>> = Vec::new();
    while machine.is_busy() {
        machine.poll(now_ns, &mut outputs).unwrap();
    }
    assert_eq!(outputs.iter().filter(|output| output.ticket.is_some()).count(), 50);
    let (follower, log) = machine.into_parts();
    log.close().unwrap();
    let position = follower.position();
    (follower.into_engine(), position)
}

fn newer(mut engine: Engine) -> Engine {
    engine.know_rules(NEWER);
    engine
}

/// The rules versions of the batches, up to the end of the log.
fn replay(dir: &Path, follower: &mut Follower) -> Result<Vec<u16>, FollowError> {
    let recovered = log::inspect(&dir.join("log")).unwrap();
    let mut reader = recovered.read_from(1).unwrap();
    let mut versions = Vec::new();
    while let Some(batch) = reader.read().unwrap() {
        versions.push(batch.header.rules_version);
        follower.follow(batch.into(), |_| {})?;
    }
    Ok(versions)
}

/// This program refuses the folder, names both versions, and changes nothing in it.
fn check_refused(dir: &Path, batch: u64) {
    let files = || {
        let of = |folder| fs::read_dir(dir.join(folder)).unwrap().map(|entry| entry.unwrap());
        let mut files: Vec<_> = of("log").chain(of("snapshots")).collect();
        files.sort_by_key(fs::DirEntry::path);
        let read = |entry: fs::DirEntry| (entry.path(), fs::read(entry.path()).unwrap());
        files.into_iter().map(read).collect::<Vec<_>>()
    };
    let before = files();
    let error = Opened::open(settings(dir)).unwrap_err();
    assert!(matches!(error, OpenError::Follow(FollowError::OtherRules { .. })), "{error}");
    let sentence = error.to_string();
    let says = |part: String| assert!(sentence.contains(&part), "{sentence}");
    says(format!("batch {batch} "));
    says(format!("rules version {NEWER};"));
    says(format!("up to {RULES_VERSION}:"));
    assert!(files() == before, "nothing is changed");
}

fn write_snapshot(dir: &Path, engine: &Engine, position: Position) {
    let before = snapshot::load(&newest_snapshot(dir)).unwrap();
    let section = |section: Section| match section.name.as_str() {
        "engine" => Section { payload: state(engine), ..section },
        _ => section,
    };
    let sections: Vec<Section> = before.sections.into_iter().map(section).collect();
    let snapshot = Snapshot {
        rules_version: engine.rules(),
        batch_number: position.batch_number,
        sequence: engine.sequence(),
        chain_hash: position.chain_hash,
        state_hash: *blake3::hash(&state(engine)).as_bytes(),
        sections,
    };
    snapshot::write(&dir.join("snapshots"), &snapshot).unwrap();
}

fn state(engine: &Engine) -> Vec<u8> {
    let mut bytes = Vec::new();
    engine.write_state(&mut bytes);
    bytes
}
