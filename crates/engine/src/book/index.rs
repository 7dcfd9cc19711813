//! Index from an order's id to its node, for ids that are assigned densely and in order.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::book::prefetch::prefetch;
use crate::book::slab::NONE;

/// A paged array over the recent ids. Empty pages are freed. An old page with few entries moves to
/// a hash map, so that one order that rests for years does not keep the pages after it alive.
#[derive(Clone, Debug, Default)]
pub struct OrderIndex {
    /// The number of the first page in `pages`.
    base: u64,
    pages: Vec<IndexPage>,
    /// The number of first pages that are retired. They look empty, until they are half of all
    /// pages and are removed together.
    retired: usize,
    old: HashMap<u64, u32, BuildHasherDefault<IdHasher>>,
    /// Freed pages for the next ids.
    spare: Vec<Slots>,
}

type Slots = Box<[u32; PAGE]>;

#[derive(Clone, Debug, Default)]
struct IndexPage {
    /// `None` for an empty page.
    slots: Option<Slots>,
    used: u32,
}

const PAGE: usize = 1024;

/// Freed pages that are kept for reuse; the others return to the allocator.
const SPARE_MAX: usize = 16;

/// Pages of the newest ids that never move to the map.
const RECENT_PAGES: usize = 64;

/// A page moves to the map if at most this many of its slots are used...
const SPARSE: u32 = 64;

/// ...or if it alone keeps this many pages in the array.
const PAGES_MAX: usize = 1 << 16;

impl OrderIndex {
    #[inline(always)]
    pub fn insert(&mut self, id: u64, place: u32) {
        debug_assert!(place != NONE);
        let (page, slot) = split(id);
        match self.pages.get_mut(page.wrapping_sub(self.base) as usize) {
            Some(IndexPage { slots: Some(slots), used }) => {
                *used += u32::from(slots[slot] == NONE);
                slots[slot] = place;
            }
            _ => self.insert_anywhere(id, place),
        }
    }

    #[inline(always)]
    pub fn get(&self, id: u64) -> Option<u32> {
        match self.recent(id) {
            Some(place) => (*place != NONE).then_some(*place),
            None => self.get_old(id),
        }
    }

    /// Prefetches the slot of an order.
    #[inline]
    pub fn prefetch(&self, id: u64) {
        if let Some(place) = self.recent(id) {
            prefetch(place);
        }
    }

    /// The step ahead of [`OrderIndex::prefetch`].
    #[inline]
    pub fn prefetch_page(&self, id: u64) {
        let (page, _) = split(id);
        self.pages.get(page.wrapping_sub(self.base) as usize).map(prefetch);
    }

    /// [`OrderIndex::get`] for prefetching: [`u32::MAX`] for an id that is missing or not in the
    /// array.
    #[inline]
    pub fn peek(&self, id: u64) -> u32 {
        self.recent(id).copied().unwrap_or(NONE)
    }

    #[inline(always)]
    pub fn remove(&mut self, id: u64) -> Option<u32> {
        let (page, slot) = split(id);
        match self.pages.get_mut(page.wrapping_sub(self.base) as usize) {
            Some(IndexPage { slots: Some(slots), used }) if slots[slot] != NONE => {
                let place = std::mem::replace(&mut slots[slot], NONE);
                *used -= 1;
                if *used == 0 {
                    self.free_page(page);
                }
                Some(place)
            }
            _ => self.remove_old(id),
        }
    }

    #[inline]
    fn recent(&self, id: u64) -> Option<&u32> {
        let (page, slot) = split(id);
        let page = self.pages.get(page.wrapping_sub(self.base) as usize)?;
        Some(&page.slots.as_ref()?[slot])
    }

    #[inline(never)]
    fn get_old(&self, id: u64) -> Option<u32> {
        self.old.get(&id).copied()
    }

    #[inline(never)]
    fn remove_old(&mut self, id: u64) -> Option<u32> {
        self.old.remove(&id)
    }

    #[inline(never)]
    fn free_page(&mut self, page: u64) {
        let slots = self.pages[(page - self.base) as usize].slots.take();
        self.keep(slots);
    }

    fn keep(&mut self, emptied: Option<Slots>) {
        let room = SPARE_MAX - self.spare.len();
        self.spare.extend(emptied.into_iter().take(room));
    }

    /// The first page that is not retired.
    fn first_page(&self) -> u64 {
        self.base + self.retired as u64
    }

