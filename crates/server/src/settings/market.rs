//! `[market]`: a recording whose orders a demo's clients trade with.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Market {
    /// None is no such market. Each is a file, or SYMBOL=FILE.
    #[serde(deserialize_with = "deserialize_files")]
    pub files: Vec<MarketFile>,
    /// Times faster than recorded.
    pub speed: f64,
    /// Leave wrong rows out.
    pub lenient: bool,
}

/// A file, and the name of its instrument if that is given.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MarketFile {
    pub name: Option<String>,
    pub path: PathBuf,
}

/// The time of no recording overflows within these.
const SPEED: RangeInclusive<f64> = 0.001..=1e9;

impl Default for Market {
    fn default() -> Self {
        Self { files: Vec::new(), speed: 1.0, lenient: false }
    }
}

impl Market {
    pub(super) fn check(&self) -> Result<(), String> {
        if SPEED.contains(&self.speed) {
            return Ok(());
        }
        let (min, max) = (SPEED.start(), SPEED.end());
        Err(format!("speed must be {min} to {max}, and is {}", self.speed))
    }
}

impl MarketFile {
    fn parse(text: &str) -> Self {
        match text.split_once('=') {
            Some((name, path)) if !name.is_empty() && !name.contains('/') => {
                Self { name: Some(name.to_owned()), path: path.into() }
            }
            _ => Self { name: None, path: text.into() },
        }
    }
}

impl Serialize for MarketFile {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let name = self.name.as_ref().map(|name| format!("{name}=")).unwrap_or_default();
        out.serialize_str(&format!("{name}{}", self.path.display()))
    }
}

/// One text, or several.
fn deserialize_files<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<MarketFile>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Texts {
        One(String),
        Several(Vec<String>),
    }
    let texts = match Texts::deserialize(source)? {
        Texts::One(text) => vec![text],
        Texts::Several(texts) => texts,
    };
    Ok(texts.iter().map(|text| MarketFile::parse(text)).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::settings::tests::{load, refused};

    #[test]
    fn files_may_have_the_name_of_their_instrument() {
        let settings = load(json!({ "market": ["day.dbn", "BTCUSDT=l2.csv.gz"] })).unwrap();
        let [first, second] = &settings.market.files[..] else { panic!("{:?}", settings.market) };
        assert_eq!((&first.name, first.path.to_str()), (&None, Some("day.dbn")));
        let name = Some("BTCUSDT".to_owned());
        assert_eq!((&second.name, second.path.to_str()), (&name, Some("l2.csv.gz")));
        assert!(settings.demo.enabled && !settings.has_bots());
        assert_eq!(load(json!({ "market": "./a=b/c" })).unwrap().market.files[0].name, None);
    }

    #[test]
    fn a_speed_has_its_range() {
        assert!(load(json!({ "market": "f", "speed": 0.001 })).is_ok());
        for speed in [0.0, -1.0, 1e-300, 1e10] {
            let error = refused(json!({ "market": "f", "speed": speed }));
            assert!(error.contains("speed must be 0.001 to 1000000000"), "{error}");
        }
    }
}
