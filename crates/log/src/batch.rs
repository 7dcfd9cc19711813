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
    /// The file log gives back the very `payload` it was handed, so that a caller that clears and
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

/// What is known of a batch in a log without its commands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BatchHeader {
    pub batch_number: u64,
    /// The hash of the chain up to and with this batch.
    pub hash: ChainHash,
    pub epoch: u64,
    pub sequenced_ns: u64,
    pub rules_version: u16,
    pub command_count: u32,
}

/// A batch as it lies in a log.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LoggedBatch<'a> {
    pub header: BatchHeader,
    pub payload: &'a [u8],
}

impl<'a> From<&'a Committed> for LoggedBatch<'a> {
    fn from(committed: &'a Committed) -> Self {
        let batch = &committed.batch;
        let header = BatchHeader {
            batch_number: committed.batch_number,
            hash: committed.hash,
            epoch: batch.epoch,
            sequenced_ns: batch.sequenced_ns,
            rules_version: batch.rules_version,
            command_count: batch.command_count,
        };
        Self { header, payload: &batch.payload }
    }
}
