//! `[http]`: the port of REST and WebSocket, its encryption, names, proxies, and the origins of web
//! pages.

use std::fmt::Display;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use gateway::{AllowedHost, Origin, SocketSettings, Tls, TlsError, TrustedProxy};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Http {
    /// Port 0 is any free port.
    #[serde(deserialize_with = "super::address::deserialize")]
    pub address: SocketAddr,
    /// PEM, with its intermediate certificates.
    pub tls_cert: Option<PathBuf>,
    /// PEM.
    pub tls_key: Option<PathBuf>,
    /// The certificate is created at the start, for a trial.
    pub tls_self_signed: bool,
    /// Listen beyond this machine without encryption.
    pub allow_plaintext: bool,
    /// Origins of the web pages that may read the answers and change something.
    pub cors_origin: Vec<String>,
    /// Names of the venue, beside `localhost` and IP addresses. Without one, a port that other
    /// machines reach has any name.
    pub allowed_host: Vec<String>,
    /// Networks of the proxies whose word for a client's address is taken.
    pub trusted_proxy: Vec<String>,
    /// Open connections, HTTP and WebSocket together.
    pub connections_max: usize,
    /// Of them, those of one address; 0 is an eighth, and half for an address of this machine.
    pub connections_per_address: usize,
}

const CONNECTIONS_MAX: std::ops::RangeInclusive<usize> = 16..=1_000_000;

impl Default for Http {
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 8080)),
            tls_cert: None,
            tls_key: None,
            tls_self_signed: false,
            allow_plaintext: false,
            cors_origin: Vec::new(),
            allowed_host: Vec::new(),
            trusted_proxy: Vec::new(),
            connections_max: SocketSettings::default().connections_max,
            connections_per_address: 0,
        }
    }
}

impl Http {
    /// Refuses to listen beyond this machine without TLS, unless `allow_plaintext` is set.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.tls_cert.is_some() != self.tls_key.is_some() {
            return Err("tls_cert and tls_key go together: name both files".into());
        }
        if self.tls_self_signed && self.tls_cert.is_some() {
            return Err("tls_self_signed and tls_cert exclude each other: name one".into());
        }
        if !self.speaks_tls() && !self.address.ip().is_loopback() && !self.allow_plaintext {
            return Err(format!(
                "{} can be reached from other machines, and nothing would be encrypted: name a \
                 certificate with --tls-cert and --tls-key, try --tls-self-signed, or add \
                 --allow-plaintext if a proxy encrypts",
                self.address
            ));
        }
        if !CONNECTIONS_MAX.contains(&self.connections_max) {
            return Err(format!(
                "connections_max must be {} to {}, and is {}",
                CONNECTIONS_MAX.start(),
                CONNECTIONS_MAX.end(),
                self.connections_max
            ));
        }
        self.origins()?;
        self.allowed_hosts()?;
        self.trusted_proxies()?;
        Ok(())
    }

    /// With as many connections as the limit of open files leaves room for.
    pub(super) fn socket_settings(&self, connections_max: usize) -> SocketSettings {
        let per_address = self.connections_per_address;
        SocketSettings {
            connections_max,
            connections_per_address: (per_address > 0).then_some(per_address),
            ..SocketSettings::default()
        }
    }

    pub fn speaks_tls(&self) -> bool {
        self.tls_self_signed || self.tls_cert.is_some()
    }

    pub fn origins(&self) -> Result<Vec<Origin>, String> {
        parse_all(&self.cors_origin, "cors_origin")
    }

    pub fn allowed_hosts(&self) -> Result<Vec<AllowedHost>, String> {
        parse_all(&self.allowed_host, "allowed_host")
    }

    pub fn trusted_proxies(&self) -> Result<Vec<TrustedProxy>, String> {
        parse_all(&self.trusted_proxy, "trusted_proxy")
    }

    pub fn tls(&self) -> Result<Option<Arc<Tls>>, TlsError> {
        let tls = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Tls::from_files(certificate, key)?,
            _ if self.tls_self_signed => Tls::self_signed(&self.address.ip().to_string())?,
            _ => return Ok(None),
        };
        Ok(Some(Arc::new(tls)))
    }
}

fn parse_all<T: FromStr<Err: Display>>(texts: &[String], name: &str) -> Result<Vec<T>, String> {
    texts.iter().map(|text| text.parse().map_err(|error| format!("{name}: {error}"))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::settings::tests::{load, refused};

    #[test]
    fn nothing_goes_over_a_network_in_the_open_unless_it_is_said_so() {
        for http in ["0.0.0.0:0", "192.0.2.1:8080", "[::]:8080"] {
            let sentence = refused(json!({ "http": http }));
            assert!(
                sentence.contains(http) && sentence.contains("--allow-plaintext"),
                "{sentence}"
            );
            for allowed in [
                json!({ "http": http, "allow_plaintext": true }),
                json!({ "http": http, "tls_self_signed": true }),
                json!({ "http": http, "tls_cert": "c", "tls_key": "k" }),
            ] {
                assert!(load(allowed.clone()).is_ok(), "{allowed:?}");
            }
        }
        assert!(load(json!({ "http": "[::1]:8080" })).is_ok());
        assert!(refused(json!({ "tls_cert": "c" })).contains("tls_key"));
        let both = json!({ "tls_self_signed": true, "tls_cert": "c", "tls_key": "k" });
        assert!(refused(both).contains("tls_self_signed"));
        let bots = refused(json!({ "tls_self_signed": true, "demo": true }));
        assert!(bots.contains("--no-bots"));
        let quiet = json!({ "tls_self_signed": true, "demo": true, "no_bots": true });
        assert!(load(quiet).is_ok());
    }

    #[test]
    fn connections_have_a_range() {
        assert_eq!(load(json!({})).unwrap().http.connections_max, 12_000);
        for out_of_range in [0, 15, 1_000_001] {
            let sentence = refused(json!({ "connections_max": out_of_range }));
            assert!(sentence.contains("connections_max must be 16 to 1000000"), "{sentence}");
        }
        let few = load(json!({ "connections_max": 99, "connections_per_address": 3 })).unwrap();
        let settings = few.gateway_settings(88).socket;
        assert_eq!((settings.connections_max, settings.connections_per_address), (88, Some(3)));
    }

    #[test]
    fn web_pages_are_let_in_by_name_only() {
        let origins = |of| load(json!({ "cors_origin": of })).map(|all| all.http.origins());
        assert_eq!(origins(json!([])).unwrap(), Ok(vec![]));
        let two = json!(["https://a.example", "http://localhost:3000"]);
        assert_eq!(origins(two).unwrap().unwrap().len(), 2);
        assert!(origins(json!(["*"])).unwrap_err().contains("`*`"));
    }

    #[test]
    fn names_and_proxies_are_lists() {
        let flags = json!({
            "allowed_host": ["venue.example.com"],
            "trusted_proxy": ["10.0.0.0/8", "::1", "::ffff:192.0.2.7"],
        });
        let http = load(flags).unwrap().http;
        assert_eq!(http.allowed_hosts().unwrap().len(), 1);
        assert_eq!(http.trusted_proxies().unwrap()[2], "192.0.2.7/32".parse().unwrap());
        for (flags, sentence) in [
            (json!({ "allowed_host": ["http://a"] }), "`http://a` is not the name of a host"),
            (json!({ "trusted_proxy": ["a"] }), "`a` is not a network of proxies"),
        ] {
            let refused = refused(flags);
            assert!(refused.contains(sentence) && refused.contains("(from --"), "{refused}");
        }
    }
}
