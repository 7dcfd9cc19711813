//! A WebSocket that echoes each message, for the conformance suite. Builds that serve clients do
//! not include it.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Extension, State};
use axum::response::Response;
use axum::routing::get;

use crate::door::shared::Door;
use crate::feed::outlet::Outlet;
use crate::socket::connection::ConnectionPermit;
use crate::socket::http::ErrorReply;
use crate::socket::settings::SocketSettings;
use crate::socket::socket_answer::SocketAnswer;
use crate::socket::websocket::{self, CloseReason, SocketContext, SocketSession, Upgrade};

pub(crate) fn router(door: Arc<Door>, settings: SocketSettings) -> Router {
    Router::new().route("/echo", get(open)).with_state((door, settings))
}

async fn open(
    State((door, settings)): State<(Arc<Door>, SocketSettings)>,
    Extension(permit): Extension<Arc<ConnectionPermit>>,
    upgrade: Upgrade,
) -> Result<Response, ErrorReply> {
    let upgrade = websocket::check(&door.stopping, upgrade)?;
    let (outlet, queue) = Outlet::new(settings.ws_queue_max, Arc::default());
    let stopping = door.stopping.clone();
    let context = SocketContext { permit, settings, stopping, readers: None };
    websocket::open(context, upgrade, (Arc::new(outlet), queue), Echo)
}

/// As for market data.
const MESSAGE_LEN_MAX: usize = protocol::binance::stream::MESSAGE_LEN_MAX;

struct Echo;

impl SocketSession for Echo {
    const MESSAGE_LEN_MAX: usize = MESSAGE_LEN_MAX;

    async fn receive(&mut self, text: &str) -> Result<Option<SocketAnswer>, CloseReason> {
        Ok(Some(text.to_owned().into()))
    }

    /// The suite sends thousands of messages a second.
    fn counts_messages(&self) -> bool {
        false
    }

    fn server_shutdown(&self) -> String {
        String::new()
    }

    fn closed(&mut self) {}
}
