//! Settings of the intake.

use std::time::Duration;

pub use super::account::IntakeAccounts;
pub use super::address::IntakeAddress;

#[derive(Clone, Debug)]
pub struct IntakeSettings {
    pub address: IntakeAddress,
    pub accounts: IntakeAccounts,
    /// Replies, and dead letters, that their streams keep.
    pub replies_max: usize,
    /// How long an entry stays in the stream after its reply: zero where the log is on stable
    /// storage before a reply.
    pub keep: Duration,
}
