//! The WebSocket API: every request of REST as a message, and a session that can log on.
//!
//! Requests of a connection reach the venue in the order of their messages. Each is answered when
//! it is ready: a client may send the next request before it has an answer.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use axum::extract::ws::Utf8Bytes;
use axum::extract::{Extension, State};
use axum::http::Uri;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use protocol::binance::response::{Empty, encode, reuse};
use protocol::binance::stream::MESSAGE_LEN_MAX;
use protocol::binance::ws_api::{self, Id, Request, SessionStatus, Subscription, UsedLimits};
use protocol::binance::{stream, user_stream};
use protocol::signed::{ApiError, Params, TimeUnit};
use types::{Command, Event, OpenSession, Origin, RejectReason, Role, SessionId};
use venue::api_key_hash;

use crate::binance::call::{Answer, Call, KeyedCall, LogonKey, Proof, Refusal, claimed_key};
use crate::binance::operations::{Executed, Operation};
use crate::binance::rest::add_weight;
use crate::binance::shared::BinanceContext;
use crate::binance::stream_client::StreamClient;
use crate::binance::streams::time_unit;
use crate::binance::user_data;
use crate::binance::user_data::UserDataSubscription;
use crate::binance::user_streams::{PayloadForm, UserDataReader};
use crate::clock::{machine_ns, now_ns};
use crate::door::access::{Attempt, WS_METHOD};
use crate::door::identity::{Permission, Signer};
use crate::door::in_use::Streams;
use crate::door::sessions;
use crate::socket::connection::{CallTimes, ConnectionPermit};
use crate::socket::http::{ErrorReply, JsonReply, Peer, json};
use crate::socket::socket_answer::{SocketAnswer, WaitingAnswers};
use crate::socket::websocket::{self, CloseReason, SocketSession, Upgrade};

/// Requests of one connection in flight. No more messages are read at this number.
const IN_FLIGHT_MAX: usize = 1_024;
/// Bytes of an answer that is copied: that of an order with few fills.
const COPIED_LEN_MAX: usize = 2 << 10;
/// User data streams of one connection.
const SUBSCRIPTIONS_MAX: usize = 100;
/// Weight of connecting, and of each request of the session itself.
const SESSION_WEIGHT: u32 = 2;

/// `/ws-api/v3`
pub(crate) async fn open(
    State(shared): State<Arc<BinanceContext>>,
    Extension(permit): Extension<Arc<ConnectionPermit>>,
    Extension(Peer(peer)): Extension<Peer>,
    uri: Uri,
    upgrade: Upgrade,
) -> Result<Response, ErrorReply> {
    let upgrade = websocket::check(&shared.door.stopping, upgrade)?;
    if let Err(over) = shared.door.limits.spend(peer, SESSION_WEIGHT) {
        let mut response = ErrorReply::from(over).into_response();
        add_weight(response.headers_mut(), over.used());
        return Ok(response);
    }
    let mut params = Params::parse(uri.query().unwrap_or_default(), b"")?;
    let unit = time_unit(&mut params)?;
    let return_rate_limits = params.flag("returnRateLimits")?.unwrap_or(true);
    let (client, queue) =
        StreamClient::new(shared.settings.ws_queue_max, &shared.publisher.readers, false, unit);
    let session = ApiSession {
        shared: Arc::clone(&shared),
        permit: permit.clone(),
        peer,
        unit,
        connected_ns: now_ns(),
        return_rate_limits,
        logon: None,
        client: Arc::clone(&client),
        subscriptions: Vec::new(),
        streams: shared.door.in_use.streams_of_address(peer),
        last_subscription: 0,
        in_flight: FuturesUnordered::new(),
        waiting: WaitingAnswers::new(Arc::clone(&permit)),
    };
    let context = shared.context(permit);
    websocket::open(context, upgrade, (Arc::clone(&client.outlet), queue), session)
}

struct ApiSession {
    shared: Arc<BinanceContext>,
    permit: Arc<ConnectionPermit>,
    peer: IpAddr,
    unit: TimeUnit,
    connected_ns: u64,
    return_rate_limits: bool,
    logon: Option<Logon>,
    client: Arc<StreamClient>,
    subscriptions: Vec<OpenSubscription>,
    streams: Streams,
    last_subscription: u32,
    in_flight: FuturesUnordered<Pin<Box<dyn Future<Output = SocketAnswer> + Send>>>,
    waiting: WaitingAnswers,
}

