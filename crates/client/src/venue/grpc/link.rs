//! The task that has the connection: it sends as many requests at once as wait, and sends those
//! again whose answers were lost.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::stream::unfold;
use proto::v1::sessions_client::SessionsClient;
use proto::v1::trading_client::TradingClient;
use proto::{details_of, v1};
use tokio::sync::{mpsc, oneshot};
use tonic::{Code, Request, Status, Streaming};

use crate::grpc::{Channel, error_of, sign_call, with_token};
use crate::venue::back_off::BackOff;
use crate::venue::grpc::message::report;
use crate::venue::grpc::{Access, Asked, Caller};
use crate::venue::report::Report;
use crate::venue::statistics::Counters;
use crate::{Error, REQUEST_TIMEOUT};

/// Requests without an answer. Beyond it, more wait.
const IN_FLIGHT_MAX: usize = 256;
const LOGIN: &str = "/buttonwood.v1.Sessions/Login";

pub(super) struct Link {
    access: Access,
    from_event: Option<u64>,
    asked: mpsc::Receiver<Asked>,
    /// `None` once they have ended.
    reports: Option<mpsc::Sender<Report>>,
    counters: Arc<Counters>,
    /// Requests without an answer, in the order in which they were sent.
    waiting: BTreeMap<u64, Waiting>,
    next_id: u64,
    /// The venue has said what became of a request, or of the account.
    has_answered: bool,
}

struct Waiting {
    request: v1::order_request::Request,
    answer: oneshot::Sender<Result<v1::OrderReply, Error>>,
    /// It was sent on an earlier connection, and may have been carried out.
    is_repeat: bool,
}

/// A connection with its streams.
struct Connection {
    trading: TradingClient<Channel>,
    token: String,
    requests: mpsc::Sender<v1::OrderRequests>,
    responses: Streaming<v1::OrderResponses>,
    events: Option<Streaming<v1::AccountEvent>>,
}

/// Why a connection is of no more use.
enum End {
    /// The last handle of the venue is gone.
    Closed,
    /// Another connection may serve.
    Broken,
    /// The venue lets this caller in no more.
    Refused,
}

impl Link {
    pub(super) fn new(
        access: Access,
        from_event: Option<u64>,
        asked: mpsc::Receiver<Asked>,
        reports: mpsc::Sender<Report>,
        counters: Arc<Counters>,
    ) -> Self {
        Self {
            access,
            from_event,
            asked,
            reports: Some(reports),
            counters,
            waiting: BTreeMap::new(),
            next_id: 0,
            has_answered: false,
        }
    }

    pub(super) async fn run(mut self) {
        let mut back_off = BackOff::default();
        while !self.asked.is_closed() || !self.waiting.is_empty() {
            let end = match self.connect().await {
                Ok(connection) => {
                    Counters::add(&self.counters.connections, 1);
                    self.serve(connection).await
                }
                Err(status) => end_of(&status),
            };
            match end {
                // What waits is dropped, which its callers see.
                End::Closed | End::Refused => return,
                End::Broken => {
                    if std::mem::take(&mut self.has_answered) {
                        back_off.succeeded();
                    }
                    self.waiting.retain(|_, waiting| !waiting.answer.is_closed());
                    self.waiting.values_mut().for_each(|waiting| waiting.is_repeat = true);
                    Counters::add(&self.counters.lost, self.waiting.len() as u64);
                    back_off.wait().await;
                }
            }
        }
    }

    async fn connect(&mut self) -> Result<Connection, Status> {
        let unreachable = |error: Error| Status::unavailable(error.to_string());
        let channel = Channel::connect(&self.access.address).await.map_err(unreachable)?;
        let login = SessionsClient::new(channel.clone()).login(self.login()).await?.into_inner();
        let mut trading = TradingClient::new(channel);
        let (requests, sent) = mpsc::channel(1);
        let sent =
            unfold(sent, async |mut sent: mpsc::Receiver<_>| Some((sent.recv().await?, sent)));
        let opened = trading.stream_orders(with_token(sent, &login.token)).await?;
        let responses = opened.into_inner();
        let events = self.subscribe(&mut trading, &login).await?;
        Ok(Connection { trading, token: login.token, requests, responses, events })
    }

