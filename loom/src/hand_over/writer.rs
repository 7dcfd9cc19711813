//! A model of the writer: a group, and how many batches are committed.

use std::sync::Arc;

use loom::sync::Mutex;

use crate::batch::{Batch, Committed};
use crate::contract::Room;
use crate::error::LogError;

pub(crate) const GROUP_SIZE_MAX: usize = 2;

#[allow(dead_code, reason = "the model always has room")]
pub(crate) enum Place {
    Found,
    AfterCommit,
    AfterReturn,
}

pub(crate) struct Writer {
    group: Vec<Batch>,
    committed: Arc<Mutex<u64>>,
    fails_at: Option<u64>,
}

impl Writer {
    pub(crate) fn sound() -> Self {
        Self { group: Vec::new(), committed: Arc::new(Mutex::new(0)), fails_at: None }
    }

    /// The commit of this batch fails.
    pub(crate) fn that_fails_at(number: u64) -> Self {
        Self { fails_at: Some(number), ..Self::sound() }
    }

    pub(crate) fn committed(&self) -> Arc<Mutex<u64>> {
        Arc::clone(&self.committed)
    }

    pub(crate) fn has_place(&self, _: usize) -> bool {
        true
    }

    pub(crate) fn is_trimmed(&self, _: u64) -> bool {
        true
    }

    pub(crate) fn make_room(&mut self, _: usize) -> Result<Place, LogError> {
        Ok(Place::Found)
    }

    pub(crate) fn place(&mut self, batch: Batch) {
        self.group.push(batch);
    }

    pub(crate) fn group_size(&self) -> usize {
        self.group.len()
    }

    pub(crate) fn commit(&mut self) -> Result<Vec<Committed>, LogError> {
        if self.group.iter().any(|batch| self.fails_at == Some(batch.number)) {
            return Err(LogError::Failed);
        }
        let group = std::mem::take(&mut self.group);
        *self.committed.lock().expect("no thread panics") += group.len() as u64;
        Ok(group.into_iter().map(|batch| Committed { batch }).collect())
    }

    pub(crate) fn sync(&mut self) -> Result<(), LogError> {
        Ok(())
    }

    pub(crate) fn trim(&mut self, _: u64) -> Result<(), LogError> {
        Ok(())
    }

    pub(crate) fn room(&self) -> Room {
        Room::Enough
    }

    pub(crate) fn is_full(&self) -> bool {
        false
    }
}
