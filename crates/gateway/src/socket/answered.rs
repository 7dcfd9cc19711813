//! Metrics of HTTP requests: answers by operation and status, and the time each took.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use venue::{Buckets, Exposition, MetricSource};

/// Statuses with a counter of their own.
const STATUSES: [u16; 11] = [200, 400, 401, 403, 404, 409, 418, 426, 429, 500, 503];
/// From a read of the cache to a query of the read model, in nanoseconds.
const TIMES_NS: [u64; 8] = [
    100_000,
    500_000,
    2_000_000,
    10_000_000,
    50_000_000,
    200_000_000,
    1_000_000_000,
    5_000_000_000,
];

/// The answers of a dialect, one entry for each of its operations.
#[derive(Debug)]
pub(crate) struct Answered(Vec<Operation>);

#[derive(Debug)]
struct Operation {
    name: String,
    /// One for each of [`STATUSES`], and one for all others.
    statuses: [AtomicU64; STATUSES.len() + 1],
    times: Buckets<{ TIMES_NS.len() }>,
}

impl Answered {
    pub(crate) fn new(operations: impl IntoIterator<Item = String>) -> Arc<Self> {
        let none = |_| AtomicU64::new(0);
        let operation = |name| Operation {
            name,
            statuses: std::array::from_fn(none),
            times: Buckets::of_times(&TIMES_NS),
        };
        Arc::new(Self(operations.into_iter().map(operation).collect()))
    }

    /// Counts the answer of an operation, by its place among the operations.
    pub(crate) fn count(&self, operation: usize, status: u16, time: Duration) {
        let Some(Operation { statuses, times, .. }) = self.0.get(operation) else { return };
        let place = STATUSES.iter().position(|known| *known == status).unwrap_or(STATUSES.len());
        statuses[place].fetch_add(1, Ordering::Relaxed);
        times.observe_time(time);
    }
}

/// The dialects of the port together: a metric is written once.
#[derive(Debug)]
pub(crate) struct AllAnswered(pub(crate) Vec<Arc<Answered>>);

impl MetricSource for AllAnswered {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let operations = || self.0.iter().flat_map(|answered| &answered.0);
        let statuses = operations().flat_map(|Operation { name, statuses, .. }| {
            let names = STATUSES.iter().map(u16::to_string).chain(["other".to_owned()]);
            let counts = statuses.iter().map(|count| count.load(Ordering::Relaxed));
            let labels = move |status| [("operation", name.clone()), ("status", status)];
            names.zip(counts).map(move |(status, count)| (labels(status), count))
        });
        let help = "Requests answered over HTTP";
        out.counters("http_requests", help, statuses.filter(|(_, count)| *count > 0))?;
        let times = operations().filter(|operation| !operation.times.is_empty());
        let times = times.map(|of| ([("operation", of.name.as_str())], &of.times));
        let help = "From the head of a request to its answer";
        out.histograms("http_request_duration_seconds", help, times)
    }
}
