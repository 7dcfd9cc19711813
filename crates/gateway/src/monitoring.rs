//! Monitoring endpoints: liveness, readiness and metrics.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use protocol::signed::ApiError;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use venue::ReplicaStatus;

use crate::door::shared::Door;
use crate::socket::http::{ErrorReply, JsonReply, json};

/// Instruments whose books are shown: the first that were listed.
const BOOKS_MAX: usize = 100;

/// How long a scrape waits for the books.
const BOOKS_TIME_MAX: Duration = Duration::from_millis(200);

const LIVE: &str = "/health/live";
const READY: &str = "/health/ready";
const METRICS: &str = "/metrics";

pub(crate) const PATHS: [&str; 3] = [LIVE, READY, METRICS];

pub(crate) fn router(door: Arc<Door>) -> Router {
    Router::new()
        .route(LIVE, get(live))
        .route(READY, get(ready))
        .route(METRICS, get(metrics))
        .with_state(door)
}

/// `GET /health/live`: the process answers.
async fn live() -> JsonReply {
    json(r#"{"status":"live"}"#.to_owned())
}

/// `GET /health/ready`: the engine and the publisher answer. The answer reports a replica that has
/// raised its alarm. The venue stays ready, because the primary has answered its clients.
async fn ready(State(door): State<Arc<Door>>) -> Result<JsonReply, ErrorReply> {
    if *door.stopping.borrow() {
        return Err(ApiError::shutting_down().into());
    }
    door.ask_whether_ready().await?;
    Ok(json(match door.handle.metrics().replica_status() {
        ReplicaStatus::Off => r#"{"status":"ready"}"#.to_owned(),
        replica => format!(r#"{{"status":"ready","replica":"{replica}"}}"#),
    }))
}

/// `GET /metrics`: metrics for the operator's monitoring.
async fn metrics(State(door): State<Arc<Door>>) -> Response {
    // A publisher that is busy or stuck leaves the books of the last scrape.
    if let Ok(Ok(books)) = timeout(BOOKS_TIME_MAX, door.books(BOOKS_MAX)).await {
        door.handle.metrics().set_books(books);
    }
    let metrics = Arc::clone(door.handle.metrics());
    // It reads the data folder, whose disk may be slow.
    let text =
        spawn_blocking(move || metrics.text()).await.expect("writing metrics does not panic");
    ([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response()
}

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
