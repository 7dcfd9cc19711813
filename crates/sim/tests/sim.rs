//! The simulation in short, and that it sees what it is there to see. `make sim` runs it long.

use sim::{Plant, Summary, World};

#[test]
fn nothing_is_lost_or_done_twice_whatever_goes_wrong() {
    let mut total = Summary::default();
    for seed in 0..200 {
        for world in [World::Local, World::Shared] {
            match sim::run(seed, world, None) {
                Ok(summary) => total += summary,
                Err(failed) => panic!("{failed}"),
            }
        }
    }
    // A world in which nothing happens shows nothing.
    let reached = [
        total.acknowledged,
        total.repeated,
        total.restarts,
        total.power_cuts,
        total.failed_syncs,
        total.full_disks,
        total.damage_seen,
        total.snapshots,
        total.take_overs,
        total.skipped_batches,
    ];
    assert!(reached.iter().all(|count| *count > 100), "{total:?}");
}

#[test]
fn a_seed_is_a_run() {
    for world in [World::Local, World::Shared] {
        let run = |seed| sim::run(seed, world, None).map_err(|failed| failed.to_string());
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
    }
}

#[track_caller]
fn is_caught(plant: Plant, world: World, violations: &[&str]) {
    let failed = (0..100).filter_map(|seed| sim::run(seed, world, Some(plant)).err());
    let mut messages = failed.map(|failed| failed.to_string());
    let is_named = |message: String| violations.iter().any(|violation| message.contains(violation));
    assert!(messages.any(is_named), "{plant:?} was not caught in a hundred runs");
}

#[test]
fn an_acknowledgement_before_the_sync_is_caught() {
    is_caught(Plant::AckBeforeSync, World::Local, &["was answered as command", "are missing"]);
}

#[test]
fn a_checksum_that_is_not_checked_is_caught() {
    is_caught(Plant::SkipChecksum, World::Local, &["damage was not seen"]);
}

#[test]
fn a_request_that_is_carried_out_twice_is_caught() {
    for world in [World::Local, World::Shared] {
        is_caught(Plant::ForgetRetries, world, &["and again as"]);
    }
}
