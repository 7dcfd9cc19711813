//! Slab: records under small numbers, with reuse of freed slots.

use crate::book::prefetch::{advise_huge, prefetch};

/// The number of no record.
pub(crate) const NONE: u32 = u32::MAX;

/// Free slots are kept on a stack: an insert or remove costs a few instructions, and nothing
/// allocates once the slab has its working size. A slab reserves `RESERVE` records at once, because
/// untouched memory costs nothing. So no command waits for a copy of all records.
#[derive(Clone, Debug)]
pub struct Slab<T, const RESERVE: usize = 0> {
    records: Vec<T>,
    free: Vec<u32>,
}

impl<T, const RESERVE: usize> Default for Slab<T, RESERVE> {
    fn default() -> Self {
        Self { records: Vec::new(), free: Vec::new() }
    }
}

impl<T, const RESERVE: usize> Slab<T, RESERVE> {
    #[inline]
    pub fn insert(&mut self, record: T) -> u32 {
        self.insert_made(|| record)
    }

    /// [`Slab::insert`] for the hot path: constructs the record in its slot.
    #[inline(always)]
    pub(crate) fn insert_made(&mut self, make: impl FnOnce() -> T) -> u32 {
        match self.free.pop() {
            Some(index) => {
                self.records[index as usize] = make();
                index
            }
            None => self.push(make()),
        }
    }

    #[inline(never)]
    fn push(&mut self, record: T) -> u32 {
        if self.records.len() == self.records.capacity() {
            self.grow();
        }
        let index = u32::try_from(self.records.len()).expect("fewer than 2^32 records");
        assert!(index != NONE, "fewer than 2^32 - 1 records");
        self.records.push(record);
        index
    }

    #[cold]
    fn grow(&mut self) {
        self.reserve(RESERVE.saturating_sub(self.records.len()).max(1));
    }

    /// Reserves slots for `more` records, while no slot is free.
    pub(crate) fn reserve(&mut self, more: usize) {
        // A large array is not copied: the system moves its pages.
        self.records.reserve(more);
        // All slots are used, so the stack is empty and nothing of it is copied.
        debug_assert!(self.free.is_empty());
        self.free = Vec::with_capacity(self.records.capacity());
        advise_huge(&mut self.records);
    }

    /// The record stays readable until its slot is reused.
    #[inline]
    pub fn remove(&mut self, index: u32) {
        self.free.push(index);
    }

    /// Prefetches a record.
    #[inline]
    pub fn prefetch(&self, index: u32) {
        if let Some(record) = self.get_or_last(index) {
            prefetch(record);
        }
    }

    /// For prefetching: a number without a record gives any record, so that there is no branch to
    /// mispredict.
    #[inline]
    pub(crate) fn get_or_last(&self, index: u32) -> Option<&T> {
        let last = self.records.len().checked_sub(1)?;
        self.records.get(last.min(index as usize))
    }

    pub fn len(&self) -> usize {
        self.records.len() - self.free.len()
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        self.records.get(index as usize)
    }
}

impl<T, const RESERVE: usize> std::ops::Index<u32> for Slab<T, RESERVE> {
    type Output = T;

    #[inline]
    fn index(&self, index: u32) -> &T {
        &self.records[index as usize]
    }
}

impl<T, const RESERVE: usize> std::ops::IndexMut<u32> for Slab<T, RESERVE> {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut T {
        &mut self.records[index as usize]
    }
}
