//! The forms of values, each with one canonical spelling, so that a file and a venue compare.

use ipnet::IpNet;
use serde_json::Value;
use venue::Verifier;

use crate::calendar::canonical_sessions;
use crate::key::{format_expiry, parse_network, parse_time};

/// The word of a value that is no value: no limit, no rule, no fees of its own.
pub(super) const NONE: &str = "none";

/// Words in a row of fee tiers or sessions.
const ROW: usize = 3;

#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    Decimal { none: bool },
    Count { none: bool, max: u64 },
    Flag,
    Text,
    Word(&'static [&'static str]),
    Tiers,
    Sessions,
    Networks,
    PublicKey,
    Time,
}

impl Form {
    pub(super) fn is_count(self) -> bool {
        matches!(self, Self::Count { .. })
    }

    /// The canonical value, or the rest of a sentence that begins with the key. Null is `none`.
    pub(super) fn canonical(self, value: &Value) -> Result<Value, String> {
        let text = value.as_str();
        match self {
            Self::Decimal { none: true } | Self::Count { none: true, .. }
                if value.is_null() || text == Some(NONE) =>
            {
                Ok(Value::Null)
            }
            Self::Decimal { none } => {
                let or_none = if none { ", or \"none\"" } else { "" };
                decimal(value).map(Value::from).ok_or_else(|| {
                    format!("must be a decimal, such as 0.01{or_none}{}", found(value))
                })
            }
            Self::Count { none, max } => {
                let or_none = if none { ", or \"none\"" } else { "" };
                let number = value.as_u64().filter(|number| *number <= max);
                let expected =
                    || format!("must be a whole number from 0 to {max}{or_none}{}", found(value));
                number.map(Value::from).ok_or_else(expected)
            }
            Self::Flag => value
                .as_bool()
                .map(Value::from)
                .ok_or_else(|| format!("must be true or false{}", found(value))),
            Self::Text => text
                .map(Value::from)
                .ok_or_else(|| format!("must be a text in quotes{}", found(value))),
            Self::Word(words) => {
                let word = words.iter().find(|word| text == Some(**word));
                let all = words.join("\", \"");
                let expected = || format!("must be one of \"{all}\"{}", found(value));
                word.map(|word| Value::from(*word)).ok_or_else(expected)
            }
            Self::Tiers => tiers(value),
            Self::Sessions => sessions(value),
            Self::Networks => networks(value),
            Self::PublicKey => {
                let Some(pem) = text else {
                    return Err(format!("must be a text in PEM{}", found(value)));
                };
                let verifier =
                    Verifier::from_pem(pem).map_err(|error| format!("is wrong: {error}"))?;
                Ok(verifier.to_pem().into())
            }
            Self::Time => {
                let expected = || "must be a time, such as \"2027-01-31T00:00:00Z\"".to_owned();
                let text = text.ok_or_else(|| expected() + &found(value))?;
                let time = parse_time(text).map_err(|error| format!("is wrong: {error}"))?;
                Ok(format_expiry(time).into())
            }
        }
    }
}

/// A value as a difference shows it.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Null => NONE.to_owned(),
        Value::String(text) if text.contains('\n') => {
            text.lines().nth(1).unwrap_or_default().to_owned()
        }
        Value::String(text) => text.clone(),
        Value::Array(all) if all.is_empty() => NONE.to_owned(),
        Value::Array(all) => {
            let row = |row: &Value| match row {
                Value::Array(words) => words.iter().map(shown).collect::<Vec<_>>().join(" "),
                word => shown(word),
            };
            all.iter().map(row).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

fn found(value: &Value) -> String {
    format!(", and is {value}")
}

/// Without zeros that have no meaning.
fn decimal(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let (sign, digits) = text.strip_prefix('-').map_or(("", &*text), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_plain(whole) || !is_plain(fraction) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() {
        let sign = if whole == "0" { "" } else { sign };
        return Some(format!("{sign}{whole}"));
    }
    Some(format!("{sign}{whole}.{fraction}"))
}

fn rows(value: &Value) -> Option<Vec<[&Value; ROW]>> {
    let rows = value.as_array()?.iter().map(|row| {
        let [first, second, third] = row.as_array()?.as_slice() else { return None };
        Some([first, second, third])
    });
    rows.collect()
}

fn tiers(value: &Value) -> Result<Value, String> {
    let expected = || {
        format!(
            "must be a list of tiers, such as [[\"0\", \"10\", \"20\"]]: a volume, the maker's and \
             the taker's basis points{}",
            found(value)
        )
    };
    let rows = rows(value).ok_or_else(expected)?;
    let row = |row: [&Value; ROW]| {
        let words = row.map(decimal);
        let words: Option<Vec<_>> = words.into_iter().collect();
        words.map(Value::from)
    };
    let tiers: Option<Vec<Value>> = rows.into_iter().map(row).collect();
    tiers.map(Value::from).ok_or_else(expected)
}

fn sessions(value: &Value) -> Result<Value, String> {
    let expected = || {
        format!(
            "must be a list of sessions, such as [[\"Mon-Fri\", \"09:00\", \"Continuous\"]]: days, \
             time (UTC), phase{}",
            found(value)
        )
    };
    let rows = rows(value).ok_or_else(expected)?;
    let words = rows.into_iter().flatten().map(|word| word.as_str().map(str::to_owned));
    let words: Vec<String> = words.collect::<Option<_>>().ok_or_else(expected)?;
    let sessions = canonical_sessions(&words).map_err(|error| format!("is wrong: {error}"))?;
    Ok(sessions.into_iter().map(|session| Value::from(session.to_vec())).collect())
}

fn networks(value: &Value) -> Result<Value, String> {
    let expected =
        || format!("must be a list of networks, such as [\"192.0.2.0/24\"]{}", found(value));
    let network = |network: &Value| {
        let network = parse_network(network.as_str().ok_or_else(expected)?);
        let network = network.map_err(|error| format!("is wrong: {error}"))?;
        Ok::<_, String>(Value::from(IpNet::to_string(&network)))
    };
    value.as_array().ok_or_else(expected)?.iter().map(network).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_decimal_has_one_spelling() {
        for (given, expected) in [
            (json!("0.0100"), Some("0.01")),
            (json!("005"), Some("5")),
            (json!("1000.00000000"), Some("1000")),
            (json!("-0.50"), Some("-0.5")),
            (json!("-0.0"), Some("0")),
            (json!("0"), Some("0")),
            (json!(7), Some("7")),
            (json!("1e5"), None),
            (json!(".5"), None),
            (json!(""), None),
            (json!("+1"), None),
            (json!(true), None),
        ] {
            assert_eq!(decimal(&given).as_deref(), expected, "{given}");
        }
    }

    #[test]
    fn days_and_times_have_one_spelling() {
        let given = json!([["Mon,Tue,Wed", "09:00", "Continuous"]]);
        let expected = json!([["Mon-Wed", "09:00:00", "Continuous"]]);
        assert_eq!(Form::Sessions.canonical(&given), Ok(expected));
    }
}
