//! The rows of accounts: one for each asset and one for each instrument of an account.
//!
//! With many accounts and instruments these rows are most of the memory that orders touch. Access
//! is random, and an order waits for the page walk rather than for the row. So the rows of all
//! accounts lie in large chunks of memory on huge pages, which made w3 of the workloads a tenth
//! faster.
//!
//! This file may use `unsafe` once. A chunk must not be written ahead of its use, or it would cost
//! unused memory and delay the command that allocated it.
//!
//! # Known limits
//! Chunks never return to the system; other accounts reuse their rows.

#![allow(unsafe_code)]

use std::fmt;
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use types::{Amount, Balance};

use crate::book::prefetch::advise_huge_room;
use crate::state::account::market::AccountMarket;

/// Rows of one account, indexed by asset or by instrument. The capacity is a power of two, and
/// empty rows follow after the last.
pub(crate) struct Rows<T: Row> {
    room: &'static mut [T],
    len: usize,
}

/// A value that is stored in rows.
pub(crate) trait Row: Copy + Send + 'static {
    const EMPTY: Self;

    fn arena() -> &'static Mutex<Arena<Self>>;
}

impl Row for Balance {
    const EMPTY: Self = Self { free: Amount::ZERO, locked: Amount::ZERO };

    fn arena() -> &'static Mutex<Arena<Self>> {
        static ARENA: Mutex<Arena<Balance>> = Mutex::new(Arena::new());
        &ARENA
    }
}

impl Row for AccountMarket {
    const EMPTY: Self = Self::EMPTY;

    fn arena() -> &'static Mutex<Arena<Self>> {
        static ARENA: Mutex<Arena<AccountMarket>> = Mutex::new(Arena::new());
        &ARENA
    }
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
            let larger = with_arena(|arena: &mut Arena<T>| arena.take(len.next_power_of_two()));
            larger[..self.len].copy_from_slice(self);
            give_back(std::mem::replace(&mut self.room, larger));
        }
        self.len = len;
    }
}

impl<T: Row> Default for Rows<T> {
    fn default() -> Self {
        Self { room: &mut [], len: 0 }
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

impl<T: Row> Drop for Rows<T> {
    fn drop(&mut self) {
        give_back(std::mem::take(&mut self.room));
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

/// The chunks of memory for rows.
pub(crate) struct Arena<T: Row> {
    /// The untouched end of the last chunk.
    unused: &'static mut [MaybeUninit<T>],
    /// Freed rows, by the power of two of their length.
    given_back: [Vec<&'static mut [T]>; usize::BITS as usize],
}

/// The rows of a chunk. Its untouched part costs no memory.
const PIECE: usize = 1 << 20;

impl<T: Row> Arena<T> {
    const fn new() -> Self {
        Self { unused: &mut [], given_back: [const { Vec::new() }; usize::BITS as usize] }
    }

    /// Empty rows; `len` is a power of two.
    fn take(&mut self, len: usize) -> &'static mut [T] {
        if let Some(rows) = self.given_back[len.ilog2() as usize].pop() {
            rows.fill(T::EMPTY);
            return rows;
        }
        let rows = self.take_unused(len);
        for row in &mut *rows {
            row.write(T::EMPTY);
        }
        // SAFETY: each of them has just been written.
        unsafe { rows.assume_init_mut() }
    }

    fn take_unused(&mut self, len: usize) -> &'static mut [MaybeUninit<T>] {
        if len > self.unused.len() {
            self.unused = Box::leak(Box::new_uninit_slice(len.max(PIECE)));
            advise_huge_room(self.unused);
        }
        let (rows, unused) = std::mem::take(&mut self.unused).split_at_mut(len);
        self.unused = unused;
        rows
    }
}

fn give_back<T: Row>(rows: &'static mut [T]) {
    if !rows.is_empty() {
        with_arena(|arena| arena.given_back[rows.len().ilog2() as usize].push(rows));
    }
}

/// An allocation failure leaves the arena valid.
fn with_arena<T: Row, R>(work: impl FnOnce(&mut Arena<T>) -> R) -> R {
    work(&mut T::arena().lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
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
