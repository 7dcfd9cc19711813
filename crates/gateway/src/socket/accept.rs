//! The port: accepts connections within their limit, and serves HTTP on each.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use venue::Metrics;

use crate::socket::connection::{ConnectionPermit, stopped};
use crate::socket::http::Peer;
use crate::socket::settings::SocketSettings;
use crate::socket::timed::TimedStream;
use crate::socket::tls::Tls;

/// How long to wait after a failed `accept`.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// How long a TLS handshake may take.
const TLS_TIMEOUT: Duration = Duration::from_secs(10);

/// One port, and its router.
pub(crate) struct Port {
    pub(crate) tcp: TcpListener,
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) settings: SocketSettings,
    pub(crate) router: Router,
    pub(crate) metrics: Arc<Metrics>,
    /// True once the gateway shuts down. Each connection watches it.
    pub(crate) stop: watch::Sender<bool>,
    /// The response to a connection above the limit; the argument is the limit.
    pub(crate) over_limit_response: fn(usize) -> String,
}

impl Port {
    /// Accepts until `shutdown` is ready. Then it waits for open connections, at most for the
    /// shutdown grace.
    pub(crate) async fn serve(self, shutdown: impl Future<Output = ()>) {
        let Self { tcp, tls, settings, router, metrics, stop, over_limit_response } = self;
        let connections_max = settings.connections_max.min(Semaphore::MAX_PERMITS >> 1);
        let permits = Arc::new(Semaphore::new(connections_max));
        tokio::pin!(shutdown);
        loop {
            let (stream, peer) = tokio::select! {
                () = &mut shutdown => break,
                accepted = tcp.accept() => match accepted {
                    Ok(accepted) => accepted,
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be accepted");
                        sleep(ACCEPT_RETRY).await;
                        continue;
                    }
                },
            };
            match Arc::clone(&permits).try_acquire_owned() {
                Ok(permit) => {
                    let permit = ConnectionPermit::new(permit);
                    let metrics = Arc::clone(&metrics);
                    let (router, stopping) = (router.clone(), stop.subscribe());
                    let peer = Peer(peer.ip());
                    let served =
                        ConnectionSetup { peer, settings, router, permit, metrics, stopping };
                    let acceptor = tls.as_ref().map(|tls| tls.acceptor());
                    tokio::spawn(handshake(stream, acceptor, served));
                }
                // A client that expects TLS cannot read an HTTP response.
                Err(_) if tls.is_some() => drop(stream),
                Err(_) => reject(stream, &over_limit_response(connections_max)),
            }
        }
        drop(tcp);
        // An error means that no connection is left.
        let _none_left = stop.send(true);
        let all_permits = u32::try_from(connections_max).unwrap_or(u32::MAX);
        if timeout(settings.shutdown_grace, permits.acquire_many(all_permits)).await.is_err() {
            tracing::warn!("some connections did not close within the shutdown grace");
        }
    }
}

/// All that one connection needs.
struct ConnectionSetup {
    peer: Peer,
    settings: SocketSettings,
    router: Router,
    permit: Arc<ConnectionPermit>,
    metrics: Arc<Metrics>,
    stopping: watch::Receiver<bool>,
}

async fn handshake(stream: TcpStream, acceptor: Option<TlsAcceptor>, mut served: ConnectionSetup) {
    if let Err(error) = stream.set_nodelay(true) {
        return tracing::debug!(%error, "a connection closed before it was served");
    }
    let stream = TimedStream::new(stream, served.permit.clone(), Arc::clone(&served.metrics));
    let Some(acceptor) = acceptor else { return connection(stream, served).await };
    let accepted = tokio::select! {
        accepted = timeout(TLS_TIMEOUT, acceptor.accept(stream)) => accepted,
        () = stopped(&mut served.stopping) => return,
    };
    match accepted {
        Ok(Ok(stream)) => connection(stream, served).await,
        Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
        Err(_) => tracing::debug!("a TLS handshake timed out"),
    }
}

async fn connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    served: ConnectionSetup,
) {
    let ConnectionSetup { peer, settings, router, permit, mut stopping, .. } = served;
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(permit.clone());
        request.extensions_mut().insert(peer);
        hyper::service::Service::call(&router, request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(settings.head_timeout)
        .max_buf_size(settings.head_max.max(HEAD_MAX_LEAST));
    let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = stopped(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            match timeout(settings.shutdown_grace, connection).await {
                Ok(ended) => ended,
                Err(_) => Ok(()),
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

/// The smallest buffer that hyper takes.
const HEAD_MAX_LEAST: usize = 8 << 10;

/// Sends the response, and closes. An empty socket buffer always takes it.
fn reject(stream: TcpStream, response: &str) {
    let written = stream.into_std().and_then(|mut stream| stream.write_all(response.as_bytes()));
    tracing::debug!(?written, "turned a connection away");
}
