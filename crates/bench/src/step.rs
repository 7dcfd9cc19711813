//! What `stream` measured with one number of readers.

use std::collections::BTreeMap;

use serde::Serialize;

use super::latency::Latency;
use super::tally::Tally;

/// What was measured with so many readers.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Step {
    /// In the closed loop.
    pub(super) closed_orders_per_s: f64,
    /// Of what it was without readers; less than nothing when it was more.
    pub(super) throughput_loss: f64,
    /// In the open loop, as all that follows.
    pub(super) rate: f64,
    pub(super) orders_per_s: f64,
    #[serde(flatten)]
    pub(super) latency: Latency,
    /// Of what it was without readers.
    pub(super) p50_ratio: f64,
    pub(super) p99_ratio: f64,
    /// Of both parts, as are gaps and readers behind.
    pub(super) errors: u64,
    pub(super) cores: Option<f64>,
    pub(super) reader_cores: f64,
    pub(super) messages_per_s: f64,
    pub(super) bytes_per_message: f64,
    /// Of an order, until a reader has the update that shows it.
    pub(super) order_to_update_ms: Option<Age>,
    /// From `E` of an update until a reader has it.
    pub(super) since_event_ms: Option<Age>,
    pub(super) probes: u64,
    pub(super) gaps: u64,
    pub(super) readers_behind: u64,
    pub(super) reader_errors: BTreeMap<String, u64>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Age {
    pub(super) min: f64,
    pub(super) mean: f64,
    pub(super) p50: f64,
    pub(super) p90: f64,
    pub(super) p99: f64,
    pub(super) max: f64,
}

impl Age {
    pub(super) fn of(tally: &Tally) -> Option<Self> {
        (tally.orders > 0).then(|| Self {
            min: tally.min_ms(),
            mean: tally.mean_ms(),
            p50: tally.quantile_ms(0.5),
            p90: tally.quantile_ms(0.9),
            p99: tally.quantile_ms(0.99),
            max: tally.max_ms(),
        })
    }
}
