//! Which path leads where.

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, on};

use crate::binance::operations::OPERATIONS;
use crate::binance::shared::Shared;
use crate::binance::{api_session, openapi, rest, streams};

pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let mut router = Router::new();
    for operation in OPERATIONS {
        let serve = move |state, request| rest::serve(operation, state, request);
        router = router.route(operation.path, on(operation.method, serve));
    }
    router
        .route("/openapi.json", get(openapi::document))
        .route("/ws", get(streams::raw))
        .route("/ws/", get(streams::raw))
        .route("/ws/{*streams}", get(streams::raw))
        .route("/stream", get(streams::combined))
        .route("/stream/", get(streams::combined))
        .route("/ws-api/v3", get(api_session::open))
        .route("/ws-api/v3/", get(api_session::open))
        .with_state(shared)
}