/// The key of requests that name none.
#[derive(Clone, Debug)]
struct Logon {
    api_key: String,
    hash: [u8; 16],
    since_ns: u64,
    /// The venue's session that ends with the connection; zero if there is none.
    session: SessionId,
}

/// A user data stream on this connection.
#[derive(Debug)]
struct OpenSubscription {
    id: u32,
    /// Whether the stream ends with the logon.
    by_logon: bool,
    user_data: UserDataSubscription,
}

impl SocketSession for ApiSession {
    const MESSAGE_LEN_MAX: usize = MESSAGE_LEN_MAX;

    async fn receive(&mut self, text: &str) -> Result<Option<SocketAnswer>, CloseReason> {
        let request = match Request::parse(text) {
            Ok(request) => request,
            Err((id, error)) => {
                let refused = Executed::unlimited(Err(error), 0);
                return Ok(Some(self.responder(Some(false)).respond(&id, refused)));
            }
        };
        let Request { id, method, params, return_rate_limits } = request;
        let responder = self.responder(return_rate_limits);
        self.revoke();
        let method = method.strip_prefix("v3/").unwrap_or(&method);
        if let Some(operation) = Operation::named(method) {
            let call = self.call(params);
            let mut answer = Box::pin(async move {
                let executed = operation.execute(call).await;
                responder.respond(&id, executed)
            });
            // The first poll submits it before any later message, and in one batch with them.
            if let Poll::Ready(answer) = self.shared.door.poll_first(answer.as_mut()).await {
                return Ok(Some(answer));
            }
            self.in_flight.push(answer);
            return Ok(None);
        }
        let attempt = Attempt {
            address: Some(self.peer),
            key: claimed_key(&params),
            method: WS_METHOD.into(),
            path: method.to_owned().into(),
        };
        // The session may wait for this request. Requests sent earlier must not.
        self.shared.door.handle.run_inbox();
        let (answer, spent) = match self.shared.door.limits.spend(self.peer, SESSION_WEIGHT) {
            Ok(spent) => {
                let answer = self.serve(method, params).await;
                (answer.map_err(Refusal::into_error), spent)
            }
            Err(over) => (Err(over.into()), over.used()),
        };
        if let Err(error) = &answer {
            self.shared.door.record_error(&attempt, error);
        }
        Ok(Some(responder.respond(&id, Executed::unlimited(answer, spent))))
    }

    async fn next_answer(&mut self) -> Result<SocketAnswer, CloseReason> {
        if let Some(answer) = self.waiting.pop() {
            return Ok(answer);
        }
        match self.in_flight.next().await {
            Some(answer) => Ok(answer),
            None => std::future::pending().await,
        }
    }

    async fn keep_answers(&mut self) {
        while let Some(answer) = self.in_flight.next().await {
            if !self.waiting.push(answer) {
                return;
            }
        }
        std::future::pending::<()>().await;
    }

    fn is_busy(&self) -> bool {
        self.in_flight.len() + self.waiting.len() >= IN_FLIGHT_MAX
    }

    fn run_inbox(&mut self) {
        self.shared.door.handle.run_inbox();
    }

    fn counts_messages(&self) -> bool {
        false
    }

    fn server_shutdown(&self) -> String {
        stream::server_shutdown(now_ns(), self.unit, false)
    }

    /// The publisher finds the queue closed.
    fn closed(&mut self) {
        self.log_off();
    }
}

impl ApiSession {
    fn call(&self, params: Params) -> Call {
        let key = |logon: &Logon| LogonKey { hash: logon.hash, session: logon.session };
        let logon = self.logon.as_ref().map(key);
        let received_ns = now_ns();
        Call {
            shared: Arc::clone(&self.shared),
            received_ns,
            waited: self.permit.waited(machine_ns()),
            times: CallTimes::begin(None),
            unit: self.unit,
            params,
            peer: self.peer,
            connection: Some(Arc::clone(&self.permit)),
            origin: Origin::WebSocket,
            proof: Proof::Message { logon },
            retry_key: Ok(None),
        }
    }

    /// Requests of the session itself.
    async fn serve(&mut self, method: &str, params: Params) -> Answer {
        match method {
            "session.logon" => self.log_on(params).await,
            "session.status" => {
                params.finish()?;
                Ok(self.status())
            }
            "session.logout" => {
                params.finish()?;
                self.log_off();
                self.unsubscribe(|subscription| subscription.by_logon).await?;
                Ok(self.status())
            }
            "session.subscriptions" => {
                params.finish()?;
                let id = |subscription: &OpenSubscription| Subscription {
                    subscription_id: subscription.id,
                    from_seq: None,
                };
                Ok(json(encode(&self.subscriptions.iter().map(id).collect::<Vec<_>>())))
            }
            "userDataStream.subscribe" => self.subscribe_logged_on(params).await,
            "userDataStream.subscribe.signature" => self.subscribe_signed(params).await,
            "userDataStream.unsubscribe" => self.end_subscription(params).await,
            _ => Err(ApiError::unknown_method(method).into()),
        }
    }

