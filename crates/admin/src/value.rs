//! Parsing and printing of operators' values.

use clap::Args;
use cli::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::ExternalRef;

/// Turns an enum into another one of the same variants.
macro_rules! mirrored {
    ($from:ident => $into:ident: $($variant:ident),+) => {
        impl From<$from> for $into {
            fn from(value: $from) -> Self {
                match value {
                    $($from::$variant => Self::$variant),+
                }
            }
        }
    };
}
pub(super) use mirrored;

/// The arguments of an operation without arguments.
#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(super) struct Nothing {}

/// An answer as JSON.
pub(super) fn to_json(answer: impl Serialize) -> Value {
    serde_json::to_value(answer).expect("answers have text keys and no floats")
}

pub(super) fn parse_external_ref(text: &str) -> Result<ExternalRef, Failure> {
    ExternalRef::parse(text)
        .ok_or_else(|| invalid("reference", text, "1 to 64 visible ASCII characters"))
}

/// A limit or a rule that 0 switches off, as answers show it.
pub(super) fn limit(value: u32) -> Option<u32> {
    (value > 0).then_some(value)
}

/// Basis points with two decimals.
pub(super) fn parse_fee(text: &str) -> Result<u32, Failure> {
    types::parse_decimal(text, 2)
        .and_then(|fee| u32::try_from(fee).ok())
        .ok_or_else(|| invalid("fee", text, "basis points with at most two decimals"))
}

pub(super) fn format_fee(fee_bps_x100: u32) -> String {
    types::format_decimal(i128::from(fee_bps_x100), 2, 2)
}

pub(super) fn invalid(what: &str, text: &str, expected: &str) -> Failure {
    Failure::new(format!("the {what} `{text}` is not {expected}"))
}

/// A list of three words each: one row of words on a command line, lists of three in JSON.
pub(super) mod words_of_three {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    const WORDS: usize = 3;

    pub(crate) fn serialize<S: Serializer>(words: &[String], to: S) -> Result<S::Ok, S::Error> {
        words.chunks(WORDS).collect::<Vec<_>>().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
        let lists = Vec::<[String; WORDS]>::deserialize(from)?;
        Ok(lists.into_iter().flatten().collect())
    }
}
