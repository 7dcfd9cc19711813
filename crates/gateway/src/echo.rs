//! A WebSocket that says back what it hears, for the conformance suite. Builds that serve clients do
//! not have it.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::Response;
use protocol::signed::TimeUnit;

use crate::client::Client;
use crate::connection::{self, End, Session, Upgrade};
use crate::shared::Shared;
use crate::socket::connection::Place;
use crate::socket::http::Failure;

pub(crate) async fn open(
    State(shared): State<Arc<Shared>>,
    Extension(place): Extension<Place>,
    upgrade: Upgrade,
) -> Result<Response, Failure> {
    let upgrade = connection::check(&shared, upgrade)?;
    let client = Client::new(shared.settings.ws_queue_max, false, TimeUnit::default());
    connection::open(shared, place, upgrade, client, Echo)
}

struct Echo;

impl Session for Echo {
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
