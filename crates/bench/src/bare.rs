//! `buttonwood bench bare`: the least that a server of signed requests can be. An axum handler
//! looks at the HMAC-SHA256 signature of what came and answers `{}`: what the machine, its network
//! and the same HTTP library allow when there is no venue behind them.

use std::io::{BufRead, Write};
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Router, body::Bytes};
use cli::Failure;
use protocol::signed::sign::{VerifyingKey, verify};

use super::fleet::Agent;
use super::spec::Key;

/// The handler in a process of its own.
pub(super) struct Bare {
    pub(super) agent: Agent,
    pub(super) address: String,
}

impl Bare {
    pub(super) fn start(key: &Key) -> Result<Self, Failure> {
        let mut agent = Agent::spawn("bare")?;
        agent.tell(&key.secret_key)?;
        let address = agent.hear_ready()?;
        Ok(Self { agent, address })
    }
}

/// Serves until it is killed.
pub(super) fn run() -> Result<(), Failure> {
    let mut secret = String::new();
    std::io::stdin().lock().read_line(&mut secret)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(secret.trim_end().as_bytes().into()))
}

async fn serve(secret: Arc<[u8]>) -> Result<(), Failure> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "ready http://{}", listener.local_addr()?)?;
    stdout.flush()?;
    let router = Router::new()
        .route("/api/v3/order", post(order))
        .route("/api/v3/batchOrders", post(order))
        .route("/health/live", get(async || "{}"))
        .with_state(secret);
    let listener = listener.tap_io(|stream| {
        // A connection that is gone shows that by itself.
        let _gone = stream.set_nodelay(true);
    });
    Ok(axum::serve(listener, router).await?)
}

async fn order(
    State(secret): State<Arc<[u8]>>,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> (StatusCode, &'static str) {
    let query = query.unwrap_or_default();
    match verify(VerifyingKey::Hmac(&secret), &query, &body) {
        Ok(()) => (StatusCode::OK, "{}"),
        Err(_) => (StatusCode::UNAUTHORIZED, r#"{"code":-1022,"msg":"not signed"}"#),
    }
}
