//! Words of this process alone.

use crate::atomic::AtomicU64;

pub(crate) const WORD: usize = 8;

#[derive(Debug)]
pub(crate) struct Memory(Vec<AtomicU64>);

impl Memory {
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count).map(|_| AtomicU64::new(0)).collect())
    }

    pub(crate) fn words(&self) -> &[AtomicU64] {
        &self.0
    }
}
