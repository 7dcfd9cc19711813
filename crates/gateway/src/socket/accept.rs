//! The port: accepts connections within their limit, and serves HTTP on each.

use std::convert::Infallible;
use std::io::Write;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{CONNECTION, HeaderValue, UPGRADE};
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use protocol::signed::ApiError;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tokio_rustls::TlsAcceptor;
use venue::Metrics;

use crate::socket::answers::{Answers, NoRoom};
use crate::socket::bounded::BoundedStream;
use crate::socket::connection::{ConnectionPermit, stopped};
use crate::socket::http::{ErrorReply, Peer, RequestHead, Sender};
use crate::socket::page::Pages;
use crate::socket::proxy::{self, HeaderError, Proxies};
use crate::socket::settings::SocketSettings;
use crate::socket::share::{Exhausted, Network, Part, Shared};
use crate::socket::timed::TimedStream;
use crate::socket::tls::Tls;
use crate::socket::traffic::Traffic;

/// How long to wait after a failed `accept`.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// One place of this number is reserved for clients with a key, and for monitoring.
const RESERVED_OF: usize = 16;

/// What a first request on a reserved place gets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reserved {
    No,
    /// An answer, after which the connection closes.
    Once,
    Stays,
}

/// By the path and the headers of a request.
pub(crate) type Reserving = Arc<dyn Fn(&str, &HeaderMap) -> Reserved + Send + Sync>;

/// Answers a request that is refused before the router has it.
pub(crate) type Refuse = Arc<dyn Fn(&RequestHead, ApiError) -> ErrorReply + Send + Sync>;

/// An answer that is in memory.
pub(crate) type DirectAnswer = Pin<Box<dyn Future<Output = Response<Full<Bytes>>> + Send>>;

/// Operations that the router also has: it allocates for each of its layers.
pub(crate) trait Direct: Send + Sync {
    /// The place of the operation, for [`Direct::answer`].
    fn find(&self, method: &Method, path: &str) -> Option<usize>;

    fn answer(&self, at: usize, request: Request<Incoming>, sender: Sender) -> DirectAnswer;
}

/// One port, and its router.
pub(crate) struct Port {
    pub(crate) tcp: TcpListener,
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) settings: SocketSettings,
    pub(crate) router: Router,
    /// `None` if a layer of the router is for all answers.
    pub(crate) direct: Option<Arc<dyn Direct>>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) traffic: Arc<Traffic>,
    /// True once the gateway shuts down. Each connection watches it.
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) reserving: Reserving,
    pub(crate) refuse: Refuse,
    pub(crate) proxies: Proxies,
    pub(crate) pages: Arc<Pages>,
    /// The response to a connection above a limit; the argument is the limit.
    pub(crate) over_limit_response: fn(usize) -> String,
}

