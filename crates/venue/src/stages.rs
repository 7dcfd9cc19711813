//! Where the time of an order goes, stage by stage, as a histogram of each.
//!
//! Taken where a stage ends and the next begins, one reading of the clock for both. What is the
//! same for all commands of a batch is counted once, as often as there are commands.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

/// The way of an order, in its order.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[repr(usize)]
pub enum Stage {
    /// From its first bytes off the socket to its handler: HTTP, and which path leads where.
    Receive,
    /// Text becomes parameters, and these an order.
    Decode,
    /// Identity: key, signature, time, limits.
    Check,
    /// From the handler to the log: until the batch before it is on disk.
    Queue,
    /// From the log and back: framed, written, synced.
    Commit,
    /// Until all of its batch are carried out.
    Apply,
    /// Until the handler has the outcome.
    Wake,
    /// The answer as JSON.
    Encode,
    /// Until the answer is handed to the socket.
    Reply,
    /// From the engine until the queues of all stream readers have it; no reply waits for that.
    FanOut,
}

impl Stage {
    const ALL: [Self; 10] = [
        Self::Receive,
        Self::Decode,
        Self::Check,
        Self::Queue,
        Self::Commit,
        Self::Apply,
        Self::Wake,
        Self::Encode,
        Self::Reply,
        Self::FanOut,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Receive => "receive",
            Self::Decode => "decode",
            Self::Check => "check",
            Self::Queue => "queue",
            Self::Commit => "commit",
            Self::Apply => "apply",
            Self::Wake => "wake",
            Self::Encode => "encode",
            Self::Reply => "reply",
            Self::FanOut => "fan_out",
        }
    }
}

/// Up to 256 ns all is one bucket; from there on there are two to each doubling.
const LEAST_BITS: u32 = 8;
const LEAST_NS: u64 = 1 << LEAST_BITS;
/// The last one holds all above 8.6 seconds.
const BUCKETS: usize = 2 * (33 - LEAST_BITS as usize) + 2;

#[derive(Debug, Default)]
pub(crate) struct StageTimes([Times; Stage::ALL.len()]);

/// A histogram of times.
#[derive(Debug)]
pub(crate) struct Times {
    buckets: [AtomicU64; BUCKETS],
    sum_ns: AtomicU64,
}

impl Default for Times {
    fn default() -> Self {
        Self { buckets: std::array::from_fn(|_| AtomicU64::new(0)), sum_ns: AtomicU64::new(0) }
    }
}

impl Times {
    /// Records a number of commands that took this time.
    pub(crate) fn observe(&self, time: Duration, commands: u64) {
        let time_ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.buckets[bucket_of(time_ns)].fetch_add(commands, Ordering::Relaxed);
        self.sum_ns.fetch_add(time_ns.saturating_mul(commands), Ordering::Relaxed);
    }

    pub(crate) fn encode(&self, mut encoder: MetricEncoder<'_>) -> Result<(), std::fmt::Error> {
        let count = |(at, count): (usize, &AtomicU64)| (bound_s(at), count.load(Ordering::Relaxed));
        let buckets: Vec<_> = self.buckets.iter().enumerate().map(count).collect();
        let sum_s = self.sum_ns.load(Ordering::Relaxed) as f64 / 1e9;
        let count = buckets.iter().map(|(_, count)| count).sum();
        encoder.encode_histogram::<NoLabelSet>(sum_s, count, &buckets, None)
    }
}

impl StageTimes {
    /// Records a number of commands that spent this time in it.
    pub(crate) fn observe(&self, stage: Stage, time: Duration, commands: u64) {
        self.0[stage as usize].observe(time, commands);
    }
}

fn bucket_of(time_ns: u64) -> usize {
    if time_ns <= LEAST_NS {
        return 0;
    }
    // Upper bounds belong to their bucket.
    let below = time_ns - 1;
    let bits = below.ilog2();
    let is_upper_half = (below >> (bits - 1)) & 1;
    let bucket = 2 * (bits - LEAST_BITS) as usize + is_upper_half as usize + 1;
    bucket.min(BUCKETS - 1)
}

fn bound_s(bucket: usize) -> f64 {
    if bucket == BUCKETS - 1 {
        return f64::INFINITY;
    }
    let doubled = LEAST_NS << (bucket / 2);
    let bound_ns = if bucket.is_multiple_of(2) { doubled } else { doubled + doubled / 2 };
    bound_ns as f64 / 1e9
}

impl Collector for StageTimes {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let help = "How long single orders over REST and all commands behind them took, by stage";
        let (unit, kind) = (Unit::Seconds, MetricType::Histogram);
        let mut family = encoder.encode_descriptor("order_stage", help, Some(&unit), kind)?;
        for (stage, times) in Stage::ALL.iter().zip(&self.0) {
            times.encode(family.encode_family(&[("stage", stage.name())])?)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_in_the_bucket_whose_bounds_are_around_it() {
        let times = (0..36).flat_map(|bits| [-1, 0, 1].map(|by| (1_i64 << bits) + by));
        let halves = (9..34).flat_map(|bits| [-1, 0, 1].map(|by| (3_i64 << (bits - 1)) + by));
        for time_ns in times.chain(halves).filter_map(|time_ns| u64::try_from(time_ns).ok()) {
            let bucket = bucket_of(time_ns);
            let time_s = time_ns as f64 / 1e9;
            assert!(time_s <= bound_s(bucket), "{time_ns} in {bucket}");
            assert!(bucket == 0 || time_s > bound_s(bucket - 1), "{time_ns} in {bucket}");
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }
}
