//! One request: what was sent, who sent it, and the way to the venue and back.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use engine::Engine;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use marketdata::Views;
use protocol::binance::{ApiError, Params, TimeUnit, generated_cl_ord_id, sign};
use tokio::sync::oneshot;
use tokio::time::timeout;
use types::{
    ClOrdId, Command, Entry, Envelope, Event, InstrumentId, Origin, RetryKey, Role, SessionId,
};
use venue::{Refused, Spool, SpoolError, api_key_hash, retry_key};

use crate::directory::Signer;
use crate::{Shared, now_ns};

const API_KEY_HEADER: HeaderName = HeaderName::from_static("x-mbx-apikey");
const TIME_UNIT_HEADER: HeaderName = HeaderName::from_static("x-mbx-time-unit");
const IDEMPOTENCY_HEADER: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENCY_KEY_LEN_MAX: usize = 64;
const IDEMPOTENCY_KEY_LEGAL: &str = "^[ -~]{1,64}$";
const JSON: HeaderValue = HeaderValue::from_static("application/json;charset=UTF-8");

/// A request that was read to its end.
pub(crate) struct Call {
    pub(crate) shared: Arc<Shared>,
    pub(crate) received_ns: u64,
    pub(crate) unit: TimeUnit,
    pub(crate) params: Params,
    headers: HeaderMap,
    query: String,
    body: Bytes,
}

/// A request whose sender is known.
pub(crate) struct SignedCall {
    pub(crate) shared: Arc<Shared>,
    pub(crate) received_ns: u64,
    pub(crate) unit: TimeUnit,
    pub(crate) params: Params,
    pub(crate) signer: Signer,
    headers: HeaderMap,
    expires_us: u64,
}

pub(crate) type Answer = Result<Response, Failure>;

/// An error on its way to the client.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) ApiError);

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        tracing::debug!(error = %self.0, "refused");
        json_with(self.0.status, self.0.body())
    }
}

pub(crate) fn json(body: String) -> Response {
    json_with(200, body)
}

pub(crate) fn json_with(status: u16, body: String) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(CONTENT_TYPE, JSON)], body).into_response()
}

impl FromRequest<Arc<Shared>> for Call {
    type Rejection = Failure;

    async fn from_request(request: Request, shared: &Arc<Shared>) -> Result<Self, Failure> {
        let (parts, body) = request.into_parts();
        let body = read_body(shared, &parts.headers, body).await?;
        let received_ns = now_ns();
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let unit = TimeUnit::parse(text_header(&parts.headers, &TIME_UNIT_HEADER))?;
        if says_json(&parts.headers) && !body.is_empty() && !looks_like_object(&body) {
            return Err(ApiError::invalid_json().into());
        }
        let params = Params::parse(&query, &body)?;
        let shared = Arc::clone(shared);
        Ok(Self { shared, received_ns, unit, params, headers: parts.headers, query, body })
    }
}

async fn read_body(shared: &Shared, headers: &HeaderMap, body: Body) -> Result<Bytes, ApiError> {
    let body_max = shared.settings.body_max;
    let too_large = || ApiError::body_too_large(body_max);
    let announced = text_header(headers, &CONTENT_LENGTH).and_then(|len| len.parse::<u64>().ok());
    if announced.is_some_and(|len| len > body_max as u64) {
        return Err(too_large());
    }
    let read = timeout(shared.settings.body_timeout, Limited::new(body, body_max).collect());
    match read.await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(ApiError::new(400, -1000, "The request's body could not be read.")),
        Err(_) => Err(ApiError::new(408, -1000, "The request's body did not arrive in time.")),
    }
}

fn text_header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    // What is not text is none of the values that anybody waits for.
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

fn says_json(headers: &HeaderMap) -> bool {
    text_header(headers, &CONTENT_TYPE).is_some_and(|text| text.starts_with("application/json"))
}

fn looks_like_object(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"{")
}

impl Call {
    /// Finds out who sent it, and that it was sent now and by nobody else.
    pub(crate) async fn signed(mut self) -> Result<SignedCall, ApiError> {
        let api_key = sign::check_api_key(text_header(&self.headers, &API_KEY_HEADER))?;
        let signer = find_signer(&self.shared, api_key_hash(api_key)).await?;
        sign::verify(signer.secret.as_str().as_bytes(), &self.query, &self.body)?;
        let expires_us = sign::check_time(&mut self.params, now_us())?;
        Ok(SignedCall {
            shared: self.shared,
            received_ns: self.received_ns,
            unit: self.unit,
            params: self.params,
            signer,
            headers: self.headers,
            expires_us,
        })
    }

    /// As [`Call::signed`], for what only a key that may trade can ask for.
    pub(crate) async fn signed_to_trade(self) -> Result<SignedCall, ApiError> {
        let call = self.signed().await?;
        match call.signer.role {
            Role::Trader => Ok(call),
            Role::ReadOnly => Err(ApiError::api_key_rejected()),
        }
    }
}

async fn find_signer(shared: &Shared, hash: [u8; 16]) -> Result<Signer, ApiError> {
    let known = || shared.known.directory().signer(&hash);
    if let Some(signer) = known() {
        return Ok(signer);
    }
    // Whoever made the key may have been told of it before our listener was.
    ask_views(shared, |_, _| ()).await?;
    known().ok_or_else(ApiError::api_key_rejected)
}

