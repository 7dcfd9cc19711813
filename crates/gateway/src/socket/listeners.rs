//! A port and a socket of their own, for a dialect that is not spoken on the venue's HTTP port:
//! accept connections within their limit.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::OptionFuture;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::time::{sleep, timeout};

use crate::door::shared::Door;
use crate::socket::share::{Network, Shared};
use crate::socket::tls::Tls;

/// How long to wait after a failed `accept`.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);
const TLS_TIMEOUT: Duration = Duration::from_secs(10);

/// Where clients connect: of this machine by the socket, which is faster than loopback TCP.
#[derive(Debug)]
pub struct Listeners {
    pub tcp: Option<TcpListener>,
    pub unix: Option<UnixListener>,
    /// Likewise; the bytes go through memory that client and venue have.
    pub shm: Option<UnixListener>,
}

/// The dialect behind the listeners.
pub(crate) trait Serve: Send + Sync + 'static {
    /// Its name, for the process's log.
    const NAME: &'static str;
    /// What it is called in a TLS handshake; `None` negotiates nothing.
    const ALPN: Option<&'static [u8]>;

    /// Serves a connection until it ends.
    fn serve(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Send + Sync + Unpin + 'static,
        peer: IpAddr,
    ) -> impl Future<Output = ()> + Send;
}

/// Accepts connections for a dialect.
#[derive(Debug)]
pub(crate) struct Acceptor<S> {
    door: Arc<Door>,
    service: Arc<S>,
    places: Arc<Shared>,
    tls: Option<Arc<Tls>>,
}

impl<S: Serve> Acceptor<S> {
    pub(crate) fn new(
        door: &Arc<Door>,
        service: Arc<S>,
        connections_max: usize,
        tls: Option<Arc<Tls>>,
    ) -> Arc<Self> {
        let places = Shared::new(connections_max, None);
        Arc::new(Self { door: Arc::clone(door), service, places, tls })
    }

    /// Accepts until the gateway stops, and until each connection has ended.
    pub(crate) async fn run(self: Arc<Self>, Listeners { tcp, unix, shm }: Listeners) {
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
                        let acceptor = Arc::clone(&self);
                        self.begin(peer, async move { acceptor.serve_tcp(stream, peer).await });
                    }
                    Err(error) => retry(S::NAME, &error).await,
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
                        let service = Arc::clone(&self.service);
                        self.begin(peer, async move {
                            if offers_memory {
                                service.serve(shm::Stream::offer(stream)?, peer).await;
                            } else {
                                service.serve(stream, peer).await;
                            }
                            Ok(())
                        });
                    }
                    Err(error) => retry(S::NAME, &error).await,
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
                tracing::debug!(%error, %peer, dialect = S::NAME, "a connection has ended");
            }
            drop(place);
        });
    }

    async fn serve_tcp(self: Arc<Self>, stream: TcpStream, peer: IpAddr) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let service = Arc::clone(&self.service);
        match &self.tls {
            None => service.serve(stream, peer).await,
            Some(tls) => {
                let accept = tls.acceptor_of(S::ALPN).accept(stream);
                service.serve(timeout(TLS_TIMEOUT, accept).await??, peer).await;
            }
        }
        Ok(())
    }
}

async fn retry(dialect: &str, error: &io::Error) {
    tracing::warn!(%error, dialect, "a connection could not be accepted");
    sleep(ACCEPT_RETRY).await;
}
