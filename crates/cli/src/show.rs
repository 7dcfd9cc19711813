//! Printing of values as JSON or text, with the names that an engine has.

use engine::Engine;
use serde_json::{Map, Value};
use types::{
    AccountId, Asset, AssetId, Describe, Described, Instrument, InstrumentId, Names, Shown, unknown,
};

/// Prints one record.
#[derive(Debug)]
pub struct Show<'a>(Shown<OfEngine<'a>>);

impl<'a> Show<'a> {
    pub fn new(engine: &'a Engine) -> Self {
        Self(Shown::new(OfEngine(engine)))
    }

    pub fn json(&mut self, value: &Described) -> Value {
        match value {
            Described::Nothing => Value::Null,
            Described::Flag(flag) => (*flag).into(),
            Described::Number(number) => (*number).into(),
            Described::List(list) => list.iter().map(|value| self.json(value)).collect(),
            Described::Record(fields) => {
                let shown = fields.iter().map(|(name, value)| {
                    self.0.enter(name, value);
                    ((*name).to_owned(), self.json(value))
                });
                Value::Object(shown.collect::<Map<_, _>>())
            }
            Described::Choice(_, record) => self.json(record),
            leaf => self.0.leaf(leaf).into(),
        }
    }

    /// Appends ` name=value` for each field that has a value.
    pub fn text(&mut self, prefix: &str, value: &Described, out: &mut String) {
        match value {
            Described::Nothing => {}
            Described::Record(fields) => {
                for (name, value) in fields {
                    self.0.enter(name, value);
                    self.text(&join(prefix, name), value, out);
                }
            }
            Described::List(list) => {
                for (index, value) in list.iter().enumerate() {
                    self.text(&join(prefix, &index.to_string()), value, out);
                }
            }
            Described::Choice(_, record) => self.text(prefix, record, out),
            leaf => {
                let shown = self.0.leaf(leaf);
                out.extend([" ", prefix, "=", &shown]);
            }
        }
    }
}

#[derive(Debug)]
struct OfEngine<'a>(&'a Engine);

impl Names for OfEngine<'_> {
    fn asset(&self, id: AssetId) -> Option<&Asset> {
        self.0.assets().get(usize::from(id.0))
    }

    fn instrument(&self, id: InstrumentId) -> Option<&Instrument> {
        find_instrument(self.0, id)
    }

    fn account(&self, id: AccountId) -> Option<String> {
        let account = self.0.accounts().nth(id.0 as usize);
        account.map(|(_, spec)| spec.name.to_string())
    }
}

/// The name of a choice without fields.
pub fn word(choice: &impl Describe) -> &'static str {
    match choice.describe() {
        Described::Word(word) => word,
        other => unreachable!("{other:?} is not a choice by name"),
    }
}

pub fn account_name(engine: &Engine, id: AccountId) -> String {
    OfEngine(engine).account(id).unwrap_or_else(|| unknown(id))
}

pub fn find_instrument(engine: &Engine, id: InstrumentId) -> Option<&Instrument> {
    engine.instruments().nth(id.0 as usize)
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}
