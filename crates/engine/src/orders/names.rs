//! From the hash of a name to a node.
//!
//! A table with open addressing that is asked, filled and emptied by hash alone: it reads no order
//! but the one that is found, not even as it grows. What waits behind the current command can
//! have its place brought near.

use crate::book::prefetch::prefetch;
use crate::book::slab::NONE;

#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// By the highest bits of the hash. Each grows for itself, so that no command is held up by
    /// all of them.
    parts: Vec<Part>,
}

const PARTS: usize = 1 << PART_BITS;
const PART_BITS: u32 = 8;

#[derive(Clone, Debug)]
struct Part {
    /// At least one is empty. A name lies at its hash or behind it, with no empty slot between.
    slots: Vec<Slot>,
    used: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    /// [`NONE`] in an empty slot.
    node: u32,
}

const EMPTY: Slot = Slot { hash: 0, node: NONE };

/// Enough for a venue of some thousand orders never to grow.
const SLOTS_MIN: usize = 48;

impl Default for Names {
    fn default() -> Self {
        Self { parts: vec![Part { slots: vec![EMPTY; SLOTS_MIN], used: 0 }; PARTS] }
    }
}

impl Names {
    /// The node of this hash that is meant.
    #[inline]
    pub(crate) fn find(&self, hash: u32, is_meant: impl Fn(u32) -> bool) -> Option<u32> {
        let part = &self.parts[part_of(hash)];
        let mut at = part.home(hash);
        loop {
            let slot = part.slots[at];
            if slot.node == NONE {
                return None;
            }
            if slot.hash == hash && is_meant(slot.node) {
                return Some(slot.node);
            }
            at = part.behind(at);
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, hash: u32, node: u32) {
        let part = &mut self.parts[part_of(hash)];
        if part.used >= part.slots.len() / 3 * 2 {
            part.grow();
        }
        part.used += 1;
        part.place(Slot { hash, node });
    }

    /// Removes a node that is there.
    #[inline]
    pub(crate) fn remove(&mut self, hash: u32, node: u32) {
        self.parts[part_of(hash)].remove(hash, node);
    }

    /// Has the place of a hash brought near.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u32) {
        let part = &self.parts[part_of(hash)];
        prefetch(&part.slots[part.home(hash)]);
    }
}

#[inline]
const fn part_of(hash: u32) -> usize {
    (hash >> (u32::BITS - PART_BITS)) as usize
}

impl Part {
    #[inline]
    fn remove(&mut self, hash: u32, node: u32) {
        let mut hole = self.home(hash);
        while self.slots[hole].node != node {
            assert!(self.slots[hole].node != NONE, "every open order has its name in the table");
            hole = self.behind(hole);
        }
        self.used -= 1;
        // What lies behind moves up, as far as its hash allows.
        let mut at = hole;
        loop {
            at = self.behind(at);
            let slot = self.slots[at];
            if slot.node == NONE {
                break;
            }
            if self.distance(self.home(slot.hash), at) >= self.distance(hole, at) {
                self.slots[hole] = slot;
                hole = at;
            }
        }
        self.slots[hole] = EMPTY;
    }

    #[inline]
    fn place(&mut self, slot: Slot) {
        let mut at = self.home(slot.hash);
        while self.slots[at].node != NONE {
            at = self.behind(at);
        }
        self.slots[at] = slot;
    }

    /// By a quarter: a part is at least half full once it has grown.
    #[cold]
    fn grow(&mut self) {
        let larger = vec![EMPTY; self.slots.len() + self.slots.len() / 4];
        for slot in std::mem::replace(&mut self.slots, larger) {
            if slot.node != NONE {
                self.place(slot);
            }
        }
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        let rest = u64::from(hash << PART_BITS);
        ((rest * self.slots.len() as u64) >> u32::BITS) as usize
    }

    #[inline]
    fn behind(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() { 0 } else { at + 1 }
    }

    /// How many steps `to` is behind `from`.
    #[inline]
    fn distance(&self, from: usize, to: usize) -> usize {
        if to >= from { to - from } else { to + self.slots.len() - from }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

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