impl Port {
    fn turn_away(&self) -> TurnAway {
        TurnAway { response: self.over_limit_response, is_tls: self.tls.is_some() }
    }

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
            // The places of a proxy's clients are counted once their addresses are known.
            let network = (!self.proxies.contain(peer)).then(|| Network::of(peer));
            match places.take(network, 1) {
                Ok(place) => {
                    let tls = self.tls.as_ref().map(|tls| tls.acceptor());
                    let setup = ConnectionSetup {
                        client: peer,
                        settings,
                        router: self.router.clone(),
                        direct: self.direct.clone(),
                        metrics: Arc::clone(&self.metrics),
                        traffic: Arc::clone(&self.traffic),
                        stopping: self.stop.subscribe(),
                        answers: answers.clone(),
                        reserving: Arc::clone(&self.reserving),
                        refuse: Arc::clone(&self.refuse),
                        proxies: self.proxies.clone(),
                        pages: Arc::clone(&self.pages),
                        turn_away: self.turn_away(),
                    };
                    tokio::spawn(setup.serve(stream, place, tls));
                }
                Err(exhausted) => self.turn_away().reject(stream, exhausted),
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

/// How a connection above a limit is turned away.
#[derive(Clone, Copy)]
struct TurnAway {
    response: fn(usize) -> String,
    is_tls: bool,
}

impl TurnAway {
    /// Sends the response, and closes. An empty socket buffer always takes it. A client that
    /// expects TLS cannot read it.
    fn reject(self, stream: TcpStream, Exhausted { limit }: Exhausted) {
        if self.is_tls {
            return;
        }
        let response = (self.response)(limit);
        let written =
            stream.into_std().and_then(|mut stream| stream.write_all(response.as_bytes()));
        tracing::debug!(?written, "turned a connection away");
    }
}

/// All that one connection needs.
struct ConnectionSetup {
    /// The peer, or the client that it names.
    client: IpAddr,
    settings: SocketSettings,
    router: Router,
    direct: Option<Arc<dyn Direct>>,
    metrics: Arc<Metrics>,
    traffic: Arc<Traffic>,
    stopping: watch::Receiver<bool>,
    answers: Answers,
    reserving: Reserving,
    refuse: Refuse,
    proxies: Proxies,
    pages: Arc<Pages>,
    turn_away: TurnAway,
}

impl ConnectionSetup {
    async fn serve(mut self, mut stream: TcpStream, mut place: Part, tls: Option<TlsAcceptor>) {
        let first_head_by = Instant::now() + self.settings.first_head_timeout;
        if self.proxies.contain(self.client) {
            match self.read_proxy_header(&mut stream, first_head_by).await {
                Ok(Some(client)) => self.client = client,
                Ok(None) => {}
                Err(error) => return tracing::debug!(%error, "a proxy's connection was cut"),
            }
            if !self.proxies.contain(self.client)
                && let Err(exhausted) = place.move_to(Network::of(self.client))
            {
                return self.turn_away.reject(stream, exhausted);
            }
        }
        if let Err(error) = stream.set_nodelay(true) {
            return tracing::debug!(%error, "a connection closed before it was served");
        }
        let permit = ConnectionPermit::new(place, self.answers.clone());
        let (metrics, traffic) = (Arc::clone(&self.metrics), Arc::clone(&self.traffic));
        let stream = TimedStream::new(stream, permit.clone(), metrics, traffic);
        let Some(acceptor) = tls else {
            return connection(stream, self, permit, first_head_by).await;
        };
        let accepted = tokio::select! {
            accepted = timeout(self.settings.tls_timeout, acceptor.accept(stream)) => accepted,
            () = stopped(&mut self.stopping) => return,
        };
        match accepted {
            Ok(Ok(stream)) => {
                let first_head_by = Instant::now() + self.settings.first_head_timeout;
                connection(stream, self, permit, first_head_by).await;
            }
            Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
            Err(_) => tracing::debug!("a TLS handshake timed out"),
        }
    }

    /// The client that a trusted proxy names before its connection, if it names one.
    async fn read_proxy_header(
        &mut self,
        stream: &mut TcpStream,
        deadline: Instant,
    ) -> Result<Option<IpAddr>, HeaderError> {
        let late = |_| HeaderError::from(std::io::Error::from(std::io::ErrorKind::TimedOut));
        let header = timeout_at(deadline, proxy::read_header(stream));
        let read = tokio::select! {
            header = header => header.map_err(late).flatten(),
            () = stopped(&mut self.stopping) => Ok(None),
        };
        if let Err(HeaderError::Malformed) = read {
            self.metrics.proxy_header_malformed();
        }
        read
    }
}

async fn connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    setup: ConnectionSetup,
    permit: Arc<ConnectionPermit>,
    first_head_by: Instant,
) {
    let settings = setup.settings;
    let mut stopping = setup.stopping.clone();
    let stream = BoundedStream::new(stream, Arc::clone(&permit), settings.write_time_max);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(settings.head_timeout)
        .max_buf_size(settings.head_max.max(HEAD_MAX_LEAST))
        // Without it, an answer is copied, and no longer counted as large.
        .writev(true);
    let served = Arc::new((setup, Arc::clone(&permit)));
    let service = service_fn(move |request| answer(Arc::clone(&served), request));
    let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let first_head = sleep_until(first_head_by);
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

/// Answers one request. The last places are reserved: another client learns so from the answer to
/// its first request.
async fn answer(
    served: Arc<(ConnectionSetup, Arc<ConnectionPermit>)>,
    request: Request<Incoming>,
) -> Result<PortResponse, Infallible> {
    let (setup, permit) = &*served;
    let limit = setup.settings.connections_max;
    let reserved = limit / RESERVED_OF;
    let mut is_last = false;
    if permit.asks_first() && permit.places_left < reserved {
        match (setup.reserving)(request.uri().path(), request.headers()) {
            Reserved::No => return Ok(too_many(Exhausted { limit: limit - reserved })),
            Reserved::Once => is_last = true,
            Reserved::Stays => {}
        }
    }
    let answer = respond(setup, permit, request).await?;
    Ok(if is_last { last(answer) } else { answer })
}

/// Answers a request that has a place.
async fn respond(
    setup: &ConnectionSetup,
    permit: &Arc<ConnectionPermit>,
    mut request: Request<Incoming>,
) -> Result<PortResponse, Infallible> {
    let (client, checked) = setup.check(&request);
    if let Err(error) = checked {
        let head = RequestHead::new(Some(client), &request);
        return Ok(whole((setup.refuse)(&head, error)));
    }
    // A WebSocket behind a proxy is one client's for as long as it is open.
    if client != setup.client
        && request.headers().contains_key(UPGRADE)
        && let Err(exhausted) = permit.move_place(Network::of(client))
    {
        return Ok(too_many(exhausted));
    }
    if let Some(direct) = &setup.direct
        && let Some(at) = direct.find(request.method(), request.uri().path())
    {
        let sender = Sender { peer: client, permit: Some(Arc::clone(permit)) };
        let (head, body) = direct.answer(at, request, sender).await.into_parts();
        let Ok(body) = setup.answers.count_whole(client, body) else {
            return Ok(last_error(ApiError::overloaded()));
        };
        return Ok(Response::from_parts(head, Either::Left(body)));
    }
    request.extensions_mut().insert(Peer(client));
    request.extensions_mut().insert(Arc::clone(permit));
    let router = TowerToHyperService::new(setup.router.clone());
    let answer = hyper::service::Service::call(&router, request).await?;
    Ok(match setup.answers.count(client, answer) {
        Ok(counted) => counted.map(Either::Right),
        Err(NoRoom) => last_error(ApiError::overloaded()),
    })
}

impl ConnectionSetup {
    /// The client of a request, and whether the router may have it.
    fn check<B>(&self, request: &Request<B>) -> (IpAddr, Result<(), ApiError>) {
        let headers = request.headers();
        match self.proxies.client(self.client, headers) {
            Ok(client) => (client, self.pages.check(request.method(), request.uri(), headers)),
            Err(error) => (self.client, Err(error)),
        }
    }
}

/// A response from memory, or from the router.
type PortResponse = Response<Either<Full<Bytes>, Body>>;

fn whole(error: ErrorReply) -> PortResponse {
    error.respond(HeaderMap::new()).map(Either::Left)
}

fn too_many(Exhausted { limit }: Exhausted) -> PortResponse {
    last_error(ApiError::too_many_connections(u32::try_from(limit).unwrap_or(u32::MAX)))
}

fn last_error(error: ApiError) -> PortResponse {
    last(whole(ErrorReply(error)))
}

/// An answer after which the connection closes.
fn last(mut response: PortResponse) -> PortResponse {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// The smallest buffer that hyper takes.
const HEAD_MAX_LEAST: usize = 8 << 10;