    #[inline(never)]
    fn insert_anywhere(&mut self, id: u64, place: u32) {
        let (page, slot) = split(id);
        if page < self.first_page() {
            self.old.insert(id, place);
            return;
        }
        if page - self.first_page() >= PAGES_MAX as u64 {
            self.jump(page);
        }
        while page - self.base >= self.pages.len() as u64 {
            self.pages.push(IndexPage::default());
            self.retire();
        }
        let at = usize::try_from(page - self.base).expect("it is in the array");
        let page = &mut self.pages[at];
        let empty = || self.spare.pop().unwrap_or_else(|| Box::new([NONE; PAGE]));
        let slots = page.slots.get_or_insert_with(empty);
        page.used += u32::from(slots[slot] == NONE);
        slots[slot] = place;
    }

    /// All ids, in order.
    #[expect(clippy::disallowed_methods, reason = "they are sorted")]
    pub(crate) fn ids(&self) -> Vec<u64> {
        let first_id = self.base * PAGE as u64;
        let slots = (first_id..).step_by(PAGE).zip(&self.pages).flat_map(|(first_id, page)| {
            let slots = page.slots.iter().flat_map(|slots| slots.iter());
            (first_id..).zip(slots).filter(|(_, place)| **place != NONE).map(|(id, _)| id)
        });
        let mut ids: Vec<u64> = self.old.keys().copied().chain(slots).collect();
        ids.sort_unstable();
        ids
    }

    /// Drops empty pages from the old end and moves sparse ones to the map.
    fn retire(&mut self) {
        while self.pages.len() - self.retired > RECENT_PAGES {
            let used = self.pages[self.retired].used;
            if used > SPARSE && self.pages.len() - self.retired <= PAGES_MAX {
                return;
            }
            self.retire_first();
        }
    }

    fn retire_first(&mut self) {
        let first_id = self.first_page() * PAGE as u64;
        let mut page = std::mem::take(&mut self.pages[self.retired]);
        for (offset, slot) in (0..).zip(page.slots.iter_mut().flat_map(|slots| slots.iter_mut())) {
            let place = std::mem::replace(slot, NONE);
            if place != NONE {
                self.old.insert(first_id + offset, place);
            }
        }
        self.keep(page.slots);
        self.retired += 1;
        if 2 * self.retired >= self.pages.len() {
            self.pages.drain(..self.retired);
            self.base += self.retired as u64;
            self.retired = 0;
        }
    }

    /// Restarts at a page far from the last one, as after a restart of the venue: no id between
    /// them was ever used.
    #[cold]
    fn jump(&mut self, page: u64) {
        while self.retired < self.pages.len() {
            self.retire_first();
        }
        self.base = page;
    }
}

const fn split(id: u64) -> (u64, usize) {
    (id / PAGE as u64, (id % PAGE as u64) as usize)
}

/// Ids are dense, so that a product spreads them well enough.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("ids are hashed as one integer");
    }

    fn write_u64(&mut self, id: u64) {
        self.0 = id.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(26);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_inserted_ids_and_no_others() {
        let mut index = OrderIndex::default();
        for id in 1..=300_000 {
            index.insert(id, id as u32);
            if id % 1000 != 0 {
                assert_eq!(index.remove(id), Some(id as u32));
            }
        }
        for id in 0..=300_001 {
            let expect = (id % 1000 == 0 && (1..=300_000).contains(&id)).then_some(id as u32);
            assert_eq!(index.get(id), expect, "id {id}");
        }
        assert!(index.old.len() < 300);
        assert_eq!(index.remove(1000), Some(1000));
        assert_eq!(index.remove(1000), None);
        assert_eq!(index.remove(999), None);
        assert_eq!(index.remove(u64::MAX), None);
        index.insert(2000, 7);
        assert_eq!(index.get(2000), Some(7));
    }

    #[test]
    fn one_old_order_does_not_keep_the_rest() {
        let mut index = OrderIndex::default();
        index.insert(5, 5);
        for id in 6..10_000_000 {
            index.insert(id, 1);
            index.remove(id);
        }
        assert_eq!(index.get(5), Some(5));
        assert!(index.pages.len() - index.retired <= RECENT_PAGES + 1);
        assert!(index.retired <= RECENT_PAGES + 1);
        assert!(index.pages.iter().filter(|page| page.slots.is_some()).count() <= 1);
    }

    #[test]
    fn a_full_old_page_moves_when_it_keeps_too_many_pages() {
        let mut index = OrderIndex::default();
        for id in 0..PAGE as u64 {
            index.insert(id, 9);
        }
        index.insert((PAGES_MAX as u64 + 2) * PAGE as u64, 1);
        assert_eq!(index.get(3), Some(9));
        assert!(index.pages.len() - index.retired <= PAGES_MAX + 1);
        assert_eq!(index.old.len(), PAGE);
    }
}
