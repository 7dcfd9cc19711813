//! The routers of all dialects on the venue's port.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use protocol::signed::ApiError;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::sleep;
use venue::{Handle, api_key_hash};

use crate::Gateway;
use crate::binance;
use crate::binance::listen_keys::ListenKeys;
use crate::binance::shared::{BinanceContext, EngineAccess};
use crate::door::admission::Admission;
use crate::door::limits::Limits;
use crate::door::sessions;
use crate::door::shared::Door;
use crate::door::single_use::SingleUses;
use crate::monitoring;
use crate::operator::{self, OperatorState};
use crate::socket::accept::{KnownKeys, Port};
use crate::socket::cors;
use crate::socket::http::{API_KEY_HEADER, ErrorReply, RequestHead, text_header};

/// How often the limits of idle addresses are removed.
const REMOVE_IDLE_EVERY: Duration = Duration::from_secs(60);

/// Of a request without a route.
const REFUSAL_WEIGHT: u32 = 1;

pub(crate) async fn serve(
    gateway: Gateway,
    tcp: TcpListener,
    handle: Handle,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let Gateway { settings, publisher, history, tls, operators, access, faults, .. } = gateway;
    let (origins, created_us) = (gateway.origins, gateway.created_us);
    sessions::close_left_over(&handle).await;
    let (stop, stopping) = watch::channel(false);
    let runtime = tokio::runtime::Handle::current();
    let engine_access =
        publisher.engine_access.set(EngineAccess { handle: handle.clone(), runtime });
    debug_assert!(engine_access.is_ok(), "a gateway serves once");
    let door = Arc::new(Door {
        settings: settings.door,
        limits: Limits::new(&settings.door),
        admission: Admission::new(settings.door.late_after),
        single_uses: SingleUses::new(created_us),
        directory: Arc::clone(&publisher.directory),
        handle: handle.clone(),
        history,
        access,
        faults,
        stopping,
    });
    let shared = Arc::new(BinanceContext {
        door: Arc::clone(&door),
        settings: settings.socket,
        listen_keys: ListenKeys::default(),
        publisher,
    });
    let operators =
        OperatorState { door: Arc::clone(&door), settings: settings.socket, api: operators };
    let operators = Arc::new(operators);
    let mut tasks = vec![
        tokio::spawn(binance::user_data_stream::expire(Arc::clone(&shared))),
        tokio::spawn(remove_idle(Arc::clone(&door))),
    ];
    if let Some(tls) = tls.clone() {
        tasks.push(tokio::spawn(async move { tls.watch().await }));
    }
    let served = binance::router(shared)
        .merge(operator::router(operators))
        .merge(monitoring::router(Arc::clone(&door)));
    #[cfg(feature = "echo")]
    let served = served.merge(crate::echo::router(Arc::clone(&door), settings.socket));
    let router = refuse_others(served, Arc::clone(&door));
    let router = if origins.is_empty() {
        router
    } else {
        router.layer(cors::layer(origins, binance::rest::headers()))
    };
    let over_limit_response = binance::rest::over_limit_response;
    let metrics = Arc::clone(handle.metrics());
    let (settings, has_known_key) = (settings.socket, known_keys(door));
    let port =
        Port { tcp, tls, settings, router, metrics, stop, has_known_key, over_limit_response };
    port.serve(shutdown).await;
    tasks.iter().for_each(|task| task.abort());
    Ok(())
}

/// Whether a request names a key of the venue. Its signature is verified later.
fn known_keys(door: Arc<Door>) -> KnownKeys {
    Arc::new(move |headers| {
        let hash = text_header(headers, &API_KEY_HEADER).map(api_key_hash);
        hash.is_some_and(|hash| door.directory.read().signer(&hash).is_some())
    })
}

async fn remove_idle(door: Arc<Door>) {
    loop {
        sleep(REMOVE_IDLE_EVERY).await;
        door.limits.remove_idle();
    }
}

/// Refuses paths without a route, and methods that a path does not take.
fn refuse_others(router: Router, door: Arc<Door>) -> Router {
    let refuse = |error: fn(&str, &str) -> ApiError| {
        let door = Arc::clone(&door);
        move |request: Request| async move {
            let head = RequestHead::of(&request);
            let error = match head.address.map(|peer| door.limits.spend(peer, REFUSAL_WEIGHT)) {
                Some(Err(over)) => over.into(),
                _ => error(request.method().as_str(), request.uri().path()),
            };
            door.record_error(&head.attempt(), &error);
            ErrorReply(error)
        }
    };
    router
        .fallback(refuse(ApiError::not_found))
        .method_not_allowed_fallback(refuse(ApiError::method_not_allowed))
}
