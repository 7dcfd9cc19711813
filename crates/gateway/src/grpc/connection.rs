//! HTTP/2 on one connection.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::http;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{sleep, timeout};
use tonic::body::Body;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::door::shared::Door;
use crate::grpc::routes::Routes;
use crate::grpc::shared::GrpcShared;
use crate::socket::http::Peer;
use crate::socket::listeners::Serve;

/// Calls of one connection at once.
const CALLS_MAX: u32 = 1_024;
const HEAD_MAX: u32 = 16 << 10;
/// Bytes that a call's client may send ahead, and those of all calls of a connection.
const CALL_WINDOW: u32 = 256 << 10;
const CONNECTION_WINDOW: u32 = 1 << 20;
/// Bytes of a call's answers that wait for its client.
const SEND_BUFFER: usize = 64 << 10;
/// A client that does not answer a ping for as long again is gone.
const PING_EVERY: Duration = Duration::from_secs(20);
/// How long a new connection may take to its first call.
const FIRST_CALL_WITHIN: Duration = Duration::from_secs(10);
/// How long the calls under way may take when the venue stops.
const GRACE: Duration = Duration::from_secs(5);

/// The dialect: its services on each connection.
pub(crate) struct GrpcDoor {
    door: Arc<Door>,
    routes: Arc<Routes>,
}

impl GrpcDoor {
    pub(crate) fn new(shared: &Arc<GrpcShared>) -> Arc<Self> {
        let (door, health) = (Arc::clone(&shared.door), HealthReporter::new());
        let routes = Arc::new(Routes::new(shared, health.clone()));
        let stopping = Arc::clone(&door);
        tokio::spawn(async move {
            stopping.stopped().await;
            health.set_service_status("", ServingStatus::NotServing).await;
        });
        Arc::new(Self { door, routes })
    }
}

impl Serve for GrpcDoor {
    const NAME: &'static str = "grpc";
    const ALPN: Option<&'static [u8]> = Some(b"h2");

    async fn serve(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Send + Sync + Unpin + 'static,
        peer: IpAddr,
    ) {
        let has_called = Arc::new(AtomicBool::new(false));
        let (routes, called) = (Arc::clone(&self.routes), Arc::clone(&has_called));
        let service = service_fn(move |request: http::Request<Incoming>| {
            called.store(true, Ordering::Relaxed);
            let routes = Arc::clone(&routes);
            async move {
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(Peer(peer));
                Ok::<_, Infallible>(routes.answer(request).await)
            }
        });
        let connection = http().serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        let mut first_call = pin!(sleep(FIRST_CALL_WITHIN));
        let mut stopped = pin!(self.door.stopped());
        let mut waits_for_call = true;
        loop {
            tokio::select! {
                // How it ended is the client's affair.
                _ended = connection.as_mut() => return,
                () = first_call.as_mut(), if waits_for_call => {
                    waits_for_call = false;
                    if !has_called.load(Ordering::Relaxed) {
                        return;
                    }
                }
                () = stopped.as_mut() => break,
            }
        }
        connection.as_mut().graceful_shutdown();
        // A client that does not read is cut.
        let _ended = timeout(GRACE, connection).await;
    }
}

fn http() -> http2::Builder<TokioExecutor> {
    let mut http = http2::Builder::new(TokioExecutor::new());
    http.timer(TokioTimer::new())
        .max_concurrent_streams(CALLS_MAX)
        .max_header_list_size(HEAD_MAX)
        .initial_stream_window_size(CALL_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(SEND_BUFFER)
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_EVERY);
    http
}
