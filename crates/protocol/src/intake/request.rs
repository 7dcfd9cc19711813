//! Messages: JSON objects with the fields of one request.

use std::borrow::Cow;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use types::{AccountId, ClOrdId};

use super::fault::{Fault, FaultCode};
use super::word::choose;

/// Limit of the bytes of a message.
pub const MESSAGE_MAX: usize = 4_096;

/// JSON's own (RFC 8259, section 2): a form feed, which is ASCII's, is none of it.
const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// What a message asks for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Action {
    New,
    Cancel,
    CancelAll,
}

pub(super) const ACTIONS: &[(&str, Action)] =
    &[("NEW", Action::New), ("CANCEL", Action::Cancel), ("CANCEL_ALL", Action::CancelAll)];

impl Action {
    pub const fn word(self) -> &'static str {
        match self {
            Self::New => "NEW",
            Self::Cancel => "CANCEL",
            Self::CancelAll => "CANCEL_ALL",
        }
    }
}

/// An account as a message names it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum NamedAccount<'a> {
    Number(AccountId),
    Name(Cow<'a, str>),
}

/// A message that was read. Its fields are checked when it becomes a command.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub action: Action,
    pub account: Option<NamedAccount<'a>>,
    /// The client's name for the request, and for the order that it enters.
    pub id: Option<ClOrdId>,
    pub(super) sent: Sent<'a>,
}

/// The fields as they were sent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Sent<'a> {
    #[serde(borrow)]
    action: Option<Text<'a>>,
    account: Option<&'a RawValue>,
    id: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) symbol: Option<Text<'a>>,
    pub(super) side: Option<Text<'a>>,
    pub(super) r#type: Option<Text<'a>>,
    pub(super) time_in_force: Option<Text<'a>>,
    pub(super) quantity: Option<Decimal<'a>>,
    pub(super) quote_order_qty: Option<Decimal<'a>>,
    pub(super) price: Option<Decimal<'a>>,
    pub(super) stop_price: Option<Decimal<'a>>,
    pub(super) trailing_delta: Option<u32>,
    pub(super) iceberg_qty: Option<Decimal<'a>>,
    pub(super) hidden: Option<bool>,
    pub(super) min_qty: Option<Decimal<'a>>,
    pub(super) good_till_date: Option<u64>,
    pub(super) within_balance: Option<bool>,
    pub(super) self_trade_prevention_mode: Option<Text<'a>>,
    pub(super) strategy_id: Option<i64>,
    pub(super) strategy_type: Option<i32>,
    pub(super) order_id: Option<u64>,
    pub(super) orig_client_order_id: Option<Text<'a>>,
}

/// A text, borrowed from the message unless it has escapes.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// A decimal: a text, or a JSON number as it was written.
#[derive(Clone, Debug)]
pub(super) struct Decimal<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Decimal<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(from)?.get();
        if raw.starts_with('"') {
            let Text(text) = serde_json::from_str(raw).map_err(D::Error::custom)?;
            Ok(Self(text))
        } else if raw.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            Ok(Self(Cow::Borrowed(raw)))
        } else {
            Err(D::Error::custom("a decimal is a text or a number"))
        }
    }
}

impl Text<'_> {
    pub(super) fn get(&self) -> &str {
        &self.0
    }
}

impl Decimal<'_> {
    pub(super) fn get(&self) -> &str {
        &self.0
    }
}

impl<'a> Request<'a> {
    pub fn parse(message: &'a [u8]) -> Result<Self, Fault> {
        if message.len() > MESSAGE_MAX {
            let sentence = format!("the message is longer than {MESSAGE_MAX} bytes");
            return Err(Fault::new(FaultCode::MessageTooLong, sentence));
        }
        let malformed = |what: String| Fault::new(FaultCode::MessageMalformed, what);
        let text = str::from_utf8(message)
            .map_err(|_| malformed("the message is not text in UTF-8".into()))?;
        if !text.trim_start_matches(WHITESPACE).starts_with('{') {
            return Err(malformed("the message is not a JSON object".into()));
        }
        let sent: Sent<'a> = serde_json::from_str(text)
            .map_err(|error| malformed(format!("the message cannot be read: {error}")))?;
        let action = sent.action.as_ref().map(|text| choose("action", ACTIONS, text.get()));
        Ok(Self {
            action: action.transpose()?.unwrap_or(Action::New),
            account: sent.account.map(account).transpose()?,
            id: name("id", sent.id.as_ref())?,
            sent,
        })
    }

    /// `None` without a symbol.
    pub fn symbol(&self) -> Option<&str> {
        self.sent.symbol.as_ref().map(Text::get)
    }
}

fn account(raw: &RawValue) -> Result<NamedAccount<'_>, Fault> {
    let raw = raw.get();
    let invalid = || Fault::invalid("account", "the number or the name of an account");
    if raw.starts_with('"') {
        let Text(name) = serde_json::from_str(raw).map_err(|_| invalid())?;
        return Ok(NamedAccount::Name(name));
    }
    raw.parse().map(|number| NamedAccount::Number(AccountId(number))).map_err(|_| invalid())
}

/// A client's name for an order.
pub(super) fn name(field: &str, sent: Option<&Text<'_>>) -> Result<Option<ClOrdId>, Fault> {
    let Some(sent) = sent else { return Ok(None) };
    let parsed = ClOrdId::parse(sent.get()).filter(|name| !name.is_of_venue());
    parsed.map(Some).ok_or_else(|| {
        Fault::invalid(field, "1 to 36 characters of A-Z, a-z, 0-9, `.`, `:`, `/`, `_` and `-`")
    })
}