    fn login(&self) -> Request<v1::LoginRequest> {
        let mut request = Request::new(v1::LoginRequest::default());
        match &self.access.caller {
            Caller::Key(credentials) => sign_call(&mut request, LOGIN, credentials),
            Caller::Login { user, password } => {
                let message = request.get_mut();
                (message.user, message.password) = (user.clone(), password.clone());
            }
        }
        request.set_timeout(REQUEST_TIMEOUT);
        request
    }

    async fn subscribe(
        &mut self,
        trading: &mut TradingClient<Channel>,
        login: &v1::LoginResponse,
    ) -> Result<Option<Streaming<v1::AccountEvent>>, Status> {
        if self.reports.as_ref().is_none_or(mpsc::Sender::is_closed) {
            self.reports = None;
            return Ok(None);
        }
        let next = login.last_event + 1;
        let from_event = *self.from_event.get_or_insert(next);
        let wanted = |from_event| {
            let wanted = v1::StreamAccountRequest { from_event };
            with_token(wanted, &login.token)
        };
        match trading.stream_account(wanted(from_event)).await {
            Ok(events) => Ok(Some(events.into_inner())),
            Err(status) if reason_is(&status, "EVENTS_GONE") && from_event < next => {
                let events = trading.stream_account(wanted(next)).await?.into_inner();
                self.from_event = Some(next);
                if let Some(reports) = &self.reports {
                    let _unread = reports.send(Report::missed(from_event, next)).await;
                }
                Ok(Some(events))
            }
            Err(status)
                if status.code() == Code::OutOfRange && !reason_is(&status, "EVENTS_GONE") =>
            {
                // Its numbers are those of another history, as of a venue that was restored:
                // reports end, and trading goes on.
                self.reports = None;
                Ok(None)
            }
            Err(status) => Err(status),
        }
    }

    async fn serve(&mut self, mut connection: Connection) -> End {
        let again: Vec<_> = self.waiting.keys().copied().collect();
        if !again.is_empty() && !self.send(&connection, &again).await {
            return End::Broken;
        }
        let mut batch = Vec::new();
        loop {
            let room = IN_FLIGHT_MAX.saturating_sub(self.waiting.len());
            tokio::select! {
                biased;
                message = connection.responses.message() => match message {
                    Ok(Some(message)) => {
                        // What is not known is asked again, after a while.
                        if !self.answer_all(message) {
                            return End::Broken;
                        }
                    }
                    Ok(None) => return End::Broken,
                    Err(status) => return end_of(&status),
                },
                event = next_event(&mut connection.events) => match event {
                    Ok(event) => self.receive(event).await,
                    Err(status) => return end_of(&status),
                },
                count = self.asked.recv_many(&mut batch, room), if room > 0 => {
                    if count == 0 {
                        return self.last_answers(connection).await;
                    }
                    if !self.take(&connection, batch.drain(..)).await {
                        return End::Broken;
                    }
                }
            }
        }
    }

    /// Sends requests; `false` if the connection is broken.
    async fn take(&mut self, connection: &Connection, batch: impl Iterator<Item = Asked>) -> bool {
        let mut new = Vec::new();
        for asked in batch {
            match asked {
                Asked::Request(request, answer) => {
                    let waiting = Waiting { request, answer, is_repeat: false };
                    self.waiting.insert(self.next_id, waiting);
                    new.push(self.next_id);
                    self.next_id += 1;
                }
                Asked::OpenOrders(answer) => {
                    let (trading, token) = (connection.trading.clone(), connection.token.clone());
                    tokio::spawn(list(trading, token, answer));
                }
            }
        }
        new.is_empty() || self.send(connection, &new).await
    }

