//! Batches: what goes into a log and what comes out of it.

use crate::chain::ChainHash;

/// What the sequencer hands over for one commit.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Batch {
    /// The term of the primary that packed this batch. Readers skip those of an older one.
    pub epoch: u64,
    /// The time that all commands of this batch are applied at.
    pub sequenced_ns: u64,
    /// The rules of the engine under which the commands are to be applied, now and at any replay.
    pub rules_version: u16,
    pub command_count: u32,
    /// At most [`PAYLOAD_SIZE_MAX`](crate::frame::PAYLOAD_SIZE_MAX) bytes.
    pub payload: Vec<u8>,
}

/// A batch that is in the log for good.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Committed {
    pub batch_number: u64,
    /// The hash of the chain up to and with this batch: a snapshot taken here carries it.
    pub hash: ChainHash,
    /// The file log gives back the very `payload` it was handed, so that a caller who clears and
    /// refills it allocates nothing.
    pub batch: Batch,
}

/// What comes before the first batch of a log that is begun in an empty folder: nothing, or what a
/// snapshot from elsewhere holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Start {
    pub last_batch: u64,
    pub last_hash: ChainHash,
}

impl Default for Start {
    fn default() -> Self {
        Self { last_batch: 0, last_hash: ChainHash::GENESIS }
    }
}
