//! `[itch]`: the market order by order, its retransmissions and its snapshots.

use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;

use gateway::ItchSettings;
use serde::{Deserialize, Serialize};

use crate::settings::address;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Itch {
    /// Multicast groups and addresses with a port. None is no feed.
    pub receivers: Vec<String>,
    /// The address of this machine that packets are sent from.
    pub interface: Option<IpAddr>,
    /// How many routers a packet to a group may pass.
    pub ttl: u8,
    /// Where receivers ask for messages that they missed; port 0 is any free port.
    #[serde(deserialize_with = "address::deserialize_some")]
    pub recovery: Option<SocketAddr>,
    /// Where clients get snapshots; port 0 is any free port.
    #[serde(deserialize_with = "address::deserialize_some")]
    pub glimpse: Option<SocketAddr>,
    /// Open connections for snapshots.
    pub glimpse_connections_max: usize,
}

const TTL: RangeInclusive<u8> = 1..=u8::MAX;
const CONNECTIONS_MAX: RangeInclusive<usize> = 1..=10_000;
/// A packet is sent to each.
const RECEIVERS_MAX: usize = 64;

impl Default for Itch {
    fn default() -> Self {
        let ItchSettings { glimpse_connections_max } = ItchSettings::default();
        Self {
            receivers: Vec::new(),
            interface: None,
            ttl: 1,
            recovery: None,
            glimpse: None,
            glimpse_connections_max,
        }
    }
}

impl Itch {
    pub(crate) fn is_on(&self) -> bool {
        !self.receivers.is_empty() || self.recovery.is_some() || self.glimpse.is_some()
    }

    /// The receivers as addresses.
    pub(crate) fn receivers(&self) -> Result<Vec<SocketAddr>, String> {
        let parse = |text: &String| {
            let address = address::parse(text).map_err(|error| format!("itch {error}"))?;
            match address.port() {
                0 => Err(format!("itch must name the port of a receiver, and is `{text}`")),
                _ => Ok(address),
            }
        };
        self.receivers.iter().map(parse).collect()
    }

    pub(super) fn check(&self) -> Result<(), String> {
        if self.receivers()?.len() > RECEIVERS_MAX {
            return Err(format!("itch may name {RECEIVERS_MAX} receivers: use a multicast group"));
        }
        if !TTL.contains(&self.ttl) {
            return Err("itch_ttl must be 1 to 255, and is 0".into());
        }
        if !CONNECTIONS_MAX.contains(&self.glimpse_connections_max) {
            return Err(format!(
                "glimpse_connections_max must be {} to {}, and is {}",
                CONNECTIONS_MAX.start(),
                CONNECTIONS_MAX.end(),
                self.glimpse_connections_max
            ));
        }
        Ok(())
    }

    pub(super) fn itch_settings(&self) -> ItchSettings {
        ItchSettings { glimpse_connections_max: self.glimpse_connections_max }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::settings::tests::{load, refused};

    #[test]
    fn receivers_are_groups_and_addresses_with_a_port() {
        assert!(!load(json!({})).unwrap().itch.is_on());
        let flags = json!({ "itch": ["233.252.14.1:21001", "localhost:21001", "[ff02::1]:1"] });
        let itch = load(flags).unwrap().itch;
        let text: Vec<_> = itch.receivers().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(text, ["233.252.14.1:21001", "127.0.0.1:21001", "[ff02::1]:1"]);
        for (text, why) in [("233.252.14.1", "with a port"), ("127.0.0.1:0", "name the port")] {
            let sentence = refused(json!({ "itch": [text] }));
            assert!(sentence.contains(why), "{text}: {sentence}");
        }
        assert!(refused(json!({ "itch_ttl": 0 })).contains("1 to 255"));
        assert!(refused(json!({ "glimpse_connections_max": 0 })).contains("1 to 10000"));
    }
}
