//! The report of a run: named figures in order, their JSON, and the one printer of all scenarios.
//!
//! A name of the JSON carries its unit (`p99_ms`, `orders_per_s`), and stays from version to
//! version: `--require` and other programs read it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::Args;
use cli::Failure;
use serde_json::{Map, Value};

use super::require::{self, Requirement};

/// How a report leaves the program.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Output {
    /// Bounds of figures, by their names in the JSON, such as p99_ms<10,orders_per_s>1000; with a
    /// figure out of bounds the exit status is 1
    #[arg(long, value_name = "FIGURE<BOUND", value_delimiter = ',')]
    require: Vec<Requirement>,
    /// Print one JSON object, of which bench/chart makes a page with drawings [default: text]
    #[arg(long)]
    json: bool,
    /// Print CSV: a line of names and a line of values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// Figures under their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Report(pub(super) Vec<(String, Figure)>);

#[derive(Clone, Debug)]
pub(super) enum Figure {
    Value(Value),
    /// A value for programs, and its short form for people; empty where it has none.
    Short(Value, String),
    /// A sentence for people alone.
    Note(String),
    Group(Report),
    List(Vec<Report>),
}

/// `report! { name: value, ... }`: a [`Report`] with these figures.
macro_rules! report {
    ($($name:ident: $value:expr),* $(,)?) => {
        $crate::report::Report(vec![
            $((stringify!($name).to_owned(), $crate::report::Figure::from($value))),*
        ])
    };
}
pub(super) use report;

impl Report {
    pub(super) fn push(&mut self, name: &str, figure: impl Into<Figure>) {
        self.0.push((name.to_owned(), figure.into()));
    }

    pub(super) fn with(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }

    /// A sentence under `name`, which the JSON does not have.
    pub(super) fn note(name: &str, sentence: impl Into<String>) -> Self {
        Self(vec![(name.to_owned(), Figure::Note(sentence.into()))])
    }

    pub(super) fn print(&self, output: &Output) -> Result<(), Failure> {
        let value = self.value();
        let text = match output {
            Output { json: true, .. } => format!("{value}\n"),
            Output { csv: true, .. } => {
                csv(&value).map_err(|error| Failure::fault(error.to_string()))?
            }
            _ => self.text(),
        };
        cli::print(text)?;
        require::check(&output.require, &value)
    }

    pub(super) fn value(&self) -> Value {
        let named = |(name, figure): &(String, Figure)| Some((name.clone(), figure.value()?));
        Value::Object(self.0.iter().filter_map(named).collect::<Map<_, _>>())
    }

    /// A line for each figure; a table for a list and for a group of groups.
    fn text(&self) -> String {
        let mut out = String::new();
        for (name, figure) in &self.0 {
            match figure {
                Figure::List(rows) => {
                    let number = |(at, row)| (format!("{}", at + 1), row);
                    out += &grid(name, rows.iter().enumerate().map(number).collect(), false);
                }
                Figure::Group(Self(parts))
                    if let Some(rows) = parts.iter().map(as_row).collect::<Option<Vec<_>>>()
                        && !rows.is_empty() =>
                {
                    out += &grid(name, rows, true);
                }
                figure => match figure.short() {
                    text if text.is_empty() => {}
                    text => put(&mut out, format_args!("{name:28}{text}\n")),
                },
            }
        }
        out
    }

    /// All figures with their short forms; a figure of a group has the group's name before its own.
    fn flat(&self, prefix: &str, cells: &mut Vec<(String, String)>) {
        for (name, figure) in &self.0 {
            let name = format!("{prefix}{name}");
            match figure {
                Figure::Group(group) => group.flat(&format!("{name}."), cells),
                figure => match figure.short() {
                    text if text.is_empty() => {}
                    text => cells.push((name, text)),
                },
            }
        }
    }
}

fn as_row((name, figure): &(String, Figure)) -> Option<(String, &Report)> {
    match figure {
        Figure::Group(group) => Some((name.clone(), group)),
        _ => None,
    }
}

/// A table of named rows; if `may_turn`, rows and columns are exchanged in a table that is wider
/// than long.
fn grid(title: &str, rows: Vec<(String, &Report)>, may_turn: bool) -> String {
    let mut heads: Vec<String> = Vec::new();
    let mut cells: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for (row, (_, report)) in rows.iter().enumerate() {
        let mut flat = Vec::new();
        report.flat("", &mut flat);
        for (head, text) in flat {
            let column = heads.iter().position(|known| *known == head).unwrap_or_else(|| {
                heads.push(head);
                heads.len() - 1
            });
            cells.insert((row, column), text);
        }
    }
    let names: Vec<String> = rows.into_iter().map(|(name, _)| name).collect();
    let is_turned = may_turn && heads.len() > names.len();
    let (across, down) = if is_turned { (names, heads) } else { (heads, names) };
    let cell = |row, column| {
        let place = if is_turned { (column, row) } else { (row, column) };
        cells.get(&place).map_or("", String::as_str)
    };
    let width = |column: usize| {
        let cells = (0..down.len()).map(|row| cell(row, column).chars().count());
        cells.max().unwrap_or(0).max(across[column].len()) + 2
    };
    let mut out = format!("\n{title:28}");
    for (column, head) in across.iter().enumerate() {
        put(&mut out, format_args!("{head:>0$}", width(column)));
    }
    for (row, name) in down.iter().enumerate() {
        put(&mut out, format_args!("\n{name:28}"));
        for column in 0..across.len() {
            put(&mut out, format_args!("{:>1$}", cell(row, column), width(column)));
        }
    }
    out + "\n\n"
}

