//! Numbers by their keys in order, the best last: the pages of one side, the stops that wait.
//!
//! A sorted array in parts: putting one among a million others moves a kilobyte or two.

use crate::book::prefetch::prefetch_whole;

/// Entries in one part at most.
const PART_MAX: usize = 128;

/// Neighbours that have this many together become one.
const PART_AGAIN: usize = PART_MAX / 2;

/// What a ladder is ordered by.
pub(crate) trait Key: Copy + Default + Ord {
    /// The part of it that is known before the command is carried out.
    fn foreknown(self) -> u64;
}

impl Key for u64 {
    fn foreknown(self) -> u64 {
        self
    }
}

/// A price, and who came when.
impl Key for (i64, u64) {
    fn foreknown(self) -> u64 {
        self.0.cast_unsigned()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Ladder<K> {
    /// The lowest key of each part.
    firsts: Vec<K>,
    /// Only a part that is alone may be empty.
    #[allow(clippy::vec_box)] // A part that splits off moves pointers, not entries.
    parts: Vec<Box<Part<K>>>,
    /// The parts in which keys belonged a few commands ago that are going to be looked for; none until
    /// [`Ladder::foresee`] is asked.
    foreseen: Vec<usize>,
}

impl<K> Default for Ladder<K> {
    fn default() -> Self {
        Self { firsts: Vec::new(), parts: Vec::new(), foreseen: Vec::new() }
    }
}

/// More than there are commands between looking ahead and being carried out.
const FORESEEN: usize = 16;

/// Two arrays, since a search reads only the keys.
#[derive(Clone, Debug)]
struct Part<K> {
    count: usize,
    keys: [K; PART_MAX],
    values: [u32; PART_MAX],
}

/// Where an entry would have to be put in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    part: usize,
    at: usize,
}

impl<K: Key> Ladder<K> {
    /// The best one.
    #[inline]
    pub(crate) fn last(&self) -> Option<u32> {
        self.parts.last()?.values().last().copied()
    }

    pub(crate) fn last_key(&self) -> Option<K> {
        self.parts.last()?.keys().last().copied()
    }

    /// All of them, the best first.
    pub(crate) fn best_first(&self) -> impl Iterator<Item = u32> {
        self.parts.iter().rev().flat_map(|part| part.values().iter().rev().copied())
    }

    pub(crate) fn len(&self) -> usize {
        self.parts.iter().map(|part| part.count).sum()
    }

    pub(crate) fn find(&self, key: K) -> Result<u32, Gap> {
        let part = self.part_of(key).unwrap_or(0);
        let Some(found) = self.parts.get(part) else { return Err(Gap { part, at: 0 }) };
        // A search would wait for one line after the other, and what follows needs them all.
        prefetch_whole(found.as_ref());
        match found.keys().binary_search(&key) {
            Ok(at) => Ok(found.values[at]),
            Err(at) => Err(Gap { part, at }),
        }
    }

    /// Puts in what was looked for and not found.
    pub(crate) fn insert(&mut self, gap: Gap, key: K, value: u32) {
        let Gap { mut part, mut at } = gap;
        if self.parts.is_empty() {
            self.firsts.push(key);
            self.parts.push(Part::empty());
        }
        if self.parts[part].count == PART_MAX {
            self.split(part);
            if let Some(behind) = at.checked_sub(PART_MAX / 2) {
                (part, at) = (part + 1, behind);
            }
        }
        self.parts[part].insert(at, key, value);
        if at == 0 {
            self.firsts[part] = key;
        }
    }

    /// Takes out what is there.
    pub(crate) fn remove(&mut self, key: K) -> Option<u32> {
        let at = self.part_of(key)?;
        let part = &mut self.parts[at];
        let place = part.keys().binary_search(&key).ok()?;
        let value = part.remove(place);
        if part.count > PART_AGAIN / 2 {
            self.firsts[at] = part.keys[0];
        } else if part.count > 0 {
            self.firsts[at] = part.keys[0];
            self.merge(at);
        } else if self.parts.len() > 1 {
            self.firsts.remove(at);
            self.parts.remove(at);
        }
        Some(value)
    }

    /// Has the part brought near where a key is going to be looked for.
    pub(crate) fn foresee(&mut self, key: K) {
        let Some(part) = self.search(key) else { return };
        prefetch_whole(self.parts[part].as_ref());
        if self.foreseen.is_empty() {
            self.foreseen = vec![part; FORESEEN];
        }
        self.foreseen[foreseen_at(key)] = part;
    }

    #[inline]
    fn part_of(&self, key: K) -> Option<usize> {
        let foreseen = self.foreseen.get(foreseen_at(key)).copied();
        foreseen.filter(|part| self.holds(*part, key)).or_else(|| self.search(key))
    }

    /// Whether a key belongs there now: parts may have split and merged.
    fn holds(&self, part: usize, key: K) -> bool {
        self.firsts.get(part).is_some_and(|first| *first <= key)
            && self.firsts.get(part + 1).is_none_or(|next| key < *next)
    }

    fn search(&self, key: K) -> Option<usize> {
        self.firsts.partition_point(|first| *first <= key).checked_sub(1)
    }

    #[cold]
    fn split(&mut self, at: usize) {
        let mut upper = Part::empty();
        self.parts[at].move_to(PART_MAX / 2, &mut upper);
        self.firsts.insert(at + 1, upper.keys[0]);
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
fn foreseen_at<K: Key>(key: K) -> usize {
    (key.foreknown().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize
}

const _: () = assert!(FORESEEN == 1 << (u64::BITS - 60));

impl<K: Key> Part<K> {
    fn empty() -> Box<Self> {
        Box::new(Self { count: 0, keys: [K::default(); PART_MAX], values: [0; PART_MAX] })
    }

    fn keys(&self) -> &[K] {
        &self.keys[..self.count]
    }

    fn values(&self) -> &[u32] {
        &self.values[..self.count]
    }

    fn insert(&mut self, at: usize, key: K, value: u32) {
        self.keys.copy_within(at..self.count, at + 1);
        self.values.copy_within(at..self.count, at + 1);
        self.keys[at] = key;
        self.values[at] = value;
        self.count += 1;
    }

    fn remove(&mut self, at: usize) -> u32 {
        let value = self.values[at];
        self.keys.copy_within(at + 1..self.count, at);
        self.values.copy_within(at + 1..self.count, at);
        self.count -= 1;
        value
    }

    /// Moves its entries from `first` on to the end of another part.
    fn move_to(&mut self, first: usize, other: &mut Self) {
        let count = self.count - first;
        let end = other.count + count;
        other.keys[other.count..end].copy_from_slice(&self.keys()[first..]);
        other.values[other.count..end].copy_from_slice(&self.values()[first..]);
        other.count = end;
        self.count = first;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn check(ladder: &Ladder<u64>, map: &BTreeMap<u64, u32>) {
        let pages: Vec<u32> = ladder.best_first().collect();
        assert!(pages.iter().eq(map.values().rev()));
        assert_eq!(ladder.last(), map.values().next_back().copied());
        assert_eq!(ladder.last_key(), map.keys().next_back().copied());
        assert_eq!(ladder.len(), map.len());
        let firsts: Vec<u64> =
            ladder.parts.iter().map_while(|part| part.keys().first().copied()).collect();
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
                    if !put {
                        prop_assert_eq!(ladder.remove(number), map.remove(&number));
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
