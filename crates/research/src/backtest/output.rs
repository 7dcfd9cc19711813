//! What a back-test prints and writes.

use std::fmt::Write;
use std::path::Path;

use cli::Failure;
use serde_json::{Map, Value, json};
use strategy::Instrument;
use strategy::builtin::BUILTINS;
use strategy::job::{Done, Job};
use strategy::sheet::{self, Heat};
use strategy::statistics::Row;

use super::account::{AccountReport, number, put_sums, write_rows, write_sums};
use super::source::Events;

/// Above this part, a report says on its first line that its fills are not those of the record.
const DIVERGENCE_MAX: f64 = 0.05;

/// The figures of one run.
pub(crate) struct Report {
    fields: Map<String, Value>,
    warnings: Vec<String>,
    /// How the run went, in a line.
    pace: String,
    /// Of a run with one account.
    rows: Vec<Row>,
    /// Of a run with several.
    accounts: Vec<AccountReport>,
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
            report.warnings.push(format!("the data have {skipped} wrong rows or gaps"));
        }
        report
    }

    /// The figures that a run gives again.
    pub(crate) fn of(job: &Job, done: &Done) -> Self {
        let ran = &done.ran;
        let instruments = &job.setup.instruments;
        let (mut fields, mut warnings) = (Map::new(), Vec::new());
        fields.insert("events".to_owned(), json!(ran.events));
        put_sums(&mut fields, instruments, &ran.contexts, done.whole());
        fields.insert("late".to_owned(), json!(ran.late));
        fields.insert("partial".to_owned(), json!(ran.is_partial));
        if let Some(divergence) = &done.divergence {
            let part = divergence.part();
            fields.insert("divergence".to_owned(), number(part));
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
        let is_alone = job.accounts.len() == 1;
        let (mut rows, mut accounts) = (Vec::new(), Vec::new());
        for (account, (context, journal)) in job.accounts.iter().zip(done.accounts()) {
            if let Some(refusal) = context.last_refusal() {
                let refused = context.refused();
                let of = if is_alone { String::new() } else { format!("{}: ", account.name) };
                warnings.push(format!(
                    "{of}{refused} requests were refused, the last because {refusal}"
                ));
            }
            let part = AccountReport::of(account, instruments, context, journal);
            if is_alone {
                fields.insert("statistics".to_owned(), part.statistics());
                rows = part.rows;
            } else {
                accounts.push(part);
            }
        }
        if !is_alone {
            let all = accounts.iter().map(AccountReport::json).collect();
            fields.insert("accounts".to_owned(), Value::Array(all));
        }
        Self { fields, warnings, pace: String::new(), rows, accounts }
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
        write_sums(&mut text, &self.fields);
        write_rows(&mut text, &self.rows);
        self.accounts.iter().for_each(|account| account.write(&mut text));
        text.pop();
        text
    }

    pub(super) fn warnings(&self) -> &[String] {
        &self.warnings
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
