//! REST: HTTP requests to calls, and answers to HTTP responses.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use protocol::signed::ApiError;
use types::{Origin, RetryKey};
use venue::retry_key;

use crate::binance::call::{Call, Proof};
use crate::binance::operations::{Executed, Operation};
use crate::binance::order_counts::{self, COUNT_HEADERS};
use crate::binance::shared::BinanceContext;
use crate::door::trace::TraceParent;
use crate::socket::cors::Headers;
use crate::socket::http::{
    API_KEY_HEADER, ErrorReply, RequestHead, SignedRequest, TIME_UNIT_HEADER, header_text,
};

/// The second is an older name.
pub(crate) const USED_WEIGHT_HEADERS: [HeaderName; 2] =
    [HeaderName::from_static("x-mbx-used-weight-1m"), HeaderName::from_static("x-mbx-used-weight")];
pub(crate) const IDEMPOTENCY_HEADER: HeaderName = HeaderName::from_static("idempotency-key");
const TRACE_PARENT_HEADER: HeaderName = HeaderName::from_static("traceparent");
const IDEMPOTENCY_KEY_LEN_MAX: usize = 64;
const IDEMPOTENCY_KEY_LEGAL: &str = "^[ -~]{1,64}$";

/// Headers for web pages of other origins.
pub(crate) fn headers() -> Headers {
    Headers {
        sent: vec![API_KEY_HEADER, TIME_UNIT_HEADER, IDEMPOTENCY_HEADER],
        answered: [&USED_WEIGHT_HEADERS[..], &COUNT_HEADERS].concat(),
    }
}

/// The response to a connection above the limit; the argument is the limit.
pub(crate) fn over_limit_response(limit: usize) -> String {
    let error = ApiError::too_many_connections(u32::try_from(limit).unwrap_or(u32::MAX));
    let body = error.body();
    format!(
        "HTTP/1.1 {} Too Many Requests\r\ncontent-type: application/json;charset=UTF-8\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        error.status,
        body.len(),
    )
}

/// Answers the request of an operation.
pub(crate) async fn serve(
    (place, operation): (usize, &'static Operation),
    State(shared): State<Arc<BinanceContext>>,
    request: Request,
) -> Response {
    let begun = Instant::now();
    let response = answer(operation, &shared, request).await;
    shared.answered.count(place, response.status().as_u16(), begun.elapsed());
    response
}

async fn answer(operation: &Operation, shared: &Arc<BinanceContext>, request: Request) -> Response {
    let head = RequestHead::of(&request);
    match read(request, shared).await {
        Ok(call) => {
            let Executed { answer, spent, orders, retry_after_s } = operation.execute(call).await;
            let mut response = with_weight(answer.map_err(ErrorReply).into_response(), spent);
            order_counts::add_headers(response.headers_mut(), &orders);
            if let Some(retry_after_s) = retry_after_s {
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_after_s));
            }
            response
        }
        Err(error) => {
            shared.door.record_error(&head.attempt(), &error);
            ErrorReply(error).into_response()
        }
    }
}

/// Adds the used weight of the sender's address.
pub(crate) fn with_weight(mut response: Response, spent: u32) -> Response {
    for name in USED_WEIGHT_HEADERS {
        response.headers_mut().insert(name, HeaderValue::from(spent));
    }
    response
}

async fn read(request: Request, shared: &Arc<BinanceContext>) -> Result<Call, ApiError> {
    let sent = SignedRequest::read(request, &shared.settings).await?;
    let SignedRequest { received_ns, waited, connection, unit, params, peer, .. } = sent;
    let mut times = sent.times;
    if shared.door.traces.is_some() {
        times.parent = find_trace_parent(&sent.headers);
    }
    Ok(Call {
        shared: Arc::clone(shared),
        received_ns,
        waited,
        times,
        unit,
        params,
        peer,
        connection,
        origin: Origin::Rest,
        proof: Proof::Http { api_key: sent.api_key, query: sent.query, body: sent.body },
        retry_key: find_retry_key(&sent.headers),
    })
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

/// The standard has two of them ignored, like an invalid one.
fn find_trace_parent(headers: &HeaderMap) -> Option<TraceParent> {
    let mut sent = headers.get_all(TRACE_PARENT_HEADER).iter();
    let parent = TraceParent::parse(header_text(sent.next()?));
    parent.filter(|_| sent.next().is_none())
}
