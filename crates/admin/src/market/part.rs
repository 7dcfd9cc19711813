//! An entry of a market, as a file or a venue has it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::kind::Kind;

/// Values by key, in their canonical form.
pub(super) type Values = BTreeMap<&'static str, Value>;

#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) kind: Kind,
    /// Its own name last.
    pub(super) names: Vec<String>,
    pub(super) values: Values,
    /// File and line, for errors; empty for an entry of a venue.
    pub(super) place: String,
}

impl Part {
    pub(super) fn new(kind: Kind, names: &[&str]) -> Self {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Self { kind, names, values: Values::new(), place: String::new() }
    }

    pub(super) fn title(&self) -> String {
        self.kind.title(&self.names)
    }

    pub(super) fn is(&self, key: &str) -> bool {
        self.values.get(key) == Some(&Value::Bool(true))
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key)?.as_str()
    }
}

/// Entries by their kind and names.
pub(super) struct Index<'a>(BTreeMap<(Kind, &'a [String]), &'a Part>);

impl<'a> Index<'a> {
    pub(super) fn of(parts: &'a [Part]) -> Self {
        Self(parts.iter().map(|part| ((part.kind, &*part.names), part)).collect())
    }

    pub(super) fn find(&self, kind: Kind, names: &[String]) -> Option<&'a Part> {
        self.0.get(&(kind, names)).copied()
    }
}

/// Lays entries over others: where both have an entry, the values of `over` win.
pub(super) fn merge(mut under: Vec<Part>, over: Vec<Part>) -> Vec<Part> {
    let known = under.iter().enumerate();
    let known: BTreeMap<_, _> =
        known.map(|(at, part)| ((part.kind, part.names.clone()), at)).collect();
    for part in over {
        match known.get(&(part.kind, part.names.clone())) {
            Some(at) => {
                under[*at].values.extend(part.values);
                under[*at].place = part.place;
            }
            None => under.push(part),
        }
    }
    under
}
