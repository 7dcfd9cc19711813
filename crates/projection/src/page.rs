//! A page of the spool, as it is gathered for one transaction.

use crate::progress::Progress;
use spool::Applied;

/// What a transaction writes of some commands.
pub trait Page {
    /// Of nothing yet that comes after this.
    fn after(progress: Progress) -> Self;

    /// Adds what comes next.
    fn apply(&mut self, applied: &Applied);

    /// The last command in it, or before it.
    fn sequence(&self) -> u64;

    fn is_empty(&self) -> bool;

    /// Whether it is to be written before more is added.
    fn is_full(&self) -> bool;
}
