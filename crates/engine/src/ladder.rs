//! The pages of one side in order, the best last.
//!
//! A sorted array in parts: putting one page among a million others moves a few kilobytes.

/// Pages in one part at most.
const PART_MAX: usize = 256;

/// Neighbours that have this many together become one.
const PART_AGAIN: usize = PART_MAX / 2;

#[derive(Clone, Debug, Default)]
pub(crate) struct Ladder {
    /// The lowest number of each part.
    firsts: Vec<u64>,
    /// None is empty.
    parts: Vec<Part>,
}

/// Two arrays, since a search reads only the numbers.
#[derive(Clone, Debug, Default)]
struct Part {
    numbers: Vec<u64>,
    pages: Vec<u32>,
}

impl Ladder {
    /// The best page.
    #[inline]
    pub(crate) fn last(&self) -> Option<u32> {
        self.parts.last().and_then(|part| part.pages.last()).copied()
    }

    /// All pages, the best first.
    pub(crate) fn best_first(&self) -> impl Iterator<Item = u32> {
        self.parts.iter().rev().flat_map(|part| part.pages.iter().rev().copied())
    }

    pub(crate) fn get(&self, number: u64) -> Option<u32> {
        let part = &self.parts[self.part_of(number)?];
        let at = part.numbers.binary_search(&number).ok()?;
        Some(part.pages[at])
    }

    /// Puts in a page whose number is not there yet.
    pub(crate) fn insert(&mut self, number: u64, page: u32) {
        if self.parts.is_empty() {
            self.firsts.push(number);
            self.parts.push(Part::default());
        }
        let mut at = self.part_of(number).unwrap_or(0);
        if self.parts[at].pages.len() == PART_MAX {
            self.split(at);
            at += usize::from(number >= self.firsts[at + 1]);
        }
        let part = &mut self.parts[at];
        let place = part.numbers.partition_point(|other| *other < number);
        part.numbers.insert(place, number);
        part.pages.insert(place, page);
        self.firsts[at] = part.numbers[0];
    }

    /// Takes out a page that is there.
    pub(crate) fn remove(&mut self, number: u64) {
        let at = self.part_of(number).expect("the page is there");
        let part = &mut self.parts[at];
        let place = part.numbers.binary_search(&number).expect("the page is there");
        part.numbers.remove(place);
        part.pages.remove(place);
        if let Some(first) = part.numbers.first() {
            self.firsts[at] = *first;
            self.merge(at);
        } else if self.parts.len() > 1 {
            self.firsts.remove(at);
            self.parts.remove(at);
        } // else the side's only part keeps its room
    }

    #[inline]
    fn part_of(&self, number: u64) -> Option<usize> {
        self.firsts.partition_point(|first| *first <= number).checked_sub(1)
    }

    #[cold]
    fn split(&mut self, at: usize) {
        let part = &mut self.parts[at];
        let half = PART_MAX / 2;
        let mut upper =
            Part { numbers: Vec::with_capacity(PART_MAX), pages: Vec::with_capacity(PART_MAX) };
        upper.numbers.extend(part.numbers.drain(half..));
        upper.pages.extend(part.pages.drain(half..));
        self.firsts.insert(at + 1, upper.numbers[0]);
        self.parts.insert(at + 1, upper);
    }

    fn merge(&mut self, at: usize) {
        let size = |at: usize| self.parts.get(at).map_or(PART_MAX, |part| part.pages.len());
        if size(at) > PART_AGAIN / 2 {
            return;
        }
        let at = match at.checked_sub(1) {
            Some(before) if size(before) < size(at + 1) => before,
            _ => at,
        };
        if size(at) + size(at + 1) > PART_AGAIN {
            return;
        }
        self.firsts.remove(at + 1);
        let upper = self.parts.remove(at + 1);
        self.parts[at].numbers.extend(upper.numbers);
        self.parts[at].pages.extend(upper.pages);
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
            ladder.parts.iter().map_while(|part| part.numbers.first().copied()).collect();
        assert!(ladder.firsts == firsts || map.is_empty());
        let small = ladder.parts.windows(2);
        assert!(ladder.parts.iter().all(|part| part.pages.len() <= PART_MAX));
        assert!(
            small
                .into_iter()
                .all(|pair| pair[0].pages.len() + pair[1].pages.len() > PART_AGAIN / 2)
        );
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
                    prop_assert_eq!(ladder.get(number), map.get(&number).copied());
                    if put && map.insert(number, page).is_none() {
                        ladder.insert(number, page);
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
