//! The balances of an account, by asset.
//!
//! Most accounts have few assets, and nearly all have those that were listed first, such as what
//! prices are in. These lie one after the other. Of the assets listed later an account may have
//! any, and has few: their balances are in a hash table. A row for each of them would take 256 KB
//! in an account whose one balance is in the 8,000th asset.
//!
//! # Known limits
//! A snapshot has all balances up to the last, and what looks at all of them, such as the check of
//! the invariants, takes as long.

use std::fmt;
use std::sync::Mutex;

use types::{AssetId, Balance};

use crate::book::prefetch::prefetch;
use crate::state::account::arena::{Arena, Room, Row};
use crate::state::account::table::{Keyed, Table};

/// Assets whose balances lie one after the other.
const FIRST: u32 = 64;

/// As small as it can be: it lies among what every order reads of its account.
#[derive(Default)]
pub(crate) struct Balances {
    first: Room<Balance>,
    later: Option<Box<Later>>,
    /// One more than the last of the first assets that the account has used.
    first_len: u32,
}

#[derive(Clone, Default)]
struct Later {
    balances: Table<LaterBalance>,
    /// One more than the last asset that the account has used.
    len: u32,
}

/// A cache line, so that no row lies in two.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct LaterBalance {
    balance: Balance,
    asset: u32,
}

const _: () = assert!(size_of::<LaterBalance>() == 64);

impl Balances {
    #[inline(always)]
    pub(crate) fn get(&self, asset: AssetId) -> Balance {
        match self.first.get(usize::from(asset.0)) {
            Some(balance) => *balance,
            None => self.get_later(asset),
        }
    }

    #[inline(never)]
    fn get_later(&self, asset: AssetId) -> Balance {
        let row = self.later.as_ref().and_then(|later| later.balances.get(asset.0.into()));
        row.map_or(Balance::EMPTY, |row| row.balance)
    }

    #[inline(always)]
    pub(super) fn get_or_make(&mut self, asset: AssetId) -> &mut Balance {
        if u32::from(asset.0) < self.first_len {
            &mut self.first[usize::from(asset.0)]
        } else {
            self.get_or_make_further(asset)
        }
    }

    #[inline(never)]
    fn get_or_make_further(&mut self, asset: AssetId) -> &mut Balance {
        let asset = u32::from(asset.0);
        if asset >= FIRST {
            let later = self.later.get_or_insert_default();
            later.len = later.len.max(asset + 1);
            return &mut later.balances.get_or_make(asset).balance;
        }
        self.first_len = asset + 1;
        let at = asset as usize;
        if at >= self.first.len() {
            self.lengthen(at + 1);
        }
        &mut self.first[at]
    }

    fn lengthen(&mut self, len: usize) {
        let mut larger = Room::take(len.next_power_of_two());
        larger[..self.first.len()].copy_from_slice(&self.first);
        self.first = larger;
    }

    /// One more than the last asset that the account has used.
    pub(crate) fn len(&self) -> usize {
        let later = self.later.as_ref().map_or(0, |later| later.len);
        later.max(self.first_len) as usize
    }

    /// By asset, up to the last that the account has used.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = Balance> {
        let assets = 0..u16::try_from(self.len()).expect("assets are counted by 16 bits");
        assets.map(|asset| self.get(AssetId(asset)))
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, asset: AssetId) {
        match self.first.get(usize::from(asset.0)) {
            Some(balance) => prefetch(balance),
            None => self.prefetch_later(asset),
        }
    }

    #[inline(never)]
    fn prefetch_later(&self, asset: AssetId) {
        let row = self.later.as_ref().and_then(|later| later.balances.home(asset.0.into()));
        row.map(prefetch);
    }
}

/// Of all assets up to the last that the account has used.
impl FromIterator<Balance> for Balances {
    fn from_iter<I: IntoIterator<Item = Balance>>(balances: I) -> Self {
        let mut made = Self::default();
        let mut len = 0;
        for balance in balances {
            if len < FIRST || balance != Balance::EMPTY {
                *made.get_or_make(AssetId(len as u16)) = balance;
            }
            len += 1;
        }
        if len > FIRST {
            made.later.get_or_insert_default().len = len;
        }
        made
    }
}

impl Clone for Balances {
    fn clone(&self) -> Self {
        let mut copy = Self { first: Room::default(), later: self.later.clone(), ..*self };
        if !self.first.is_empty() {
            copy.lengthen(self.first.len());
            copy.first.copy_from_slice(&self.first);
        }
        copy
    }
}

impl fmt::Debug for Balances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Row for LaterBalance {
    const EMPTY: Self = Self { balance: Balance::EMPTY, asset: Self::NO_KEY };

    fn arena() -> &'static Mutex<Arena<Self>> {
        static ARENA: Mutex<Arena<LaterBalance>> = Mutex::new(Arena::new());
        &ARENA
    }
}

impl Keyed for LaterBalance {
    /// Assets are counted by 16 bits.
    const NO_KEY: u32 = u32::MAX;

    fn of(asset: u32) -> Self {
        Self { balance: Balance::EMPTY, asset }
    }

    fn key(&self) -> u32 {
        self.asset
    }

    fn is_used(&self) -> bool {
        self.balance != Balance::EMPTY
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use types::Amount;

    use super::*;

    fn balance(units: i128) -> Balance {
        Balance { free: Amount::from_minor(units), locked: Amount::ZERO }
    }

    fn with(assets: &[(u16, i128)]) -> Balances {
        let mut balances = Balances::default();
        for (asset, units) in assets {
            *balances.get_or_make(AssetId(*asset)) = balance(*units);
        }
        balances
    }

    #[test]
    fn one_late_asset_takes_two_cache_lines() {
        let balances = with(&[(8_000, 7)]);
        assert_eq!((balances.len(), balances.get(AssetId(8_000))), (8_001, balance(7)));
        assert_eq!((balances.first.len(), balances.later.unwrap().balances.room_len()), (0, 2));
    }

    #[test]
    fn a_dropped_account_leaves_its_balances_to_no_other() {
        for last in [0, 2, 63, 64, 700] {
            for _ in 0..20 {
                let assets: Vec<_> = (0..=last).map(|asset| (asset, 7)).collect();
                drop(with(&assets));
                let balances = with(&[(last, 0)]);
                assert!(balances.iter().all(|found| found == balance(0)));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() })]

        #[test]
        fn balances_are_a_map(steps in prop::collection::vec((0..90_u16, 0..3_i128), 1..300)) {
            let (mut balances, mut map) = (Balances::default(), BTreeMap::new());
            for (asset, units) in steps {
                let asset = if asset < 70 { asset } else { asset * 100 };
                *balances.get_or_make(AssetId(asset)) = balance(units);
                map.insert(asset, units);
            }
            let last = *map.keys().last().expect("there are steps");
            let expect: Vec<_> =
                (0..=last).map(|asset| balance(map.get(&asset).copied().unwrap_or(0))).collect();
            let copy = balances.clone();
            let made: Balances = expect.iter().copied().collect();
            for balances in [balances, copy, made] {
                prop_assert_eq!(balances.len(), expect.len());
                prop_assert_eq!(balances.iter().collect::<Vec<_>>(), expect.clone());
            }
        }
    }
}
