//! In-memory buffer for events that the disk could not take.

use std::collections::VecDeque;

use crate::batch::Batch;

/// In bytes: many times what the log still accepts when the disk is full.
const MAX: usize = 16 << 20;

#[derive(Debug)]
pub(super) struct Waiting {
    /// Oldest first.
    batches: VecDeque<Batch>,
    size: usize,
    pub(super) max: usize,
}

impl Default for Waiting {
    fn default() -> Self {
        Self { batches: VecDeque::new(), size: 0, max: MAX }
    }
}

impl Waiting {
    pub(super) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    pub(super) fn has_room_for(&self, batch: &Batch) -> bool {
        self.size + batch.bytes.len() <= self.max
    }

    pub(super) fn push(&mut self, batch: Batch) {
        self.size += batch.bytes.len();
        self.batches.push_back(batch);
    }

    pub(super) fn pop(&mut self) -> Option<Batch> {
        let batch = self.batches.pop_front()?;
        self.size -= batch.bytes.len();
        Some(batch)
    }

    /// The oldest one could not be stored this time either.
    pub(super) fn put_back(&mut self, batch: Batch) {
        self.size += batch.bytes.len();
        self.batches.push_front(batch);
    }
}
