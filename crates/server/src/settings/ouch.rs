//! `[ouch]`: the ports of OUCH over SoupBinTCP and over UDP.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use gateway::OuchSettings;
use serde::{Deserialize, Serialize};

use super::address;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Ouch {
    /// `None` is no such port; port 0 is any free port.
    #[serde(deserialize_with = "address::deserialize_some")]
    pub address: Option<SocketAddr>,
    /// A Unix socket for clients of this machine.
    pub unix: Option<PathBuf>,
    /// `None` is no such port; port 0 is any free port. What goes over it is always encrypted.
    #[serde(deserialize_with = "address::deserialize_some")]
    pub udp: Option<SocketAddr>,
    /// A Unix socket for clients of this machine that use shared memory.
    pub shm: Option<PathBuf>,
    /// Listen beyond this machine without encryption.
    pub cleartext: bool,
    /// Open connections.
    pub connections_max: usize,
    /// Whether the orders of a session are canceled when it ends.
    pub cancel_on_disconnect: bool,
}

const CONNECTIONS_MAX: RangeInclusive<usize> = 1..=100_000;

impl Default for Ouch {
    fn default() -> Self {
        let OuchSettings { connections_max, cancel_on_disconnect } = OuchSettings::default();
        Self {
            address: None,
            unix: None,
            udp: None,
            shm: None,
            cleartext: false,
            connections_max,
            cancel_on_disconnect,
        }
    }
}

impl Ouch {
    pub(crate) fn is_on(&self) -> bool {
        self.address.is_some() || self.unix.is_some() || self.udp.is_some() || self.shm.is_some()
    }

    /// Refuses to listen beyond this machine without TLS, unless `cleartext` is set.
    pub(super) fn check(&self, speaks_tls: bool) -> Result<(), String> {
        if let Some(address) = self.address
            && !address.ip().is_loopback()
            && !speaks_tls
            && !self.cleartext
        {
            return Err(format!(
                "{address} can be reached from other machines, and passwords would not be \
                 encrypted: name a certificate with --tls-cert and --tls-key, or add \
                 --ouch-cleartext on a network of your own"
            ));
        }
        if !CONNECTIONS_MAX.contains(&self.connections_max) {
            return Err(format!(
                "ouch_connections_max must be {} to {}, and is {}",
                CONNECTIONS_MAX.start(),
                CONNECTIONS_MAX.end(),
                self.connections_max
            ));
        }
        Ok(())
    }

    pub(super) fn ouch_settings(&self) -> OuchSettings {
        OuchSettings {
            connections_max: self.connections_max,
            cancel_on_disconnect: self.cancel_on_disconnect,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::settings::tests::{load, refused};

    #[test]
    fn passwords_go_over_a_network_in_the_open_only_on_request() {
        assert_eq!(load(json!({})).unwrap().ouch.address, None);
        let port = |flags| load(flags).unwrap().ouch.address.unwrap().to_string();
        assert_eq!(port(json!({ "ouch": "127.0.0.1:0" })), "127.0.0.1:0");
        assert_eq!(port(json!({ "ouch": ":9000" })), "127.0.0.1:9000");
        let sentence = refused(json!({ "ouch": "0.0.0.0:9000" }));
        assert!(sentence.contains("--ouch-cleartext"), "{sentence}");
        assert!(load(json!({ "ouch": "0.0.0.0:9000", "ouch_cleartext": true })).is_ok());
        assert!(load(json!({ "ouch": "0.0.0.0:9000", "tls_self_signed": true })).is_ok());
        assert!(load(json!({ "ouch_udp": "0.0.0.0:9000" })).unwrap().ouch.is_on());
        let none = refused(json!({ "ouch_connections_max": 0 }));
        assert!(none.contains("must be 1 to 100000"), "{none}");
    }
}
