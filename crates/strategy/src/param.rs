//! Parameters of strategies: typed, described, with ranges. A command line, a file and a program
//! set them by name, as text.

use std::collections::BTreeMap;

use thiserror::Error;

/// A parameter of a strategy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    pub name: &'static str,
    pub about: &'static str,
    pub kind: ParamKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamKind {
    /// A whole number from `min` to `max`.
    Int { default: i64, min: i64, max: i64 },
    /// A number from `min` to `max`.
    Float { default: f64, min: f64, max: f64 },
    /// One of some words; the first is the default.
    Word { words: &'static [&'static str] },
    /// A path or other text, empty by default.
    Text,
}

/// A parameter cannot be set.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ParamError {
    #[error("no parameter is called {name:?}: there are {known}")]
    Unknown { name: String, known: String },
    #[error("{name} is {text:?}, but must be {expected}")]
    Invalid { name: &'static str, text: String, expected: String },
    #[error("{0}")]
    Together(String),
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Int(i64),
    Float(f64),
    Text(String),
}

/// The values of all parameters of a strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    params: &'static [Param],
    values: BTreeMap<&'static str, Value>,
}

impl Param {
    pub const fn int(
        name: &'static str,
        default: i64,
        (min, max): (i64, i64),
        about: &'static str,
    ) -> Self {
        Self { name, about, kind: ParamKind::Int { default, min, max } }
    }

    pub const fn float(
        name: &'static str,
        default: f64,
        (min, max): (f64, f64),
        about: &'static str,
    ) -> Self {
        Self { name, about, kind: ParamKind::Float { default, min, max } }
    }

    pub const fn word(
        name: &'static str,
        words: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        Self { name, about, kind: ParamKind::Word { words } }
    }

    pub const fn text(name: &'static str, about: &'static str) -> Self {
        Self { name, about, kind: ParamKind::Text }
    }

    /// The values that it takes, for a message.
    pub fn range(&self) -> String {
        match self.kind {
            ParamKind::Int { min, max, .. } => format!("a whole number from {min} to {max}"),
            ParamKind::Float { min, max, .. } => format!("a number from {min} to {max}"),
            ParamKind::Word { words } => format!("one of {}", words.join(", ")),
            ParamKind::Text => "a text".to_owned(),
        }
    }

    /// The default as text.
    pub fn default_text(&self) -> String {
        match self.kind {
            ParamKind::Int { default, .. } => default.to_string(),
            ParamKind::Float { default, .. } => default.to_string(),
            ParamKind::Word { words } => words[0].to_owned(),
            ParamKind::Text => String::new(),
        }
    }

    fn read(&self, text: &str) -> Result<Value, ParamError> {
        let invalid = || ParamError::Invalid {
            name: self.name,
            text: text.to_owned(),
            expected: self.range(),
        };
        match self.kind {
            ParamKind::Int { min, max, .. } => {
                let value: i64 = text.parse().map_err(|_| invalid())?;
                (min..=max).contains(&value).then_some(Value::Int(value)).ok_or_else(invalid)
            }
            ParamKind::Float { min, max, .. } => {
                let value: f64 = text.parse().map_err(|_| invalid())?;
                (min..=max).contains(&value).then_some(Value::Float(value)).ok_or_else(invalid)
            }
            ParamKind::Word { words } => {
                let is_known = words.contains(&text);
                is_known.then(|| Value::Text(text.to_owned())).ok_or_else(invalid)
            }
            ParamKind::Text => Ok(Value::Text(text.to_owned())),
        }
    }
}

impl Values {
    pub fn defaults(params: &'static [Param]) -> Self {
        let default = |param: &'static Param| {
            let value = param.read(&param.default_text());
            (param.name, value.expect("a default is in its range"))
        };
        Self { params, values: params.iter().map(default).collect() }
    }

    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ParamError> {
        let Some(param) = self.params.iter().find(|param| param.name == name) else {
            let known: Vec<&str> = self.params.iter().map(|param| param.name).collect();
            return Err(ParamError::Unknown { name: name.to_owned(), known: known.join(", ") });
        };
        self.values.insert(param.name, param.read(text)?);
        Ok(())
    }

    /// All values as text, in the order of their names.
    pub fn list(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        self.values.iter().map(|(name, value)| {
            let text = match value {
                Value::Int(value) => value.to_string(),
                Value::Float(value) => value.to_string(),
                Value::Text(value) => value.clone(),
            };
            (*name, text)
        })
    }

    pub fn int(&self, name: &str) -> i64 {
        match self.get(name) {
            Value::Int(value) => *value,
            other => panic!("{name} is {other:?}"),
        }
    }

    pub fn float(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Float(value) => *value,
            other => panic!("{name} is {other:?}"),
        }
    }

    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Value::Text(value) => value,
            other => panic!("{name} is {other:?}"),
        }
    }

    /// A strategy reads the parameters that it lists.
    fn get(&self, name: &str) -> &Value {
        self.values.get(name).unwrap_or_else(|| panic!("the strategy has no parameter {name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: &[Param] = &[
        Param::int("lots", 1, (1, 10), "Lots of an order"),
        Param::float("skew", 0.5, (0.0, 1.0), "Ticks by which quotes move"),
        Param::word("model", &["plain", "other"], "Model"),
    ];

    #[test]
    fn values_have_defaults_and_ranges() {
        let mut values = Values::defaults(PARAMS);
        assert_eq!((values.int("lots"), values.text("model")), (1, "plain"));
        values.set("skew", "1").expect("in the range");
        let mut check = |name, text, expected: &str| {
            assert_eq!(values.set(name, text).expect_err("wrong").to_string(), expected);
        };
        check("lots", "11", "lots is \"11\", but must be a whole number from 1 to 10");
        check("lots", "1.5", "lots is \"1.5\", but must be a whole number from 1 to 10");
        check("skew", "NaN", "skew is \"NaN\", but must be a number from 0 to 1");
        check("model", "x", "model is \"x\", but must be one of plain, other");
        check("size", "1", "no parameter is called \"size\": there are lots, skew, model");
        assert_eq!(values.float("skew"), 1.0);
    }
}
