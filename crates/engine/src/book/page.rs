//! A page: the levels at 64 consecutive keys, with one bit for each that has orders.
//!
//! A page with few levels must not use the memory of 64, or a client could bloat the book by orders
//! at scattered prices. So a page has three forms. Up to two levels lie in the page itself, and up
//! to twelve in a small block. More lie in a large block, with a slot for each key. Freed blocks
//! are kept for the next page that needs one.
//!
//! # Invariants
//! - A bit is set exactly if its level has orders.
//! - In the two small forms the first levels are those of the set bits, in order. In the large one
//!   a level without orders is [`EMPTY`].

use crate::book::prefetch::prefetch;
use crate::book::slab::NONE;

pub(crate) const SLOTS: usize = 64;

const FEW: usize = 2;
const SOME: usize = 12;

/// A page with this many levels or fewer takes the next smaller form. The number is well below the
/// size of the larger form, so that one order that comes and goes does not convert the page each
/// time.
const FEW_AGAIN: u32 = 1;
const SOME_AGAIN: u32 = 6;

/// Blocks of each size that are kept for reuse; the others return to the allocator.
const SPARE_MAX: usize = 64;

/// The orders at one price, oldest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    pub(crate) head: u32,
    pub(crate) tail: u32,
    /// Modulo 2^64, which only absurd books exceed; it is right again as they shrink.
    pub(crate) qty: u64,
}

const EMPTY: Level = Level { head: NONE, tail: NONE, qty: 0 };

/// Fills exactly one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Page {
    /// Its keys divided by [`SLOTS`].
    pub(crate) number: u64,
    pub(crate) occupied: u64,
    levels: Levels,
}

const _: () = assert!(size_of::<Page>() == 64);

#[derive(Clone, Debug)]
enum Levels {
    Few([Level; FEW]),
    Some(Box<[Level; SOME]>),
    All(Box<[Level; SLOTS]>),
}

/// Blocks without a page, whose levels are all [`EMPTY`].
#[derive(Clone, Debug, Default)]
#[allow(clippy::vec_box)] // A block moves from page to page without a copy.
pub(crate) struct Spare {
    some: Vec<Box<[Level; SOME]>>,
    all: Vec<Box<[Level; SLOTS]>>,
}

impl Page {
    pub(crate) fn new(number: u64) -> Self {
        Self { number, occupied: 0, levels: Levels::Few([EMPTY; FEW]) }
    }

    #[inline]
    pub(crate) fn has(&self, slot: usize) -> bool {
        self.occupied & (1 << slot) != 0
    }

    /// The level with the highest key; the page has one.
    #[inline]
    pub(crate) fn best_slot(&self) -> usize {
        self.occupied.ilog2() as usize
    }

    #[inline]
    pub(crate) fn best_key(&self) -> u64 {
        self.number * SLOTS as u64 + self.best_slot() as u64
    }

    /// The slots with orders, the highest first.
    pub(crate) fn best_first(&self) -> impl Iterator<Item = usize> {
        let mut occupied = self.occupied;
        std::iter::from_fn(move || {
            let slot = occupied.checked_ilog2()? as usize;
            occupied ^= 1 << slot;
            Some(slot)
        })
    }

    /// The level of a slot that has orders.
    #[inline]
    pub(crate) fn level(&self, slot: usize) -> &Level {
        match &self.levels {
            Levels::All(levels) => &levels[slot],
            Levels::Few(levels) => &levels[rank(self.occupied, slot)],
            Levels::Some(levels) => &levels[rank(self.occupied, slot)],
        }
    }

    #[inline(always)]
    pub(crate) fn level_mut(&mut self, slot: usize) -> &mut Level {
        let Self { occupied, levels, .. } = self;
        match levels {
            Levels::All(levels) => &mut levels[slot],
            Levels::Few(levels) => &mut levels[rank(*occupied, slot)],
            Levels::Some(levels) => &mut levels[rank(*occupied, slot)],
        }
    }

    /// Prefetches the level of a slot, with or without orders.
    #[inline]
    pub(crate) fn prefetch(&self, slot: usize) {
        match &self.levels {
            Levels::All(levels) => prefetch(&levels[slot]),
            Levels::Some(levels) => prefetch(levels.as_ref()),
            Levels::Few(_) => {}
        }
    }

    /// Adds a level of one order at an empty slot.
    #[inline]
    pub(crate) fn open(&mut self, slot: usize, level: Level, spare: &mut Spare) {
        if let Levels::All(levels) = &mut self.levels {
            levels[slot] = level;
        } else {
            self.open_small(slot, level, spare);
        }
        self.occupied |= 1 << slot;
    }

    /// Removes a level after its last order.
    #[inline]
    pub(crate) fn close(&mut self, slot: usize, spare: &mut Spare) {
        let rank = rank(self.occupied, slot);
        self.occupied &= !(1 << slot);
        match &mut self.levels {
            Levels::All(levels) => {
                levels[slot] = EMPTY;
                if self.count() <= SOME_AGAIN {
                    self.shrink_to_some(spare);
                }
            }
            Levels::Few(levels) => close_at(levels, rank),
            Levels::Some(levels) => {
                close_at(levels.as_mut_slice(), rank);
                if self.count() <= FEW_AGAIN {
                    self.shrink_to_few(spare);
                }
            }
        }
    }

