//! The balances of an account: one row for each asset up to the last that the account has used.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::state::account::arena::{Room, Row};

/// Rows of one account, indexed by asset. Empty rows follow after the last.
pub(crate) struct Rows<T: Row> {
    room: Room<T>,
    len: usize,
}

impl<T: Row> Rows<T> {
    /// `None` if there is no row. A row may be empty although it was never used.
    #[inline(always)]
    pub(crate) fn get(&self, at: usize) -> Option<&T> {
        self.room.get(at)
    }

    /// The row, which is created if it is missing, with all rows in front of it.
    #[inline(always)]
    pub(super) fn get_or_make(&mut self, at: usize) -> &mut T {
        if at >= self.len {
            self.lengthen(at + 1);
        }
        &mut self.room[at]
    }

    #[inline(never)]
    fn lengthen(&mut self, len: usize) {
        if len > self.room.len() {
            let mut larger = Room::take(len.next_power_of_two());
            larger[..self.len].copy_from_slice(self);
            self.room = larger;
        }
        self.len = len;
    }
}

impl<T: Row> Default for Rows<T> {
    fn default() -> Self {
        Self { room: Room::default(), len: 0 }
    }
}

impl<T: Row> From<&[T]> for Rows<T> {
    fn from(rows: &[T]) -> Self {
        let mut copy = Self::default();
        if !rows.is_empty() {
            copy.lengthen(rows.len());
            copy.copy_from_slice(rows);
        }
        copy
    }
}

impl<T: Row> Clone for Rows<T> {
    fn clone(&self) -> Self {
        Self::from(&**self)
    }
}

impl<T: Row> Deref for Rows<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.room[..self.len]
    }
}

impl<T: Row> DerefMut for Rows<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.room[..self.len]
    }
}

impl<'a, T: Row> IntoIterator for &'a Rows<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Row + fmt::Debug> fmt::Debug for Rows<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use types::{Amount, Balance};

    use super::*;

    fn balance(units: i128) -> Balance {
        Balance { free: Amount::from_minor(units), locked: Amount::ZERO }
    }

    #[test]
    fn rows_keep_what_they_have_as_they_grow() {
        let mut rows = Rows::<Balance>::default();
        assert_eq!((rows.len(), rows.get(0)), (0, None));
        for at in 0..1000 {
            *rows.get_or_make(at) = balance(at as i128);
            assert_eq!(rows.len(), at + 1);
        }
        let expect: Vec<_> = (0..1000).map(balance).collect();
        assert_eq!(*rows, expect);
        assert_eq!(*rows.clone(), expect);
    }

    #[test]
    fn reused_rows_of_a_dropped_account_are_empty() {
        for len in [1, 3, 64, 700] {
            for _ in 0..20 {
                let mut rows = Rows::<Balance>::default();
                rows.get_or_make(len - 1);
                assert_eq!(*rows, vec![balance(0); len]);
                rows.fill(balance(7));
                assert_eq!(rows.get(len).copied().unwrap_or_default(), balance(0));
            }
        }
    }

    #[test]
    fn rows_of_two_accounts_are_not_the_same() {
        let mut accounts = vec![Rows::<Balance>::default(); 3000];
        for (id, rows) in (0..).zip(&mut accounts) {
            rows.get_or_make(id % 50);
            rows.fill(balance(id as i128));
        }
        for (id, rows) in (0..).zip(&accounts) {
            assert_eq!(**rows, vec![balance(id as i128); id % 50 + 1]);
        }
    }
}
