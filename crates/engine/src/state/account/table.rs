//! The rows of an account by instrument, or by asset: a hash table of those in use.
//!
//! An account may trade in any of thousands of instruments, and has open orders in few. A row for
//! each instrument would spread these few over as much memory as all of them take, and the rows of
//! many accounts would not fit into the cache.
//!
//! A row stays when it falls out of use, such as one of open orders when the last of them ends:
//! the next order often follows in the same instrument. Once the table is three quarters full, the
//! rows out of use are dropped.
//!
//! # Invariants
//! - At least one row has no key, so every search ends.
//! - The order of the rows follows from the account's history, not from its state: nothing that
//!   the engine emits or writes depends on it.

use crate::state::account::arena::{Room, Row};

/// A row that is found by its key.
pub(crate) trait Keyed: Row {
    /// The key of a row without one.
    const NO_KEY: u32;

    /// The row of a key as it begins.
    fn of(key: u32) -> Self;

    fn key(&self) -> u32;

    /// Whether it says anything that [`Keyed::of`] does not.
    fn is_used(&self) -> bool;
}

/// The rows of one account.
pub(crate) struct Table<T: Keyed> {
    room: Room<T>,
    /// Rows with a key.
    used: u32,
}

/// The fewest rows: one with a key, one without.
const ROWS_MIN: usize = 2;

impl<T: Keyed> Table<T> {
    /// `None` if there is no row for the key, which then is not in use.
    #[inline(always)]
    pub(crate) fn get(&self, key: u32) -> Option<&T> {
        let row = self.home(key)?;
        if row.key() == key { Some(row) } else { self.get_further(key) }
    }

    #[inline(never)]
    fn get_further(&self, key: u32) -> Option<&T> {
        let row = self.room.get(self.place(key)?)?;
        (row.key() == key).then_some(row)
    }

    /// The row where a search for a key begins, and mostly ends: its own, or another.
    #[inline(always)]
    pub(super) fn home(&self, key: u32) -> Option<&T> {
        self.room.get(home(key, self.room.len()))
    }

    /// The row of a key, which is created if it is missing.
    #[inline(always)]
    pub(super) fn get_or_make(&mut self, key: u32) -> &mut T {
        let at = home(key, self.room.len());
        if self.room.get(at).is_some_and(|row| row.key() == key) {
            return &mut self.room[at];
        }
        self.get_or_make_further(key)
    }

    #[inline(never)]
    fn get_or_make_further(&mut self, key: u32) -> &mut T {
        let at = match self.place(key) {
            Some(at) if self.room[at].key() == key => at,
            _ => self.make(key),
        };
        &mut self.room[at]
    }

    /// The keys with rows, in order. Some may be out of use.
    pub(crate) fn keys(&self) -> Vec<u32> {
        let mut keys: Vec<_> = self.rows().map(T::key).collect();
        keys.sort_unstable();
        keys
    }

    fn rows(&self) -> impl Iterator<Item = &T> {
        self.room.iter().filter(|row| row.key() != T::NO_KEY)
    }

    #[cfg(test)]
    pub(super) fn room_len(&self) -> usize {
        self.room.len()
    }

    /// The place of a key's row or, if it has none, the place for it. `None` if there is no memory
    /// for rows.
    fn place(&self, key: u32) -> Option<usize> {
        let mut at = home(key, self.room.len());
        loop {
            let found = self.room.get(at)?.key();
            if found == key || found == T::NO_KEY {
                return Some(at);
            }
            at = if at + 1 == self.room.len() { 0 } else { at + 1 };
        }
    }

    fn make(&mut self, key: u32) -> usize {
        if 4 * (self.used as usize + 1) > 3 * self.room.len() {
            self.rebuild();
        }
        self.add(T::of(key))
    }

    fn add(&mut self, row: T) -> usize {
        let at = self.place(row.key()).expect("there is memory for another row");
        self.room[at] = row;
        self.used += 1;
        at
    }

    /// Drops the rows out of use, and makes the table at most half full, with one row more.
    fn rebuild(&mut self) {
        let in_use = self.rows().filter(|row| row.is_used()).count();
        let len = (2 * (in_use + 1)).next_power_of_two().max(ROWS_MIN);
        let rebuilt = Self { room: Room::take(len), used: 0 };
        let before = std::mem::replace(self, rebuilt);
        for row in before.rows().filter(|row| row.is_used()) {
            self.add(*row);
        }
    }
}

/// Ids count up from zero, so that a multiplication spreads them well.
#[inline(always)]
fn home(key: u32, len: usize) -> usize {
    let hash = key.wrapping_mul(0x9E37_79B9);
    (u64::from(hash).wrapping_mul(len as u64) >> u32::BITS) as usize
}

impl<T: Keyed> Default for Table<T> {
    fn default() -> Self {
        Self { room: Room::default(), used: 0 }
    }
}

impl<T: Keyed> Clone for Table<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        if !self.room.is_empty() {
            copy.room = Room::take(self.room.len());
            copy.room.copy_from_slice(&self.room);
            copy.used = self.used;
        }
        copy
    }
}

impl<T: Keyed + std::fmt::Debug> std::fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let keys = self.keys();
        f.debug_list().entries(keys.into_iter().filter_map(|key| self.get(key))).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::state::account::market::AccountMarket;

    #[test]
    fn one_instrument_takes_one_cache_line() {
        let mut markets = Table::<AccountMarket>::default();
        assert!(markets.get(0).is_none());
        markets.get_or_make(7_999).open_orders = 1;
        assert_eq!(markets.room.len(), ROWS_MIN);
        assert_eq!(markets.get(7_999).map(|row| row.open_orders), Some(1));
        assert!(markets.get(0).is_none());
    }

    #[test]
    fn rows_out_of_use_do_not_pile_up() {
        let mut markets = Table::<AccountMarket>::default();
        for at in 0..100_000 {
            markets.get_or_make(at).open_orders = 1;
            if at >= 10 {
                markets.get_or_make(at - 10).open_orders = 0;
            }
        }
        assert!(markets.room.len() <= 64, "{} rows for 10 instruments", markets.room.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() })]

        #[test]
        fn rows_are_a_map(steps in prop::collection::vec((0..60_u32, 0..3_u32), 1..400)) {
            let (mut markets, mut map) = (Table::<AccountMarket>::default(), BTreeMap::new());
            for (at, open_orders) in steps {
                let key = at * 1_000;
                markets.get_or_make(key).open_orders = open_orders;
                map.insert(key, open_orders);
                for (key, open_orders) in &map {
                    let found = markets.get(*key).map_or(0, |row| row.open_orders);
                    prop_assert_eq!(found, *open_orders);
                }
                let keys = markets.clone().keys();
                prop_assert!(keys.is_sorted_by(|one, next| one < next));
                let open = |key: &&u32| map[*key] > 0;
                prop_assert_eq!(keys.iter().filter(open).count(), map.values().filter(|it| **it > 0).count());
            }
        }
    }
}
