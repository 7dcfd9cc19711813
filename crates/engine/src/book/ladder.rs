//! Sorted map from keys to numbers, the best key last: the pages of one side, the waiting stops.
//!
//! A tree of three floors whose parts are short sorted arrays: the groups, the parts of a group,
//! and their entries. To find or insert one entry among a million takes about thirty cache lines,
//! all of which can be prefetched at once.

use crate::book::prefetch::prefetch_whole;
use crate::book::shelf::Shelf;

/// The most entries of one part, and parts of one group.
const PART_MAX: usize = 64;

/// Neighbours with at most this many entries together are merged.
const PART_AGAIN: usize = PART_MAX / 2;

/// The key of a ladder's entries.
pub(crate) trait Key: Copy + Default + Ord {
    /// The part of the key that is known ahead of the command.
    fn known_early(self) -> u64;
}

impl Key for u64 {
    fn known_early(self) -> u64 {
        self
    }
}

/// A price and a turn.
impl Key for (i64, u64) {
    fn known_early(self) -> u64 {
        self.0.cast_unsigned()
    }
}

/// A group, and the list of groups, has for each part the key from which the part is searched. The
/// first part is also searched for all lower keys.
#[derive(Clone, Debug)]
pub(crate) struct Ladder<K> {
    froms: Vec<K>,
    /// Parts whose entries are parts.
    groups: Vec<u32>,
    parts: Shelf<Part<K>>,
    /// Paths of keys that commands will look up, found a few commands ahead; empty until the first
    /// call of [`Ladder::prefetch_path`].
    prefetched: Vec<Path>,
}

impl<K> Default for Ladder<K> {
    fn default() -> Self {
        Self {
            froms: Vec::new(),
            groups: Vec::new(),
            parts: Shelf::default(),
            prefetched: Vec::new(),
        }
    }
}

/// More than the number of commands between announcement and execution.
const PREFETCHED: usize = 16;

/// Two arrays, because a search reads only the keys.
#[derive(Clone, Debug)]
struct Part<K> {
    count: usize,
    keys: [K; PART_MAX],
    numbers: [u32; PART_MAX],
}

/// The path to a part with entries: the group, and the part in it.
#[derive(Clone, Copy, Debug, Default)]
struct Path {
    group: usize,
    part: usize,
}

/// The position at which a missing entry is inserted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    path: Path,
    at: usize,
}

impl<K: Key> Ladder<K> {
    /// The number at the best key.
    #[inline]
    pub(crate) fn last(&self) -> Option<u32> {
        self.last_part()?.numbers().last().copied()
    }

    pub(crate) fn last_key(&self) -> Option<K> {
        self.last_part()?.keys().last().copied()
    }

    fn last_part(&self) -> Option<&Part<K>> {
        let group = &self.parts[*self.groups.last()?];
        Some(&self.parts[*group.numbers().last()?])
    }

    /// All numbers, the best key first.
    pub(crate) fn best_first(&self) -> impl Iterator<Item = u32> {
        let groups = self.groups.iter().rev().map(|group| &self.parts[*group]);
        let parts = groups.flat_map(|group| group.numbers().iter().rev());
        parts.flat_map(|part| self.parts[*part].numbers().iter().rev().copied())
    }

    pub(crate) fn len(&self) -> usize {
        self.best_first().count()
    }

    pub(crate) fn find(&self, key: K) -> Result<u32, Gap> {
        let Some(path) = self.path_to(key) else {
            return Err(Gap { path: Path::default(), at: 0 });
        };
        let part = &self.parts[self.number(path)];
        // A search would wait for one line after the other, and the next steps need all of them.
        prefetch_whole(part);
        match part.keys().binary_search(&key) {
            Ok(at) => Ok(part.numbers[at]),
            Err(at) => Err(Gap { path, at }),
        }
    }

    /// Inserts a key that [`Ladder::find`] did not find.
    pub(crate) fn insert(&mut self, gap: Gap, key: K, number: u32) {
        let Gap { mut path, mut at } = gap;
        if self.groups.is_empty() {
            let part = self.parts.insert(Part::empty());
            self.groups.push(self.parts.insert(Part::of(key, part)));
            self.froms.push(key);
        }
        if self.parts[self.number(path)].count == PART_MAX {
            path = self.split(path);
            if let Some(upper_at) = at.checked_sub(PART_MAX / 2 + 1) {
                (path.part, at) = (path.part + 1, upper_at + 1);
            }
        }
        let part = self.number(path);
        self.parts[part].insert(at, key, number);
        if at == 0 && path.part == 0 {
            self.lower(path.group, key);
        }
    }

