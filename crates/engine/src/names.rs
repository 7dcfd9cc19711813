//! From the hash of a name to a node.
//!
//! A table with open addressing that is asked, filled and emptied by hash alone: it reads no order
//! but the one that is found, not even as it grows. What waits behind the current command can
//! have its place brought near.

use crate::prefetch::prefetch;
use crate::slab::NONE;

#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// A power of two of them, one at least empty. A name lies at its hash or behind it, with no
    /// empty slot between.
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

const SLOTS_MIN: usize = 16;

impl Default for Names {
    fn default() -> Self {
        Self { slots: vec![EMPTY; SLOTS_MIN], used: 0 }
    }
}

impl Names {
    /// The node of this hash that is meant.
    #[inline]
    pub(crate) fn find(&self, hash: u32, is_meant: impl Fn(u32) -> bool) -> Option<u32> {
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at];
            if slot.node == NONE {
                return None;
            }
            if slot.hash == hash && is_meant(slot.node) {
                return Some(slot.node);
            }
            at = self.behind(at);
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, hash: u32, node: u32) {
        if self.used >= self.slots.len() / 4 * 3 {
            self.grow();
        }
        self.used += 1;
        self.place(Slot { hash, node });
    }

    /// Removes a node that is there.
    #[inline]
    pub(crate) fn remove(&mut self, hash: u32, node: u32) {
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

    /// Has the place of a hash brought near.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u32) {
        prefetch(&self.slots[self.home(hash)]);
    }

    #[inline]
    fn place(&mut self, slot: Slot) {
        let mut at = self.home(slot.hash);
        while self.slots[at].node != NONE {
            at = self.behind(at);
        }
        self.slots[at] = slot;
    }

    #[cold]
    fn grow(&mut self) {
        let twice = vec![EMPTY; 2 * self.slots.len()];
        for slot in std::mem::replace(&mut self.slots, twice) {
            if slot.node != NONE {
                self.place(slot);
            }
        }
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn behind(&self, at: usize) -> usize {
        (at + 1) & (self.slots.len() - 1)
    }

    /// How many steps `to` is behind `from`.
    #[inline]
    fn distance(&self, from: usize, to: usize) -> usize {
        to.wrapping_sub(from) & (self.slots.len() - 1)
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
                prop_assert_eq!(names.used, map.len());
            }
        }
    }
}
