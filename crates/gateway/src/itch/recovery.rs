//! The port for requests of messages that a receiver has missed.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, UdpSocket as StdSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::mold::Request;
use spool::SpoolError;
use tokio::net::UdpSocket;
use tokio::time::sleep;

use crate::door::shared::Door;
use crate::itch::again::{ANSWER_MAX, Packets, Place};
use crate::itch::feed::{Hub, session};
use crate::itch::metrics::Dropped;
use crate::socket::share::Network;

/// A request has 20 bytes, and what is longer is none.
const REQUEST_SIZE_MAX: usize = 64;
/// Messages a second that a network may ask for, and what it may have saved up.
const RATE: u64 = 100_000;
const BURST: u64 = 200_000;
/// A request costs at least this many messages.
const LEAST: u64 = 100;
/// Networks whose rate is known. When there are more, all begin anew.
const NETWORKS_MAX: usize = 10_000;
/// How long to wait after the socket failed.
const RETRY: Duration = Duration::from_millis(50);

/// Answers requests one after the other until the gateway stops. What comes faster is lost in the
/// socket, and asked for again.
pub(crate) async fn serve(socket: StdSocket, door: Arc<Door>, hub: Arc<Hub>) {
    let socket = match socket.set_nonblocking(true).and_then(|()| UdpSocket::from_std(socket)) {
        Ok(socket) => socket,
        Err(error) => return tracing::error!(%error, "missed messages of ITCH are not served"),
    };
    let server = Recovery { socket, door: Arc::clone(&door), hub, rates: Rates::default() };
    tokio::select! {
        () = server.run() => {}
        () = door.stopped() => {}
    }
}

struct Recovery {
    socket: UdpSocket,
    door: Arc<Door>,
    hub: Arc<Hub>,
    rates: Rates,
}

impl Recovery {
    async fn run(mut self) {
        let mut bytes = [0; REQUEST_SIZE_MAX];
        loop {
            let (size, from) = match self.socket.recv_from(&mut bytes).await {
                Ok(received) => received,
                Err(error) => {
                    tracing::debug!(%error, "a request for messages could not be received");
                    sleep(RETRY).await;
                    continue;
                }
            };
            if let Err(why) = self.answer(&bytes[..size], from).await {
                self.hub.metrics.dropped(why);
            }
        }
    }

    async fn answer(&mut self, bytes: &[u8], from: SocketAddr) -> Result<(), Dropped> {
        let request = Request::read(bytes).map_err(|_| Dropped::Invalid)?;
        let count = u64::from(request.count).min(ANSWER_MAX);
        self.rates.spend(Network::of(from.ip()), count, Instant::now())?;
        let place = self.place(&request).await?;
        let wanted = request.sequence..request.sequence + count;
        let made = tokio::task::spawn_blocking(move || place.packets(wanted)).await;
        let Packets { packets, messages } = match made.map_err(|_| Dropped::Failed)? {
            Ok(packets) => packets,
            Err(SpoolError::Gone { .. }) => return Err(Dropped::Gone),
            Err(error) => {
                tracing::warn!(%error, "messages of the feed cannot be made again");
                return Err(Dropped::Failed);
            }
        };
        for packet in packets {
            self.send(&packet, from).await.map_err(|_| Dropped::Failed)?;
        }
        self.hub.metrics.retransmitted(messages);
        Ok(())
    }

    async fn place(&self, request: &Request) -> Result<Place, Dropped> {
        let (number, names) = (request.sequence, self.hub.names());
        let asked = self.door.ask_views(move |views, spool| {
            let orders = views.orders();
            let day = orders.stream().day();
            if number == 0 || number > orders.stream().count() {
                return (day, Err(Dropped::OutOfSession));
            }
            let place = orders.place(number).ok_or(Dropped::Gone);
            (day, place.map(|(stream, sequence)| (stream, sequence, spool.reader())))
        });
        let (day, place) = asked.await.map_err(|_| Dropped::Failed)?;
        if request.session != session(day) {
            return Err(Dropped::OutOfSession);
        }
        let (stream, sequence, spool) = place?;
        Ok(Place { day, stream, sequence, spool, names })
    }

    async fn send(&self, packet: &[u8], to: SocketAddr) -> io::Result<()> {
        self.socket.send_to(packet, to).await.map(|_| ())
    }
}

/// What each network may still ask for. The source of a request can be forged: without a rate,
/// requests of 20 bytes could fill another's line.
#[derive(Debug, Default)]
struct Rates(HashMap<Network, (u64, Instant)>);

impl Rates {
    fn spend(&mut self, network: Network, messages: u64, now: Instant) -> Result<(), Dropped> {
        if self.0.len() >= NETWORKS_MAX {
            self.0.clear();
        }
        let (left, since) = self.0.entry(network).or_insert((BURST, now));
        let idle_ms = now.saturating_duration_since(*since).as_millis() as u64;
        *left = left.saturating_add(idle_ms.saturating_mul(RATE / 1_000)).min(BURST);
        *since += Duration::from_millis(idle_ms);
        *left = left.checked_sub(messages.max(LEAST)).ok_or(Dropped::Rate)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn a_network_has_a_rate() {
        let mut rates = Rates::default();
        let network = |last| Network::of(Ipv4Addr::new(10, 0, 0, last).into());
        let now = Instant::now();
        let granted = |rates: &mut Rates, last, now| {
            (0..1_000).take_while(|_| rates.spend(network(last), 1_000, now).is_ok()).count()
        };
        assert_eq!(granted(&mut rates, 1, now), 200);
        assert_eq!(granted(&mut rates, 2, now), 200);
        assert_eq!(granted(&mut rates, 1, now + Duration::from_secs(1)), 100);
        assert_eq!(granted(&mut rates, 1, now + Duration::from_secs(60)), 200);
        assert_eq!(rates.spend(network(1), 0, now), Err(Dropped::Rate));
    }
}
