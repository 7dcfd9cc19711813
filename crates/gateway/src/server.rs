//! The port: connections with their limits, and which path leads where.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::routing::{any, get, on};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use protocol::binance::user_stream::Moment;
use protocol::signed::{ApiError, TimeUnit};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;
use venue::{Handle, Metrics};

use crate::access::Refusal;
use crate::admission::Admission;
use crate::clock::now_ns;
use crate::limits::Limits;
use crate::listen_keys::ListenKeys;
use crate::operations::OPERATIONS;
use crate::settings::Settings;
use crate::shared::{Known, Shared};
use crate::socket::connection::Place;
use crate::socket::http::{Failure, Peer};
use crate::socket::stopping::stopped;
use crate::socket::timed::TimedStream;
use crate::user_data::Reach;
use crate::{
    Gateway, api_session, cors, market, openapi, operator, rest, sessions, streams,
    user_data_stream,
};

/// How long to wait when the operating system gives no more connections.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// How long to wait when the venue has no room for another question.
const FLUSH_RETRY: Duration = Duration::from_millis(10);

/// How long a client may take to agree on TLS.
const TLS_TIMEOUT: Duration = Duration::from_secs(10);

/// How often it is seen what has expired, and what may be forgotten.
const EXPIRE_EVERY: Duration = Duration::from_secs(1);
const FORGET_EVERY: Duration = Duration::from_secs(60);

pub(crate) async fn serve(
    gateway: Gateway,
    tcp: TcpListener,
    handle: Handle,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let Gateway { settings, known, history, tls, origins, operators, access } = gateway;
    sessions::close_left_over(&handle).await;
    let (stop, stopping) = watch::channel(false);
    let flusher = tokio::spawn(flush_depth(Arc::clone(&known), handle.clone()));
    let limits = Limits::new(&settings);
    let runtime = tokio::runtime::Handle::current();
    let reach = known.reach.set(Reach { handle: handle.clone(), runtime });
    debug_assert!(reach.is_ok(), "a gateway serves once");
    let shared = Shared {
        settings,
        limits,
        admission: Admission::new(settings.late_after),
        listen_keys: ListenKeys::default(),
        known,
        handle: handle.clone(),
        history,
        operators,
        access,
        stopping: stopping.clone(),
    };
    let shared = Arc::new(shared);
    let forgetter = tokio::spawn(forget(Arc::clone(&shared)));
    let router = match origins.is_empty() {
        true => router(shared),
        false => router(shared).layer(cors::layer(origins)),
    };
    let watcher = tls.clone().map(|tls| tokio::spawn(async move { tls.watch().await }));
    let places_max = settings.connections_max.min(Semaphore::MAX_PERMITS >> 1);
    let places = Arc::new(Semaphore::new(places_max));

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
        match Arc::clone(&places).try_acquire_owned() {
            Ok(permit) => {
                let place = Place::new(permit);
                let metrics = Arc::clone(handle.metrics());
                let (router, stopping) = (router.clone(), stopping.clone());
                let peer = Peer(peer.ip());
                let served = Served { peer, settings, router, place, metrics, stopping };
                let acceptor = tls.as_ref().map(|tls| tls.acceptor());
                tokio::spawn(begin(stream, acceptor, served));
            }
            // Who speaks TLS would not understand it.
            Err(_) if tls.is_some() => drop(stream),
            Err(_) => turn_away(stream, places_max),
        }
    }
    drop(tcp);
    // Every connection has a receiver of its own, or is gone.
    let _nobody_left = stop.send(true);
    let all_places = u32::try_from(places_max).unwrap_or(u32::MAX);
    if timeout(settings.shutdown_grace, places.acquire_many(all_places)).await.is_err() {
        tracing::warn!("some connections did not end in time and were left to themselves");
    }
    flusher.abort();
    forgetter.abort();
    if let Some(watcher) = watcher {
        watcher.abort();
    }
    Ok(())
}

/// What a connection is served with.
struct Served {
    peer: Peer,
    settings: Settings,
    router: Router,
    place: Place,
    metrics: Arc<Metrics>,
    stopping: watch::Receiver<bool>,
}

