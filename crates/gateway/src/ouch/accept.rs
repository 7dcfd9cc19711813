//! The port and the sockets of OUCH: accept connections within their limit.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::OptionFuture;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener};
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

/// Where clients connect: of this machine by the socket, which is faster than loopback TCP.
#[derive(Debug)]
pub struct OuchListeners {
    pub tcp: Option<TcpListener>,
    pub unix: Option<UnixListener>,
    /// Likewise; the bytes go through memory that client and venue have.
    pub shm: Option<UnixListener>,
}

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
    pub(crate) async fn serve(self: Arc<Self>, OuchListeners { tcp, unix, shm }: OuchListeners) {
        let tcp = tcp.map(|tcp| Arc::clone(&self).accept_tcp(tcp));
        let unix = unix.map(|unix| Arc::clone(&self).accept_unix(unix, false));
        let shm = shm.map(|shm| Arc::clone(&self).accept_unix(shm, true));
        tokio::join!(OptionFuture::from(tcp), OptionFuture::from(unix), OptionFuture::from(shm));
        self.places.all_back().await;
    }

    async fn accept_tcp(self: Arc<Self>, tcp: TcpListener) {
        loop {
            tokio::select! {
                accepted = tcp.accept() => match accepted {
                    Ok((stream, peer)) => {
                        let peer = peer.ip().to_canonical();
                        let door = Arc::clone(&self);
                        self.begin(peer, async move { door.serve_tcp(stream, peer).await });
                    }
                    Err(error) => retry(&error).await,
                },
                () = self.door.stopped() => break,
            }
        }
    }

    async fn accept_unix(self: Arc<Self>, unix: UnixListener, offers_memory: bool) {
        // Its clients count as one address: they share a place with loopback.
        let peer = IpAddr::from(Ipv4Addr::LOCALHOST);
        loop {
            tokio::select! {
                accepted = unix.accept() => match accepted {
                    Ok((stream, _)) => {
                        let door = Arc::clone(&self);
                        self.begin(peer, async move {
                            if offers_memory {
                                door.serve_stream(shm::Stream::offer(stream)?, peer).await
                            } else {
                                door.serve_stream(stream, peer).await
                            }
                        });
                    }
                    Err(error) => retry(&error).await,
                },
                () = self.door.stopped() => break,
            }
        }
    }

    fn begin(&self, peer: IpAddr, serve: impl Future<Output = io::Result<()>> + Send + 'static) {
        let Ok(place) = self.places.take(Some(Network::of(peer)), 1) else {
            return; // The client finds its connection closed.
        };
        tokio::spawn(async move {
            if let Err(error) = serve.await {
                tracing::debug!(%error, %peer, "an OUCH connection has ended");
            }
            drop(place);
        });
    }

    async fn serve_tcp(self: Arc<Self>, stream: TcpStream, peer: IpAddr) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let Some(tls) = &self.tls else { return self.serve_stream(stream, peer).await };
        let stream = timeout(TLS_TIMEOUT, tls.acceptor().accept(stream)).await??;
        self.serve_stream(stream, peer).await
    }

    async fn serve_stream(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin,
        peer: IpAddr,
    ) -> io::Result<()> {
        session::serve(stream, peer, self).await;
        Ok(())
    }
}

async fn retry(error: &io::Error) {
    tracing::warn!(%error, "an OUCH connection could not be accepted");
    sleep(ACCEPT_RETRY).await;
}