    /// Logs off a key that is revoked or expired, and notifies the client.
    fn revoke(&mut self) {
        let is_valid = |logon: &Logon| {
            let signer = self.shared.door.directory().signer(&logon.hash);
            signer.is_some_and(|signer| signer.is_valid(self.peer))
        };
        if self.logon.as_ref().is_none_or(is_valid) {
            return;
        }
        self.log_off();
        let notice = ws_api::answer(&Id::null(), 401, ApiError::api_key_rejected().body(), None);
        self.in_flight.push(Box::pin(std::future::ready(notice.into())));
    }

    async fn log_on(&mut self, params: Params) -> Answer {
        let api_key = params.peek("apiKey").map(str::to_owned);
        let api_key = api_key.ok_or_else(|| ApiError::mandatory("apiKey"))?;
        let mut call = self.call(params).signed(Permission::UserData).await?;
        let cancel_on_disconnect = call.params.flag("cancelOnDisconnect")?.unwrap_or(false);
        std::mem::take(&mut call.params).finish()?;
        if cancel_on_disconnect && call.signer.role != Role::Trader {
            return Err(ApiError::api_key_rejected().into());
        }
        let session =
            if cancel_on_disconnect { open_session(&mut call).await? } else { SessionId(0) };
        self.log_off();
        let (hash, since_ns) = (api_key_hash(&api_key), call.received_ns);
        self.logon = Some(Logon { api_key, hash, since_ns, session });
        Ok(self.status())
    }

    /// Closes the venue's session: orders that would end with the connection end with the logon.
    fn log_off(&mut self) {
        if let Some(Logon { session, .. }) = self.logon.take()
            && session != SessionId(0)
        {
            sessions::close(self.shared.door.handle.clone(), session);
        }
    }

    async fn subscribe_logged_on(&mut self, mut params: Params) -> Answer {
        let from_seq = params.integer("fromSeq")?;
        params.finish()?;
        let logon = self.logon.as_ref().ok_or_else(ApiError::api_key_format)?;
        let signer = self.shared.door.directory().signer(&logon.hash);
        let signer = signer.ok_or_else(ApiError::api_key_rejected)?;
        self.subscribe(&signer, from_seq, true).await
    }

    async fn subscribe_signed(&mut self, params: Params) -> Answer {
        let mut call = self.call(params).signed(Permission::UserData).await?;
        let from_seq = call.params.integer("fromSeq")?;
        std::mem::take(&mut call.params).finish()?;
        self.subscribe(&call.signer, from_seq, false).await
    }

    async fn subscribe(
        &mut self,
        signer: &Signer,
        from_seq: Option<u64>,
        by_logon: bool,
    ) -> Answer {
        {
            let directory = self.shared.door.directory();
            self.subscriptions.retain(|open| !open.user_data.has_ended(&directory));
        }
        if self.subscriptions.iter().any(|open| open.user_data.is_of(signer.account)) {
            return Err(ApiError::subscribed_already().into());
        }
        if self.subscriptions.len() >= SUBSCRIPTIONS_MAX {
            return Err(ApiError::too_many_subscriptions(SUBSCRIPTIONS_MAX).into());
        }
        if !self.streams.resize(self.subscriptions.len() + 1) {
            return Err(ApiError::too_many_streams(self.streams.limit).into());
        }
        let begun = self.begin_subscription(signer, from_seq, by_logon).await;
        let _shrinks = self.streams.resize(self.subscriptions.len());
        begun
    }

    async fn begin_subscription(
        &mut self,
        signer: &Signer,
        from_seq: Option<u64>,
        by_logon: bool,
    ) -> Answer {
        let id = self.last_subscription;
        let form = PayloadForm::Subscription(id);
        let reader = UserDataReader { client: Arc::clone(&self.client), form };
        let Signer { account, key, .. } = *signer;
        let user_data = user_data::subscribe(&self.shared, account, key, reader, from_seq).await?;
        self.last_subscription += 1;
        // The client knows any other number.
        let from_seq = user_data.from_seq.filter(|_| from_seq == Some(0));
        self.subscriptions.push(OpenSubscription { id, by_logon, user_data });
        Ok(json(encode(&Subscription { subscription_id: id, from_seq })))
    }

