//! `[trace]`: which orders are traced, and the collector that gets their traces.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use types::{format_decimal, parse_decimal};

const SCHEME: &str = "http://";
/// Where a collector takes traces, unless the address has a path.
const DEFAULT_PATH: &str = "/v1/traces";
const DECIMALS: u8 = 6;
const ALL_MILLIONTHS: u32 = 1_000_000;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Trace {
    /// Address of the collector. Without one, no order is traced.
    pub otlp: Option<String>,
    /// Share of the orders that are traced.
    pub sample: Share,
}

impl Default for Trace {
    fn default() -> Self {
        Self { otlp: None, sample: Share { millionths: ALL_MILLIONTHS / 100 } }
    }
}

impl Trace {
    pub(super) fn check(&self) -> Result<(), String> {
        self.collector().map(drop)
    }

    /// The address that traces are sent to.
    pub fn collector(&self) -> Result<Option<String>, String> {
        let Some(url) = &self.otlp else { return Ok(None) };
        if url.starts_with("https://") {
            return Err(format!(
                "trace_otlp has no TLS, and is `{url}`: name a collector on this machine or \
                 network, which may encrypt and pass the traces on"
            ));
        }
        let address = url.strip_prefix(SCHEME).and_then(|rest| {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let path = if matches!(path, "" | "/") { DEFAULT_PATH } else { path };
            let is_plain = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
            (is_host(host) && is_plain).then(|| format!("{SCHEME}{host}{path}"))
        });
        address.map(Some).ok_or_else(|| {
            format!("trace_otlp must be an address such as http://127.0.0.1:4318, and is `{url}`")
        })
    }
}

/// A name or an address, perhaps with a port.
fn is_host(text: &str) -> bool {
    // An address of IPv6 is in brackets and has colons itself.
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (text, None),
    };
    let is_name = match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)),
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|number| number > 0);
    !name.is_empty() && is_name && port.is_none_or(is_port)
}

/// 0 to 1 with at most six decimals: `0.01`, `1`, or `"0.01"`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Share {
    millionths: u32,
}

impl Share {
    pub const fn millionths(self) -> u32 {
        self.millionths
    }

    fn parse(text: &str) -> Option<Self> {
        let millionths = u32::try_from(parse_decimal(text, DECIMALS)?).ok()?;
        (millionths <= ALL_MILLIONTHS).then_some(Self { millionths })
    }
}

/// As text, so that a variable's text is read by [`Share::deserialize`] too.
impl Serialize for Share {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let text = format_decimal(self.millionths.into(), DECIMALS, DECIMALS);
        to.serialize_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Number)
    }
}

struct Number;

impl Visitor<'_> for Number {
    type Value = Share;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a share from 0 to 1 with at most six decimals")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Share, E> {
        Share::parse(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Share, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Share, E> {
        self.visit_str(&number.to_string())
    }

    /// The shortest text of a float is the one that a file has.
    fn visit_f64<E: Error>(self, number: f64) -> Result<Share, E> {
        self.visit_str(&number.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::settings::tests::{load, refused};

    #[test]
    fn a_collector_has_an_address_and_perhaps_a_path() {
        let collector = |url: &str| load(json!({ "trace_otlp": url }))?.trace.collector();
        assert_eq!(load(json!({})).unwrap().trace.collector(), Ok(None));
        for (url, expected) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("http://collector/", "http://collector/v1/traces"),
            ("http://[::1]:4318", "http://[::1]:4318/v1/traces"),
            ("http://[::1]", "http://[::1]/v1/traces"),
            ("http://a.example:80/otlp/v1/traces?x=1", "http://a.example:80/otlp/v1/traces?x=1"),
        ] {
            assert_eq!(collector(url), Ok(Some(expected.to_owned())));
        }
        for url in [
            "",
            "127.0.0.1:4318",
            "http://",
            "http://:4318",
            "http://a:0",
            "http://a:65536",
            "http://a:b",
            "http://me@a",
            "http://[::g]:4318",
            "http://a/ b",
            "http://a/b#c",
            "grpc://a:4317",
        ] {
            let error = collector(url).unwrap_err();
            assert!(error.contains("trace_otlp must be an address such as"), "{error}");
            assert!(error.contains(&format!("and is `{url}`")), "{error}");
        }
        assert!(collector("https://a").unwrap_err().contains("trace_otlp has no TLS"));
    }

    #[test]
    fn the_sample_is_a_share() {
        let sample = |sample: Value| load(json!({ "trace_sample": sample })).unwrap().trace.sample;
        assert_eq!(load(json!({})).unwrap().trace.sample.millionths(), 10_000);
        for (value, expected) in [
            (json!("0.000001"), 1),
            (json!(0.25), 250_000),
            (json!("1"), 1_000_000),
            (json!(1), 1_000_000),
            (json!(0), 0),
        ] {
            assert_eq!(sample(value).millionths(), expected);
        }
        for wrong in ["", "-0.1", "1.000001", "0.0000001", "1%", "2"] {
            let error = refused(json!({ "trace_sample": wrong }));
            assert!(error.contains("trace-sample") && error.contains("0 to 1"), "{error}");
        }
    }
}
