//! The pages of one side in order, the best last.
//!
//! A sorted array in parts: putting one page among a million others moves a kilobyte or two.

use crate::book::prefetch::prefetch_whole;

/// Pages in one part at most.
const PART_MAX: usize = 128;

/// Neighbours that have this many together become one.
const PART_AGAIN: usize = PART_MAX / 2;

#[derive(Clone, Debug, Default)]
pub(crate) struct Ladder {
    /// The lowest number of each part.
    firsts: Vec<u64>,
    /// Only a part that is alone may be empty.
    #[allow(clippy::vec_box)] // A part that splits off moves pointers, not pages.
    parts: Vec<Box<Part>>,
    /// Of pages that are going to be looked for; none until [`Ladder::foresee`] is asked.
    foreseen: Vec<Foreseen>,
}

/// Where a page belonged, or would have, a few commands ago.
#[derive(Clone, Copy, Debug)]
struct Foreseen {
    number: u64,
    part: usize,
}

/// More than there are commands between looking ahead and being carried out.
const FORESEEN: usize = 16;

/// Two arrays, since a search reads only the numbers.
#[derive(Clone, Debug)]
struct Part {
    count: usize,
    numbers: [u64; PART_MAX],
    pages: [u32; PART_MAX],
}

/// Where a page would have to be put in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    part: usize,
    at: usize,
}

impl Ladder {
    /// The best page.
    #[inline]
    pub(crate) fn last(&self) -> Option<u32> {
        self.parts.last()?.pages().last().copied()
    }

    /// All pages, the best first.
    pub(crate) fn best_first(&self) -> impl Iterator<Item = u32> {
        self.parts.iter().rev().flat_map(|part| part.pages().iter().rev().copied())
    }

    pub(crate) fn find(&self, number: u64) -> Result<u32, Gap> {
        let part = self.part_of(number).unwrap_or(0);
        let Some(found) = self.parts.get(part) else { return Err(Gap { part, at: 0 }) };
        // A search would wait for one line after the other, and what follows needs them all.
        prefetch_whole(found.as_ref());
        match found.numbers().binary_search(&number) {
            Ok(at) => Ok(found.pages[at]),
            Err(at) => Err(Gap { part, at }),
        }
    }

    /// Puts in a page where it was looked for and not found.
    pub(crate) fn insert(&mut self, gap: Gap, number: u64, page: u32) {
        let Gap { mut part, mut at } = gap;
        if self.parts.is_empty() {
            self.firsts.push(number);
            self.parts.push(Part::empty());
        }
        if self.parts[part].count == PART_MAX {
            self.split(part);
            if let Some(behind) = at.checked_sub(PART_MAX / 2) {
                (part, at) = (part + 1, behind);
            }
        }
        self.parts[part].insert(at, number, page);
        if at == 0 {
            self.firsts[part] = number;
        }
    }

    /// Takes out a page that is there.
    pub(crate) fn remove(&mut self, number: u64) {
        let at = self.part_of(number).expect("the page is there");
        let part = &mut self.parts[at];
        let place = part.numbers().binary_search(&number).expect("the page is there");
        part.remove(place);
        if part.count > PART_AGAIN / 2 {
            self.firsts[at] = part.numbers[0];
        } else if part.count > 0 {
            self.firsts[at] = part.numbers[0];
            self.merge(at);
        } else if self.parts.len() > 1 {
            self.firsts.remove(at);
            self.parts.remove(at);
        }
    }

    /// Has the part brought near where a page is going to be looked for.
    pub(crate) fn foresee(&mut self, number: u64) {
        let Some(part) = self.search(number) else { return };
        prefetch_whole(self.parts[part].as_ref());
        if self.foreseen.is_empty() {
            self.foreseen = vec![Foreseen { number, part }; FORESEEN];
        }
        self.foreseen[foreseen_at(number)] = Foreseen { number, part };
    }

    #[inline]
    fn part_of(&self, number: u64) -> Option<usize> {
        let foreseen = self.foreseen.get(foreseen_at(number));
        let foreseen = foreseen.filter(|it| it.number == number && self.holds(it.part, number));
        foreseen.map(|it| it.part).or_else(|| self.search(number))
    }

    /// Whether a page belongs there now: parts may have split and merged.
    fn holds(&self, part: usize, number: u64) -> bool {
        self.firsts.get(part).is_some_and(|first| *first <= number)
            && self.firsts.get(part + 1).is_none_or(|next| number < *next)
    }

