//! The walk of a reference price.

use types::Price;

use crate::random::Random;

/// How many steps it takes until a deviation has shrunk to about a third.
pub(super) const REVERSION_STEPS: i64 = 20_000;
/// The pull towards the start is far less than a tick per step.
const UNITS_PER_TICK: i64 = 1_000_000;

/// A price that wanders at random and is drawn back to where it started.
///
/// At a distance of `step_ticks * REVERSION_STEPS` the pull back is as strong as the largest step
/// away: the walk never gets further, and so never to zero if it started above that.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    start: i64,
    now: i64,
    step: i64,
    random: Random,
}

impl Walk {
    pub(super) fn new(start: Price, step_ticks: i64, random: Random) -> Self {
        assert!(step_ticks * REVERSION_STEPS < start.ticks(), "the walk could get to zero");
        let start = start.ticks() * UNITS_PER_TICK;
        Self { start, now: start, step: step_ticks * UNITS_PER_TICK, random }
    }

    pub(super) fn step(&mut self) {
        let pull = (self.start - self.now) / REVERSION_STEPS;
        self.now += self.random.around_zero(self.step) + pull;
    }

    pub(super) fn price(&self) -> Price {
        Price::from_ticks(self.now / UNITS_PER_TICK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(seed: u64) -> Walk {
        Walk::new(Price::from_ticks(6_000_000), 120, Random::new(seed, 0))
    }

    #[test]
    fn the_seed_decides_the_walk() {
        let path = |seed| {
            let mut walk = walk(seed);
            let mut step = || {
                walk.step();
                walk.price()
            };
            (0..100).map(|_| step()).collect::<Vec<_>>()
        };
        assert_eq!(path(1), path(1));
        assert_ne!(path(1), path(2));
    }

    #[test]
    fn it_moves_but_stays_near_its_start() {
        for seed in 0..20 {
            let mut walk = walk(seed);
            let (mut lowest, mut highest) = (walk.price(), walk.price());
            for _ in 0..200_000 {
                let before = walk.price().ticks();
                walk.step();
                assert!((walk.price().ticks() - before).abs() <= 130, "seed {seed}");
                lowest = lowest.min(walk.price());
                highest = highest.max(walk.price());
            }
            // One per cent either way, where it goes about half a per cent most of the time.
            assert!(lowest.ticks() > 5_940_000, "seed {seed}: {lowest:?}");
            assert!(highest.ticks() < 6_060_000, "seed {seed}: {highest:?}");
            assert!(highest.ticks() - lowest.ticks() > 10_000, "seed {seed}");
        }
    }

    #[test]
    fn it_comes_back_from_afar() {
        let mut walk = walk(3);
        walk.now = walk.start * 2;
        for _ in 0..10 * REVERSION_STEPS {
            walk.step();
        }
        assert!((walk.price().ticks() - 6_000_000).abs() < 60_000);
    }
}