    /// Keys on the path to a first entry stay in order with the parts that may split off there.
    fn lower(&mut self, group: usize, key: K) {
        let parts = self.groups[group];
        let from = &mut self.parts[parts].keys[0];
        *from = key.min(*from);
        if group == 0 {
            self.froms[0] = key.min(self.froms[0]);
        }
    }

    /// Removes an entry if the key is there.
    pub(crate) fn remove(&mut self, key: K) -> Option<u32> {
        let path = self.path_to(key)?;
        let part = self.number(path);
        let part = &mut self.parts[part];
        let found = part.remove(part.keys().binary_search(&key).ok()?);
        if part.count <= PART_AGAIN / 2 {
            self.shrink(path);
        }
        Some(found)
    }

    /// Prefetches the part in which a key will be looked up.
    pub(crate) fn prefetch_path(&mut self, key: K) {
        let Some(path) = self.search(key) else { return };
        prefetch_whole(&self.parts[self.number(path)]);
        if self.prefetched.is_empty() {
            self.prefetched = vec![path; PREFETCHED];
        }
        self.prefetched[prefetched_at(key)] = path;
    }

    #[inline]
    fn path_to(&self, key: K) -> Option<Path> {
        let prefetched = self.prefetched.get(prefetched_at(key)).copied();
        prefetched.filter(|path| self.leads(*path, key)).or_else(|| self.search(key))
    }

    /// Whether the path still leads to the key's part: parts may have split and merged.
    fn leads(&self, Path { group, part }: Path, key: K) -> bool {
        let has = |froms: &[K], at: usize| {
            at < froms.len()
                && (at == 0 || froms[at] <= key)
                && froms.get(at + 1).is_none_or(|next| key < *next)
        };
        has(&self.froms, group) && has(self.parts[self.groups[group]].keys(), part)
    }

    fn search(&self, key: K) -> Option<Path> {
        let in_front = |froms: &[K]| froms.partition_point(|from| *from <= key).saturating_sub(1);
        let group = in_front(&self.froms);
        let parts = &self.parts[*self.groups.get(group)?];
        prefetch_whole(parts);
        Some(Path { group, part: in_front(parts.keys()) })
    }

    fn number(&self, Path { group, part }: Path) -> u32 {
        self.parts[self.groups[group]].numbers[part]
    }

    /// Splits a full part, and returns the path of its lower half.
    #[cold]
    fn split(&mut self, path: Path) -> Path {
        let Path { mut group, part } = path;
        let full = self.number(path);
        let upper = self.parts[full].split_off();
        let (from, upper) = (upper.keys[0], self.parts.insert(upper));
        let mut at = part + 1;
        if self.parts[self.groups[group]].count == PART_MAX {
            self.split_group(group);
            if let Some(upper_at) = at.checked_sub(PART_MAX / 2 + 1) {
                (group, at) = (group + 1, upper_at + 1);
            }
        }
        let parts = self.groups[group];
        self.parts[parts].insert(at, from, upper);
        Path { group, part: at - 1 }
    }

    fn split_group(&mut self, group: usize) {
        let full = self.groups[group];
        let upper = self.parts[full].split_off();
        self.froms.insert(group + 1, upper.keys[0]);
        let upper = self.parts.insert(upper);
        self.groups.insert(group + 1, upper);
    }

    /// Merges a part of few entries with a neighbour in its group, if both have few. Removes an
    /// empty part, unless it is the only one.
    #[cold]
    fn shrink(&mut self, path: Path) {
        let Path { group, part } = path;
        let parts = self.groups[group];
        if self.parts[self.number(path)].count == 0 {
            if self.parts[parts].count > 1 || self.groups.len() > 1 {
                let gone = self.parts[parts].remove(part);
                self.parts.remove(gone);
                self.shrink_group(group);
            }
            return;
        }
        let counts = |at: &u32| self.parts[*at].count;
        let Some(at) = neighbour(self.parts[parts].numbers(), part, counts) else { return };
        let upper = self.parts[parts].remove(at + 1);
        let lower = self.parts[parts].numbers[at];
        self.join(lower, upper);
        self.shrink_group(group);
    }