    fn search(&self, number: u64) -> Option<usize> {
        self.firsts.partition_point(|first| *first <= number).checked_sub(1)
    }

    #[cold]
    fn split(&mut self, at: usize) {
        let mut upper = Part::empty();
        self.parts[at].move_to(PART_MAX / 2, &mut upper);
        self.firsts.insert(at + 1, upper.numbers[0]);
        self.parts.insert(at + 1, upper);
    }

    #[cold]
    fn merge(&mut self, at: usize) {
        let size = |at: usize| self.parts.get(at).map_or(PART_MAX, |part| part.count);
        let at = match at.checked_sub(1) {
            Some(before) if size(before) < size(at + 1) => before,
            _ => at,
        };
        if size(at) + size(at + 1) <= PART_AGAIN {
            self.firsts.remove(at + 1);
            let mut upper = self.parts.remove(at + 1);
            upper.move_to(0, &mut self.parts[at]);
        }
    }
}

#[inline]
const fn foreseen_at(number: u64) -> usize {
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize
}

const _: () = assert!(FORESEEN == 1 << (u64::BITS - 60));

impl Part {
    fn empty() -> Box<Self> {
        Box::new(Self { count: 0, numbers: [0; PART_MAX], pages: [0; PART_MAX] })
    }

    fn numbers(&self) -> &[u64] {
        &self.numbers[..self.count]
    }

    fn pages(&self) -> &[u32] {
        &self.pages[..self.count]
    }

    fn insert(&mut self, at: usize, number: u64, page: u32) {
        self.numbers.copy_within(at..self.count, at + 1);
        self.pages.copy_within(at..self.count, at + 1);
        self.numbers[at] = number;
        self.pages[at] = page;
        self.count += 1;
    }

    fn remove(&mut self, at: usize) {
        self.numbers.copy_within(at + 1..self.count, at);
        self.pages.copy_within(at + 1..self.count, at);
        self.count -= 1;
    }

    /// Moves its pages from `first` on to the end of another part.
    fn move_to(&mut self, first: usize, other: &mut Self) {
        let count = self.count - first;
        let end = other.count + count;
        other.numbers[other.count..end].copy_from_slice(&self.numbers()[first..]);
        other.pages[other.count..end].copy_from_slice(&self.pages()[first..]);
        other.count = end;
        self.count = first;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn check(ladder: &Ladder, map: &BTreeMap<u64, u32>) {
        let pages: Vec<u32> = ladder.best_first().collect();
        assert!(pages.iter().eq(map.values().rev()));
        assert_eq!(ladder.last(), map.values().next_back().copied());
        let firsts: Vec<u64> =
            ladder.parts.iter().map_while(|part| part.numbers().first().copied()).collect();
        assert!(ladder.firsts == firsts || map.is_empty());
        let small = ladder.parts.windows(2);
        assert!(ladder.parts.iter().all(|part| part.count <= PART_MAX));
        assert!(small.into_iter().all(|pair| pair[0].count + pair[1].count > PART_AGAIN / 2));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..Default::default() })]

        /// Stretches of pages come and go, from either end or in no order, in parts that split and
        /// become one again.
        #[test]
        fn a_ladder_is_a_sorted_map(
            stretches in prop::collection::vec((0..2000_u64, 1..700_u64, 0..3_u64, any::<bool>()), 1..14),
        ) {
            let (mut ladder, mut map) = (Ladder::default(), BTreeMap::new());
            for (first, count, order, put) in stretches {
                for at in 0..count {
                    let number = match order {
                        0 => first + at,
                        1 => first + count - at,
                        _ => first + at * 7919 % 2003,
                    };
                    let page = number as u32 * 3;
                    if at % 3 == 0 {
                        ladder.foresee(first + (at + 5) * 7919 % 2003);
                        ladder.foresee(number);
                    }
                    prop_assert_eq!(ladder.find(number).ok(), map.get(&number).copied());
                    if put && map.insert(number, page).is_none() {
                        let gap = ladder.find(number).expect_err("it is not there");
                        ladder.insert(gap, number, page);
                    }
                    if !put && map.remove(&number).is_some() {
                        ladder.remove(number);
                    }
                    if at % 64 == 0 {
                        check(&ladder, &map);
                    }
                }
                check(&ladder, &map);
            }
            while let Some((number, _)) = map.pop_first() {
                ladder.remove(number);
            }
            check(&ladder, &map);
        }
    }
}
