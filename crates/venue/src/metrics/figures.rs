//! The figures that an operator looks at first.

/// How a venue is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Figures {
    pub is_disk_full: bool,
    pub applied_sequence: u64,
    pub snapshot_sequence: Option<u64>,
    pub snapshot_failures: u64,
    pub spool_first_sequence: u64,
    pub projected_sequence: u64,
    /// The read model has all events from this command on.
    pub projection_complete_from: u64,
    pub is_projection_failing: bool,
    pub is_intake_standing: bool,
    pub is_publisher_standing: bool,
}
