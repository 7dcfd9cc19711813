//! `buttonwood bench bare`: a minimal server of signed requests. An axum handler checks the
//! HMAC-SHA256 signature of a request and answers `{}`: the upper bound of what the machine, its
//! network and the same HTTP library allow without a venue.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Router, body::Bytes};
use cli::Failure;
use protocol::signed::sign::{VerifyingKey, verify};

use super::fleet::{Agent, receive};
use super::spec::Key;

/// The handler in a process of its own, and its address.
pub(super) fn start(key: &Key) -> Result<(Agent, String), Failure> {
    let mut agent = Agent::spawn("bare", &key.secret_key)?;
    let address = agent.receive_ready()?;
    Ok((agent, address))
}

/// Serves until it is killed.
pub(super) fn run() -> Result<(), Failure> {
    let secret: String = receive()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(VerifyingKey::hmac(secret.as_bytes())))
}

async fn serve(key: VerifyingKey) -> Result<(), Failure> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    cli::print_line(format_args!("ready http://{}", listener.local_addr()?))?;
    let router = Router::new()
        .route("/api/v3/order", post(order))
        .route("/api/v3/batchOrders", post(order))
        .route("/health/live", get(async || "{}"))
        .with_state(Arc::new(key));
    let listener = listener.tap_io(|stream| {
        // The first read shows a connection that is gone.
        let _gone = stream.set_nodelay(true);
    });
    Ok(axum::serve(listener, router).await?)
}

async fn order(
    State(key): State<Arc<VerifyingKey>>,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> (StatusCode, &'static str) {
    match verify(&key, &query.unwrap_or_default(), &body) {
        Ok(()) => (StatusCode::OK, "{}"),
        Err(_) => (StatusCode::UNAUTHORIZED, r#"{"code":-1022,"msg":"not signed"}"#),
    }
}
