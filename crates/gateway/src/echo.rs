//! A WebSocket that says back what it hears, for the conformance suite. Builds that serve clients do
//! not have it.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::Response;

use crate::feed::outlet::Outlet;
use crate::shared::Shared;
use crate::socket::connection::Place;
use crate::socket::http::Failure;
use crate::socket::websocket::{self, End, Session, Upgrade};

pub(crate) async fn open(
    State(shared): State<Arc<Shared>>,
    Extension(place): Extension<Place>,
    upgrade: Upgrade,
) -> Result<Response, Failure> {
    let upgrade = websocket::check(&shared.door.stopping, upgrade)?;
    let (outlet, queue) = Outlet::new(shared.settings.ws_queue_max);
    let ground = shared.ground(place);
    websocket::open(ground, upgrade, (Arc::new(outlet), queue), Echo)
}

/// As long as those of the market data.
const MESSAGE_LEN_MAX: usize = protocol::binance::stream::MESSAGE_LEN_MAX;

struct Echo;

impl Session for Echo {
    const MESSAGE_LEN_MAX: usize = MESSAGE_LEN_MAX;

    async fn receive(&mut self, text: &str) -> Result<Option<String>, End> {
        Ok(Some(text.to_owned()))
    }

    /// The suite sends thousands in a second.
    fn counts_messages(&self) -> bool {
        false
    }

    fn server_shutdown(&self) -> String {
        String::new()
    }

    fn forget(&mut self) {}
}
