//! Hash table from the hash of a name to a node.
//!
//! Lookups, inserts and removals use the hash alone: they read only the order that they find, even
//! when the table grows. A bucket is one cache line, and is compared as a whole, because the
//! processor could not predict the slot. Commands that are announced have their buckets prefetched.

use crate::book::prefetch::prefetch;

#[derive(Clone, Debug)]
pub(super) struct NameTable {
    /// By the highest bits of the hash. Each shard grows by itself, so that no command waits for
    /// all of them.
    shards: Vec<Shard>,
}

const SHARDS: usize = 1 << SHARD_BITS;
const SHARD_BITS: u32 = 8;

#[derive(Clone, Debug)]
struct Shard {
    buckets: Vec<Bucket>,
    /// Names in all buckets.
    used: usize,
}

const SLOTS: usize = 7;

/// A name lies in the bucket of its hash or, if that is full, in the next bucket with room.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Bucket {
    /// A byte for each slot: some bits of its hash, or zero for an empty slot. The highest byte
    /// counts the names in the table that skipped this full bucket. From [`PASSED_MAX`] on it stays
    /// as it is.
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

impl Default for NameTable {
    fn default() -> Self {
        Self { shards: vec![Shard { buckets: vec![EMPTY; BUCKETS_MIN], used: 0 }; SHARDS] }
    }
}

impl Bucket {
    /// The slots with this tag, as the highest bit of each. The first is exact, the others may be
    /// false.
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

impl NameTable {
    /// The node of this hash that `is_meant` accepts.
    #[inline(always)]
    pub(super) fn find(&self, hash: u32, is_meant: impl Fn(u32) -> bool) -> Option<u32> {
        let shard = &self.shards[shard_of(hash)];
        let mut at = shard.home(hash);
        for _ in 0..shard.buckets.len() {
            let bucket = &shard.buckets[at];
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
            at = shard.next_bucket(at);
        }
        None // each bucket has been full
    }

    #[inline(always)]
    pub(super) fn insert(&mut self, hash: u32, node: u32) {
        let shard = &mut self.shards[shard_of(hash)];
        if 4 * shard.used >= 3 * SLOTS * shard.buckets.len() {
            shard.grow();
        }
        shard.used += 1;
        shard.place(hash, node);
    }

    /// Reserves room for `names` names in an empty table. A shard with more than its share still
    /// grows.
    pub(super) fn reserve(&mut self, names: usize) {
        let buckets = (names / SHARDS * 5 / 3).div_ceil(SLOTS);
        for shard in &mut self.shards {
            if shard.used == 0 && shard.buckets.len() < buckets {
                shard.buckets = vec![EMPTY; buckets];
            }
        }
    }

    /// Removes a node that is in the table.
    #[inline(always)]
    pub(super) fn remove(&mut self, hash: u32, node: u32) {
        let shard = &mut self.shards[shard_of(hash)];
        shard.used -= 1;
        let mut at = shard.home(hash);
        loop {
            let bucket = &mut shard.buckets[at];
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
            at = shard.next_bucket(at);
        }
    }

    /// Prefetches the bucket of a hash.
    #[inline]
    pub(super) fn prefetch(&self, hash: u32) {
        let shard = &self.shards[shard_of(hash)];
        prefetch(&shard.buckets[shard.home(hash)]);
    }
}

#[inline]
const fn shard_of(hash: u32) -> usize {
    (hash >> (u32::BITS - SHARD_BITS)) as usize
}

/// Never zero. Other bits select the bucket.
#[inline]
const fn tag_of(hash: u32) -> u8 {
    hash as u8 | 0x80
}

/// The first slot of a result of [`Bucket::tagged`].
#[inline]
const fn first(tagged: u64) -> usize {
    tagged.trailing_zeros() as usize / 8
}

impl Shard {
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
            at = self.next_bucket(at);
        }
    }

    /// Grows by a quarter: a shard is three fifths full after that.
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
        let rest = u64::from(hash << SHARD_BITS);
        ((rest * self.buckets.len() as u64) >> u32::BITS) as usize
    }

    #[inline]
    fn next_bucket(&self, at: usize) -> usize {
        if at + 1 == self.buckets.len() { 0 } else { at + 1 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Names that skipped a full bucket stay where they are after it has room again: over time, all
    /// buckets may have been skipped.
    #[test]
    fn a_missing_name_is_not_found_after_all_buckets_were_skipped() {
        let mut names = NameTable::default();
        let home = |at: usize| ((at << 24) / BUCKETS_MIN + (1 << 16)) as u32;
        for at in 0..BUCKETS_MIN {
            let hash = home(at);
            let first = names.shards[0].home(hash);
            assert_eq!(first, at);
            let nodes: Vec<u32> =
                (0..SLOTS as u32 + 1).map(|node| 100 * at as u32 + node).collect();
            nodes.iter().for_each(|node| names.insert(hash, *node));
            nodes[..SLOTS].iter().for_each(|node| names.remove(hash, *node));
        }
        assert!(names.shards[0].buckets.iter().all(|bucket| bucket.passed() > 0));
        assert_eq!(names.find(home(2) + 1, |_| true), None);
        assert_eq!(names.find(home(2), |node| node == 207), Some(207));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() })]

        /// Few hashes for many names, so that names crowd, wrap around and free slots.
        #[test]
        fn a_table_is_a_map(steps in prop::collection::vec((0..200_u32, any::<bool>()), 1..600)) {
            let hash_of = |node: u32| match node % 5 {
                0 => u32::MAX,
                1 => node % 3,
                _ => node.wrapping_mul(0x9E37_79B9) % 64,
            };
            let (mut names, mut map) = (NameTable::default(), BTreeMap::new());
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
                let used: usize = names.shards.iter().map(|shard| shard.used).sum();
                prop_assert_eq!(used, map.len());
            }
        }
    }
}
