//! Records that are named by a small number and whose room is used again.

use crate::book::prefetch::{advise_huge, prefetch};

/// Stands for "no record" where a record's number is expected.
pub(crate) const NONE: u32 = u32::MAX;

/// Free places are kept on a stack, so that taking and giving back cost a few instructions and
/// nothing allocates once the slab has grown to its working size. A slab asks for the room of
/// `RESERVE` records at once: memory that was never touched costs nothing, and no command is held
/// up by copying records into a larger place.
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

    /// [`Slab::insert`] for the hot path: the record is made where it is going to lie.
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

    /// Makes room for so many records that are about to come, where no place is free.
    pub(crate) fn reserve(&mut self, more: usize) {
        // Large ones are not copied: the system hands over their pages.
        self.records.reserve(more);
        // All places are taken, so there is nothing on the stack to be copied.
        debug_assert!(self.free.is_empty());
        self.free = Vec::with_capacity(self.records.capacity());
        advise_huge(&mut self.records);
    }

    /// The record stays readable until its place is taken again.
    #[inline]
    pub fn remove(&mut self, index: u32) {
        self.free.push(index);
    }

    /// Has a record brought near that is going to be asked for.
    #[inline]
    pub fn prefetch(&self, index: u32) {
        if let Some(record) = self.get_or_last(index) {
            prefetch(record);
        }
    }

    /// For hints, where any record will do for a number that is none: there is no branch that a
    /// processor could guess wrong.
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
