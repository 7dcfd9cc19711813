//! One rate of a search for the highest, and what became of it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::usage::ThreadUsage;

/// One rate, and what became of it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Step {
    pub(super) rate: f64,
    pub(super) orders_per_s: f64,
    pub(super) success_rate: f64,
    pub(super) errors: BTreeMap<String, u64>,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) max_ms: f64,
    /// Answered with an error.
    pub(super) refused_per_s: f64,
    pub(super) refused_p50_ms: f64,
    pub(super) refused_p99_ms: f64,
    /// Of a core; clients not included.
    pub(super) cores: Option<f64>,
    pub(super) threads: Vec<ThreadUsage>,
}
