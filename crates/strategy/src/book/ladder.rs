//! One side of a book: an array around the touch, and a tree for what is far from it.
//!
//! Keys grow away from the touch. The window moves when the best key leaves its first half, so that
//! nearly all updates of a feed are one access to the array.

use std::collections::BTreeMap;

/// The best key of an empty side.
pub(super) const NONE: i64 = i64::MAX;
/// Keys in the window, a multiple of 64.
const WIDTH: usize = 1 << 15;
/// Where the best key lies after the window has moved: feeds change many levels behind the touch,
/// and the touch moves both ways.
const AHEAD: i64 = (WIDTH / 4) as i64;

#[derive(Clone, Debug)]
pub(super) struct Ladder {
    /// The lowest key of the window.
    base: i64,
    best: i64,
    near: Box<[u64]>,
    /// A bit for each key of the window that has a quantity.
    occupied: Box<[u64]>,
    far: BTreeMap<i64, u64>,
    is_placed: bool,
}

impl Ladder {
    pub(super) fn new() -> Self {
        Self {
            base: 0,
            best: NONE,
            near: vec![0; WIDTH].into(),
            occupied: vec![0; WIDTH / 64].into(),
            far: BTreeMap::new(),
            is_placed: false,
        }
    }

    #[inline]
    pub(super) fn best(&self) -> i64 {
        self.best
    }

    #[inline]
    pub(super) fn set_best(&mut self, key: i64) {
        self.best = key;
        if key != NONE && key.wrapping_sub(self.base) as u64 >= (WIDTH / 2) as u64 {
            self.place(key);
        }
    }

    #[inline]
    pub(super) fn get(&self, key: i64) -> u64 {
        match self.near.get(key.wrapping_sub(self.base) as usize) {
            Some(lots) => *lots,
            None => self.far.get(&key).copied().unwrap_or(0),
        }
    }

    /// Sets a quantity and returns the one before.
    #[inline]
    pub(super) fn set(&mut self, key: i64, lots: u64) -> u64 {
        if !self.is_placed {
            self.place(key);
        }
        let at = key.wrapping_sub(self.base) as usize;
        let Some(slot) = self.near.get_mut(at) else {
            return self.set_far(key, lots);
        };
        let bit = 1 << (at % 64);
        let word = &mut self.occupied[at / 64];
        *word = (*word & !bit) | if lots == 0 { 0 } else { bit };
        std::mem::replace(slot, lots)
    }

    /// The first key with a quantity beyond `key`.
    #[inline]
    pub(super) fn next_above(&self, key: i64) -> i64 {
        let Some(from) = key.checked_add(1) else { return NONE };
        let near = self.next_near(from);
        if self.far.is_empty() {
            return near;
        }
        let far = self.far.range(from..).next().map_or(NONE, |(key, _)| *key);
        near.min(far)
    }

    pub(super) fn clear(&mut self, to: Option<i64>) {
        let Some(to) = to else {
            self.near.fill(0);
            self.occupied.fill(0);
            self.far.clear();
            self.best = NONE;
            return;
        };
        self.far.retain(|key, _| *key > to);
        for at in 0..WIDTH {
            if self.base.saturating_add(at as i64) > to {
                break;
            }
            self.near[at] = 0;
            self.occupied[at / 64] &= !(1 << (at % 64));
        }
        if self.best <= to {
            self.set_best(self.next_above(to));
        }
    }

    fn next_near(&self, from: i64) -> i64 {
        let at = from.saturating_sub(self.base).max(0) as usize;
        let Some(word) = self.occupied.get(at / 64) else { return NONE };
        let word = word & (u64::MAX << (at % 64));
        if word != 0 {
            return self.base + (at & !63) as i64 + i64::from(word.trailing_zeros());
        }
        let first = at / 64 + 1;
        let found = self.occupied[first..].iter().position(|word| *word != 0);
        found.map_or(NONE, |skipped| {
            let at = first + skipped;
            self.base + (at * 64) as i64 + i64::from(self.occupied[at].trailing_zeros())
        })
    }

    #[cold]
    fn set_far(&mut self, key: i64, lots: u64) -> u64 {
        let previous = if lots == 0 { self.far.remove(&key) } else { self.far.insert(key, lots) };
        previous.unwrap_or(0)
    }

    /// Moves the window so that `key` lies in its first half.
    #[cold]
    fn place(&mut self, key: i64) {
        for at in 0..WIDTH {
            let lots = std::mem::take(&mut self.near[at]);
            if lots > 0 {
                self.far.insert(self.base.wrapping_add(at as i64), lots);
            }
        }
        self.occupied.fill(0);
        // No key of a real market is near either end.
        self.base = key.saturating_sub(AHEAD).min(i64::MAX - WIDTH as i64);
        self.is_placed = true;
        let mut inside = self.far.split_off(&self.base);
        let mut beyond = inside.split_off(&(self.base + WIDTH as i64));
        self.far.append(&mut beyond);
        for (key, lots) in inside {
            self.set(key, lots);
        }
    }
}
