//! HTTP requests and answers, for every dialect.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use protocol::signed::{ApiError, Params, TimeUnit};
use tokio::time::timeout;

use crate::clock::{machine_ns, now_ns};
use crate::door::access::{Attempt, ClaimedKey};
use crate::socket::connection::{CallTimes, ConnectionPermit};
use crate::socket::settings::SocketSettings;

pub(crate) const API_KEY_HEADER: HeaderName = HeaderName::from_static("x-mbx-apikey");
pub(crate) const TIME_UNIT_HEADER: HeaderName = HeaderName::from_static("x-mbx-time-unit");
const JSON: HeaderValue = HeaderValue::from_static("application/json;charset=UTF-8");

/// The address of a connection's client.
#[derive(Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// An answer: an HTTP status, and JSON.
#[derive(Debug)]
pub(crate) struct JsonReply {
    pub(crate) status: u16,
    pub(crate) body: String,
}

pub(crate) fn json(body: String) -> JsonReply {
    JsonReply { status: 200, body }
}

/// An error as the answer to a request.
#[derive(Debug)]
pub(crate) struct ErrorReply(pub(crate) ApiError);

impl<E: Into<ApiError>> From<E> for ErrorReply {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for ErrorReply {
    fn into_response(self) -> Response {
        tracing::debug!(error = %self.0, "refused");
        let mut response = respond(self.0.status, self.0.body());
        if let Some(retry_after_s) = self.0.retry_after_s {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_after_s));
        }
        response
    }
}

impl IntoResponse for JsonReply {
    fn into_response(self) -> Response {
        respond(self.status, self.body)
    }
}

fn respond(status: u16, body: String) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(CONTENT_TYPE, JSON)], body).into_response()
}

pub(crate) fn text_header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).map(header_text)
}

/// A value that is not text equals none of the expected values.
pub(crate) fn header_text(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or("?")
}

/// The parts of a request that a refusal records. They share memory with the request, because
/// nearly every request is answered.
pub(crate) struct RequestHead {
    pub(crate) address: Option<IpAddr>,
    api_key: Option<HeaderValue>,
    method: Method,
    uri: Uri,
}

impl RequestHead {
    pub(crate) fn of<B>(request: &Request<B>) -> Self {
        Self {
            address: request.extensions().get::<Peer>().map(|Peer(address)| *address),
            api_key: request.headers().get(API_KEY_HEADER).cloned(),
            method: request.method().clone(),
            uri: request.uri().clone(),
        }
    }

    /// For the access record.
    pub(crate) fn attempt(&self) -> Attempt {
        Attempt {
            address: self.address,
            key: self.api_key.clone().map(ClaimedKey::Header),
            method: self.method.as_str().to_owned().into(),
            path: self.uri.path().to_owned().into(),
        }
    }
}

/// A request as it was sent. Its signature is not verified yet.
pub(crate) struct SignedRequest {
    pub(crate) received_ns: u64,
    /// How long the request waited until it was read.
    pub(crate) waited: Duration,
    pub(crate) connection: Option<Arc<ConnectionPermit>>,
    pub(crate) times: CallTimes,
    pub(crate) unit: TimeUnit,
    pub(crate) params: Params,
    pub(crate) peer: IpAddr,
    pub(crate) headers: HeaderMap,
    pub(crate) api_key: Option<HeaderValue>,
    /// The signed bytes: query and body.
    pub(crate) query: String,
    pub(crate) body: Bytes,
}

impl SignedRequest {
    pub(crate) async fn read(
        request: Request,
        settings: &SocketSettings,
    ) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let headers = parts.headers;
        let body = read_body(settings, &headers, body).await?;
        let received_ns = now_ns();
        let permit = parts.extensions.get::<Arc<ConnectionPermit>>().cloned();
        let waited = permit.as_ref().map(|permit| permit.waited(machine_ns()));
        let mut times = CallTimes::begin(permit.clone());
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let unit = TimeUnit::parse(text_header(&headers, &TIME_UNIT_HEADER))?;
        if says_json(&headers) && !body.is_empty() && !looks_like_object(&body) {
            return Err(ApiError::invalid_json());
        }
        let Peer(peer) = *parts.extensions.get().expect("every connection has one");
        let api_key = headers.get(&API_KEY_HEADER).cloned();
        let params = Params::parse(&query, &body)?;
        times.decoded();
        Ok(Self {
            received_ns,
            waited: waited.unwrap_or_default(),
            connection: permit,
            times,
            unit,
            params,
            peer,
            headers,
            api_key,
            query,
            body,
        })
    }
}

/// Reads the body, within the limits of size and time.
pub(crate) async fn read_body(
    settings: &SocketSettings,
    headers: &HeaderMap,
    body: Body,
) -> Result<Bytes, ApiError> {
    let body_max = settings.body_max;
    let too_large = || ApiError::body_too_large(body_max);
    let announced = text_header(headers, &CONTENT_LENGTH).and_then(|len| len.parse::<u64>().ok());
    if announced.is_some_and(|len| len > body_max as u64) {
        return Err(too_large());
    }
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let read = timeout(settings.body_timeout, Limited::new(body, body_max).collect());
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
