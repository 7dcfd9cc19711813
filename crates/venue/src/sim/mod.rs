//! The venue's state machine in a world where everything goes wrong that may go wrong, decided by
//! one seed: the same seed is the same run, to the last byte.
//!
//! [`local`] is one machine with its log and snapshots on a disk that loses, tears, fails and fills
//! up. [`shared`] is three machines that write to one log and take over from each other. In both,
//! [`clients`] send commands, repeat what was not answered, and remember every answer;
//! [`checker`] holds the log that is left in the end against what they were told.

mod checker;
mod clients;
mod local;
mod shared;

use std::fmt;

pub use checker::Violation;

/// A world to run in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum World {
    /// One machine, and a disk to mistrust.
    Local,
    /// Three machines that share a log.
    Shared,
}

/// A bug put in on purpose, to see that it is caught.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Plant {
    /// Batches are acknowledged when they are written, not when they are synced.
    AckBeforeSync,
    /// A changed byte passes as if no checksum were looked at.
    SkipChecksum,
    /// Who repeats a request does not say that it is the same.
    ForgetRetries,
}

/// What a run consisted of.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Summary {
    pub commands: u64,
    pub acknowledged: u64,
    pub repeated: u64,
    pub restarts: u64,
    pub power_cuts: u64,
    pub failed_syncs: u64,
    pub full_disks: u64,
    pub damage_seen: u64,
    pub snapshots: u64,
    pub take_overs: u64,
    pub skipped_batches: u64,
}

/// A run that showed something which must not be.
#[derive(Debug)]
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

impl std::ops::AddAssign for Summary {
    fn add_assign(&mut self, other: Self) {
        self.commands += other.commands;
        self.acknowledged += other.acknowledged;
        self.repeated += other.repeated;
        self.restarts += other.restarts;
        self.power_cuts += other.power_cuts;
        self.failed_syncs += other.failed_syncs;
        self.full_disks += other.full_disks;
        self.damage_seen += other.damage_seen;
        self.snapshots += other.snapshots;
        self.take_overs += other.take_overs;
        self.skipped_batches += other.skipped_batches;
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}, {:?} world: {}", self.seed, self.world, self.violation)
    }
}

impl std::error::Error for Failed {}
