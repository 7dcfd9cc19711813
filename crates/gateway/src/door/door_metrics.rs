//! Metrics of the door: refused senders, and queries of the read model.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use venue::{Buckets, Exposition};

/// Times of a query of the read model, in nanoseconds.
const QUERY_NS: [u64; 9] = [
    200_000,
    500_000,
    1_000_000,
    5_000_000,
    20_000_000,
    100_000_000,
    500_000_000,
    1_000_000_000,
    3_000_000_000,
];

#[derive(Debug, Default)]
pub(crate) struct DoorMetrics {
    /// By code.
    auth_failures: Mutex<BTreeMap<i32, u64>>,
    queries: Mutex<BTreeMap<&'static str, Buckets<{ QUERY_NS.len() }>>>,
    queries_under_way: AtomicU64,
}

impl DoorMetrics {
    pub(crate) fn auth_failed(&self, code: i32) {
        let mut failures = self.auth_failures.lock().unwrap_or_else(PoisonError::into_inner);
        *failures.entry(code).or_default() += 1;
    }

    /// A query of this type begins, and ends when the guard is dropped.
    pub(crate) fn query<Q>(&self) -> QueryUnderWay<'_> {
        self.queries_under_way.fetch_add(1, Ordering::Relaxed);
        let path = std::any::type_name::<Q>();
        let name = path.rsplit("::").next().unwrap_or(path);
        QueryUnderWay { of: self, name, begun: Instant::now() }
    }

    pub(crate) fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let failures = self.auth_failures.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let failures =
            failures.into_iter().map(|(code, count)| ([("code", code.to_string())], count));
        let help = "Requests with a refused key or signature, by code";
        out.counters("auth_failures", help, failures)?;
        let under_way = self.queries_under_way.load(Ordering::Relaxed);
        out.gauge("projection_pool_in_use", "Queries of the read model under way", under_way)?;
        let queries = self.queries.lock().unwrap_or_else(PoisonError::into_inner);
        let times = queries.iter().map(|(query, times)| ([("query", *query)], times));
        out.histograms("projection_query_seconds", "Time of a query of the read model", times)
    }
}

pub(crate) struct QueryUnderWay<'a> {
    of: &'a DoorMetrics,
    name: &'static str,
    begun: Instant,
}

impl Drop for QueryUnderWay<'_> {
    fn drop(&mut self) {
        self.of.queries_under_way.fetch_sub(1, Ordering::Relaxed);
        let mut queries = self.of.queries.lock().unwrap_or_else(PoisonError::into_inner);
        let times = queries.entry(self.name).or_insert_with(|| Buckets::of_times(&QUERY_NS));
        times.observe_time(self.begun.elapsed());
    }
}
