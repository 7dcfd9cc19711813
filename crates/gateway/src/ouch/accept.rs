//! The port of OUCH: accepts connections within their limit.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use crate::door::back_off::BackOff;
use crate::door::passwords::Passwords;
use crate::door::shared::Door;
use crate::ouch::hub::Hub;
use crate::ouch::log_on::LogOns;
use crate::ouch::session;
use crate::ouch::settings::OuchSettings;
use crate::socket::share::{Network, Shared};
use crate::socket::tls::Tls;

/// How long to wait after a failed `accept`.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);
const TLS_TIMEOUT: Duration = Duration::from_secs(10);

/// What all OUCH connections share.
#[derive(Debug)]
pub(crate) struct OuchDoor {
    pub(super) door: Arc<Door>,
    pub(super) hub: Arc<Hub>,
    pub(super) log_ons: LogOns,
    pub(super) settings: OuchSettings,
    places: Arc<Shared>,
    tls: Option<Arc<Tls>>,
}

impl OuchDoor {
    pub(crate) fn new(
        door: &Arc<Door>,
        hub: Arc<Hub>,
        settings: OuchSettings,
        (back_off, passwords): (Arc<BackOff>, Arc<Passwords>),
        tls: Option<Arc<Tls>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            door: Arc::clone(door),
            hub,
            log_ons: LogOns::new(back_off, passwords),
            settings,
            places: Shared::new(settings.connections_max, None),
            tls,
        })
    }

    /// Accepts until the gateway stops, and until each session has ended.
    pub(crate) async fn serve(self: Arc<Self>, tcp: TcpListener) {
        loop {
            tokio::select! {
                accepted = tcp.accept() => match accepted {
                    Ok((stream, peer)) => self.begin(stream, peer),
                    Err(error) => {
                        tracing::warn!(%error, "an OUCH connection could not be accepted");
                        sleep(ACCEPT_RETRY).await;
                    }
                },
                () = self.door.stopped() => break,
            }
        }
        self.places.all_back().await;
    }

    fn begin(self: &Arc<Self>, stream: TcpStream, peer: SocketAddr) {
        let peer = peer.ip().to_canonical();
        let Ok(place) = self.places.take(Some(Network::of(peer)), 1) else {
            return; // The client finds its connection closed.
        };
        let door = Arc::clone(self);
        tokio::spawn(async move {
            if let Err(error) = door.serve_one(stream, peer).await {
                tracing::debug!(%error, %peer, "an OUCH connection has ended");
            }
            drop(place);
        });
    }

    async fn serve_one(
        self: Arc<Self>,
        stream: TcpStream,
        peer: std::net::IpAddr,
    ) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let Some(tls) = &self.tls else {
            session::serve(stream, peer, self).await;
            return Ok(());
        };
        let stream = timeout(TLS_TIMEOUT, tls.acceptor().accept(stream)).await??;
        session::serve(stream, peer, self).await;
        Ok(())
    }
}
