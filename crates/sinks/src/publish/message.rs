//! The messages of events, as Protocol Buffers and as JSON. `api/events.proto` is their schema, and
//! the JSON is that of its specification: 64-bit numbers are text, and what is empty is left out.

use serde::{Serialize, Serializer};

/// One event.
#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    #[prost(uint64, tag = "1")]
    #[serde(serialize_with = "text")]
    pub sequence: u64,
    #[prost(uint32, tag = "2")]
    #[serde(skip_serializing_if = "is_zero")]
    pub index: u32,
    #[prost(uint64, tag = "3")]
    #[serde(serialize_with = "text")]
    pub time_ns: u64,
    #[prost(string, tag = "4")]
    pub kind: String,
    #[prost(string, tag = "5")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub symbol: String,
    #[prost(uint64, tag = "6")]
    #[serde(serialize_with = "text", skip_serializing_if = "is_none")]
    pub instrument_event: u64,
    #[prost(message, repeated, tag = "7")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<AccountNumber>,
    #[prost(message, optional, tag = "8")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    #[prost(message, optional, tag = "9")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trade: Option<Trade>,
    #[prost(message, optional, tag = "10")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    #[prost(message, optional, tag = "11")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer: Option<Transfer>,
    #[prost(string, tag = "12")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cause: String,
    #[prost(string, tag = "13")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fields: String,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountNumber {
    #[prost(string, tag = "1")]
    pub account: String,
    #[prost(uint64, tag = "2")]
    #[serde(serialize_with = "text")]
    pub event: u64,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    #[prost(string, tag = "1")]
    pub account: String,
    #[prost(uint64, tag = "2")]
    #[serde(serialize_with = "text")]
    pub order_id: u64,
    #[prost(string, tag = "3")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub client_order_id: String,
    #[prost(string, tag = "4")]
    pub side: String,
    #[prost(string, tag = "5")]
    pub r#type: String,
    #[prost(string, tag = "6")]
    pub time_in_force: String,
    #[prost(string, tag = "7")]
    pub status: String,
    #[prost(string, tag = "8")]
    pub price: String,
    #[prost(string, tag = "9")]
    pub quantity: String,
    #[prost(string, tag = "10")]
    pub executed_quantity: String,
    #[prost(string, tag = "11")]
    pub executed_quote: String,
    #[prost(string, tag = "12")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub quote_quantity: String,
    #[prost(string, tag = "13")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stop_price: String,
    #[prost(uint64, tag = "14")]
    #[serde(serialize_with = "text")]
    pub created_ns: u64,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trade {
    #[prost(uint64, tag = "1")]
    #[serde(serialize_with = "text")]
    pub trade_id: u64,
    #[prost(string, tag = "2")]
    pub price: String,
    #[prost(string, tag = "3")]
    pub quantity: String,
    #[prost(string, tag = "4")]
    pub quote: String,
    #[prost(string, tag = "5")]
    pub side: String,
    #[prost(message, optional, tag = "6")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maker: Option<Part>,
    #[prost(message, optional, tag = "7")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taker: Option<Part>,
}

/// What one side has in a trade.
#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    #[prost(string, tag = "1")]
    pub account: String,
    #[prost(uint64, tag = "2")]
    #[serde(serialize_with = "text")]
    pub order_id: u64,
    #[prost(string, tag = "3")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub client_order_id: String,
    #[prost(string, tag = "4")]
    pub status: String,
    #[prost(string, tag = "5")]
    pub executed_quantity: String,
    #[prost(string, tag = "6")]
    pub fee: String,
    #[prost(string, tag = "7")]
    pub fee_asset: String,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Level {
    #[prost(uint64, tag = "1")]
    #[serde(serialize_with = "text")]
    pub order_id: u64,
    #[prost(string, tag = "2")]
    pub side: String,
    #[prost(string, tag = "3")]
    pub price: String,
    #[prost(string, tag = "4")]
    pub leaves_quantity: String,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Transfer {
    #[prost(string, tag = "1")]
    pub account: String,
    #[prost(string, tag = "2")]
    pub asset: String,
    #[prost(string, tag = "3")]
    pub amount: String,
    #[prost(string, tag = "4")]
    pub reference: String,
    #[prost(string, tag = "5")]
    pub free: String,
}

/// Such as `1204-2`: the event's name in every broker.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct EventId {
    pub sequence: u64,
    pub index: u32,
}

impl EventId {
    pub fn parse(text: &str) -> Option<Self> {
        let (sequence, index) = text.split_once('-')?;
        Some(Self { sequence: sequence.parse().ok()?, index: index.parse().ok()? })
    }
}

impl std::fmt::Display for EventId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.sequence, self.index)
    }
}

impl Event {
    pub fn id(&self) -> EventId {
        EventId { sequence: self.sequence, index: self.index }
    }

    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("it has text and numbers only")
    }
}

fn text<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_none(number: &u64) -> bool {
    *number == 0
}
