//! `[grpc]`: the port of gRPC.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

#[cfg(feature = "grpc")]
use gateway::GrpcSettings;
use serde::{Deserialize, Serialize};

use super::address;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Grpc {
    /// `None` is no such port; port 0 is any free port.
    #[serde(deserialize_with = "address::deserialize_some")]
    pub address: Option<SocketAddr>,
    /// A Unix socket for clients of this machine.
    pub unix: Option<PathBuf>,
    /// Listen beyond this machine without encryption.
    pub cleartext: bool,
    /// Open connections.
    pub connections_max: usize,
}

const CONNECTIONS_MAX: RangeInclusive<usize> = 1..=100_000;

impl Default for Grpc {
    fn default() -> Self {
        Self { address: None, unix: None, cleartext: false, connections_max: 1_024 }
    }
}

impl Grpc {
    pub(crate) fn is_on(&self) -> bool {
        self.address.is_some() || self.unix.is_some()
    }

    /// Refuses to listen beyond this machine without TLS, unless `cleartext` is set.
    pub(super) fn check(&self, speaks_tls: bool) -> Result<(), String> {
        if self.is_on() && cfg!(not(feature = "grpc")) {
            return Err("this build has no gRPC: build with the feature `grpc`".into());
        }
        if let Some(address) = self.address
            && !address.ip().is_loopback()
            && !speaks_tls
            && !self.cleartext
        {
            return Err(format!(
                "{address} can be reached from other machines, and tokens would not be encrypted: \
                 name a certificate with --tls-cert and --tls-key, or add --grpc-cleartext on a \
                 network of your own"
            ));
        }
        if !CONNECTIONS_MAX.contains(&self.connections_max) {
            return Err(format!(
                "grpc_connections_max must be {} to {}, and is {}",
                CONNECTIONS_MAX.start(),
                CONNECTIONS_MAX.end(),
                self.connections_max
            ));
        }
        Ok(())
    }

    #[cfg(feature = "grpc")]
    pub(super) fn grpc_settings(&self) -> GrpcSettings {
        GrpcSettings { connections_max: self.connections_max }
    }
}

#[cfg(all(test, feature = "grpc"))]
mod tests {
    use serde_json::json;

    use crate::settings::tests::{load, refused};

    #[test]
    fn tokens_go_over_a_network_in_the_open_only_on_request() {
        assert!(!load(json!({})).unwrap().grpc.is_on());
        let port = |flags| load(flags).unwrap().grpc.address.unwrap().to_string();
        assert_eq!(port(json!({ "grpc": ":9001" })), "127.0.0.1:9001");
        let sentence = refused(json!({ "grpc": "0.0.0.0:9001" }));
        assert!(sentence.contains("--grpc-cleartext"), "{sentence}");
        assert!(load(json!({ "grpc": "0.0.0.0:9001", "grpc_cleartext": true })).is_ok());
        assert!(load(json!({ "grpc": "0.0.0.0:9001", "tls_self_signed": true })).is_ok());
        let none = refused(json!({ "grpc_connections_max": 0 }));
        assert!(none.contains("must be 1 to 100000"), "{none}");
    }
}