    fn count(&self) -> u32 {
        self.occupied.count_ones()
    }

    #[inline(never)]
    fn open_small(&mut self, slot: usize, level: Level, spare: &mut Spare) {
        let (rank, count) = (rank(self.occupied, slot), self.count() as usize);
        match &mut self.levels {
            Levels::Few(levels) if count < FEW => open_at(levels, rank, level),
            Levels::Few(levels) => {
                let mut block = spare.some.pop().unwrap_or_else(|| Box::new([EMPTY; SOME]));
                block[..FEW].copy_from_slice(levels);
                open_at(block.as_mut_slice(), rank, level);
                self.levels = Levels::Some(block);
            }
            Levels::Some(levels) if count < SOME => open_at(levels.as_mut_slice(), rank, level),
            Levels::Some(levels) => {
                let mut block = spare.all.pop().unwrap_or_else(|| Box::new([EMPTY; SLOTS]));
                for (slot, level) in slots(self.occupied).zip(levels.iter_mut()) {
                    block[slot] = std::mem::replace(level, EMPTY);
                }
                block[slot] = level;
                let some = std::mem::replace(&mut self.levels, Levels::All(block));
                spare.keep(some);
            }
            Levels::All(_) => unreachable!("each level has its own place"),
        }
    }

    #[inline(never)]
    fn shrink_to_some(&mut self, spare: &mut Spare) {
        let Levels::All(levels) = &mut self.levels else { return };
        let mut block = spare.some.pop().unwrap_or_else(|| Box::new([EMPTY; SOME]));
        for (slot, level) in slots(self.occupied).zip(block.iter_mut()) {
            *level = std::mem::replace(&mut levels[slot], EMPTY);
        }
        let all = std::mem::replace(&mut self.levels, Levels::Some(block));
        spare.keep(all);
    }

    #[inline(never)]
    fn shrink_to_few(&mut self, spare: &mut Spare) {
        let Levels::Some(levels) = &mut self.levels else { return };
        let mut few = [EMPTY; FEW];
        few[0] = std::mem::replace(&mut levels[0], EMPTY);
        let some = std::mem::replace(&mut self.levels, Levels::Few(few));
        spare.keep(some);
    }
}

impl Spare {
    fn keep(&mut self, levels: Levels) {
        match levels {
            Levels::Some(block) if self.some.len() < SPARE_MAX => self.some.push(block),
            Levels::All(block) if self.all.len() < SPARE_MAX => self.all.push(block),
            _ => {}
        }
    }
}

/// The number of levels in front of this one in a small form.
#[inline]
fn rank(occupied: u64, slot: usize) -> usize {
    (occupied & ((1 << slot) - 1)).count_ones() as usize
}

/// The set bits, the lowest first.
fn slots(mut occupied: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let slot = (occupied != 0).then(|| occupied.trailing_zeros() as usize)?;
        occupied &= occupied - 1;
        Some(slot)
    })
}

fn open_at(levels: &mut [Level], at: usize, level: Level) {
    let end = levels.len() - 1;
    levels.copy_within(at..end, at + 1);
    levels[at] = level;
}

fn close_at(levels: &mut [Level], at: usize) {
    levels.copy_within(at + 1.., at);
    levels[levels.len() - 1] = EMPTY;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn level(head: u32) -> Level {
        Level { head, tail: head, qty: u64::from(head) }
    }

    fn heads(page: &Page) -> Vec<(usize, u32)> {
        page.best_first().map(|slot| (slot, page.level(slot).head)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        /// Levels are added and removed; the number of levels passes through all forms.
        #[test]
        fn a_page_is_a_sorted_map(
            swings in prop::collection::vec((0..=SLOTS, prop::collection::vec(0..SLOTS, 1..100)), 1..12),
        ) {
            let (mut page, mut map, mut spare) = (Page::new(7), BTreeMap::new(), Spare::default());
            let mut head = 0;
            for (aim, slots) in swings {
                for slot in slots {
                    head += 1;
                    if map.contains_key(&slot) {
                        page.level_mut(slot).head = head;
                        map.insert(slot, head);
                    } else if map.len() < aim {
                        page.open(slot, level(head), &mut spare);
                        map.insert(slot, head);
                    }
                    if map.len() > aim && map.remove(&slot).is_some() {
                        page.close(slot, &mut spare);
                    }
                    let expect: Vec<_> = map.iter().rev().map(|(slot, head)| (*slot, *head)).collect();
                    prop_assert_eq!(heads(&page), expect);
                    let form = match page.levels {
                        Levels::Few(_) => 0..=FEW,
                        Levels::Some(_) => FEW_AGAIN as usize + 1..=SOME,
                        Levels::All(_) => SOME_AGAIN as usize + 1..=SLOTS,
                    };
                    prop_assert!(form.contains(&map.len()));
                }
            }
            let blocks = spare.some.iter().map(|block| block.as_slice());
            let mut spares = blocks.chain(spare.all.iter().map(|block| block.as_slice())).flatten();
            prop_assert!(spares.all(|level| level.head == NONE && level.qty == 0));
        }
    }
}
