//! The sockets that packets are sent by.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use crate::itch::metrics::ItchMetrics;

/// Groups and addresses, each with the socket of its family.
#[derive(Debug)]
pub(crate) struct Receivers {
    v4: Option<UdpSocket>,
    v6: Option<UdpSocket>,
    addresses: Vec<SocketAddr>,
    /// A failure was logged since packets could last be sent.
    is_failing: bool,
}

impl Receivers {
    pub(crate) fn open(
        addresses: Vec<SocketAddr>,
        interface: Option<IpAddr>,
        ttl: u8,
    ) -> io::Result<Self> {
        let open = |is_v4: bool, any: IpAddr| {
            if !addresses.iter().any(|address| address.is_ipv4() == is_v4) {
                return Ok(None);
            }
            // A socket with an address of its own sends to groups by that interface.
            let of_family = interface.filter(|address| address.is_ipv4() == is_v4);
            UdpSocket::bind((of_family.unwrap_or(any), 0)).map(Some)
        };
        let v4 = open(true, Ipv4Addr::UNSPECIFIED.into())?;
        let v6 = open(false, Ipv6Addr::UNSPECIFIED.into())?;
        if let Some(v4) = &v4 {
            v4.set_multicast_ttl_v4(ttl.into())?;
        }
        Ok(Self { v4, v6, addresses, is_failing: false })
    }

    /// Sends a packet to all. One that cannot be sent is lost, as any can be on its way.
    pub(super) fn send(&mut self, packet: &[u8], metrics: &ItchMetrics) {
        for address in &self.addresses {
            let socket = if address.is_ipv4() { &self.v4 } else { &self.v6 };
            let Some(socket) = socket else { continue };
            match socket.send_to(packet, address) {
                Ok(_) => {
                    metrics.sent(packet.len());
                    self.is_failing = false;
                }
                Err(error) => {
                    metrics.not_sent();
                    if !std::mem::replace(&mut self.is_failing, true) {
                        tracing::warn!(%error, %address, "packets of the feed cannot be sent");
                    }
                }
            }
        }
    }
}
