//! The port: connections with their limits, and which path leads where.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, Uri};
use axum::routing::{get, post, put};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use protocol::binance::ApiError;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use venue::Handle;

use crate::call::Failure;
use crate::settings::Settings;
use crate::{Known, Shared, account, market, socket, stopped, trading};

/// How long to wait when the operating system gives no more connections.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// How long to wait when the venue has no room for another question.
const FLUSH_RETRY: Duration = Duration::from_millis(10);

/// One place among the open connections. A WebSocket keeps it beyond the request that began it.
#[derive(Clone)]
pub(crate) struct Place(#[expect(dead_code, reason = "held, not read")] Arc<OwnedSemaphorePermit>);

pub(crate) async fn serve(
    settings: Settings,
    known: Arc<Known>,
    tcp: TcpListener,
    handle: Handle,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let (stop, stopping) = watch::channel(false);
    let flusher = tokio::spawn(flush_depth(Arc::clone(&known), handle.clone()));
    let router = router(Arc::new(Shared { settings, known, handle, stopping: stopping.clone() }));
    let places_max = settings.connections_max.min(Semaphore::MAX_PERMITS >> 1);
    let places = Arc::new(Semaphore::new(places_max));

    tokio::pin!(shutdown);
    loop {
        let stream = tokio::select! {
            () = &mut shutdown => break,
            accepted = tcp.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(ACCEPT_RETRY).await;
                    continue;
                }
            },
        };
        match Arc::clone(&places).try_acquire_owned() {
            Ok(permit) => {
                let place = Place(Arc::new(permit));
                let (router, stopping) = (router.clone(), stopping.clone());
                tokio::spawn(connection(stream, settings, router, place, stopping));
            }
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
    Ok(())
}

async fn connection(
    stream: TcpStream,
    settings: Settings,
    router: Router,
    place: Place,
    mut stopping: watch::Receiver<bool>,
) {
    if let Err(error) = stream.set_nodelay(true) {
        return tracing::debug!(%error, "a connection was gone at once");
    }
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(place.clone());
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

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/api/v3/ping", get(market::ping))
        .route("/api/v3/time", get(market::time))
        .route("/api/v3/exchangeInfo", get(market::exchange_info))
        .route("/api/v3/depth", get(market::depth))
        .route("/api/v3/trades", get(market::trades))
        .route("/api/v3/ticker/price", get(market::price_ticker))
        .route("/api/v3/ticker/bookTicker", get(market::book_ticker))
        .route(
            "/api/v3/order",
            get(account::query_order).post(trading::new_order).delete(trading::cancel_order),
        )
        .route("/api/v3/order/test", post(trading::test_order))
        .route("/api/v3/order/cancelReplace", post(trading::replace_order))
        .route("/api/v3/order/amend/keepPriority", put(trading::amend_order))
        .route("/api/v3/openOrders", get(account::open_orders).delete(trading::cancel_all))
        .route("/api/v3/allOrders", get(account::all_orders))
        .route("/api/v3/account", get(account::account))
        .route("/api/v3/myTrades", get(account::my_trades))
        .route("/health/live", get(market::live))
        .route("/health/ready", get(market::ready))
        .route("/metrics", get(market::metrics))
        .route("/ws", get(socket::raw))
        .route("/ws/", get(socket::raw))
        .route("/ws/{*streams}", get(socket::raw))
        .route("/stream", get(socket::combined))
        .route("/stream/", get(socket::combined))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(shared)
}

async fn not_found(method: Method, uri: Uri) -> Failure {
    Failure(ApiError::not_found(method.as_str(), uri.path()))
}

async fn method_not_allowed(method: Method, uri: Uri) -> Failure {
    Failure(ApiError::method_not_allowed(method.as_str(), uri.path()))
}
