//! The rows of an account by instrument: a hash table of those with open orders.
//!
//! An account may trade in any of thousands of instruments, and has open orders in few. A row for
//! each instrument would spread these few over as much memory as all of them take, and the rows of
//! many accounts would not fit into the cache.
//!
//! A row stays when its last order ends, because the next order often follows in the same
//! instrument. Once the table is three quarters full, rows without orders are dropped.
//!
//! # Invariants
//! - At least one row has no instrument, so every search ends.
//! - The order of the rows follows from the account's history, not from its state: nothing that
//!   the engine emits or writes depends on it.

use types::InstrumentId;

use crate::state::account::arena::Room;
use crate::state::account::market::{AccountMarket, NO_INSTRUMENT};

/// The rows of one account.
#[derive(Default)]
pub(crate) struct Markets {
    room: Room<AccountMarket>,
    /// Rows with an instrument.
    used: u32,
}

/// The fewest rows: one with orders, one without instrument.
const ROWS_MIN: usize = 2;

impl Markets {
    /// `None` if the account has no row for the instrument, and so no open order in it.
    #[inline(always)]
    pub(crate) fn get(&self, instrument: InstrumentId) -> Option<&AccountMarket> {
        let row = self.home(instrument)?;
        if row.instrument == instrument { Some(row) } else { self.get_further(instrument) }
    }

    #[inline(never)]
    fn get_further(&self, instrument: InstrumentId) -> Option<&AccountMarket> {
        let row = self.room.get(self.place(instrument)?)?;
        (row.instrument == instrument).then_some(row)
    }

    /// The row where a search for an instrument begins, and mostly ends: its own, or another.
    #[inline(always)]
    pub(super) fn home(&self, instrument: InstrumentId) -> Option<&AccountMarket> {
        self.room.get(home(instrument, self.room.len()))
    }

    /// The row of an instrument, which is created if it is missing.
    #[inline(always)]
    pub(super) fn get_or_make(&mut self, instrument: InstrumentId) -> &mut AccountMarket {
        let at = home(instrument, self.room.len());
        if self.room.get(at).is_some_and(|row| row.instrument == instrument) {
            return &mut self.room[at];
        }
        self.get_or_make_further(instrument)
    }

    #[inline(never)]
    fn get_or_make_further(&mut self, instrument: InstrumentId) -> &mut AccountMarket {
        let at = match self.place(instrument) {
            Some(at) if self.room[at].instrument == instrument => at,
            _ => self.make(instrument),
        };
        &mut self.room[at]
    }

    /// The instruments with rows, in order. Some may have no open orders.
    pub(crate) fn instruments(&self) -> Vec<InstrumentId> {
        let rows = self.room.iter().map(|row| row.instrument);
        let mut instruments: Vec<_> = rows.filter(|id| *id != NO_INSTRUMENT).collect();
        instruments.sort_unstable();
        instruments
    }

    /// The place of an instrument's row or, if it has none, the place for it. `None` if there is no
    /// memory for rows.
    fn place(&self, instrument: InstrumentId) -> Option<usize> {
        let mut at = home(instrument, self.room.len());
        loop {
            let found = self.room.get(at)?.instrument;
            if found == instrument || found == NO_INSTRUMENT {
                return Some(at);
            }
            at = if at + 1 == self.room.len() { 0 } else { at + 1 };
        }
    }

    fn make(&mut self, instrument: InstrumentId) -> usize {
        if 4 * (self.used as usize + 1) > 3 * self.room.len() {
            self.rebuild();
        }
        self.add(AccountMarket::of(instrument))
    }

    fn add(&mut self, row: AccountMarket) -> usize {
        let at = self.place(row.instrument).expect("there is memory for another row");
        self.room[at] = row;
        self.used += 1;
        at
    }

    /// Drops the rows without orders, and makes the table at most half full, with one row more.
    fn rebuild(&mut self) {
        let with_orders = self.room.iter().filter(|row| row.is_used()).count();
        let len = (2 * (with_orders + 1)).next_power_of_two().max(ROWS_MIN);
        let rebuilt = Self { room: Room::take(len), used: 0 };
        let before = std::mem::replace(self, rebuilt);
        for row in before.room.iter().filter(|row| row.is_used()) {
            self.add(*row);
        }
    }
}

/// Ids count up from zero, so that a multiplication spreads them well.
#[inline(always)]
fn home(instrument: InstrumentId, len: usize) -> usize {
    let hash = instrument.0.wrapping_mul(0x9E37_79B9);
    (u64::from(hash).wrapping_mul(len as u64) >> u32::BITS) as usize
}

impl Clone for Markets {
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

impl std::fmt::Debug for Markets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids = self.instruments();
        f.debug_list().entries(ids.into_iter().filter_map(|id| self.get(id))).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn id(at: u32) -> InstrumentId {
        InstrumentId(at)
    }

    #[test]
    fn one_instrument_takes_one_cache_line() {
        let mut markets = Markets::default();
        assert!(markets.get(id(0)).is_none());
        markets.get_or_make(id(7_999)).open_orders = 1;
        assert_eq!(markets.room.len(), ROWS_MIN);
        assert_eq!(markets.get(id(7_999)).map(|row| row.open_orders), Some(1));
        assert!(markets.get(id(0)).is_none());
    }

    #[test]
    fn rows_without_orders_do_not_pile_up() {
        let mut markets = Markets::default();
        for at in 0..100_000 {
            markets.get_or_make(id(at)).open_orders = 1;
            if at >= 10 {
                markets.get_or_make(id(at - 10)).open_orders = 0;
            }
        }
        assert!(markets.room.len() <= 64, "{} rows for 10 instruments", markets.room.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() })]

        #[test]
        fn rows_are_a_map(steps in prop::collection::vec((0..60_u32, 0..3_u32), 1..400)) {
            let (mut markets, mut map) = (Markets::default(), BTreeMap::new());
            for (at, open_orders) in steps {
                let instrument = id(at * 1_000);
                markets.get_or_make(instrument).open_orders = open_orders;
                map.insert(instrument, open_orders);
                for (instrument, open_orders) in &map {
                    let found = markets.get(*instrument).map_or(0, |row| row.open_orders);
                    prop_assert_eq!(found, *open_orders);
                }
                let ids = markets.clone().instruments();
                prop_assert!(ids.is_sorted_by(|one, next| one < next));
                let open = |id: &&InstrumentId| map[*id] > 0;
                prop_assert_eq!(ids.iter().filter(open).count(), map.values().filter(|it| **it > 0).count());
            }
        }
    }
}