async fn begin(stream: TcpStream, acceptor: Option<TlsAcceptor>, mut served: Served) {
    if let Err(error) = stream.set_nodelay(true) {
        return tracing::debug!(%error, "a connection was gone at once");
    }
    let stream = TimedStream::new(stream, served.place.clone(), Arc::clone(&served.metrics));
    let Some(acceptor) = acceptor else { return connection(stream, served).await };
    let accepted = tokio::select! {
        accepted = timeout(TLS_TIMEOUT, acceptor.accept(stream)) => accepted,
        () = stopped(&mut served.stopping) => return,
    };
    match accepted {
        Ok(Ok(stream)) => connection(stream, served).await,
        Ok(Err(error)) => tracing::debug!(%error, "no TLS was agreed on"),
        Err(_) => tracing::debug!("a client took too long to agree on TLS"),
    }
}

async fn connection(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, served: Served) {
    let Served { peer, settings, router, place, mut stopping, .. } = served;
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(place.clone());
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

/// What hyper needs at the least.
const HEAD_MAX_LEAST: usize = 8 << 10;

/// Says why before it closes. The few bytes find room in a fresh socket.
fn turn_away(stream: TcpStream, limit: usize) {
    let error = ApiError::too_many_connections(u32::try_from(limit).unwrap_or(u32::MAX));
    let body = error.body();
    let response = format!(
        "HTTP/1.1 {} Too Many Requests\r\ncontent-type: application/json;charset=UTF-8\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        error.status,
        body.len(),
    );
    let written = stream.into_std().and_then(|mut stream| stream.write_all(response.as_bytes()));
    tracing::debug!(?written, "turned a connection away");
}

/// Sends the depth that a quiet venue would not: while it is busy, every batch does that.
async fn flush_depth(known: Arc<Known>, handle: Handle) {
    let wake = known.hub().wake();
    loop {
        wake.notified().await;
        let mut next = Some(Instant::now());
        while let Some(due) = next {
            sleep_until(due).await;
            let known = Arc::clone(&known);
            let flushed = handle
                .read_views(move |views, _| known.hub().flush(views, std::time::Instant::now()));
            next = match flushed {
                Ok(flushed) => match flushed.await {
                    Ok(due) => due.map(Instant::from_std),
                    Err(_) => return,
                },
                // A queue that is full may be so of questions, which flush nothing.
                Err(_) => Some(Instant::now() + FLUSH_RETRY),
            };
        }
    }
}

/// Listen keys expire, and keys with their streams. Addresses that have not asked for a while take
/// no room.
async fn forget(shared: Arc<Shared>) {
    let mut forgotten = Instant::now();
    loop {
        sleep(EXPIRE_EVERY).await;
        user_data_stream::expire(&shared).await;
        let at = Moment { event_ns: now_ns(), unit: TimeUnit::default() };
        shared.known.users().end_expired(&shared.known.directory(), at);
        if forgotten.elapsed() >= FORGET_EVERY {
            shared.limits.forget();
            forgotten = Instant::now();
        }
    }
}

fn router(shared: Arc<Shared>) -> Router {
    let mut router = Router::new();
    for operation in OPERATIONS {
        let serve = move |state, request| rest::serve(operation, state, request);
        router = router.route(operation.path, on(operation.method, serve));
    }
    #[cfg(feature = "echo")]
    let router = router.route("/echo", get(crate::echo::open));
    router
        .route("/health/live", get(market::live))
        .route("/health/ready", get(market::ready))
        .route("/openapi.json", get(openapi::document))
        .route("/metrics", get(market::metrics))
        .route("/ws", get(streams::raw))
        .route("/ws/", get(streams::raw))
        .route("/ws/{*streams}", get(streams::raw))
        .route("/stream", get(streams::combined))
        .route("/stream/", get(streams::combined))
        .route("/ws-api/v3", get(api_session::open))
        .route("/ws-api/v3/", get(api_session::open))
        .route("/admin/v1", any(operator::serve))
        .route("/admin/v1/{*path}", any(operator::serve))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(shared)
}

async fn not_found(State(shared): State<Arc<Shared>>, request: Request) -> Failure {
    let error = ApiError::not_found(request.method().as_str(), request.uri().path());
    refuse(&shared, &request, error)
}

async fn method_not_allowed(State(shared): State<Arc<Shared>>, request: Request) -> Failure {
    let error = ApiError::method_not_allowed(request.method().as_str(), request.uri().path());
    refuse(&shared, &request, error)
}

fn refuse(shared: &Shared, request: &Request, error: ApiError) -> Failure {
    shared.note(&Refusal::of_http(request), error.status, error.code, &error.msg);
    Failure(error)
}
