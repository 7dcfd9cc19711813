//! What a back-test prints and writes.

use std::fmt::Write;
use std::path::Path;

use cli::Failure;
use serde_json::{Value, json};
use strategy::Instrument;
use strategy::builtin::BUILTINS;
use strategy::job::{Done, Job};
use strategy::sheet::{self, Heat};
use strategy::statistics::{Figure, Row, maker_rows, rows};

use super::source::Events;

/// Above this part, a report says on its first line that its fills are not those of the record.
const DIVERGENCE_MAX: f64 = 0.05;

/// The figures of one run.
pub(crate) struct Report {
    fields: serde_json::Map<String, Value>,
    warnings: Vec<String>,
    /// How the run went, in a line.
    pace: String,
    rows: Vec<Row>,
}

impl Report {
    pub(super) fn new(
        job: &Job,
        done: &Done,
        events: &Events<'_>,
        took_s: f64,
        ready_s: f64,
    ) -> Self {
        let parse_s = events.parse.as_secs_f64();
        // Reading and running alternate; what was read before the run began is no part of it.
        let run_s = (took_s + ready_s - parse_s).max(1e-9);
        let mut report = Self::of(job, done);
        let events_in_all = done.ran.events as f64;
        for (name, value) in [
            ("events_per_s", events_in_all / run_s),
            ("parse_s", parse_s),
            ("run_s", run_s),
            ("rss_mb", rss_mb()),
        ] {
            report.fields.insert(name.to_owned(), number(value));
        }
        report.pace = format!(
            "{} events in {run_s:.3} s ({:.1} M/s) after {parse_s:.3} s of reading, {:.0} MB",
            done.ran.events,
            events_in_all / run_s / 1e6,
            rss_mb(),
        );
        let skipped = events.skipped();
        report.fields.insert("skipped".to_owned(), json!(skipped));
        if skipped > 0 {
            report.warnings.push(format!("{skipped} wrong rows of the data were left out"));
        }
        report
    }

    /// The figures that a run gives again.
    pub(crate) fn of(job: &Job, done: &Done) -> Self {
        let Done { ran, journal, divergence } = done;
        let instruments = &job.setup.instruments;
        let money = |sum: fn(&strategy::Account) -> i128, unit: f64| -> f64 {
            let of = |(at, instrument): (usize, &Instrument)| {
                sum(ran.context.account(at as u16)) as f64 / unit * instrument.unit_value()
            };
            instruments.iter().enumerate().map(of).sum()
        };
        let pnl: f64 = (0..instruments.len()).map(|at| ran.context.pnl(at as u16)).sum();
        let rows: Vec<Row> = rows(&journal.returns, &journal.trades, instruments)
            .into_iter()
            .chain(maker_rows(journal, instruments))
            .collect();
        let mut fields = serde_json::Map::new();
        let mut put = |name: &str, value| fields.insert(name.to_owned(), value);
        put("events", json!(ran.events));
        put("fills", json!(journal.totals.fills));
        put("orders", json!(journal.totals.orders));
        put("turnover", number(money(|account| account.turnover, 1.0)));
        put("pnl", number(pnl));
        put("fees", number(money(|account| account.fees, strategy::FEE_UNITS as f64)));
        put("funding", number(money(|account| account.funding, strategy::FEE_UNITS as f64)));
        put("sharpe", number(journal.returns.sharpe()));
        put("max_drawdown", number(journal.totals.max_drawdown));
        put("refused", json!(ran.context.refused()));
        put("late", json!(ran.late));
        put("partial", json!(ran.is_partial));
        let positions = (0..instruments.len()).map(|at| ran.context.position(at as u16));
        put("position_lots", json!(positions.collect::<Vec<_>>()));
        let mut warnings = Vec::new();
        if let Some(divergence) = divergence {
            let part = divergence.part();
            put("divergence", number(part));
            if part > DIVERGENCE_MAX {
                let percent = part * 100.0;
                warnings.push(format!(
                    "{percent:.1} % of the recorded executions went another way because of own \
                     orders: the record no longer describes this market"
                ));
            }
        }
        if ran.is_partial {
            warnings.push("partial: the run was stopped before the end of the data".to_owned());
        }
        if ran.late > 0 {
            let late = ran.late;
            warnings.push(format!("{late} events were more than 2 s out of order, and moved"));
        }
        if let Some(refusal) = ran.context.last_refusal() {
            let refused = ran.context.refused();
            warnings.push(format!("{refused} requests were refused, the last because {refusal}"));
        }
        let statistics: serde_json::Map<String, Value> =
            rows.iter().map(|row| (row.name.to_owned(), figure_json(row.figure))).collect();
        fields.insert("statistics".to_owned(), statistics.into());
        Self { fields, warnings, pace: String::new(), rows }
    }

