//! Slab of records that never move.

use crate::book::prefetch::advise_huge;

/// Each chunk of memory is twice as long as the previous one. The shelf grows without copying its
/// records, a small shelf takes little memory, and a large one lies on huge pages.
#[derive(Clone, Debug)]
pub(crate) struct Shelf<T> {
    stretches: Vec<Vec<T>>,
    free: Vec<u32>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { stretches: Vec::new(), free: Vec::new() }
    }
}

impl<T> Shelf<T> {
    pub(crate) fn insert(&mut self, record: T) -> u32 {
        if let Some(number) = self.free.pop() {
            self[number] = record;
            return number;
        }
        if self.stretches.last().is_none_or(|last| last.len() == last.capacity()) {
            let mut longer = Vec::with_capacity(1 << self.stretches.len());
            advise_huge(&mut longer);
            self.stretches.push(longer);
        }
        let at = self.stretches.len() - 1;
        let number = (1 << at) - 1 + self.stretches[at].len();
        self.stretches[at].push(record);
        u32::try_from(number).expect("fewer than 2^32 records")
    }

    /// The record stays readable until its slot is reused.
    pub(crate) fn remove(&mut self, number: u32) {
        self.free.push(number);
    }
}

/// The chunk, and the offset in it.
#[inline]
fn place(number: u32) -> (usize, usize) {
    let place = number as usize + 1;
    let stretch = place.ilog2();
    (stretch as usize, place - (1 << stretch))
}

impl<T> std::ops::Index<u32> for Shelf<T> {
    type Output = T;

    #[inline]
    fn index(&self, number: u32) -> &T {
        let (stretch, at) = place(number);
        &self.stretches[stretch][at]
    }
}

impl<T> std::ops::IndexMut<u32> for Shelf<T> {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut T {
        let (stretch, at) = place(number);
        &mut self.stretches[stretch][at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_never_move_and_freed_slots_are_reused() {
        let mut shelf = Shelf::default();
        let numbers: Vec<u32> = (0..1_000).map(|at| shelf.insert(at)).collect();
        let first = std::ptr::from_ref(&shelf[numbers[0]]);
        assert!(numbers.iter().all(|number| shelf[*number] == *number));
        shelf.remove(7);
        shelf.remove(999);
        assert_eq!(
            [shelf.insert(-1_i64 as u32), shelf.insert(8), shelf.insert(9)],
            [999, 7, 1_000]
        );
        assert_eq!([shelf[999], shelf[7], shelf[1_000]], [u32::MAX, 8, 9]);
        assert_eq!(first, std::ptr::from_ref(&shelf[0]));
    }
}
