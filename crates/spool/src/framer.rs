//! What is applied becomes frames, before they are stored. Apart from the rest of the spool, so
//! that a replay can have them stored on another thread: frames are a quarter of what events take
//! in memory, and so much less to hand over.

use crate::applied::AppliedRef;
use crate::batch::Batch;
use crate::frame::Chain;

/// Makes frames of what is applied, up to a batch that is worth storing.
#[derive(Debug, Default)]
pub struct Framer {
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
    pub fn push<'a>(&mut self, applied: impl Into<AppliedRef<'a>>) -> bool {
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
    pub fn take_batch(&mut self, empty: Batch) -> Batch {
        debug_assert!(empty.is_empty());
        std::mem::replace(&mut self.batch, empty)
    }
}

/// What the replay finds in the spool already. Two histories do not have the same commands at the
/// same nanoseconds: so their times distinguish them at next to no cost.
#[derive(Debug, Default)]
pub(super) struct Spooled {
    pub(super) first: u64,
    pub(super) times_ns: Vec<u64>,
}

impl Spooled {
    fn may_be(&self, applied: &AppliedRef<'_>) -> bool {
        let place = applied.sequence.checked_sub(self.first);
        let spooled_ns = place.and_then(|place| self.times_ns.get(usize::try_from(place).ok()?));
        spooled_ns.is_none_or(|spooled_ns| *spooled_ns == applied.sequenced_ns)
    }
}
