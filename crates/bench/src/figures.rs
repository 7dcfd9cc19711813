//! What a run came to, as figures: the names are those of the JSON object, and stay.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::latency::{Latency, per};
use super::machine::{Machine, Versions};
use super::memory::Memory;
use super::reference::Disk;
use super::resting::Resting;
use super::spec::Report;
use super::stages::Stage;
use super::step::Step;
use super::tally::Tally;
use super::usage::{ThreadUsage, Usage};

#[derive(Clone, Debug, Serialize)]
pub(super) struct Figures {
    pub(super) scenario: &'static str,
    /// `closed`: who has the answer sends the next request. `open`: requests go at their times.
    #[serde(rename = "loop")]
    pub(super) loop_kind: &'static str,
    pub(super) clients: usize,
    pub(super) agents: usize,
    pub(super) durability: String,
    pub(super) duration_s: f64,
    /// Orders a second that were asked for, in an open loop.
    pub(super) rate: Option<f64>,
    /// Over which clients begin one after the other; an open loop's rate rises with them.
    pub(super) ramp_s: u64,
    /// Where the rate comes from, when none was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) highest: Option<Highest>,

    pub(super) orders: u64,
    pub(super) orders_per_s: f64,
    /// Of the best second.
    pub(super) orders_per_s_peak: f64,
    #[serde(flatten)]
    pub(super) latency: Latency,
    pub(super) by_type: BTreeMap<String, ByType>,
    pub(super) stages: BTreeMap<&'static str, Stage>,
    pub(super) success_rate: f64,
    pub(super) errors: BTreeMap<String, u64>,
    pub(super) fills: u64,
    pub(super) trades_per_order: f64,
    pub(super) matched_per_s: f64,
    pub(super) book: Option<Book>,
    /// Of `ramp-200`, over the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resting: Option<Resting>,

    pub(super) disk_fdatasync_ms: Option<Disk>,
    pub(super) loopback_us: f64,
    pub(super) bare_handler_per_s: f64,
    pub(super) bare_handler: BareFigures,
    pub(super) beside: Option<Beside>,

    pub(super) rss_mb: Option<f64>,
    pub(super) cpu_s: Option<f64>,
    pub(super) cpu_s_per_million_orders: Option<f64>,
    pub(super) cost_per_million_orders: Option<f64>,
    pub(super) page_faults: Option<u64>,
    pub(super) context_switches: Option<u64>,
    pub(super) disk_bytes_per_order: Option<f64>,
    pub(super) packets_per_order: Option<f64>,
    /// HTTP, both ways, heads included.
    pub(super) bytes_per_order: f64,
    pub(super) client_cpu_s: f64,
    pub(super) threads: Vec<ThreadUsage>,

    /// What `stream` measured with so many readers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) by_readers: Option<BTreeMap<usize, Step>>,
    /// Of `soak`, over the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) memory: Option<Memory>,

    pub(super) seconds: Vec<Second>,
    pub(super) machine: Machine,
    pub(super) versions: Versions,
    /// When it ended, in Unix time.
    pub(super) time: u64,
    /// All latencies in nanoseconds: an `HdrHistogram` in its V2 format, in base64.
    pub(super) histogram: Value,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct ByType {
    pub(super) orders: u64,
    #[serde(flatten)]
    pub(super) latency: Latency,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Second {
    pub(super) orders: u64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
}

/// Price levels at the end.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Book {
    pub(super) bid_levels: usize,
    pub(super) ask_levels: usize,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct BareFigures {
    pub(super) mean_ms: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) cpu_us_per_request: Option<f64>,
    /// At the rate of an open loop, for as far as it is the machine that makes orders wait.
    pub(super) open: Option<BareOpen>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct BareOpen {
    /// Requests a second.
    pub(super) rate: f64,
    #[serde(flatten)]
    pub(super) latency: Latency,
}

/// What something else made of the same load, right after.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Beside {
    pub(super) url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) highest: Option<Highest>,
    pub(super) orders_per_s: f64,
    #[serde(flatten)]
    pub(super) latency: Latency,
    pub(super) success_rate: f64,
    pub(super) errors: BTreeMap<String, u64>,
}

/// What became of orders when every client sent its next request as soon as it could.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Highest {
    pub(super) duration_s: u64,
    pub(super) orders_per_s: f64,
    #[serde(flatten)]
    pub(super) latency: Latency,
    pub(super) errors: BTreeMap<String, u64>,
}

impl Figures {
    /// The highest rate, where it was looked for.
    pub(super) fn most_per_s(&self) -> f64 {
        self.highest.as_ref().map_or(self.orders_per_s, |highest| highest.orders_per_s)
    }
}

impl Beside {
    pub(super) fn most_per_s(&self) -> f64 {
        self.highest.as_ref().map_or(self.orders_per_s, |highest| highest.orders_per_s)
    }

    pub(super) fn of(
        url: &str,
        report: &Report,
        measured: Duration,
        highest: Option<Highest>,
    ) -> Self {
        let total = report.total();
        let failed: u64 = report.errors.values().sum();
        Self {
            url: url.to_owned(),
            highest,
            orders_per_s: total.orders as f64 / measured.as_secs_f64(),
            latency: Latency::of(&total),
            success_rate: per(total.orders as f64, total.orders + failed),
            errors: report.errors.clone(),
        }
    }
}

impl ByType {
    pub(super) fn of(report: &Report) -> BTreeMap<String, Self> {
        let of = |(name, tally): (&String, &Tally)| {
            (name.clone(), Self { orders: tally.orders, latency: Latency::of(tally) })
        };
        report.by_type.iter().map(of).collect()
    }
}

impl Second {
    pub(super) fn of(report: &Report) -> Vec<Self> {
        let of = |tally: &Tally| Self {
            orders: tally.orders,
            p50_ms: tally.quantile_ms(0.5),
            p99_ms: tally.quantile_ms(0.99),
        };
        report.seconds.iter().map(of).collect()
    }
}

impl BareFigures {
    pub(super) fn of(report: &Report, usage: Option<&Usage>, open: Option<BareOpen>) -> Self {
        let total = report.total();
        Self {
            mean_ms: total.mean_ms(),
            p50_ms: total.quantile_ms(0.5),
            p99_ms: total.quantile_ms(0.99),
            cpu_us_per_request: usage.map(|usage| per(usage.cpu_s * 1e6, requests(report))),
            open,
        }
    }
}

fn requests(report: &Report) -> u64 {
    report.by_type.values().map(|tally| tally.orders).sum()
}

/// One line of names, one of values; parts of parts have their names joined by dots. Lists have
/// no place in it.
pub(super) fn csv(figures: &Value) -> Result<String, csv::Error> {
    let mut cells = Vec::new();
    flatten("", figures, &mut cells);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(cells.iter().map(|(name, _)| name))?;
    writer.write_record(cells.iter().map(|(_, value)| value))?;
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8(bytes).expect("all of it was text"))
}

fn flatten(name: &str, value: &Value, cells: &mut Vec<(String, String)>) {
    let text = match value {
        Value::Object(parts) => {
            for (part, value) in parts {
                let name = if name.is_empty() { part.clone() } else { format!("{name}.{part}") };
                flatten(&name, value, cells);
            }
            return;
        }
        Value::Array(_) => return,
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    cells.push((name.to_owned(), text));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_table_for_spreadsheets_has_a_name_over_each_figure() {
        let figures = json!({ "a": 1, "b": { "c": "x,y", "d": null }, "e": [1, 2] });
        assert_eq!(csv(&figures).expect("it is written"), "a,b.c,b.d\n1,\"x,y\",\n");
    }
}
