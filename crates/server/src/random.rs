//! Seeded random numbers for bots and benchmarks.

/// SplitMix64: small, fast, and the same on all machines.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Streams of one seed are independent.
    pub fn new(seed: u64, stream: u64) -> Self {
        let first = Self(seed).next();
        Self(Self(first.wrapping_add(stream)).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number of `least..=most`.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        assert!(least <= most && most - least < u64::MAX, "an empty or an endless range");
        let span = u128::from(most - least + 1);
        let drawn = (u128::from(self.next()) * span) >> 64;
        least + u64::try_from(drawn).expect("below the span")
    }

    /// A number of `-most..=most`.
    pub fn around_zero(&mut self, most: i64) -> i64 {
        let drawn = self.between(0, 2 * most.unsigned_abs());
        i64::try_from(drawn).expect("twice the most is an i64") - most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_cover_their_range_and_nothing_else() {
        let mut random = Random::new(7, 0);
        let mut seen = [0; 5];
        for _ in 0..1_000 {
            let drawn = random.around_zero(2);
            seen[usize::try_from(drawn + 2).unwrap()] += 1;
        }
        assert!(seen.iter().all(|count| (150..250).contains(count)), "{seen:?}");
        assert_eq!(random.between(4, 4), 4);
    }

    #[test]
    fn the_seed_and_the_stream_decide() {
        let draw = |seed, stream| Random::new(seed, stream).between(0, 1 << 60);
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(2, 1));
        assert_ne!(draw(1, 2), draw(1, 3));
    }
}
