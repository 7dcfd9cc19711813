//! Settings of the feed, and where it is served.

use std::net::{IpAddr, SocketAddr, UdpSocket};

use tokio::net::TcpListener;

/// Limits of the feed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ItchSettings {
    /// Open connections for snapshots.
    pub glimpse_connections_max: usize,
}

impl Default for ItchSettings {
    fn default() -> Self {
        Self { glimpse_connections_max: 64 }
    }
}

/// Where the feed goes, and where its clients ask.
#[derive(Debug)]
pub struct ItchDoors {
    /// Groups and addresses, each of which gets every packet.
    pub receivers: Vec<SocketAddr>,
    /// The address of this machine that packets are sent from.
    pub interface: Option<IpAddr>,
    /// How many routers a packet to a group may pass.
    pub ttl: u8,
    pub recovery: Option<UdpSocket>,
    pub glimpse: Option<TcpListener>,
}
