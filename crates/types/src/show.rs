//! Printing of described values: names instead of numbers, decimals instead of ticks, lots and
//! smallest units, and never a secret.

use crate::asset::Asset;
use crate::decimal::{Increment, format_decimal};
use crate::describe::Described;
use crate::id::{AccountId, AssetId, InstrumentId};
use crate::instrument::Instrument;
use crate::number::Amount;

/// What ids stand for.
pub trait Names {
    fn asset(&self, id: AssetId) -> Option<&Asset>;

    fn instrument(&self, id: InstrumentId) -> Option<&Instrument>;

    fn account(&self, id: AccountId) -> Option<String>;
}

impl<N: Names> Names for &N {
    fn asset(&self, id: AssetId) -> Option<&Asset> {
        (**self).asset(id)
    }

    fn instrument(&self, id: InstrumentId) -> Option<&Instrument> {
        (**self).instrument(id)
    }

    fn account(&self, id: AccountId) -> Option<String> {
        (**self).account(id)
    }
}

/// Prints the values of one record. Earlier fields of the record decide the instrument of prices
/// and quantities, and the asset of amounts.
#[derive(Debug)]
pub struct Shown<N> {
    names: N,
    tick_size: Option<Increment>,
    lot_size: Option<Increment>,
    amount_decimals: Option<u8>,
}

impl<N: Names> Shown<N> {
    pub fn new(names: N) -> Self {
        Self { names, tick_size: None, lot_size: None, amount_decimals: None }
    }

    /// Before a field is shown: the record of an instrument has its own tick and lot size.
    pub fn enter(&mut self, name: &str, value: &Described) {
        match (name, value) {
            ("tick_size", Described::Increment(size)) => self.tick_size = Some(*size),
            ("lot_size", Described::Increment(size)) => self.lot_size = Some(*size),
            _ => {}
        }
    }

    /// A value without parts.
    pub fn leaf(&mut self, value: &Described) -> String {
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
            Described::Account(account) => {
                self.names.account(*account).unwrap_or_else(|| unknown(account))
            }
            Described::Asset(asset) => self.asset(*asset),
            Described::Instrument(instrument) => self.instrument(*instrument),
            Described::Nothing
            | Described::List(_)
            | Described::Record(_)
            | Described::Choice(..) => unreachable!("they are taken apart before"),
        }
    }

    fn amount(&self, amount: Amount) -> String {
        match self.amount_decimals {
            Some(decimals) => format_decimal(amount.minor(), decimals, decimals),
            None => format!("{} units", amount.minor()),
        }
    }

    fn asset(&mut self, id: AssetId) -> String {
        let asset = self.names.asset(id);
        self.amount_decimals = asset.map(|asset| asset.decimals);
        asset.map_or_else(|| unknown(id), |asset| asset.name.to_string())
    }

    fn instrument(&mut self, id: InstrumentId) -> String {
        let instrument = self.names.instrument(id);
        self.tick_size = instrument.map(|instrument| instrument.spec.tick_size);
        self.lot_size = instrument.map(|instrument| instrument.spec.lot_size);
        self.amount_decimals = instrument
            .and_then(|instrument| self.names.asset(instrument.spec.quote))
            .map(|quote| quote.decimals);
        instrument.map_or_else(|| unknown(id), |instrument| instrument.spec.symbol.to_string())
    }
}

/// A refused command may name an unknown id. No name begins with `#`.
pub fn unknown(id: impl std::fmt::Display) -> String {
    format!("#{id}")
}

fn counted(count: i128, size: Option<Increment>, unit: &str) -> String {
    match size {
        Some(size) => size.format(count, 0),
        None => format!("{count} {unit}"),
    }
}
