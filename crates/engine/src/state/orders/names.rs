//! From the hash of a name to a node.
//!
//! A table that is asked, filled and emptied by hash alone: it reads no order but the one that is
//! found, not even as it grows. Names lie in buckets of one cache line each, which is compared as a
//! whole: where in it a name lies, and whether it is there, a processor could not guess. What waits
//! behind the current command can have its bucket brought near.

use crate::book::prefetch::prefetch;

#[derive(Clone, Debug)]
pub(super) struct Names {
    /// By the highest bits of the hash. Each grows for itself, so that no command is held up by
    /// all of them.
    parts: Vec<Part>,
}

const PARTS: usize = 1 << PART_BITS;
const PART_BITS: u32 = 8;

#[derive(Clone, Debug)]
struct Part {
    buckets: Vec<Bucket>,
    /// Names in all of them.
    used: usize,
}

const SLOTS: usize = 7;

/// A name lies in the bucket of its hash or, while that is full, in the next that is not.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Bucket {
    /// A byte for each slot: some bits of its hash, or zero where it is empty. The highest byte has
    /// how many names passed by here, since it was full, and are still in the table; from
    /// [`PASSED_MAX`] on it stays as it is.
    tags: u64,
    slots: [Slot; SLOTS],
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    node: u32,
}

const _: () = assert!(size_of::<Bucket>() == 64);

const EMPTY: Bucket = Bucket { tags: 0, slots: [Slot { hash: 0, node: 0 }; SLOTS] };

const PASSED_ONE: u64 = 1 << (8 * SLOTS);
const PASSED_MAX: u64 = 0xFF * PASSED_ONE;

/// Enough for a venue of some thousand orders never to grow.
const BUCKETS_MIN: usize = 6;

impl Default for Names {
    fn default() -> Self {
        Self { parts: vec![Part { buckets: vec![EMPTY; BUCKETS_MIN], used: 0 }; PARTS] }
    }
}

impl Bucket {
    /// The slots that may have this tag, the first of them for sure, as the highest bit of each.
    #[inline]
    const fn tagged(&self, tag: u8) -> u64 {
        const LOWEST: u64 = 0x0001_0101_0101_0101;
        let other = self.tags ^ (LOWEST * tag as u64);
        other.wrapping_sub(LOWEST) & !other & LOWEST << 7
    }

    const fn passed(&self) -> u64 {
        self.tags & PASSED_MAX
    }
}

impl Names {
    /// The node of this hash that is meant.
    #[inline(always)]
    pub(super) fn find(&self, hash: u32, is_meant: impl Fn(u32) -> bool) -> Option<u32> {
        let part = &self.parts[part_of(hash)];
        let mut at = part.home(hash);
        for _ in 0..part.buckets.len() {
            let bucket = &part.buckets[at];
            let mut tagged = bucket.tagged(tag_of(hash));
            while tagged != 0 {
                let slot = bucket.slots[first(tagged)];
                if slot.hash == hash && is_meant(slot.node) {
                    return Some(slot.node);
                }
                tagged &= tagged - 1;
            }
            if bucket.passed() == 0 {
                return None;
            }
            at = part.behind(at);
        }
        None // each bucket was full at some time
    }

    #[inline(always)]
    pub(super) fn insert(&mut self, hash: u32, node: u32) {
        let part = &mut self.parts[part_of(hash)];
        if 4 * part.used >= 3 * SLOTS * part.buckets.len() {
            part.grow();
        }
        part.used += 1;
        part.place(hash, node);
    }

    /// Makes room for so many names in a table without any. A part that gets more of them than others
    /// grows nevertheless.
    pub(super) fn reserve(&mut self, names: usize) {
        let buckets = (names / PARTS * 5 / 3).div_ceil(SLOTS);
        for part in &mut self.parts {
            if part.used == 0 && part.buckets.len() < buckets {
                part.buckets = vec![EMPTY; buckets];
            }
        }
    }

    /// Removes a node that is there.
    #[inline(always)]
    pub(super) fn remove(&mut self, hash: u32, node: u32) {
        let part = &mut self.parts[part_of(hash)];
        part.used -= 1;
        let mut at = part.home(hash);
        loop {
            let bucket = &mut part.buckets[at];
            let mut tagged = bucket.tagged(tag_of(hash));
            while tagged != 0 {
                if bucket.slots[first(tagged)].node == node {
                    bucket.tags &= !(0xFF << (8 * first(tagged)));
                    return;
                }
                tagged &= tagged - 1;
            }
            assert!(bucket.passed() != 0, "every open order has its name in the table");
            if bucket.passed() != PASSED_MAX {
                bucket.tags -= PASSED_ONE;
            }
            at = part.behind(at);
        }
    }

