//! Orders on a stream: many requests under way, carried out in their order.
//!
//! The messages that have arrived are one batch of the venue, and the answers that are ready one
//! message. A client with 256 requests under way is not read, nor is one that does not read its
//! answers: HTTP/2 then stops it from sending.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, unfold};
use futures_util::{FutureExt, StreamExt};
use proto::v1;
use proto::v1::order_request::Request as Asked;
use proto::v1::order_response::Result as Answered;
use protocol::signed::ApiError;
use tonic::codegen::BoxStream;
use tonic::metadata::MetadataMap;
use tonic::{Request, Status, Streaming};
use types::{AccountId, Command, Event, OpenSession, RejectReason, SessionId};
use venue::Handle;

use crate::door::in_use::Held;
use crate::door::sessions;
use crate::door::shared::Door;
use crate::grpc::call::KeyedCall;
use crate::grpc::caller::text;
use crate::grpc::desk::Desk;
use crate::grpc::refusal::{Failure, Refused};

/// Requests of one stream without an answer. No more messages are read at this number.
const IN_FLIGHT_MAX: usize = 256;
/// In the metadata: `true` cancels the stream's orders when it ends.
const CANCEL_ON_DISCONNECT: &str = "x-bw-cancel-on-disconnect";

type Answer = Pin<Box<dyn Future<Output = v1::OrderResponse> + Send>>;

pub(super) async fn open(
    call: &KeyedCall,
    request: Request<Streaming<v1::OrderRequests>>,
) -> Result<BoxStream<v1::OrderResponses>, Failure> {
    let door = &call.call.shared.door;
    let held = door.in_use.stream_of_account(call.caller.account);
    let max = door.settings.user_streams_per_account_max;
    let held = held.ok_or_else(|| ApiError::too_many_user_streams(max))?;
    let mut desk = Desk { deadline: None, is_gathered: true, ..Desk::of(call) };
    // The stream may last: what it was opened with must not end it.
    desk.caller.expires_us = u64::MAX;
    let session = if cancels_on_disconnect(request.metadata())? {
        Some(OpenedSession::open(&mut desk).await?)
    } else {
        None
    };
    let orders = OrderStream {
        desk: Arc::new(desk),
        sent: request.into_inner(),
        has_more: true,
        waiting: VecDeque::new(),
        in_flight: FuturesUnordered::new(),
        ready: Vec::new(),
        _session: session,
        _held: held,
    };
    Ok(Box::pin(unfold(Some(orders), |orders| async {
        let mut orders = orders?;
        match orders.next().await {
            Ok(None) => None,
            Ok(Some(responses)) => Some((Ok(responses), Some(orders))),
            Err(status) => Some((Err(status), None)),
        }
    })))
}

struct OrderStream {
    desk: Arc<Desk>,
    sent: Streaming<v1::OrderRequests>,
    /// The client has not ended its side.
    has_more: bool,
    /// Requests that were read and have no room yet.
    waiting: VecDeque<v1::OrderRequest>,
    in_flight: FuturesUnordered<Answer>,
    ready: Vec<v1::OrderResponse>,
    _session: Option<OpenedSession>,
    _held: Held<AccountId>,
}

impl OrderStream {
    /// The next answers; `None` once each request of a client that sends no more has its answer.
    async fn next(&mut self) -> Result<Option<v1::OrderResponses>, Status> {
        loop {
            self.start().await;
            while let Some(Some(answer)) = self.in_flight.next().now_or_never() {
                self.ready.push(answer);
            }
            if !self.ready.is_empty() {
                let responses = std::mem::take(&mut self.ready);
                return Ok(Some(v1::OrderResponses { responses }));
            }
            let is_idle = self.in_flight.is_empty();
            if is_idle && !self.has_more {
                return Ok(None);
            }
            let reads = self.has_more && self.waiting.is_empty() && !self.is_full();
            let desk = Arc::clone(&self.desk);
            tokio::select! {
                biased;
                Some(answer) = self.in_flight.next(), if !is_idle => self.ready.push(answer),
                message = self.sent.message(), if reads => self.take(message)?,
                () = desk.shared.door.stopped() => return Err(Refused::stopping().into_status()),
            }
        }
    }

