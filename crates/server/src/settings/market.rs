//! `[market]`: a recording, or the feed of a running venue, whose orders a demo's clients trade
//! with.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Market {
    /// None is no such market. Each is a file or the address of a venue, perhaps with the symbol
    /// in front: SYMBOL=FILE.
    #[serde(deserialize_with = "deserialize_files")]
    pub files: Vec<MarketSource>,
    /// Times faster than recorded.
    pub speed: f64,
    /// Leave wrong rows out.
    pub lenient: bool,
    /// Certificates of authorities (PEM) that a mirrored venue's is checked by, in place of those
    /// that this machine trusts.
    pub ca: Option<PathBuf>,
}

/// A source, and the name of its instrument if that is given.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MarketSource {
    pub name: Option<String>,
    pub place: Place,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Place {
    File(PathBuf),
    /// Of a venue that speaks the Binance API.
    Url(String),
}

/// The time of no recording overflows within these.
const SPEED: RangeInclusive<f64> = 0.001..=1e9;

impl Default for Market {
    fn default() -> Self {
        Self { files: Vec::new(), speed: 1.0, lenient: false, ca: None }
    }
}

impl Market {
    pub(super) fn check(&self) -> Result<(), String> {
        if !SPEED.contains(&self.speed) {
            let (min, max) = (SPEED.start(), SPEED.end());
            return Err(format!("speed must be {min} to {max}, and is {}", self.speed));
        }
        let is_encrypted = self.url().is_some_and(|url| url.starts_with("https://"));
        if self.ca.is_some() && !is_encrypted {
            return Err("ca has a use with a market at an https:// address only".to_owned());
        }
        let Some(url) = self.url() else { return Ok(()) };
        let is_it = |source: &MarketSource| source.place == Place::Url(url.to_owned());
        if !self.files.iter().all(is_it) {
            return Err(format!("files: {url} cannot be mirrored beside another market"));
        }
        if self.speed != 1.0 {
            return Err(format!("speed is of recordings: {url} trades at its own"));
        }
        Ok(())
    }

    /// The venue that is mirrored.
    pub fn url(&self) -> Option<&str> {
        self.files.iter().find_map(|source| match &source.place {
            Place::Url(url) => Some(url.as_str()),
            Place::File(_) => None,
        })
    }
}

impl MarketSource {
    fn parse(text: &str) -> Self {
        let (name, place) = match text.split_once('=') {
            Some((name, place)) if !name.is_empty() && !name.contains('/') => {
                (Some(name.to_owned()), place)
            }
            _ => (None, text),
        };
        let is_url = place.starts_with("http://") || place.starts_with("https://");
        let place = if is_url { Place::Url(place.to_owned()) } else { Place::File(place.into()) };
        Self { name, place }
    }
}

impl Serialize for MarketSource {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let name = self.name.as_ref().map(|name| format!("{name}=")).unwrap_or_default();
        match &self.place {
            Place::File(path) => out.serialize_str(&format!("{name}{}", path.display())),
            Place::Url(url) => out.serialize_str(&format!("{name}{url}")),
        }
    }
}

/// One text, or several.
fn deserialize_files<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<MarketSource>, D::Error> {
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
    Ok(texts.iter().map(|text| MarketSource::parse(text)).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Place;
    use crate::settings::tests::{load, refused};

    #[test]
    fn files_may_have_the_name_of_their_instrument() {
        let settings = load(json!({ "market": ["day.dbn", "BTCUSDT=l2.csv.gz"] })).unwrap();
        let [first, second] = &settings.market.files[..] else { panic!("{:?}", settings.market) };
        assert_eq!((&first.name, &first.place), (&None, &Place::File("day.dbn".into())));
        let name = Some("BTCUSDT".to_owned());
        assert_eq!((&second.name, &second.place), (&name, &Place::File("l2.csv.gz".into())));
        assert!(settings.demo.enabled && !settings.has_bots());
        assert_eq!(load(json!({ "market": "./a=b/c" })).unwrap().market.files[0].name, None);
    }

    #[test]
    fn a_venue_is_mirrored_alone_and_at_its_own_speed() {
        let url = "http://127.0.0.1:8080";
        let settings = load(json!({ "market": [format!("BTCUSDT={url}"), url] })).unwrap();
        assert_eq!(settings.market.url(), Some(url));
        assert_eq!(settings.market.files[0].name.as_deref(), Some("BTCUSDT"));
        assert!(settings.demo.enabled && !settings.has_bots());
        let error = refused(json!({ "market": [url, "day.dbn"] }));
        assert!(error.contains("cannot be mirrored beside another market"), "{error}");
        let error = refused(json!({ "market": [url], "speed": 10 }));
        assert!(error.contains("speed is of recordings"), "{error}");
    }

    #[test]
    fn authorities_are_for_a_venue_that_speaks_tls() {
        let url = "https://venue.example:8080";
        let settings = load(json!({ "market": [url], "market_ca": "ca.pem" })).unwrap();
        assert_eq!(settings.market.ca, Some("ca.pem".into()));
        for market in ["http://127.0.0.1:8080", "day.dbn"] {
            let error = refused(json!({ "market": [market], "market_ca": "ca.pem" }));
            assert!(error.contains("ca has a use with a market at an https://"), "{error}");
        }
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