impl Figure {
    /// For programs alone.
    pub(super) fn data(value: Value) -> Self {
        Self::Short(value, String::new())
    }

    fn value(&self) -> Option<Value> {
        match self {
            Self::Value(value) | Self::Short(value, _) => Some(value.clone()),
            Self::Note(_) => None,
            Self::Group(group) => Some(group.value()),
            Self::List(rows) => Some(rows.iter().map(Report::value).collect()),
        }
    }

    /// In one line; empty for what only programs read.
    fn short(&self) -> String {
        match self {
            Self::Value(value) => plain(value),
            Self::Short(_, text) | Self::Note(text) => text.clone(),
            Self::Group(group) => {
                let mut cells = Vec::new();
                group.flat("", &mut cells);
                let cells = cells.iter().map(|(name, text)| format!("{name} {text}"));
                cells.collect::<Vec<_>>().join(", ")
            }
            Self::List(rows) => format!("{} rows", rows.len()),
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => match number.as_f64().unwrap_or(0.0) {
            large if large.abs() >= 1_000.0 => format!("{large:.0}"),
            small if small != 0.0 && small.abs() < 0.01 => format!("{small:.6}"),
            number => format!("{number:.3}"),
        },
        other => other.to_string(),
    }
}

/// A line of names and a line of values, without lists. Dots join the names of nested objects.
fn csv(figures: &Value) -> Result<String, csv::Error> {
    let mut cells = Vec::new();
    flatten("", figures, &mut cells);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(cells.iter().map(|(name, _)| name))?;
    writer.write_record(cells.iter().map(|(_, value)| value))?;
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes all that is written to it");
}

macro_rules! from_values {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Figure {
            fn from(value: $kind) -> Self {
                Self::Value(value.into())
            }
        }
    )*};
}

from_values!(f64, u64, usize, u8, bool, &str, String, Value);

impl From<Report> for Figure {
    fn from(group: Report) -> Self {
        Self::Group(group)
    }
}

impl From<Vec<Report>> for Figure {
    fn from(rows: Vec<Report>) -> Self {
        Self::List(rows)
    }
}

impl<T: Into<Self>> From<Option<T>> for Figure {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Value(Value::Null), Into::into)
    }
}

/// Errors by their causes.
impl From<&BTreeMap<String, u64>> for Figure {
    fn from(counts: &BTreeMap<String, u64>) -> Self {
        let value = counts.iter().map(|(name, count)| (name.clone(), Value::from(*count)));
        let text = counts.iter().map(|(name, count)| format!("{count} x {name}"));
        Self::Short(Value::Object(value.collect()), text.collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sample() -> Report {
        let errors = BTreeMap::from([("full".to_owned(), 2)]);
        let row = |p50: f64| report! { orders: 7_u64, p50_ms: p50 };
        report! {
            loop: "closed",
            orders_per_s: 1_234.5,
            disk: report! { p50: 0.25, p99: Option::<f64>::None },
            bare: report! { p50: 0.5, open: report! { rate: 50_u64 } },
            errors: &errors,
            by_type: report! { limit: row(1.0), market: row(2.0) },
            steps: vec![row(3.0), row(4.0), row(5.0)],
            histogram: Figure::data(json!("base64")),
        }
        .with(Report::note("verdict", "flat"))
    }

    #[test]
    fn json_has_all_figures_and_no_notes() {
        let expected = json!({
            "loop": "closed",
            "orders_per_s": 1234.5,
            "disk": { "p50": 0.25, "p99": null },
            "bare": { "p50": 0.5, "open": { "rate": 50 } },
            "errors": { "full": 2 },
            "by_type": {
                "limit": { "orders": 7, "p50_ms": 1.0 },
                "market": { "orders": 7, "p50_ms": 2.0 },
            },
            "steps": [
                { "orders": 7, "p50_ms": 3.0 },
                { "orders": 7, "p50_ms": 4.0 },
                { "orders": 7, "p50_ms": 5.0 },
            ],
            "histogram": "base64",
        });
        assert_eq!(sample().value(), expected);
    }

    #[test]
    fn text_has_a_line_a_figure_and_a_table_a_list() {
        let text = sample().text();
        let lines: Vec<Vec<&str>> =
            text.lines().map(|line| line.split_whitespace().collect()).collect();
        for line in [
            &["loop", "closed"][..],
            &["orders_per_s", "1234"],
            &["disk", "p50", "0.250"],
            &["bare", "p50", "0.500,", "open.rate", "50"],
            &["errors", "2", "x", "full"],
            &["by_type", "orders", "p50_ms"],
            &["market", "7", "2.000"],
            &["steps", "orders", "p50_ms"],
            &["3", "7", "5.000"],
            &["verdict", "flat"],
        ] {
            assert!(lines.iter().any(|found| found == line), "{line:?}: {text}");
        }
        assert!(!text.contains("base64"), "{text}");
    }

    #[test]
    fn a_table_that_is_wider_than_long_is_turned() {
        let row = report! { a: 1_u64, b: 2_u64, c: report! { d: 3_u64 } };
        assert_eq!(
            grid("t", vec![("x".into(), &row)], true).replace(' ', ""),
            "\ntx\na1\nb2\nc.d3\n\n"
        );
    }

    #[test]
    fn a_table_for_spreadsheets_has_a_name_over_each_figure() {
        let figures = json!({ "a": 1, "b": { "c": "x,y", "d": null }, "e": [1, 2] });
        assert_eq!(csv(&figures).expect("it is written"), "a,b.c,b.d\n1,\"x,y\",\n");
    }
}
