//! Orders and their latencies: an HdrHistogram in nanoseconds, three digits exact.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Serialize};

use super::report::{Report, report};

/// A longer latency counts as this one.
const LATENCY_MAX_NS: u64 = 60_000_000_000;
const DIGITS: u8 = 3;

/// In JSON, the histogram is HdrHistogram's V2 format in base64, which other tools read.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Tally {
    pub(super) orders: u64,
    #[serde(serialize_with = "write_histogram", deserialize_with = "read_histogram")]
    histogram: Histogram<u64>,
}

impl Default for Tally {
    fn default() -> Self {
        let histogram = Histogram::new_with_bounds(1, LATENCY_MAX_NS, DIGITS);
        Self { orders: 0, histogram: histogram.expect("the bounds are constants") }
    }
}

impl Tally {
    pub(super) fn of(latencies_ns: &[u64]) -> Self {
        let mut tally = Self::default();
        latencies_ns.iter().for_each(|latency_ns| tally.record(*latency_ns, 1));
        tally
    }

    /// Records one answer for `orders` orders with the same latency.
    pub(super) fn record(&mut self, latency_ns: u64, orders: u64) {
        self.orders += orders;
        self.histogram.saturating_record_n(latency_ns.max(1), orders);
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.orders += other.orders;
        self.histogram.add(&other.histogram).expect("all have the same bounds");
    }

    pub(super) fn quantile_ms(&self, quantile: f64) -> f64 {
        ms(self.quantile_ns(quantile))
    }

    pub(super) fn quantile_ns(&self, quantile: f64) -> u64 {
        self.histogram.value_at_quantile(quantile)
    }

    pub(super) fn min_ms(&self) -> f64 {
        ms(self.histogram.min())
    }

    pub(super) fn mean_ms(&self) -> f64 {
        self.histogram.mean() / 1e6
    }

    pub(super) fn max_ms(&self) -> f64 {
        ms(self.histogram.max())
    }

    pub(super) fn latency(&self) -> Report {
        report! {
            min_ms: self.min_ms(),
            mean_ms: self.mean_ms(),
            p50_ms: self.quantile_ms(0.50),
            p75_ms: self.quantile_ms(0.75),
            p90_ms: self.quantile_ms(0.90),
            p95_ms: self.quantile_ms(0.95),
            p99_ms: self.quantile_ms(0.99),
            p99_9_ms: self.quantile_ms(0.999),
            max_ms: self.max_ms(),
        }
    }
}

/// A quotient; 0 for a divisor of 0.
pub(super) fn per(amount: f64, among: u64) -> f64 {
    if among == 0 { 0.0 } else { amount / among as f64 }
}

/// The middle one of the values of a measurement's rounds.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

fn write_histogram<S: serde::Serializer>(
    histogram: &Histogram<u64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::new();
    let written = V2Serializer::new().serialize(histogram, &mut bytes);
    written.map_err(|error| S::Error::custom(format!("{error:?}")))?;
    serializer.serialize_str(&STANDARD.encode(bytes))
}

fn read_histogram<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Histogram<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
    let read = Deserializer::new().deserialize(&mut bytes.as_slice());
    read.map_err(|error| D::Error::custom(format!("{error:?}")))
}
