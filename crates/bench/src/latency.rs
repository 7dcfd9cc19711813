//! The latencies of a run in milliseconds, and shares of what there may be none of.

use serde::Serialize;

use super::tally::Tally;

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Latency {
    pub(super) min_ms: f64,
    pub(super) mean_ms: f64,
    pub(super) p50_ms: f64,
    pub(super) p75_ms: f64,
    pub(super) p90_ms: f64,
    pub(super) p95_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) p99_9_ms: f64,
    pub(super) max_ms: f64,
}

impl Latency {
    pub(super) fn of(tally: &Tally) -> Self {
        Self {
            min_ms: tally.min_ms(),
            mean_ms: tally.mean_ms(),
            p50_ms: tally.quantile_ms(0.50),
            p75_ms: tally.quantile_ms(0.75),
            p90_ms: tally.quantile_ms(0.90),
            p95_ms: tally.quantile_ms(0.95),
            p99_ms: tally.quantile_ms(0.99),
            p99_9_ms: tally.quantile_ms(0.999),
            max_ms: tally.max_ms(),
        }
    }
}

/// Nothing, where there was nothing to divide among.
pub(super) fn per(amount: f64, among: u64) -> f64 {
    if among == 0 { 0.0 } else { amount / among as f64 }
}
