//! `/admin/v1/events`: what happens in the venue, as messages over a WebSocket.

use std::sync::Arc;

use axum::extract::{Extension, Request, State};
use axum::response::Response;
use protocol::signed::{ApiError, Params};
use tokio::sync::oneshot;

use crate::feed::outlet::Outlet;
use crate::operator::feed::EventFeed;
use crate::operator::hub::{EventReader, OperatorHub};
use crate::operator::subscription::{BAD_REQUEST, subscribe};
use crate::operator::{OperatorState, authorize, refuse};
use crate::socket::connection::ConnectionPermit;
use crate::socket::http::{RequestHead, query_of};
use crate::socket::socket_answer::SocketAnswer;
use crate::socket::websocket::{self, CloseReason, SocketContext, SocketSession, Upgrade};

pub(super) const PATH: &str = "/admin/v1/events";

const FROM_SEQ: &str = "fromSeq";

pub(super) async fn open(
    State(shared): State<Arc<OperatorState>>,
    Extension(permit): Extension<Arc<ConnectionPermit>>,
    upgrade: Upgrade,
    request: Request,
) -> Response {
    let attempt = RequestHead::of(&request).attempt();
    let opened = begin(&shared, permit, upgrade, request).await;
    opened.unwrap_or_else(|error| refuse(&shared, &attempt, error))
}

async fn begin(
    shared: &Arc<OperatorState>,
    permit: Arc<ConnectionPermit>,
    upgrade: Upgrade,
    request: Request,
) -> Result<Response, ApiError> {
    let method = request.method().clone();
    let api = shared.api.clone().ok_or_else(|| ApiError::not_found(method.as_str(), PATH))?;
    let (signer, sent) = authorize(shared, request, (&method, PATH)).await?;
    let mut params = Params::parse(query_of(&sent.uri), b"")?;
    let from_seq = params.integer(FROM_SEQ)?;
    params.finish()?;
    let upgrade = websocket::check(&shared.door.stopping, upgrade)?;
    let queue_max = shared.settings.ws_queue_max;
    let metrics = &shared.hub.metrics;
    let (reader, events) = EventReader::new(signer.key, queue_max, Arc::clone(metrics));
    let subscription = subscribe(shared, &reader).await?;
    let first = subscription.check(from_seq)?;
    let (outlet, messages) = Outlet::new(queue_max, Arc::clone(metrics));
    let outlet = Arc::new(outlet);
    let (end, ended) = oneshot::channel();
    let feed = EventFeed {
        api,
        door: Arc::clone(&shared.door),
        reader: Arc::clone(&reader),
        events,
        outlet: Arc::clone(&outlet),
    };
    let session = EventSession { hub: Arc::clone(&shared.hub), reader, ended };
    let stopping = shared.door.stopping.clone();
    let context = SocketContext { permit, settings: shared.settings, stopping, readers: None };
    let response = websocket::open(context, upgrade, (outlet, messages), session);
    tokio::spawn(feed.run(subscription, first, end));
    response.map_err(|reply| reply.0)
}

struct EventSession {
    hub: Arc<OperatorHub>,
    reader: Arc<EventReader>,
    /// Resolves when the feed ends the session.
    ended: oneshot::Receiver<CloseReason>,
}

impl SocketSession for EventSession {
    /// A reader has nothing to send.
    const MESSAGE_LEN_MAX: usize = 1 << 10;
    const CLOSES_SLOW_READERS: bool = true;

    async fn receive(&mut self, _text: &str) -> Result<Option<SocketAnswer>, CloseReason> {
        let error = ApiError::new(400, BAD_REQUEST, "this stream takes no messages");
        Ok(Some(error.body().into()))
    }

    async fn next_answer(&mut self) -> Result<SocketAnswer, CloseReason> {
        Err((&mut self.ended).await.unwrap_or(CloseReason::VenueGone))
    }

    fn why_cut(&mut self) -> CloseReason {
        self.ended.try_recv().unwrap_or(CloseReason::TooSlow)
    }

    fn server_shutdown(&self) -> String {
        r#"{"event":"Shutdown"}"#.to_owned()
    }

    fn closed(&mut self) {
        self.hub.remove(&self.reader);
    }
}
