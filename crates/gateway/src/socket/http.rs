//! HTTP requests and answers, for every dialect.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::BoxError;
use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
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

/// Where a request comes from.
pub(crate) struct Sender {
    pub(crate) peer: IpAddr,
    pub(crate) permit: Option<Arc<ConnectionPermit>>,
}

impl Sender {
    /// Of a request that went through the router.
    pub(crate) fn of<B>(request: &Request<B>) -> Self {
        let Peer(peer) = *request.extensions().get().expect("every connection has one");
        Self { peer, permit: request.extensions().get().cloned() }
    }
}

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

impl ErrorReply {
    /// Uses the memory of these headers.
    pub(crate) fn respond(self, spare: HeaderMap) -> Response<Full<Bytes>> {
        tracing::debug!(error = %self.0, "refused");
        let mut response = respond(self.0.status, self.0.body(), spare);
        if let Some(retry_after_s) = self.0.retry_after_s {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_after_s));
        }
        response
    }
}

impl JsonReply {
    /// Uses the memory of these headers.
    pub(crate) fn respond(self, spare: HeaderMap) -> Response<Full<Bytes>> {
        respond(self.status, self.body, spare)
    }
}

impl IntoResponse for ErrorReply {
    fn into_response(self) -> Response {
        self.respond(HeaderMap::new()).into_response()
    }
}

impl IntoResponse for JsonReply {
    fn into_response(self) -> Response {
        self.respond(HeaderMap::new()).into_response()
    }
}

fn respond(status: u16, body: String, mut headers: HeaderMap) -> Response<Full<Bytes>> {
    headers.clear();
    headers.insert(CONTENT_TYPE, JSON);
    let mut response = Response::new(Full::from(body));
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.headers_mut() = headers;
    response
}

/// The digits of small numbers: a header's value that is no static text is allocated.
static NUMBERS: [[u8; 4]; 10_000] = numbers();

const fn numbers() -> [[u8; 4]; 10_000] {
    let mut numbers = [[0; 4]; 10_000];
    let mut number = 0;
    while number < numbers.len() {
        numbers[number] = [
            b'0' + (number / 1_000) as u8,
            b'0' + (number / 100 % 10) as u8,
            b'0' + (number / 10 % 10) as u8,
            b'0' + (number % 10) as u8,
        ];
        number += 1;
    }
    numbers
}

/// A number as the value of a header.
pub(crate) fn number(number: u32) -> HeaderValue {
    let Some(digits) = NUMBERS.get(number as usize) else { return HeaderValue::from(number) };
    let zeros = digits[..3].iter().take_while(|digit| **digit == b'0').count();
    HeaderValue::from_static(std::str::from_utf8(&digits[zeros..]).expect("digits"))
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
        let address = request.extensions().get::<Peer>().map(|Peer(address)| *address);
        Self::new(address, request)
    }

    pub(crate) fn new<B>(address: Option<IpAddr>, request: &Request<B>) -> Self {
        Self {
            address,
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
    /// Its query is signed, and the body.
    pub(crate) uri: Uri,
    pub(crate) body: Bytes,
}

impl SignedRequest {
    pub(crate) async fn read<B: AnyBody>(
        request: Request<B>,
        Sender { peer, permit }: Sender,
        settings: &SocketSettings,
    ) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let headers = parts.headers;
        let body = read_body(settings, &headers, body).await?;
        let received_ns = now_ns();
        let waited = permit.as_ref().map(|permit| permit.waited(machine_ns()));
        let mut times = CallTimes::begin(permit.clone());
        let unit = TimeUnit::parse(text_header(&headers, &TIME_UNIT_HEADER))?;
        if says_json(&headers) && !body.is_empty() && !looks_like_object(&body) {
            return Err(ApiError::invalid_json());
        }
        let api_key = headers.get(&API_KEY_HEADER).cloned();
        let params = Params::parse(query_of(&parts.uri), &body)?;
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
            uri: parts.uri,
            body,
        })
    }
}

/// Empty if there is none.
pub(crate) fn query_of(uri: &Uri) -> &str {
    uri.query().unwrap_or_default()
}

/// The body of a request, from the router or without it.
pub(crate) trait AnyBody: HttpBody<Data = Bytes, Error: Into<BoxError>> {}

impl<B: HttpBody<Data = Bytes, Error: Into<BoxError>>> AnyBody for B {}

/// Reads the body, within the limits of size and time.
pub(crate) async fn read_body(
    settings: &SocketSettings,
    headers: &HeaderMap,
    body: impl AnyBody,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_no_zeros_before_it() {
        for value in [0, 7, 10, 99, 100, 1_000, 9_999, 10_000, u32::MAX] {
            assert_eq!(number(value), value.to_string());
        }
    }
}