    /// Has the place of a hash brought near.
    #[inline]
    pub(super) fn prefetch(&self, hash: u32) {
        let part = &self.parts[part_of(hash)];
        prefetch(&part.buckets[part.home(hash)]);
    }
}

#[inline]
const fn part_of(hash: u32) -> usize {
    (hash >> (u32::BITS - PART_BITS)) as usize
}

/// Never zero. Which bucket it is depends on other bits.
#[inline]
const fn tag_of(hash: u32) -> u8 {
    hash as u8 | 0x80
}

/// The first slot of those that [`Bucket::tagged`] names.
#[inline]
const fn first(tagged: u64) -> usize {
    tagged.trailing_zeros() as usize / 8
}

impl Part {
    #[inline(always)]
    fn place(&mut self, hash: u32, node: u32) {
        let mut at = self.home(hash);
        loop {
            let bucket = &mut self.buckets[at];
            let empty = bucket.tagged(0);
            if empty != 0 {
                let slot = first(empty);
                bucket.slots[slot] = Slot { hash, node };
                bucket.tags |= u64::from(tag_of(hash)) << (8 * slot);
                return;
            }
            if bucket.passed() != PASSED_MAX {
                bucket.tags += PASSED_ONE;
            }
            at = self.behind(at);
        }
    }

    /// By a quarter: a part is three fifths full once it has grown.
    #[cold]
    fn grow(&mut self) {
        let larger = vec![EMPTY; self.buckets.len() + self.buckets.len().div_ceil(4)];
        for bucket in std::mem::replace(&mut self.buckets, larger) {
            for (at, slot) in bucket.slots.iter().enumerate() {
                if bucket.tags >> (8 * at) & 0xFF != 0 {
                    self.place(slot.hash, slot.node);
                }
            }
        }
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        let rest = u64::from(hash << PART_BITS);
        ((rest * self.buckets.len() as u64) >> u32::BITS) as usize
    }

    #[inline]
    fn behind(&self, at: usize) -> usize {
        if at + 1 == self.buckets.len() { 0 } else { at + 1 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Names that passed by stay where they are when there is room before them: with the time, all
    /// buckets may have been passed.
    #[test]
    fn a_name_that_is_not_there_is_not_found_where_all_buckets_were_passed() {
        let mut names = Names::default();
        let home = |at: usize| ((at << 24) / BUCKETS_MIN + (1 << 16)) as u32;
        for at in 0..BUCKETS_MIN {
            let hash = home(at);
            let first = names.parts[0].home(hash);
            assert_eq!(first, at);
            let nodes: Vec<u32> =
                (0..SLOTS as u32 + 1).map(|node| 100 * at as u32 + node).collect();
            nodes.iter().for_each(|node| names.insert(hash, *node));
            nodes[..SLOTS].iter().for_each(|node| names.remove(hash, *node));
        }
        assert!(names.parts[0].buckets.iter().all(|bucket| bucket.passed() > 0));
        assert_eq!(names.find(home(2) + 1, |_| true), None);
        assert_eq!(names.find(home(2), |node| node == 207), Some(207));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() })]

        /// Few hashes for many names, so that they crowd, wrap around and make way.
        #[test]
        fn a_table_is_a_map(steps in prop::collection::vec((0..200_u32, any::<bool>()), 1..600)) {
            let hash_of = |node: u32| match node % 5 {
                0 => u32::MAX,
                1 => node % 3,
                _ => node.wrapping_mul(0x9E37_79B9) % 64,
            };
            let (mut names, mut map) = (Names::default(), BTreeMap::new());
            for (node, put) in steps {
                match (put, map.contains_key(&node)) {
                    (true, false) => {
                        names.insert(hash_of(node), node);
                        map.insert(node, hash_of(node));
                    }
                    (false, true) => {
                        names.remove(hash_of(node), node);
                        map.remove(&node);
                    }
                    _ => {}
                }
                for node in 0..200 {
                    let found = names.find(hash_of(node), |other| other == node);
                    prop_assert_eq!(found.is_some(), map.contains_key(&node));
                }
                let used: usize = names.parts.iter().map(|part| part.used).sum();
                prop_assert_eq!(used, map.len());
            }
        }
    }
}
