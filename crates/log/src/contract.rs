//! What every log does, wherever it keeps its batches: [`Log`].

use std::fmt;

use crate::batch::{Batch, Committed};
use crate::error::LogError;

/// Where the next batches find their place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Room {
    Enough,
    /// The disk is full. A frame of this many bytes is sure to find its place in what is kept ready,
    /// a larger one waits until there is room again.
    Left(u64),
}

/// An ordered, durable sequence of batches. It never blocks its caller. Several may write to a log
/// that several machines share: each reads what all have written, in the one order that counts.
pub trait Log: fmt::Debug {
    /// Hands a batch over for commit. Several may be under way, as long as [`Log::ready`] says so;
    /// they are committed in the order given, and none twice.
    fn append(&mut self, batch: Batch) -> Result<(), LogError>;

    /// The next committed batch, in order; `None` when there is none yet. What had been committed
    /// when the log failed is still given out, and after it the failure, for ever.
    fn poll(&mut self) -> Result<Option<Committed>, LogError>;

    /// Whether [`Log::append`] would take a batch now.
    fn ready(&self) -> bool;

    /// Whether a batch that is appended now can be committed soon.
    fn room(&self) -> Room;

    /// Allows the log to forget the batches before this one, because a snapshot holds their outcome.
    /// They go in the background, in whole segments; when that failed, the next call says so.
    fn trim(&mut self, before_batch: u64) -> Result<(), LogError>;
}

impl<L: Log + ?Sized> Log for Box<L> {
    fn append(&mut self, batch: Batch) -> Result<(), LogError> {
        (**self).append(batch)
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
