//! What a run is asked for, and what it consisted of.

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
    /// A client that repeats a request does not mark it as the same.
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