/// What became of a command.
pub(crate) struct Outcome {
    pub(crate) events: Vec<Event>,
    /// It had been carried out before, and these are the events of that time.
    repeated: bool,
}

impl Outcome {
    /// The answer that `build` makes of the events. A repeated request must be like the first one.
    pub(crate) fn answer<T>(
        &self,
        instrument: InstrumentId,
        build: impl FnOnce(&[Event]) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        if !self.repeated {
            return build(&self.events);
        }
        let foreign = self
            .events
            .iter()
            .any(|event| instrument_of(event).is_some_and(|of_event| of_event != instrument));
        let other_request = || {
            ApiError::new(400, -1130, "This Idempotency-Key was used for another request before.")
        };
        if foreign {
            return Err(other_request());
        }
        build(&self.events).map_err(|error| match error == ApiError::unknown() {
            true => other_request(),
            false => error,
        })
    }
}

fn instrument_of(event: &Event) -> Option<InstrumentId> {
    marketdata::BookUpdate::of(event).map(|update| update.instrument)
}

impl SignedCall {
    /// Has a command carried out, once.
    pub(crate) async fn submit(&self, command: Command) -> Result<Outcome, ApiError> {
        let retry_key = self.retry_key()?;
        if now_us() > self.expires_us {
            return Err(ApiError::outside_recv_window());
        }
        let envelope = Envelope {
            account: self.signer.account,
            key: self.signer.key,
            session: SessionId(0),
            client_seq: 0,
            origin: Origin::Rest,
            received_ns: self.received_ns,
            retry_key,
        };
        let submitted = self.shared.handle.submit(Entry { envelope, command });
        let reply = submitted.map_err(refused)?;
        let Ok(Ok(reply)) = timeout(self.shared.settings.answer_timeout, reply).await else {
            // Slow, or stopped before it answered: the command may have been committed.
            return Err(ApiError::timeout());
        };
        let reply = reply.map_err(refused)?;
        let events: Vec<Event> = reply.events().copied().collect();
        match events.first() {
            Some(Event::CommandRepeated(repeated)) => {
                self.first_outcome(repeated.first_sequence).await
            }
            _ => Ok(Outcome { events, repeated: false }),
        }
    }

    /// The events of a command that was carried out before, perhaps before a restart.
    async fn first_outcome(&self, sequence: u64) -> Result<Outcome, ApiError> {
        let reader = ask_views(&self.shared, |_, spool| spool.reader()).await?;
        let read = tokio::task::spawn_blocking(move || reader.read(sequence)).await;
        match read.expect("reading the spool does not panic") {
            Ok(applied) => {
                let events = applied.into_iter().flat_map(|applied| applied.events).collect();
                Ok(Outcome { events, repeated: true })
            }
            Err(SpoolError::Gone { .. }) => Err(ApiError::new(
                409,
                -1000,
                "This Idempotency-Key was used before; its request was carried out once, and its \
                 result is no longer kept.",
            )),
            Err(error) => {
                tracing::error!(%error, "the events of a repeated command cannot be read");
                Err(ApiError::unknown())
            }
        }
    }

    fn retry_key(&self) -> Result<Option<RetryKey>, ApiError> {
        let mut sent = self.headers.get_all(IDEMPOTENCY_HEADER).iter();
        let Some(key) = sent.next().map(HeaderValue::as_bytes) else { return Ok(None) };
        let legal = (1..=IDEMPOTENCY_KEY_LEN_MAX).contains(&key.len())
            && key.iter().all(|byte| (b' '..=b'~').contains(byte));
        if !legal {
            return Err(ApiError::illegal_characters("Idempotency-Key", IDEMPOTENCY_KEY_LEGAL));
        }
        match sent.next() {
            None => Ok(Some(retry_key(key))),
            Some(_) => Err(ApiError::duplicate_parameter()),
        }
    }
}

/// Asks the engine; the answer includes all that anybody was told before.
pub(crate) async fn ask_engine<R: Send + 'static>(
    shared: &Shared,
    question: impl FnOnce(&Engine) -> R + Send + 'static,
) -> Result<R, ApiError> {
    answered(shared, shared.handle.read(question)).await
}

/// Asks the views; the answer includes all that anybody was told before.
pub(crate) async fn ask_views<R: Send + 'static>(
    shared: &Shared,
    question: impl FnOnce(&Views, &Spool) -> R + Send + 'static,
) -> Result<R, ApiError> {
    answered(shared, shared.handle.read_views(question)).await
}

async fn answered<R>(
    shared: &Shared,
    asked: Result<oneshot::Receiver<R>, Refused>,
) -> Result<R, ApiError> {
    let answer = asked.map_err(refused)?;
    match timeout(shared.settings.answer_timeout, answer).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(_)) => Err(ApiError::disconnected()),
        Err(_) => Err(ApiError::overloaded()),
    }
}

/// What the venue did not take, and did not carry out.
fn refused(refused: Refused) -> ApiError {
    match refused {
        Refused::Overloaded => ApiError::overloaded(),
        Refused::DiskFull => ApiError::disk_full(),
        Refused::NotPrimary => ApiError::disconnected(),
    }
}

/// A name for an order or a cancel whose client gave none.
pub(crate) fn generate() -> ClOrdId {
    let mut random = [0; 16];
    getrandom::fill(&mut random).expect("the operating system gives random bytes");
    generated_cl_ord_id(random)
}

fn now_us() -> u64 {
    now_ns() / 1_000
}
