//! The port: accepts connections within their limit, and serves HTTP on each.

use std::convert::Infallible;
use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::{CONNECTION, HeaderValue};
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use protocol::signed::ApiError;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use venue::Metrics;

use crate::socket::answers::{Answers, NoRoom};
use crate::socket::bounded::BoundedStream;
use crate::socket::connection::{ConnectionPermit, stopped};
use crate::socket::http::{ErrorReply, Peer};
use crate::socket::settings::SocketSettings;
use crate::socket::share::{Exhausted, Network, Shared};
use crate::socket::timed::TimedStream;
use crate::socket::tls::Tls;

/// How long to wait after a failed `accept`.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// How long a TLS handshake may take.
const TLS_TIMEOUT: Duration = Duration::from_secs(10);

/// One place of this number is reserved for clients with a key.
const RESERVED_OF: usize = 16;

/// Whether the head of a request names a key that the venue knows.
pub(crate) type KnownKeys = Arc<dyn Fn(&HeaderMap) -> bool + Send + Sync>;

/// One port, and its router.
pub(crate) struct Port {
    pub(crate) tcp: TcpListener,
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) settings: SocketSettings,
    pub(crate) router: Router,
    pub(crate) metrics: Arc<Metrics>,
    /// True once the gateway shuts down. Each connection watches it.
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) has_known_key: KnownKeys,
    /// The response to a connection above a limit; the argument is the limit.
    pub(crate) over_limit_response: fn(usize) -> String,
}

impl Port {
    /// Accepts until `shutdown` is ready. Then it waits for open connections, at most for the
    /// shutdown grace.
    pub(crate) async fn serve(self, shutdown: impl Future<Output = ()>) {
        let settings = self.settings;
        let places = Shared::new(settings.connections_max, settings.connections_per_address);
        let answers = Answers::new(settings.large_answers_max);
        tokio::pin!(shutdown);
        loop {
            let (stream, peer) = tokio::select! {
                () = &mut shutdown => break,
                accepted = self.tcp.accept() => match accepted {
                    Ok((stream, peer)) => (stream, peer.ip().to_canonical()),
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be accepted");
                        sleep(ACCEPT_RETRY).await;
                        continue;
                    }
                },
            };
            match places.take(Network::of(peer), 1) {
                Ok(place) => {
                    let served = ConnectionSetup {
                        peer,
                        settings,
                        router: self.router.clone(),
                        permit: ConnectionPermit::new(place),
                        metrics: Arc::clone(&self.metrics),
                        stopping: self.stop.subscribe(),
                        answers: answers.clone(),
                        has_known_key: Arc::clone(&self.has_known_key),
                    };
                    let acceptor = self.tls.as_ref().map(|tls| tls.acceptor());
                    tokio::spawn(handshake(stream, acceptor, served));
                }
                // A client that expects TLS cannot read an HTTP response.
                Err(_) if self.tls.is_some() => drop(stream),
                Err(Exhausted { limit }) => reject(stream, &(self.over_limit_response)(limit)),
            }
        }
        drop(self.tcp);
        // An error means that no connection is left.
        let _none_left = self.stop.send(true);
        if timeout(settings.shutdown_grace, places.all_back()).await.is_err() {
            tracing::warn!("some connections did not close within the shutdown grace");
        }
    }
}

/// All that one connection needs.
struct ConnectionSetup {
    peer: IpAddr,
    settings: SocketSettings,
    router: Router,
    permit: Arc<ConnectionPermit>,
    metrics: Arc<Metrics>,
    stopping: watch::Receiver<bool>,
    answers: Answers,
    has_known_key: KnownKeys,
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
    let (settings, permit) = (served.settings, Arc::clone(&served.permit));
    let mut stopping = served.stopping.clone();
    let stream = BoundedStream::new(stream, Arc::clone(&permit), settings.write_time_max);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(settings.head_timeout)
        .max_buf_size(settings.head_max.max(HEAD_MAX_LEAST))
        // Without it, an answer is copied, and no longer counted as large.
        .writev(true);
    let served = Arc::new(served);
    let service = service_fn(move |request| answer(Arc::clone(&served), request));
    let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let first_head = sleep(settings.first_head_timeout);
    tokio::pin!(connection, first_head);
    let mut is_first = true;
    let ended = loop {
        tokio::select! {
            ended = &mut connection => break ended,
            () = &mut first_head, if is_first => {
                if !permit.has_asked() {
                    return tracing::debug!("a connection sent no request");
                }
                is_first = false;
            }
            () = stopped(&mut stopping) => {
                connection.as_mut().graceful_shutdown();
                match timeout(settings.shutdown_grace, connection).await {
                    Ok(ended) => break ended,
                    Err(_) => return,
                }
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

/// Answers one request. The last places are for clients with keys: another client learns so from
/// the answer to its first request.
async fn answer(
    served: Arc<ConnectionSetup>,
    mut request: Request<hyper::body::Incoming>,
) -> Result<Response, Infallible> {
    let ConnectionSetup { peer, settings, permit, .. } = &*served;
    if permit.asks_first()
        && permit.places_left() < settings.connections_max / RESERVED_OF
        && !(served.has_known_key)(request.headers())
    {
        let limit = settings.connections_max - settings.connections_max / RESERVED_OF;
        return Ok(last(ApiError::too_many_connections(u32::try_from(limit).unwrap_or(u32::MAX))));
    }
    request.extensions_mut().insert(Arc::clone(permit));
    request.extensions_mut().insert(Peer(*peer));
    let router = TowerToHyperService::new(served.router.clone());
    let answer = hyper::service::Service::call(&router, request).await?;
    Ok(served.answers.count(*peer, answer).unwrap_or_else(|NoRoom| last(ApiError::overloaded())))
}

/// An answer after which the connection closes.
fn last(error: ApiError) -> Response {
    let mut response = ErrorReply(error).into_response();
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// The smallest buffer that hyper takes.
const HEAD_MAX_LEAST: usize = 8 << 10;

/// Sends the response, and closes. An empty socket buffer always takes it.
fn reject(stream: TcpStream, response: &str) {
    let written = stream.into_std().and_then(|mut stream| stream.write_all(response.as_bytes()));
    tracing::debug!(?written, "turned a connection away");
}
