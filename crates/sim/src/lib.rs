//! The venue's state machine in a world where everything goes wrong that may go wrong, decided by
//! one seed: the same seed is the same run, to the last byte.
//!
//! `local.rs` is one machine with its log and snapshots on a disk that loses, tears, fails and
//! fills up. `shared.rs` is three machines that write to one log and take over from each other. In
//! both, `clients.rs` send commands, repeat what was not answered, and remember every answer;
//! `checker.rs` checks the log that is left in the end against their replies.

mod answer;
mod checker;
mod clients;
mod local;
mod shared;
mod world;

pub use checker::Violation;
pub use world::{Plant, Summary, World};

/// A run that showed something which must not be.
#[derive(Debug, thiserror::Error)]
#[error("seed {seed}, {world:?} world: {violation}")]
pub struct Failed {
    pub seed: u64,
    pub world: World,
    pub violation: Violation,
}

/// Runs one seed in one world to its end.
pub fn run(seed: u64, world: World, plant: Option<Plant>) -> Result<Summary, Failed> {
    let result = match world {
        World::Local => local::run(seed, plant),
        World::Shared => shared::run(seed, plant),
    };
    result.map_err(|violation| Failed { seed, world, violation })
}
