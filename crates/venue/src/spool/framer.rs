//! What is applied becomes frames, before they are stored. Apart from the rest of the spool, so that
//! a replay can have them stored on another thread: frames are a quarter of what events take in
//! memory, and so much less to hand over.

use super::batch::Batch;
use super::frame::Chain;
use super::open::Spooled;
use crate::applied::Told;

#[derive(Debug, Default)]
pub(crate) struct Framer {
    pub(super) chain: Chain,
    pub(super) batch: Batch,
    /// Bytes from which on a batch is to be stored.
    pub(super) batch_size: usize,
    /// The last command that was appended.
    pub(super) last_sequence: u64,
    /// The times of the commands that were here when it was opened, for the replay to compare.
    pub(super) spooled: Spooled,
    /// What is here is not of this log.
    pub(super) is_other_history: bool,
}

impl Framer {
    /// Adds what was applied; what is in the spool already is passed over. Says whether there is
    /// so much now that it is to be stored.
    pub(crate) fn push<'a>(&mut self, applied: impl Into<Told<'a>>) -> bool {
        let applied = applied.into();
        if applied.sequence <= self.last_sequence {
            self.is_other_history |= !self.spooled.may_be(&applied);
            return false;
        }
        debug_assert_eq!(applied.sequence, self.last_sequence + 1);
        self.last_sequence = applied.sequence;
        if self.is_other_history {
            return false; // All of it is made anew when the replay is over.
        }
        self.batch.push(applied, &mut self.chain);
        self.batch.bytes.len() >= self.batch_size
    }

    /// What there is to store. The next frames go into `empty`.
    pub(crate) fn take_batch(&mut self, empty: Batch) -> Batch {
        debug_assert!(empty.is_empty());
        std::mem::replace(&mut self.batch, empty)
    }
}
