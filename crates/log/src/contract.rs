//! What every log does, wherever it keeps its batches.
//!
//! A [`Log`] takes batches and returns them once they are committed. A [`LogReader`] returns what
//! was committed before the log was opened, because a venue applies that before it appends. Neither
//! knows segments: a log on other machines can implement both.

use std::fmt;
use std::path::Path;

use crate::batch::{Batch, Committed, LoggedBatch};
use crate::chain::ChainHash;
use crate::error::{LogError, OpenError};
use crate::file::hand_over::Held;

/// Where the next batches find their place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Room {
    Enough,
    /// The disk is full. A frame of this many bytes is sure to find its place in what is kept
    /// ready, a larger one waits until there is room again.
    Left(u64),
}

/// An ordered, durable sequence of batches. It never blocks its caller. Several may write to a log
/// that several machines share: each reads what all have written, in the one order that counts.
pub trait Log: fmt::Debug {
    /// Hands a batch over for commit. Several may be under way, as long as [`Log::ready`] says so;
    /// they are committed in the order given, and none twice.
    fn append(&mut self, batch: Batch) -> Result<(), LogError>;

    /// As [`Log::append`], for a caller with a thread to spare. Where a batch is returned, that
    /// thread commits it by [`Held::commit`], soon and without the caller: so no thread has to be
    /// woken for a commit that no other batch waits for.
    fn append_held(&mut self, batch: Batch) -> Result<Option<Held>, LogError> {
        self.append(batch).map(|()| None)
    }

    /// The next committed batch, in order; `None` when there is none yet. What had been committed
    /// when the log failed is still given out, and after it the failure, for ever.
    fn poll(&mut self) -> Result<Option<Committed>, LogError>;

    /// Whether [`Log::append`] would take a batch now.
    fn ready(&self) -> bool;

    /// Whether a batch that is appended now can be committed soon.
    fn room(&self) -> Room;

    /// Allows the log to forget the batches before this one, because a snapshot holds their
    /// outcome. They go in the background, in whole segments; when that failed, the next call says
    /// so.
    fn trim(&mut self, before_batch: u64) -> Result<(), LogError>;
}

/// The batches that a log held when it was opened. All of them are committed.
pub trait LogReader: fmt::Debug {
    /// 1, or a later one when the log has forgotten older batches.
    fn first_batch(&self) -> u64;

    /// `first_batch - 1` when there is no batch.
    fn last_batch(&self) -> u64;

    /// Reads from this batch on, up to [`LogReader::last_batch`]. The number after the last is
    /// allowed too: the reader is then at the end, and has the chain's hash there.
    fn read_from(&self, batch_number: u64) -> Result<Box<dyn BatchReader>, OpenError>;
}

/// Reads the batches of a log in their order, and checks that each continues the chain.
pub trait BatchReader: fmt::Debug + Send {
    /// The next batch, which the reader lends out of its own buffer; `None` after the last.
    fn read(&mut self) -> Result<Option<LoggedBatch<'_>>, OpenError>;

    /// The chain's hash just before the next batch: a snapshot taken there carries the same one.
    fn previous_hash(&self) -> ChainHash;

    /// Where the last batch that was read lies, for messages: the name of the file or partition
    /// that holds it, and the offset at which it begins there.
    fn place(&self) -> Option<(&Path, u64)>;
}

impl<L: Log + ?Sized> Log for Box<L> {
    fn append(&mut self, batch: Batch) -> Result<(), LogError> {
        (**self).append(batch)
    }

    fn append_held(&mut self, batch: Batch) -> Result<Option<Held>, LogError> {
        (**self).append_held(batch)
    }

    fn poll(&mut self) -> Result<Option<Committed>, LogError> {
        (**self).poll()
    }

    fn ready(&self) -> bool {
        (**self).ready()
    }

    fn room(&self) -> Room {
        (**self).room()
    }

    fn trim(&mut self, before_batch: u64) -> Result<(), LogError> {
        (**self).trim(before_batch)
    }
}