    async fn end_subscription(&mut self, mut params: Params) -> Answer {
        let id = params.integer("subscriptionId")?;
        params.finish()?;
        self.unsubscribe(|subscription| id.is_none_or(|id| id == u64::from(subscription.id)))
            .await?;
        Ok(json(encode(&Empty {})))
    }

    async fn unsubscribe(
        &mut self,
        which: impl Fn(&OpenSubscription) -> bool,
    ) -> Result<(), ApiError> {
        while let Some(index) = self.subscriptions.iter().position(&which) {
            let OpenSubscription { id, user_data, .. } = &self.subscriptions[index];
            user_data::unsubscribe(&self.shared, user_data).await?;
            let event = user_stream::terminated(user_data::moment(self.unit));
            let notice = user_stream::of_subscription(*id, &event);
            self.in_flight.push(Box::pin(std::future::ready(notice.into())));
            self.subscriptions.remove(index);
            let _shrinks = self.streams.resize(self.subscriptions.len());
        }
        Ok(())
    }

    fn status(&self) -> JsonReply {
        json(encode(&SessionStatus {
            api_key: self.logon.as_ref().map(|logon| logon.api_key.clone()),
            authorized_since: self.logon.as_ref().map(|logon| self.unit.time(logon.since_ns)),
            connected_since: self.unit.time(self.connected_ns),
            return_rate_limits: self.return_rate_limits,
            server_time: self.unit.time(now_ns()),
            user_data_stream: !self.subscriptions.is_empty(),
        }))
    }

    fn responder(&self, return_rate_limits: Option<bool>) -> Responder {
        let shows_limits = return_rate_limits.unwrap_or(self.return_rate_limits);
        let (shared, permit) = (Arc::clone(&self.shared), Arc::clone(&self.permit));
        Responder { shared, permit, unit: self.unit, shows_limits }
    }
}

/// Opens a session of the venue, whose orders are canceled when it is closed.
async fn open_session(call: &mut KeyedCall) -> Result<SessionId, Refusal> {
    call.session = sessions::random_session();
    let open = OpenSession { cancel_on_disconnect: true, login: None };
    let outcome = call.submit(None, Command::OpenSession(open)).await?;
    match outcome.events.first() {
        Some(Event::SessionOpened(_)) => Ok(call.session),
        Some(Event::CommandRejected(rejected)) => Err(Refusal::ByEngine(match rejected.reason {
            RejectReason::TooManySessions => ApiError::overloaded(),
            _ => ApiError::api_key_rejected(),
        })),
        _ => Err(Refusal::ByEngine(ApiError::unknown())),
    }
}

/// A short text is copied, and its memory used again: what is sent has no more than its bytes.
fn to_send(text: String) -> Utf8Bytes {
    if text.len() > COPIED_LEN_MAX {
        return text.into();
    }
    let sent = Utf8Bytes::from(&*text);
    reuse(text);
    sent
}

/// Encodes the answer to one request.
struct Responder {
    shared: Arc<BinanceContext>,
    permit: Arc<ConnectionPermit>,
    unit: TimeUnit,
    /// Whether the answer has the weight spent, and the counts of orders.
    shows_limits: bool,
}

impl Responder {
    /// A large answer that finds no room is an error, as over HTTP.
    fn respond(&self, id: &Id, executed: Executed) -> SocketAnswer {
        let spent = executed.spent;
        let text = self.encode(id, executed);
        SocketAnswer::counted(to_send(text), &self.permit).unwrap_or_else(|| {
            self.encode(id, Executed::unlimited(Err(ApiError::overloaded()), spent)).into()
        })
    }

    fn encode(&self, id: &Id, executed: Executed) -> String {
        let Executed { answer, spent, orders, retry_after_s } = executed;
        let weight_limit = self.shared.door.limits.weight_per_minute;
        let used = UsedLimits { orders: &orders, weight: spent, weight_limit };
        let used = self.shows_limits.then_some(&used);
        match answer {
            Ok(JsonReply { status, mut body }) => {
                if let Some(retry_after_s) = retry_after_s {
                    body = ws_api::with_retry(&body, retry_after_s, now_ns(), self.unit);
                }
                ws_api::answer(id, status, body, used)
            }
            Err(error) => {
                tracing::debug!(%error, "refused");
                let body = ws_api::error_body(&error, now_ns(), self.unit);
                ws_api::answer(id, error.status, body, used)
            }
        }
    }
}
