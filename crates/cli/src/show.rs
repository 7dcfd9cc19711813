//! Printing of values: names instead of numbers, decimals instead of ticks, lots and smallest
//! units, and never a secret.

use engine::Engine;
use serde_json::{Map, Value};
use types::{
    AccountId, Amount, AssetId, Describe, Described, Increment, Instrument, InstrumentId,
    format_decimal,
};

/// Prints one record. Earlier fields of the record decide the instrument of prices and quantities,
/// and the asset of amounts.
#[derive(Debug)]
pub struct Show<'a> {
    engine: &'a Engine,
    tick_size: Option<Increment>,
    lot_size: Option<Increment>,
    amount_decimals: Option<u8>,
}

impl<'a> Show<'a> {
    pub fn new(engine: &'a Engine) -> Self {
        Self { engine, tick_size: None, lot_size: None, amount_decimals: None }
    }

    pub fn json(&mut self, value: &Described) -> Value {
        match value {
            Described::Nothing => Value::Null,
            Described::Flag(flag) => (*flag).into(),
            Described::Number(number) => (*number).into(),
            Described::List(list) => list.iter().map(|value| self.json(value)).collect(),
            Described::Record(fields) => {
                let shown = fields.iter().map(|(name, value)| {
                    self.take_size(name, value);
                    ((*name).to_owned(), self.json(value))
                });
                Value::Object(shown.collect::<Map<_, _>>())
            }
            Described::Choice(_, record) => self.json(record),
            leaf => self.leaf(leaf).into(),
        }
    }

    /// Appends ` name=value` for each field that has a value.
    pub fn text(&mut self, prefix: &str, value: &Described, out: &mut String) {
        match value {
            Described::Nothing => {}
            Described::Record(fields) => {
                for (name, value) in fields {
                    self.take_size(name, value);
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
                let shown = self.leaf(leaf);
                out.extend([" ", prefix, "=", &shown]);
            }
        }
    }

    fn leaf(&mut self, value: &Described) -> String {
        match value {
            Described::Flag(flag) => flag.to_string(),
            Described::Number(number) => number.to_string(),
            Described::Wide(number) => number.to_string(),
            Described::Text(text) => text.clone(),
            Described::Word(word) => (*word).to_owned(),
            Described::Hash(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            Described::Secret => "(sealed)".to_owned(),
            Described::Price(price) => counted(price.ticks().into(), self.tick_size, "ticks"),
            Described::Qty(qty) => counted(qty.lots().into(), self.lot_size, "lots"),
            Described::Amount(amount) => self.amount(*amount),
            Described::Increment(increment) => increment.format(1, 0),
            Described::Account(account) => account_name(self.engine, *account),
            Described::Asset(asset) => self.asset(*asset),
            Described::Instrument(instrument) => self.instrument(*instrument),
            Described::Nothing
            | Described::List(_)
            | Described::Record(_)
            | Described::Choice(..) => unreachable!("they are taken apart before"),
        }
    }

    /// The record of an instrument has its own tick and lot size.
    fn take_size(&mut self, name: &str, value: &Described) {
        match (name, value) {
            ("tick_size", Described::Increment(size)) => self.tick_size = Some(*size),
            ("lot_size", Described::Increment(size)) => self.lot_size = Some(*size),
            _ => {}
        }
    }

    fn amount(&self, amount: Amount) -> String {
        match self.amount_decimals {
            Some(decimals) => format_decimal(amount.minor(), decimals, decimals),
            None => format!("{} units", amount.minor()),
        }
    }

    fn asset(&mut self, id: AssetId) -> String {
        let asset = self.engine.assets().get(usize::from(id.0));
        self.amount_decimals = asset.map(|asset| asset.decimals);
        asset.map_or_else(|| unknown(id), |asset| asset.name.to_string())
    }

    fn instrument(&mut self, id: InstrumentId) -> String {
        let instrument = find_instrument(self.engine, id);
        self.tick_size = instrument.map(|instrument| instrument.spec.tick_size);
        self.lot_size = instrument.map(|instrument| instrument.spec.lot_size);
        self.amount_decimals = instrument
            .and_then(|instrument| self.engine.assets().get(usize::from(instrument.spec.quote.0)))
            .map(|quote| quote.decimals);
        instrument.map_or_else(|| unknown(id), |instrument| instrument.spec.symbol.to_string())
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
    let account = engine.accounts().nth(id.0 as usize);
    account.map_or_else(|| unknown(id), |(_, spec)| spec.name.to_string())
}

pub fn find_instrument(engine: &Engine, id: InstrumentId) -> Option<&Instrument> {
    engine.instruments().nth(id.0 as usize)
}

/// A refused command may name an unknown id. No name begins with `#`.
fn unknown(id: impl std::fmt::Display) -> String {
    format!("#{id}")
}

fn counted(count: i128, size: Option<Increment>, unit: &str) -> String {
    match size {
        Some(size) => size.format(count, 0),
        None => format!("{count} {unit}"),
    }
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}
