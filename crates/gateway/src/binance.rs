//! The Binance Spot API: REST, WebSocket API, market and user data streams.
//!
//! Each request becomes a [`call::Call`], from either transport. `operations/table.rs` names the
//! function that answers it. [`protocol::binance`] encodes and decodes the messages.

pub(crate) mod account;
pub(crate) mod api_session;
pub(crate) mod balances;
pub(crate) mod batch;
pub(crate) mod call;
pub(crate) mod changes;
mod faults;
pub(crate) mod history;
pub(crate) mod hub;
pub(crate) mod listen_keys;
pub(crate) mod lists;
pub(crate) mod market;
pub(crate) mod openapi;
pub(crate) mod operations;
pub(crate) mod order_counts;
pub(crate) mod rest;
pub(crate) mod rules;
pub(crate) mod select;
pub(crate) mod shared;
pub(crate) mod statistics;
pub(crate) mod stream_client;
pub(crate) mod streams;
pub(crate) mod ticker;
pub(crate) mod trading;
pub(crate) mod user_data;
pub(crate) mod user_data_stream;
pub(crate) mod user_streams;
pub(crate) mod wallet;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, on};

use self::operations::OPERATIONS;
use self::shared::BinanceContext;

/// The paths of this dialect.
pub(crate) fn router(shared: Arc<BinanceContext>) -> Router {
    let mut router = Router::new();
    for (place, operation) in OPERATIONS.iter().enumerate() {
        let serve = move |state, request| rest::serve(place, state, request);
        router = router.route(operation.path, on(operation.filter, serve));
    }
    router
        .route("/openapi.json", get(openapi::document))
        .route("/ws", get(streams::open))
        .route("/ws/", get(streams::open))
        .route("/ws/{*streams}", get(streams::open))
        .route("/stream", get(streams::open))
        .route("/stream/", get(streams::open))
        .route("/ws-api/v3", get(api_session::open))
        .route("/ws-api/v3/", get(api_session::open))
        .with_state(shared)
}
