//! Memory for the rows of accounts.
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

use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use types::{Amount, Balance};

use crate::book::prefetch::advise_huge_room;

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

/// Rows of one account; none, or a power of two. They return to the arena when they are dropped.
pub(super) struct Room<T: Row>(&'static mut [T]);

impl<T: Row> Room<T> {
    /// Empty rows; `len` is a power of two.
    pub(super) fn take(len: usize) -> Self {
        Self(with_arena(|arena: &mut Arena<T>| arena.take(len)))
    }
}

impl<T: Row> Default for Room<T> {
    fn default() -> Self {
        Self(&mut [])
    }
}

impl<T: Row> Drop for Room<T> {
    fn drop(&mut self) {
        let rows = std::mem::take(&mut self.0);
        if !rows.is_empty() {
            with_arena(|arena| arena.given_back[rows.len().ilog2() as usize].push(rows));
        }
    }
}

impl<T: Row> Deref for Room<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        self.0
    }
}

impl<T: Row> DerefMut for Room<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        self.0
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
    pub(super) const fn new() -> Self {
        Self { unused: &mut [], given_back: [const { Vec::new() }; usize::BITS as usize] }
    }

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

/// An allocation failure leaves the arena valid.
fn with_arena<T: Row, R>(work: impl FnOnce(&mut Arena<T>) -> R) -> R {
    work(&mut T::arena().lock().unwrap_or_else(PoisonError::into_inner))
}
