//! The answers about the state of a venue.

use schemars::JsonSchema;
use serde::Serialize;
use server::Durability;

#[derive(JsonSchema, Serialize)]
pub(super) struct StatusShown {
    /// Always `primary`: a venue on one machine has no standby
    pub(super) role: &'static str,
    pub(super) durability: Durability,
    pub(super) sequence: u64,
    pub(super) disk_full: bool,
    /// Null before the first snapshot
    pub(super) snapshot_sequence: Option<u64>,
    pub(super) snapshot_failures: u64,
    pub(super) spool_first_sequence: u64,
    pub(super) read_model_sequence: u64,
    pub(super) read_model_failing: bool,
    pub(super) replica: String,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct SnapshotBegun {
    pub(super) begun: bool,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct SnapshotShown {
    pub(super) batch: u64,
    pub(super) file: Option<String>,
    /// Null while the file is being replaced
    pub(super) bytes: Option<u64>,
}
