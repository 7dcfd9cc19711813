//! What a way has carried, and how long it took.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::Error;

/// Buckets of latency: each holds twice the time of the one before, from a microsecond on.
const BUCKETS: usize = 32;

/// Why a way of OUCH was left for the next one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cause {
    /// It did not open: the port is closed, or the answer stayed out.
    NotOpened,
    /// The venue, or the system, ended it.
    Closed,
    /// An acknowledgement or a heartbeat stayed out.
    Unanswered,
    /// Too many messages were lost.
    Loss,
}

const CAUSES: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) answered: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) failed: AtomicU64,
    /// Answers that were lost with their connection.
    pub(super) lost: AtomicU64,
    pub(super) connections: AtomicU64,
    pub(super) messages: AtomicU64,
    pub(super) writes: AtomicU64,
    pub(super) sent_again: AtomicU64,
    left: [AtomicU64; CAUSES],
    latency: [AtomicU64; BUCKETS],
}

/// Of one way, since it was opened.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Statistics {
    /// Requests that were carried out.
    pub answered: u64,
    /// Requests that the venue refused.
    pub refused: u64,
    /// Requests whose outcome remained unknown, and those that were not sent.
    pub failed: u64,
    /// Requests whose answer was lost with a connection, and that were found out or repeated.
    pub lost: u64,
    /// Connections that were made; zero over REST, whose pool keeps them.
    pub connections: u64,
    /// Messages and the writes that carried them: more than one a write under load.
    pub messages: u64,
    pub writes: u64,
    /// Messages that were sent again because a datagram was lost, or late.
    pub sent_again: u64,
    /// Ways that were left for the next one, by [`Cause`].
    left: [u64; CAUSES],
    latency: [u64; BUCKETS],
}

impl Counters {
    pub(super) fn add(counter: &AtomicU64, n: u64) {
        counter.fetch_add(n, Ordering::Relaxed);
    }

    /// A way was left for the next one.
    pub(super) fn left(&self, cause: Cause) {
        Self::add(&self.left[cause as usize], 1);
    }

    /// Counts the outcome of a request, and how long it took.
    pub(super) async fn count<T>(
        &self,
        request: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let begun = Instant::now();
        let outcome = request.await;
        match &outcome {
            Ok(_) => {
                Self::add(&self.answered, 1);
                Self::add(&self.latency[bucket(begun.elapsed())], 1);
            }
            Err(Error::Api { .. } | Error::Rejected { .. } | Error::Refused { .. }) => {
                Self::add(&self.refused, 1);
            }
            Err(_) => Self::add(&self.failed, 1),
        }
        outcome
    }

    pub(super) fn read(&self) -> Statistics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Statistics {
            answered: read(&self.answered),
            refused: read(&self.refused),
            failed: read(&self.failed),
            lost: read(&self.lost),
            connections: read(&self.connections),
            messages: read(&self.messages),
            writes: read(&self.writes),
            sent_again: read(&self.sent_again),
            left: std::array::from_fn(|at| read(&self.left[at])),
            latency: std::array::from_fn(|at| read(&self.latency[at])),
        }
    }
}

impl Statistics {
    /// Ways that were left for the next one.
    pub fn fallbacks(&self) -> u64 {
        self.left.iter().sum()
    }

    /// Those of one cause.
    pub fn left(&self, cause: Cause) -> u64 {
        self.left[cause as usize]
    }

    /// A time within which this share of the carried-out requests was answered, at most twice the
    /// exact one. `None` without any.
    pub fn latency(&self, share: f64) -> Option<Duration> {
        let count: u64 = self.latency.iter().sum();
        let wanted = (count as f64 * share).ceil().max(1.0) as u64;
        let mut seen = 0;
        let at = self.latency.iter().position(|of_bucket| {
            seen += of_bucket;
            seen >= wanted
        })?;
        Some(Duration::from_micros(1 << at))
    }
}

/// The first bucket whose time is not below `time`.
fn bucket(time: Duration) -> usize {
    let micros = time.as_nanos().div_ceil(1_000).max(1);
    let at = u128::BITS - (micros - 1).leading_zeros();
    (at as usize).min(BUCKETS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_bounded_by_the_next_power_of_two() {
        let check = |ns: u64, us: u64| {
            let counters = Counters::default();
            Counters::add(&counters.latency[bucket(Duration::from_nanos(ns))], 1);
            assert_eq!(counters.read().latency(0.5), Some(Duration::from_micros(us)), "{ns}");
        };
        check(0, 1);
        check(1_000, 1);
        check(1_001, 2);
        check(2_000, 2);
        check(1_000_000, 1_024);
        assert_eq!(Statistics::default().latency(0.5), None);
    }

    #[test]
    fn a_percentile_counts_from_the_fastest() {
        let counters = Counters::default();
        Counters::add(&counters.latency[0], 98);
        Counters::add(&counters.latency[10], 2);
        let read = counters.read();
        assert_eq!(read.latency(0.98), Some(Duration::from_micros(1)));
        assert_eq!(read.latency(0.99), Some(Duration::from_micros(1_024)));
    }
}
