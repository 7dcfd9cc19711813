//! Decimals of answers and streams, as texts that allocate nothing.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use types::{Amount, Asset, DecimalText, Market, Price, Qty};

/// A decimal in a text: a price, a quantity or an amount.
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct Decimal(DecimalText);

impl Decimal {
    pub(crate) fn price(market: &Market, price: Price) -> Self {
        let tick_size = market.instrument.spec.tick_size;
        Self(tick_size.text(i128::from(price.ticks()), market.quote.decimals))
    }

    pub(crate) fn qty(market: &Market, qty: Qty) -> Self {
        Self::volume(market, i128::from(qty.lots()))
    }

    /// A sum of quantities, in lots.
    pub(crate) fn volume(market: &Market, lots: i128) -> Self {
        Self(market.instrument.spec.lot_size.text(lots, market.base.decimals))
    }

    pub(crate) fn quote_amount(market: &Market, amount: Amount) -> Self {
        Self::amount(&market.quote, amount)
    }

    pub(crate) fn amount(asset: &Asset, amount: Amount) -> Self {
        Self(asset.amount_text(amount))
    }
}

impl Deref for Decimal {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq<&str> for Decimal {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(from)?;
        let invalid = || D::Error::invalid_value(Unexpected::Str(&text), &"a decimal");
        DecimalText::parse(&text).map(Self).ok_or_else(invalid)
    }
}

/// Clients see a text.
impl JsonSchema for Decimal {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        String::json_schema(schemas)
    }
}
