//! The walk of a reference price.

use types::Price;

use super::schedule::QUOTE_EVERY;
use crate::random::Random;
use crate::settings::demo::Demo;

/// How many steps it takes until a deviation has shrunk to about a third.
const REVERSION_STEPS: i64 = 20_000;
/// The pull towards the middle is far less than a tick per step.
const UNITS_PER_TICK: i64 = 1_000_000;
/// A market takes a step whenever it is quoted.
const STEPS_PER_HOUR: i64 = (2 * 3_600_000 / (QUOTE_EVERY.0 + QUOTE_EVERY.1)) as i64;
/// The largest step, in parts of the deviation of an hour: steps are drawn evenly from both sides,
/// so their deviation is the largest divided by the root of 3, and adds up by the root of their
/// number. This is the root of a third of 3,000 steps, times 1,000.
const DEVIATION_STEPS_X1000: i64 = 31_623;
const BILLION: i64 = 1_000_000_000;

/// A price that wanders at random, drifts, and is drawn back to where the drift alone would have
/// brought it. A step is a part of the price, so that the price stays above zero.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    now: i64,
    middle: i64,
    /// The drift ends at half and at twice the first price.
    middle_min: i64,
    middle_max: i64,
    drift: i64,
    /// In billionths of the price.
    step: i64,
    random: Random,
}

impl Walk {
    pub(super) fn new(first: Price, settings: &Demo, random: Random) -> Self {
        const { assert!(STEPS_PER_HOUR == 3_000) };
        let first = first.ticks() * UNITS_PER_TICK;
        // Hundredths of a basis point are millionths.
        let part = |x100: i64| first / (BILLION / 1_000) * x100;
        Self {
            now: first,
            middle: first,
            middle_min: first / 2,
            middle_max: first * 2,
            drift: part(settings.drift_bps.x100()) / STEPS_PER_HOUR,
            step: settings.volatility_bps.x100() * 1_000 * 1_000 / DEVIATION_STEPS_X1000,
            random,
        }
    }

    pub(super) fn step(&mut self) {
        let middle = (self.middle + self.drift).clamp(self.middle_min, self.middle_max);
        self.now += middle - self.middle;
        self.middle = middle;
        let pull = (self.middle - self.now) / REVERSION_STEPS;
        let drawn = i128::from(self.random.around_zero(self.step));
        let moved = i128::from(self.now) * drawn / i128::from(BILLION);
        self.now += i64::try_from(moved).expect("a small part of the price") + pull;
    }

    pub(super) fn price(&self) -> Price {
        Price::from_ticks(self.now / UNITS_PER_TICK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::bps::Bps;

    const FIRST: i64 = 6_000_000;

    fn walk(seed: u64, settings: &Demo) -> Walk {
        Walk::new(Price::from_ticks(FIRST), settings, Random::new(seed, 0))
    }

    fn by_default(seed: u64) -> Walk {
        walk(seed, &Demo::default())
    }

    /// Ticks from the first price after some hours.
    fn moved(hours: i64, seed: u64, drift_bps: i64, volatility_bps: i64) -> i64 {
        let (drift_bps, volatility_bps) = (Bps::new(drift_bps), Bps::new(volatility_bps));
        let mut walk = walk(seed, &Demo { drift_bps, volatility_bps, ..Demo::default() });
        (0..hours * STEPS_PER_HOUR).for_each(|_| walk.step());
        walk.price().ticks() - FIRST
    }

    #[test]
    fn the_seed_decides_the_walk() {
        let path = |seed| {
            let mut walk = by_default(seed);
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
            let mut walk = by_default(seed);
            let (mut lowest, mut highest) = (walk.price(), walk.price());
            for _ in 0..200_000 {
                let before = walk.price().ticks();
                walk.step();
                assert!((walk.price().ticks() - before).abs() <= 142, "seed {seed}");
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
        let mut walk = by_default(3);
        walk.now *= 2;
        for _ in 0..10 * REVERSION_STEPS {
            walk.step();
        }
        assert!((walk.price().ticks() - FIRST).abs() < 60_000);
    }

    #[test]
    fn volatility_is_the_deviation_of_an_hour() {
        let seeds = 400;
        let squares: i64 = (0..seeds).map(|seed| moved(1, seed, 0, 100).pow(2)).sum();
        // 100 basis points of 6,000,000 ticks, less what the pull back takes.
        let deviation = (squares / i64::try_from(seeds).unwrap()).isqrt();
        assert!((50_000..65_000).contains(&deviation), "{deviation}");
        assert_eq!(moved(1, 1, 0, 0), 0);
    }

    #[test]
    fn drift_moves_the_price_until_half_or_twice_the_first() {
        assert_eq!(moved(1, 1, 60, 0), FIRST * 60 / 10_000);
        assert_eq!(moved(2, 1, -60, 0), -2 * FIRST * 60 / 10_000);
        assert_eq!(moved(40, 1, 500, 0), FIRST);
        assert_eq!(moved(40, 1, -500, 0), -FIRST / 2);
    }

    #[test]
    fn the_wildest_walk_stays_above_zero() {
        for seed in 0..20 {
            assert!(moved(100, seed, -500, 500) > -FIRST * 9 / 10, "seed {seed}");
        }
    }
}
