//! Requests and answers as HTTP.

use std::sync::Arc;

use axum::body::{Body, HttpBody};
use axum::extract::{Extension, FromRequest, FromRequestParts, Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use protocol::signed::{ApiError, Params, TimeUnit};
use tokio::time::timeout;
use types::{Origin, RetryKey};
use venue::retry_key;

use crate::access::{Asked, Refusal};
use crate::call::{Call, Proof};
use crate::clock::now_ns;
use crate::operations::Operation;
use crate::shared::Shared;
use crate::socket::connection::{Place, Times};
use crate::socket::http::{API_KEY_HEADER, Failure, Peer, TIME_UNIT_HEADER, text_header};

/// The second is the older name.
pub(crate) const USED_WEIGHT_HEADERS: [HeaderName; 2] =
    [HeaderName::from_static("x-mbx-used-weight-1m"), HeaderName::from_static("x-mbx-used-weight")];
pub(crate) const IDEMPOTENCY_HEADER: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENCY_KEY_LEN_MAX: usize = 64;
const IDEMPOTENCY_KEY_LEGAL: &str = "^[ -~]{1,64}$";

/// Carries out what a path and a method stand for.
pub(crate) async fn serve(
    operation: &'static Operation,
    State(shared): State<Arc<Shared>>,
    request: Request,
) -> Response {
    let asked = Asked::of(&request);
    let (answer, spent) = match Call::from_request(request, &shared).await {
        Ok(call) => operation.carry_out(call).await,
        Err(Failure(error)) => {
            shared.note(&Refusal::of(&asked), error.status, error.code, &error.msg);
            (Err(error), None)
        }
    };
    let mut response = answer.map_err(Failure).into_response();
    if let Some(spent) = spent {
        for name in USED_WEIGHT_HEADERS {
            response.headers_mut().insert(name, HeaderValue::from(spent));
        }
    }
    response
}

impl FromRequest<Arc<Shared>> for Call {
    type Rejection = Failure;

    async fn from_request(request: Request, shared: &Arc<Shared>) -> Result<Self, Failure> {
        let (mut parts, body) = request.into_parts();
        let body = read_body(shared, &parts.headers, body).await?;
        let received_ns = now_ns();
        let place = parts.extensions.get::<Place>().cloned();
        let waited = place.as_ref().map(|place| place.line().waited(received_ns));
        let mut times = Times::begin(place);
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let unit = TimeUnit::parse(text_header(&parts.headers, &TIME_UNIT_HEADER))?;
        if says_json(&parts.headers) && !body.is_empty() && !looks_like_object(&body) {
            return Err(ApiError::invalid_json().into());
        }
        let peer = Extension::<Peer>::from_request_parts(&mut parts, shared).await;
        let Extension(Peer(peer)) = peer.expect("every connection has one");
        let api_key = parts.headers.get(&API_KEY_HEADER).cloned();
        let params = Params::parse(&query, &body)?;
        times.decoded();
        Ok(Self {
            shared: Arc::clone(shared),
            received_ns,
            waited: waited.unwrap_or_default(),
            times,
            unit,
            params,
            peer,
            origin: Origin::Rest,
            proof: Proof::Http { api_key, query, body },
            retry_key: find_retry_key(&parts.headers),
        })
    }
}

async fn read_body(shared: &Shared, headers: &HeaderMap, body: Body) -> Result<Bytes, ApiError> {
    let body_max = shared.settings.body_max;
    let too_large = || ApiError::body_too_large(body_max);
    let announced = text_header(headers, &CONTENT_LENGTH).and_then(|len| len.parse::<u64>().ok());
    if announced.is_some_and(|len| len > body_max as u64) {
        return Err(too_large());
    }
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let read = timeout(shared.settings.body_timeout, Limited::new(body, body_max).collect());
    match read.await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(ApiError::new(400, -1000, "The request's body could not be read.")),
        Err(_) => Err(ApiError::new(408, -1000, "The request's body did not arrive in time.")),
    }
}

fn says_json(headers: &HeaderMap) -> bool {
    text_header(headers, &CONTENT_TYPE).is_some_and(|text| text.starts_with("application/json"))
}

fn looks_like_object(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"{")
}

fn find_retry_key(headers: &HeaderMap) -> Result<Option<RetryKey>, ApiError> {
    let mut sent = headers.get_all(IDEMPOTENCY_HEADER).iter();
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
