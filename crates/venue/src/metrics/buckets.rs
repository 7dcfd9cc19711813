//! A histogram without a lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const NS: f64 = 1e9;

/// Counts of values up to each of the bounds, and above the last one.
#[derive(Debug)]
pub struct Buckets<const N: usize> {
    bounds: &'static [u64; N],
    /// Units of a value in one unit of the metric.
    unit: f64,
    counts: [AtomicU64; N],
    above: AtomicU64,
    sum: AtomicU64,
}

impl<const N: usize> Buckets<N> {
    /// The bounds ascend.
    pub fn of_counts(bounds: &'static [u64; N]) -> Self {
        Self {
            bounds,
            unit: 1.0,
            counts: std::array::from_fn(|_| AtomicU64::new(0)),
            above: AtomicU64::new(0),
            sum: AtomicU64::new(0),
        }
    }

    /// The bounds are nanoseconds; the metric counts seconds.
    pub fn of_times(bounds_ns: &'static [u64; N]) -> Self {
        Self { unit: NS, ..Self::of_counts(bounds_ns) }
    }

    pub fn observe(&self, value: u64) {
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        self.counts.get(bucket).unwrap_or(&self.above).fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    pub fn observe_time(&self, time: Duration) {
        self.observe(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Whether nothing was observed.
    pub fn is_empty(&self) -> bool {
        self.read().1 == 0
    }

    /// The sum, the number of values, and each bucket's upper bound with its count.
    pub(crate) fn read(&self) -> (f64, u64, Vec<(f64, u64)>) {
        let bounds = self.bounds.iter().map(|bound| *bound as f64 / self.unit);
        let counts = self.counts.iter().chain([&self.above]);
        let counts = counts.map(|count| count.load(Ordering::Relaxed));
        let buckets: Vec<_> = bounds.chain([f64::INFINITY]).zip(counts).collect();
        let count = buckets.iter().map(|(_, count)| count).sum();
        (self.sum.load(Ordering::Relaxed) as f64 / self.unit, count, buckets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upper_bound_belongs_to_its_bucket() {
        let buckets = Buckets::of_counts(&[1, 10]);
        assert!(buckets.is_empty());
        [0, 1, 2, 10, 11].into_iter().for_each(|value| buckets.observe(value));
        let counts = vec![(1.0, 2), (10.0, 2), (f64::INFINITY, 1)];
        assert_eq!(buckets.read(), (24.0, 5, counts));
    }
}
