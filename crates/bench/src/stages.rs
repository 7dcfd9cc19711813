//! The time of an order by stages, and the batches of the log: differences of the venue's own
//! metrics before and after.

use std::collections::BTreeMap;

use super::read_model;
use super::report::{Report, report};
use super::venue::Venue;
use cli::Failure;

const NAME: &str = "buttonwood_order_stage_seconds";
const BATCHES: &str = "buttonwood_batches_committed_total ";
const REPEATS: &str = "buttonwood_ouch_udp_repeats_total ";
const WRITTEN_BYTES: &str = "buttonwood_log_written_bytes_total ";
/// In the sequence in which an order passes them.
const STAGES: [&str; 10] = [
    "receive", "decode", "check", "queue", "commit", "apply", "wake", "encode", "reply", "fan_out",
];

/// Since the venue began.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    stages: BTreeMap<String, Buckets>,
    batches: f64,
    written_bytes: f64,
    repeats: f64,
    /// How far the read model is behind, in commands.
    pub(super) behind: Option<u64>,
}

#[derive(Clone, Debug, Default)]
struct Buckets {
    sum_s: f64,
    /// Upper bounds in seconds, and the number of orders up to each.
    up_to: Vec<(f64, u64)>,
}

impl Reading {
    pub(super) fn of(venue: &Venue) -> Result<Self, Failure> {
        Ok(Self::parse(&venue.get("/metrics")?))
    }

    fn parse(text: &str) -> Self {
        let mut reading = Self::default();
        let value = |name| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|value| value.parse().ok()).unwrap_or(0.0)
        };
        (reading.batches, reading.written_bytes) = (value(BATCHES), value(WRITTEN_BYTES));
        reading.repeats = value(REPEATS);
        reading.behind = read_model::lag(text);
        for line in text.lines().filter_map(|line| line.strip_prefix(NAME)) {
            let Some((labels, value)) = line.split_once("} ") else { continue };
            let Some(stage) = label(labels, "stage") else { continue };
            let buckets = reading.stages.entry(stage.to_owned()).or_default();
            if labels.starts_with("_sum") {
                buckets.sum_s = value.parse().unwrap_or(0.0);
            } else if let Some(bound) = label(labels, "le") {
                // The last bound is `+Inf`, which Rust reads as well.
                let (bound, count) = (bound.parse(), value.parse());
                let (Ok(bound), Ok(count)) = (bound, count) else { continue };
                buckets.up_to.push((bound, count));
            }
        }
        reading
    }

    /// Bytes of the mean batch that the log committed since `before`.
    pub(super) fn batch_len(&self, before: &Self) -> Option<usize> {
        let batches = self.batches - before.batches;
        (batches > 0.0).then(|| ((self.written_bytes - before.written_bytes) / batches) as usize)
    }

    /// Messages over UDP that the venue refused as repeats since `before`.
    pub(super) fn repeats_since(&self, before: &Self) -> u64 {
        (self.repeats - before.repeats) as u64
    }

    /// The difference of two readings. A venue without these metrics has no stages.
    pub(super) fn since(&self, before: &Self) -> Report {
        let none = Buckets::default();
        let of = |name: &'static str| {
            let before = before.stages.get(name).unwrap_or(&none);
            Some((name, self.stages.get(name)?.since(before)))
        };
        let stages: Vec<_> = STAGES.into_iter().filter_map(of).collect();
        // The answer does not wait for the streams.
        let waited_for = stages.iter().filter(|(name, _)| *name != "fan_out");
        let total: f64 = waited_for.map(|(_, buckets)| buckets.sum_s).sum();
        let mut report = Report::default();
        for (name, buckets) in stages.iter().filter(|(_, buckets)| buckets.count() > 0) {
            let is_waited_for = total > 0.0 && *name != "fan_out";
            let stage = report! {
                orders: buckets.count(),
                p50_us: buckets.quantile_s(0.5) * 1e6,
                p99_us: buckets.quantile_s(0.99) * 1e6,
                // Part of the time of all stages that an order waits for.
                share: if is_waited_for { buckets.sum_s / total } else { 0.0 },
            };
            report.push(name, stage);
        }
        report
    }
}

impl Buckets {
    fn since(&self, before: &Self) -> Self {
        let minus = |(bound, count): &(f64, u64)| {
            let earlier = before.up_to.iter().find(|(earlier, _)| earlier == bound);
            (*bound, count.saturating_sub(earlier.map_or(0, |(_, count)| *count)))
        };
        Self { sum_s: self.sum_s - before.sum_s, up_to: self.up_to.iter().map(minus).collect() }
    }

    fn count(&self) -> u64 {
        self.up_to.last().map_or(0, |(_, count)| *count)
    }

    /// Assumes that the values of a bucket lie evenly in it.
    fn quantile_s(&self, quantile: f64) -> f64 {
        let wanted = quantile * self.count() as f64;
        let (mut lower, mut below) = (0.0, 0);
        for (upper, up_to) in &self.up_to {
            if *up_to as f64 >= wanted && *up_to > below {
                let part = (wanted - below as f64) / (up_to - below) as f64;
                let width = if upper.is_finite() { upper - lower } else { 0.0 };
                return lower + part * width;
            }
            (lower, below) = (*upper, *up_to);
        }
        0.0
    }
}

fn label<'a>(labels: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = labels.split_once(&format!("{name}=\""))?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(counts: [u64; 3], sum_s: f64) -> String {
        let [a, b, c] = counts;
        format!(
            "# TYPE {NAME} histogram\n{NAME}_sum{{stage=\"apply\"}} {sum_s}\n{NAME}_count{{stage=\"apply\"}} {c}\n\
             {NAME}_bucket{{le=\"0.001\",stage=\"apply\"}} {a}\n{NAME}_bucket{{le=\"0.002\",stage=\"apply\"}} {b}\n\
             {NAME}_bucket{{le=\"+Inf\",stage=\"apply\"}} {c}\nother 1\n"
        )
    }

    #[test]
    fn a_stage_is_what_came_between_two_readings() {
        let before = Reading::parse(&text([100, 100, 100], 1.0));
        let stages = Reading::parse(&text([150, 200, 200], 3.0)).since(&before).value();
        let stage = &stages["apply"];
        assert_eq!((&stage["orders"], &stage["share"]), (&100.into(), &1.0.into()), "{stages}");
        for (name, us) in [("p50_us", 1_000.0), ("p99_us", 1_980.0)] {
            assert!((stage[name].as_f64().expect("a figure") - us).abs() < 1e-6, "{stages}");
        }
    }

    #[test]
    fn a_venue_without_the_metrics_has_no_stages() {
        let nothing = Reading::parse("buttonwood_applied_sequence 7\n");
        assert!(nothing.since(&nothing).0.is_empty() && nothing.batch_len(&nothing).is_none());
    }
}