    async fn send(&self, connection: &Connection, ids: &[u64]) -> bool {
        let request = |id: &u64| {
            let request = Some(self.waiting.get(id)?.request.clone());
            Some(v1::OrderRequest { request_id: *id, request })
        };
        let requests: Vec<_> = ids.iter().filter_map(request).collect();
        Counters::add(&self.counters.messages, requests.len() as u64);
        Counters::add(&self.counters.writes, 1);
        connection.requests.send(v1::OrderRequests { requests }).await.is_ok()
    }

    /// Answers requests; `false` if what became of one is not known.
    fn answer_all(&mut self, message: v1::OrderResponses) -> bool {
        let mut are_known = true;
        for response in message.responses {
            are_known &= self.answer(response);
        }
        // The next connection waits longer, for a venue that has no time.
        self.has_answered &= are_known;
        are_known
    }

    /// Answers a request; `false` if the venue does not say what became of it. It is then sent
    /// again with the next connection: its key makes that harmless.
    fn answer(&mut self, response: v1::OrderResponse) -> bool {
        use v1::order_response::Result as Answered;
        let Some(waiting) = self.waiting.remove(&response.request_id) else { return true };
        let answer = match response.result {
            Some(Answered::Reply(reply)) => Ok(reply),
            Some(Answered::Refusal(refusal))
                if refusal.outcome_unknown || (waiting.is_repeat && is_unheard(&refusal)) =>
            {
                self.waiting.insert(response.request_id, waiting);
                return false;
            }
            Some(Answered::Refusal(v1::Refusal { code, reason, message, .. })) => {
                Err(Error::Refused { code, reason, msg: message })
            }
            Some(Answered::Canceled(_)) | None => {
                Err(Error::Shape("an answer to another request".to_owned()))
            }
        };
        self.has_answered = true;
        // The caller may have given up.
        let _gone = waiting.answer.send(answer);
        true
    }

    async fn receive(&mut self, event: v1::AccountEvent) {
        self.from_event = Some(event.number + 1);
        self.has_answered = true;
        if let (Some(reports), Some(report)) = (&self.reports, report(event)) {
            // A reader that is gone wants no reports.
            let _unread = reports.send(report).await;
        }
    }

    /// The handles are gone: only answers that are awaited are still of use.
    async fn last_answers(&mut self, mut connection: Connection) -> End {
        self.waiting.retain(|_, waiting| !waiting.answer.is_closed());
        while !self.waiting.is_empty() {
            match connection.responses.message().await {
                Ok(Some(message)) => {
                    if !self.answer_all(message) {
                        return End::Broken;
                    }
                }
                _ => return End::Broken,
            }
        }
        End::Closed
    }
}

/// Whether the venue refuses a request before it looks at it.
fn is_unheard(refusal: &v1::Refusal) -> bool {
    refusal.code == Code::Unavailable as i32 || refusal.reason == "TOO_MANY_REQUESTS"
}

async fn next_event(
    events: &mut Option<Streaming<v1::AccountEvent>>,
) -> Result<v1::AccountEvent, Status> {
    match events {
        Some(events) => events.message().await?.ok_or_else(|| Status::unavailable("ended")),
        None => std::future::pending().await,
    }
}

async fn list(
    mut trading: TradingClient<Channel>,
    token: String,
    answer: oneshot::Sender<Result<Vec<v1::Order>, Error>>,
) {
    let wanted = with_token(v1::ListOpenOrdersRequest::default(), &token);
    let listed = trading.list_open_orders(wanted).await;
    let orders = listed.map(|orders| orders.into_inner().orders);
    let _gone = answer.send(orders.map_err(|status| error_of(&status)));
}

fn end_of(status: &Status) -> End {
    match status.code() {
        // A venue that has started again takes no signature of the time before: the next connection
        // has another one.
        Code::Unauthenticated if reason_is(status, "TIMESTAMP_OUT_OF_TIME") => End::Broken,
        Code::Unauthenticated | Code::PermissionDenied => End::Refused,
        _ => End::Broken,
    }
}

fn reason_is(status: &Status, reason: &str) -> bool {
    details_of(status).is_some_and(|info| info.reason == reason)
}