    /// Adds a figure.
    pub(crate) fn put(&mut self, name: &str, value: Value) {
        self.fields.insert(name.to_owned(), value);
    }

    /// Adds a sentence that a reader must see first.
    pub(crate) fn warn(&mut self, sentence: String) {
        self.warnings.push(sentence);
    }

    /// States how the run went, in a line.
    pub(crate) fn set_pace(&mut self, pace: String) {
        self.pace = pace;
    }

    pub(super) fn number(&self, name: &str) -> f64 {
        self.fields.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN)
    }

    pub(crate) fn json(&self) -> String {
        let mut fields = self.fields.clone();
        fields.insert("warnings".to_owned(), json!(self.warnings));
        Value::from(fields).to_string()
    }

    /// The report as lines for a person.
    pub(crate) fn summary(&self) -> String {
        let mut text = String::new();
        for warning in &self.warnings {
            let _ = writeln!(text, "{warning}");
        }
        let _ = writeln!(text, "{}", self.pace);
        for name in ["orders", "fills", "turnover", "fees", "pnl"] {
            let _ = writeln!(text, "{name:<24} {}", short(self.number(name)));
        }
        for row in &self.rows {
            let _ = writeln!(text, "{:<24} {}", row.name, sheet::figure_text(row.figure));
        }
        text.pop();
        text
    }

    pub(super) fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

fn short(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.4}") }
}

/// JSON has no infinities and no NaN: a figure that does not exist is null.
fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn figure_json(figure: Figure) -> Value {
    match figure {
        Figure::Number(value) => number(value),
        Figure::Count(count) => json!(count),
        Figure::Moment(ns) | Figure::Nanoseconds(ns) => json!(ns),
    }
}

/// The highest resident memory of this process.
fn rss_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kb = line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kb.map_or(f64::NAN, |kb| kb / 1024.0)
}

/// All built-in strategies with their parameters.
pub(crate) fn strategies() -> String {
    let mut text = String::new();
    for builtin in BUILTINS {
        let _ = writeln!(text, "{}: {}", builtin.name, builtin.about);
        for param in builtin.params {
            let (name, about, range) = (param.name, param.about, param.range());
            let default = param.default_text();
            let _ = writeln!(text, "    {name:<16} {about}; {range} [default: {default}]");
        }
    }
    text.pop();
    text
}

/// Two files of different instruments by one name would be one market.
pub(super) fn require_names(instruments: &[Instrument]) -> Result<(), Failure> {
    for (at, instrument) in instruments.iter().enumerate() {
        if instruments[..at].iter().any(|other| other.name == instrument.name) {
            let name = &instrument.name;
            return Err(Failure::fault(format!(
                "two instruments of the data are called {name:?}: name one with NAME=FILE"
            )));
        }
    }
    Ok(())
}

pub(crate) fn write_html(
    path: &Path,
    job: &Job,
    done: &Done,
    report: &Report,
) -> Result<(), Failure> {
    let page = sheet::render(job, done, report.warnings(), None);
    write(path, &page)
}

pub(super) fn write_heat(
    path: &Path,
    job: &Job,
    done: &Done,
    report: &Report,
    heat: &Heat,
) -> Result<(), Failure> {
    write(path, &sheet::render(job, done, report.warnings(), Some(heat)))
}

fn write(path: &Path, page: &str) -> Result<(), Failure> {
    std::fs::write(path, page)
        .map_err(|error| Failure::fault(format!("{}: {error}", path.display())))
}