    fn shrink_group(&mut self, group: usize) {
        let count = self.parts[self.groups[group]].count;
        if count > PART_AGAIN / 2 {
            return;
        }
        if count == 0 {
            self.froms.remove(group);
            let gone = self.groups.remove(group);
            return self.parts.remove(gone);
        }
        let counts = |at: &u32| self.parts[*at].count;
        let Some(at) = neighbour(&self.groups, group, counts) else { return };
        // The first part of a group was searched for all lower keys, and another part may have
        // these now.
        let upper = self.groups.remove(at + 1);
        self.parts[upper].keys[0] = self.froms.remove(at + 1);
        self.join(self.groups[at], upper);
    }

    fn join(&mut self, lower: u32, upper: u32) {
        let mut entries = self.parts[upper].clone();
        entries.move_to(0, &mut self.parts[lower]);
        self.parts.remove(upper);
    }
}

/// The first part of a pair to merge: this part and its smaller neighbour, if they have few entries
/// together.
fn neighbour(numbers: &[u32], at: usize, counts: impl Fn(&u32) -> usize) -> Option<usize> {
    let size = |at: usize| numbers.get(at).map_or(PART_MAX, &counts);
    let first = match at.checked_sub(1) {
        Some(before) if size(before) < size(at + 1) => before,
        _ => at,
    };
    (size(first) + size(first + 1) <= PART_AGAIN).then_some(first)
}

#[inline]
fn prefetched_at<K: Key>(key: K) -> usize {
    (key.known_early().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize
}

const _: () = assert!(PREFETCHED == 1 << (u64::BITS - 60));

impl<K: Key> Part<K> {
    fn empty() -> Self {
        Self { count: 0, keys: [K::default(); PART_MAX], numbers: [0; PART_MAX] }
    }

    fn of(key: K, number: u32) -> Self {
        let mut part = Self::empty();
        part.insert(0, key, number);
        part
    }

    fn keys(&self) -> &[K] {
        &self.keys[..self.count]
    }

    fn numbers(&self) -> &[u32] {
        &self.numbers[..self.count]
    }

    fn insert(&mut self, at: usize, key: K, number: u32) {
        self.keys.copy_within(at..self.count, at + 1);
        self.numbers.copy_within(at..self.count, at + 1);
        self.keys[at] = key;
        self.numbers[at] = number;
        self.count += 1;
    }

    fn remove(&mut self, at: usize) -> u32 {
        let number = self.numbers[at];
        self.keys.copy_within(at + 1..self.count, at);
        self.numbers.copy_within(at + 1..self.count, at);
        self.count -= 1;
        number
    }

    /// The upper half of a full part.
    fn split_off(&mut self) -> Self {
        let mut upper = Self::empty();
        self.move_to(PART_MAX / 2, &mut upper);
        upper
    }

    /// Moves its entries from `first` onwards to the end of another part.
    fn move_to(&mut self, first: usize, other: &mut Self) {
        let count = self.count - first;
        let end = other.count + count;
        other.keys[other.count..end].copy_from_slice(&self.keys()[first..]);
        other.numbers[other.count..end].copy_from_slice(&self.numbers()[first..]);
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
        let parts = |number: &u32| &ladder.parts[*number];
        let is_in_order = |from: Option<&u64>, keys: &[u64]| {
            keys.is_sorted_by(|one, next| one < next)
                && from.is_none_or(|from| keys.first().is_none_or(|first| from <= first))
        };
        assert!(is_in_order(None, &ladder.froms));
        for (at, group) in ladder.groups.iter().map(parts).enumerate() {
            assert!(is_in_order(ladder.froms.get(at).filter(|_| at > 0), group.keys()));
            let sizes: Vec<usize> = group.numbers().iter().map(|part| parts(part).count).collect();
            assert!(sizes.windows(2).all(|pair| pair[0] + pair[1] > PART_AGAIN / 2));
            for (at, part) in group.numbers().iter().map(parts).enumerate() {
                assert!(is_in_order(group.keys().get(at).filter(|_| at > 0), part.keys()));
            }
        }
        let groups = ladder.groups.windows(2);
        let pairs = groups.map(|pair| parts(&pair[0]).count + parts(&pair[1]).count);
        assert!(pairs.into_iter().all(|count| count > PART_AGAIN / 2));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..Default::default() })]

        /// Ranges of pages are added and removed, from either end or in no order, in parts that
        /// split and merge.
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
                        ladder.prefetch_path(first + (at + 5) * 7919 % 2003);
                        ladder.prefetch_path(number);
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
