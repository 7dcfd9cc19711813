//! Ring of the last records of a kind that an account keeps, such as its finished orders.
//!
//! Only queries read them, yet every order and trade is added. So they lie in a ring in their
//! shortest form: the newest replaces the oldest, and an insert touches nothing else. A lookup
//! scans the ring, whose length the account chooses.

use std::collections::VecDeque;
use std::fmt::Debug;

use types::AccountId;

use crate::book::prefetch::prefetch_ends;

/// A short form for most of the records. It leaves out the account.
pub(crate) trait Brief: Copy + Debug {
    type Whole: Copy + Debug;

    /// `None` if the short form cannot hold the record.
    fn new(whole: &Self::Whole) -> Option<Self>;

    fn whole(&self, account: AccountId) -> Self::Whole;
}

#[derive(Clone, Debug)]
pub(crate) struct Kept<B: Brief> {
    /// `None` for a record without a short form.
    ring: Vec<Option<B>>,
    /// Index of the oldest record in the ring.
    oldest: usize,
    /// The number of records that were dropped.
    forgotten: u64,
    /// Records without a short form, with their numbers, oldest first; allocated for the first of
    /// them.
    uncommon: Option<Box<Numbered<B::Whole>>>,
}

type Numbered<T> = VecDeque<(u64, T)>;

impl<B: Brief> Default for Kept<B> {
    fn default() -> Self {
        Self { ring: Vec::new(), oldest: 0, forgotten: 0, uncommon: None }
    }
}

impl<B: Brief> Kept<B> {
    /// Adds a record, and drops the oldest if there are `kept`; never keeps more than that.
    #[inline(always)]
    pub(crate) fn push(&mut self, whole: &B::Whole, kept: usize) {
        if kept == 0 {
            return;
        }
        let brief = B::new(whole);
        if brief.is_none() {
            self.push_uncommon(whole);
        }
        self.push_brief(brief, kept);
    }

    /// The same for a record in its short form, with `kept` above zero.
    #[inline(always)]
    pub(crate) fn push_brief(&mut self, brief: Option<B>, kept: usize) {
        debug_assert!(kept > 0, "else an account's memory would grow");
        let place = if self.ring.len() < kept { self.grow(kept) } else { self.forget_oldest() };
        self.ring[place] = brief; // constructed in its slot
    }

    /// The slot of the oldest record, for the next one.
    #[inline(always)]
    fn forget_oldest(&mut self) -> usize {
        let place = self.oldest;
        self.oldest += 1;
        if self.oldest == self.ring.len() {
            self.oldest = 0;
        }
        self.forgotten += 1;
        if self.uncommon.is_some() {
            self.forget_uncommon();
        }
        place
    }

    #[inline(never)]
    fn push_uncommon(&mut self, whole: &B::Whole) {
        let number = self.forgotten + self.ring.len() as u64;
        self.uncommon.get_or_insert_default().push_back((number, *whole));
    }

    /// A new slot at the end.
    #[inline(never)]
    fn grow(&mut self, kept: usize) -> usize {
        self.straighten();
        if self.ring.len() == self.ring.capacity() {
            let as_many_again = self.ring.len().max(4);
            self.ring.reserve_exact(as_many_again.min(kept - self.ring.len()));
        }
        self.ring.push(None);
        self.ring.len() - 1
    }

    /// Drops the oldest records beyond `kept`.
    pub(crate) fn keep(&mut self, kept: usize) {
        self.straighten();
        let beyond = self.ring.len().saturating_sub(kept);
        self.ring.drain(..beyond);
        self.forgotten += beyond as u64;
        self.forget_uncommon();
    }

    #[inline(never)]
    fn forget_uncommon(&mut self) {
        let Some(uncommon) = &mut self.uncommon else { return };
        while uncommon.front().is_some_and(|(number, _)| *number < self.forgotten) {
            uncommon.pop_front();
        }
    }

    fn straighten(&mut self) {
        if self.oldest == 0 {
            return;
        }
        self.ring.rotate_left(self.oldest);
        self.oldest = 0;
    }

    /// Prefetches the slot of the next record.
    #[inline]
    pub(in crate::state) fn prefetch(&self) {
        if let Some(place) = self.ring.get(self.oldest) {
            prefetch_ends(place);
        }
    }

    /// All records, oldest first.
    pub(crate) fn iter(&self, account: AccountId) -> impl DoubleEndedIterator<Item = B::Whole> {
        self.find(account, |_| true)
    }

    /// The records whose short form may match, oldest first.
    pub(super) fn find(
        &self,
        account: AccountId,
        maybe: impl Fn(&B) -> bool,
    ) -> impl DoubleEndedIterator<Item = B::Whole> {
        (0..self.ring.len()).filter_map(move |at| {
            let to_the_end = self.ring.len() - self.oldest;
            let place = if at < to_the_end { self.oldest + at } else { at - to_the_end };
            match &self.ring[place] {
                Some(brief) => maybe(brief).then(|| brief.whole(account)),
                None => Some(self.uncommon(self.forgotten + at as u64)),
            }
        })
    }

    fn uncommon(&self, number: u64) -> B::Whole {
        let uncommon = self.uncommon.as_ref().expect("a record without a short form is kept whole");
        let at = uncommon.binary_search_by_key(&number, |(number, _)| *number);
        uncommon[at.expect("each of them")].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Even numbers have a short form.
    #[derive(Clone, Copy, Debug)]
    struct Half(u32);

    impl Brief for Half {
        type Whole = u32;

        fn new(whole: &u32) -> Option<Self> {
            whole.is_multiple_of(2).then_some(Self(whole / 2))
        }

        fn whole(&self, _: AccountId) -> u32 {
            self.0 * 2
        }
    }

    #[test]
    fn the_last_records_up_to_the_limit_are_kept() {
        let mut numbers = Kept::<Half>::default();
        let mut all: Vec<u32> = Vec::new();
        for (kept, count) in [(0, 3), (5, 3), (5, 9), (8, 2), (8, 30), (3, 0), (3, 1), (9, 40)] {
            numbers.keep(kept);
            all.drain(..all.len().saturating_sub(kept));
            for number in 0..count {
                let number = number * 7 % 31;
                numbers.push(&number, kept);
                all.push(number);
                all.drain(..all.len().saturating_sub(kept));
                assert!(numbers.iter(AccountId(1)).eq(all.iter().copied()));
                assert!(numbers.iter(AccountId(1)).rev().eq(all.iter().rev().copied()));
            }
        }
        assert!(
            numbers.ring.len() <= 9 && numbers.uncommon.map_or(0, |uncommon| uncommon.len()) <= 9
        );
    }
}
