//! A market file: TOML, each entry with its line.

use std::ops::Range;
use std::path::Path;

use cli::Failure;
use serde_json::Value;
use server::nearest;
use toml_edit::{ImDocument, Item, TableLike};

use super::kind::Kind;
use super::part::{Part, Values};

/// The kinds at the top of a file.
const TOP: [Kind; 4] = [Kind::Venue, Kind::Asset, Kind::Instrument, Kind::Account];

/// The entries, each before those below it.
pub(super) fn read(path: &Path) -> Result<Vec<Part>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    let line_ends = text.match_indices('\n').map(|(at, _)| at).collect();
    let file = File { path: path.display().to_string(), text, line_ends };
    file.read()
}

struct File {
    path: String,
    text: String,
    /// Where each line ends, in bytes.
    line_ends: Vec<usize>,
}

impl File {
    fn read(&self) -> Result<Vec<Part>, Failure> {
        let document = ImDocument::parse(self.text.as_str()).map_err(|error| {
            let fault: Vec<_> = error.message().lines().collect();
            Failure::new(format!("{}: {}", self.place(error.span()), fault.join(" ")))
        })?;
        let mut parts = Vec::new();
        let root = document.as_table();
        for (name, item) in root {
            let place = self.place_of(root, name, item);
            let tables = TOP.map(|kind| kind.tables()[0]);
            let Some(kind) = TOP.into_iter().find(|kind| kind.tables()[0] == name) else {
                return Err(unknown(&place, "", name, tables.into_iter()));
            };
            if kind.names() == 0 {
                self.entry(kind, Vec::new(), item, place, &mut parts)?;
            } else {
                self.entries(kind, &[], item, &place, &mut parts)?;
            }
        }
        Ok(parts)
    }

    /// The entries of one kind, below the names of another entry.
    fn entries(
        &self,
        kind: Kind,
        above: &[String],
        item: &Item,
        place: &str,
        parts: &mut Vec<Part>,
    ) -> Result<(), Failure> {
        let table = kind.tables().last().expect("each kind has a table");
        let entries = item.as_table_like().ok_or_else(|| {
            Failure::new(format!(
                "{place}: `{table}` must be tables with names, as `[{table}.NAME]`"
            ))
        })?;
        for (name, item) in entries.iter() {
            let place = self.place_of(entries, name, item);
            kind.check_name(name).map_err(|expected| {
                Failure::new(format!("{place}: the name `{name}` of `{table}` is not {expected}"))
            })?;
            let names = [above, &[name.to_owned()]].concat();
            self.entry(kind, names, item, place, parts)?;
        }
        Ok(())
    }

    fn entry(
        &self,
        kind: Kind,
        names: Vec<String>,
        item: &Item,
        place: String,
        parts: &mut Vec<Part>,
    ) -> Result<(), Failure> {
        let title = kind.title(&names);
        let entry = item
            .as_table_like()
            .ok_or_else(|| Failure::new(format!("{place}: {title} must be a table")))?;
        let mut values = Values::new();
        let mut below = Vec::new();
        for (name, item) in entry.iter() {
            let place = self.place_of(entry, name, item);
            let is_table = |kind: &&Kind| kind.tables().last() == Some(&name);
            if let Some(kind) = kind.below().iter().find(is_table) {
                if kind.names() == names.len() {
                    self.entry(*kind, names.clone(), item, place, &mut below)?;
                } else {
                    self.entries(*kind, &names, item, &place, &mut below)?;
                }
                continue;
            }
            let Some(key) = kind.key(name) else {
                let tables = kind.below().iter().filter_map(|kind| kind.tables().last().copied());
                let known = kind.keys().iter().map(|key| key.name).chain(tables);
                return Err(unknown(&place, &format!("{title}: "), name, known));
            };
            let value = key.form.canonical(&json(item));
            let value = value.map_err(|expected| {
                Failure::new(format!("{place}: {title}: `{name}` {expected}"))
            })?;
            values.insert(key.name, value);
        }
        parts.push(Part { kind, names, values, place });
        parts.append(&mut below);
        Ok(())
    }

    fn place_of(&self, table: &dyn TableLike, name: &str, item: &Item) -> String {
        let key = table.key(name).and_then(|key| key.span());
        self.place(item.span().filter(|_| item.is_table()).or(key).or_else(|| item.span()))
    }

    fn place(&self, span: Option<Range<usize>>) -> String {
        let Some(span) = span else { return self.path.clone() };
        let line = self.line_ends.partition_point(|end| *end < span.start) + 1;
        format!("{}:{line}", self.path)
    }
}

fn unknown<'a>(
    place: &str,
    title: &str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Failure {
    let near = nearest(name, known).map(|near| format!(": did you mean `{near}`?"));
    Failure::new(format!("{place}: {title}unknown key `{name}`{}", near.unwrap_or_default()))
}

/// A decimal without quotes keeps the digits of the file.
fn json(item: &Item) -> Value {
    let Some(value) = item.as_value() else { return Value::Object(serde_json::Map::new()) };
    json_value(value)
}

fn json_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().clone().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(flag) => (*flag.value()).into(),
        toml_edit::Value::Array(all) => all.iter().map(json_value).collect(),
        toml_edit::Value::InlineTable(_) => Value::Object(serde_json::Map::new()),
        raw => raw.to_string().trim().into(),
    }
}