    fn is_full(&self) -> bool {
        self.in_flight.len() >= IN_FLIGHT_MAX
    }

    /// Takes a message, and those behind it that have arrived.
    fn take(&mut self, message: Result<Option<v1::OrderRequests>, Status>) -> Result<(), Status> {
        let mut message = message?;
        let Desk { shared, caller, peer, .. } = &*self.desk;
        if !caller.is_valid(&shared.door, *peer) {
            return Err(Refused::from(ApiError::api_key_rejected()).into_status());
        }
        loop {
            let Some(requests) = message else {
                self.has_more = false;
                return Ok(());
            };
            self.waiting.extend(requests.requests);
            if self.waiting.len() + self.in_flight.len() >= IN_FLIGHT_MAX {
                return Ok(());
            }
            match self.sent.message().now_or_never() {
                Some(next) => message = next?,
                None => return Ok(()),
            }
        }
    }

    /// Submits the requests for which there is room, in one batch.
    async fn start(&mut self) {
        if self.waiting.is_empty() || self.is_full() {
            return;
        }
        let desk = Arc::clone(&self.desk);
        let door = &desk.shared.door;
        while !self.is_full()
            && let Some(request) = self.waiting.pop_front()
        {
            let mut answer: Answer = Box::pin(respond(Arc::clone(&desk), request));
            // The first poll submits it before any later request.
            match door.poll_first(answer.as_mut()).await {
                Poll::Ready(answer) => self.ready.push(answer),
                Poll::Pending => self.in_flight.push(answer),
            }
        }
        door.handle.run_inbox();
    }
}

async fn respond(desk: Arc<Desk>, request: v1::OrderRequest) -> v1::OrderResponse {
    let v1::OrderRequest { request_id, request } = request;
    let answered = match request {
        Some(Asked::Place(place)) => {
            entered(&desk.shared.door, desk.place(place)).await.map(Answered::Reply)
        }
        Some(Asked::Replace(replace)) => {
            entered(&desk.shared.door, desk.replace(replace)).await.map(Answered::Reply)
        }
        Some(Asked::Cancel(cancel)) => desk.cancel(cancel).await.map(Answered::Reply),
        Some(Asked::CancelAll(all)) => desk.cancel_all(all).await.map(Answered::Canceled),
        None => Err(ApiError::mandatory("request").into()),
    };
    let refusal = |failure: Failure| Answered::Refusal(failure.into_refused().into_message());
    v1::OrderResponse { request_id, result: Some(answered.unwrap_or_else(refusal)) }
}

/// Refuses order entry while the venue is overloaded.
async fn entered<T>(
    door: &Door,
    enter: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    door.admission.check(Duration::ZERO, &door.handle).map_err(ApiError::from)?;
    enter.await
}

fn cancels_on_disconnect(metadata: &MetadataMap) -> Result<bool, ApiError> {
    match text(metadata, CANCEL_ON_DISCONNECT) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(ApiError::invalid_parameter(CANCEL_ON_DISCONNECT)),
    }
}

/// A session of the venue, which is closed with the stream.
struct OpenedSession {
    handle: Handle,
    session: SessionId,
}

impl OpenedSession {
    async fn open(desk: &mut Desk) -> Result<Self, Failure> {
        desk.session = sessions::random_session();
        let open = OpenSession { cancel_on_disconnect: true, login: None };
        let outcome = desk.submit(Command::OpenSession(open), "").await?;
        match outcome.events.first() {
            Some(Event::SessionOpened(_)) => {
                let handle = desk.shared.door.handle.clone();
                Ok(Self { handle, session: desk.session })
            }
            Some(Event::CommandRejected(rejected)) => Err(rejected.reason.into()),
            _ => Err(RejectReason::UnknownSession.into()),
        }
    }
}

impl Drop for OpenedSession {
    fn drop(&mut self) {
        sessions::close(self.handle.clone(), self.session);
    }
}
