//! What is served on the venue's port, and by whom.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::routing::{any, get, on};
use protocol::signed::ApiError;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::sleep;
use venue::Handle;

use crate::Gateway;
use crate::door::admission::Admission;
use crate::door::limits::Limits;
use crate::door::sessions;
use crate::door::shared::Door;
use crate::listen_keys::ListenKeys;
use crate::operations::OPERATIONS;
use crate::reach::Reach;
use crate::shared::Shared;
use crate::socket::accept::Port;
use crate::socket::cors;
use crate::socket::http::{Asked, Failure};
use crate::{api_session, expiry, flush, market, openapi, operator, rest, streams};

/// How often addresses are forgotten that have not asked for a while.
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
    let runtime = tokio::runtime::Handle::current();
    let reach = known.reach.set(Reach { handle: handle.clone(), runtime });
    debug_assert!(reach.is_ok(), "a gateway serves once");
    let door = Arc::new(Door {
        settings,
        limits: Limits::new(&settings),
        admission: Admission::new(settings.late_after),
        directory: Arc::clone(&known.directory),
        handle: handle.clone(),
        history,
        access,
        stopping,
    });
    let shared = Arc::new(Shared {
        door: Arc::clone(&door),
        settings,
        listen_keys: ListenKeys::default(),
        known: Arc::clone(&known),
        operators,
    });
    let mut tasks = vec![
        tokio::spawn(flush::flush_depth(known, handle.clone())),
        tokio::spawn(expiry::expire(Arc::clone(&shared))),
        tokio::spawn(forget(door)),
    ];
    if let Some(tls) = tls.clone() {
        tasks.push(tokio::spawn(async move { tls.watch().await }));
    }
    let router = match origins.is_empty() {
        true => router(shared),
        false => router(shared).layer(cors::layer(origins, rest::headers())),
    };
    let turned_away = rest::turned_away;
    let metrics = Arc::clone(handle.metrics());
    let port = Port { tcp, tls, settings, router, metrics, stop, turned_away };
    port.serve(shutdown).await;
    tasks.iter().for_each(|task| task.abort());
    Ok(())
}

async fn forget(door: Arc<Door>) {
    loop {
        sleep(FORGET_EVERY).await;
        door.limits.forget();
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
    shared.door.note(&Asked::of(request).attempt(), error.status, error.code, &error.msg);
    Failure(error)
}
