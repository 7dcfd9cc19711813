//! REST: HTTP requests to calls, and answers to HTTP responses.

use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use protocol::signed::ApiError;
use types::{Origin, RetryKey};

use crate::binance::call::{Call, Proof};
use crate::binance::operations::{Executed, OPERATIONS, Operation};
use crate::binance::order_counts::{self, COUNT_HEADERS};
use crate::binance::shared::BinanceContext;
use crate::door::retry_key::retry_key;
use crate::door::trace::TraceParent;
use crate::socket::accept::{Direct, DirectAnswer};
use crate::socket::cors::Headers;
use crate::socket::http::{
    API_KEY_HEADER, AnyBody, ErrorReply, RequestHead, Sender, SignedRequest, TIME_UNIT_HEADER,
    header_text, number,
};

/// The second is an older name.
pub(crate) const USED_WEIGHT_HEADERS: [HeaderName; 2] =
    [HeaderName::from_static("x-mbx-used-weight-1m"), HeaderName::from_static("x-mbx-used-weight")];
pub(crate) const IDEMPOTENCY_HEADER: HeaderName = HeaderName::from_static("idempotency-key");
/// How far the replica was behind that answered a query of the past.
const HISTORY_LAG_HEADER: HeaderName = HeaderName::from_static("x-bw-history-lag-ms");
const TRACE_PARENT_HEADER: HeaderName = HeaderName::from_static("traceparent");

/// Headers for web pages of other origins.
pub(crate) fn headers() -> Headers {
    Headers {
        sent: vec![API_KEY_HEADER, TIME_UNIT_HEADER, IDEMPOTENCY_HEADER],
        answered: [&USED_WEIGHT_HEADERS[..], &COUNT_HEADERS, &[HISTORY_LAG_HEADER]].concat(),
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

/// Answers the request of an operation, from the router.
pub(crate) async fn serve(
    at: usize,
    State(shared): State<Arc<BinanceContext>>,
    request: Request,
) -> Response {
    let sender = Sender::of(&request);
    serve_from(at, &shared, request, sender).await.into_response()
}

/// Answers the requests of operations without the router, which allocates for each of its layers.
pub(crate) struct Operations(pub(crate) Arc<BinanceContext>);

impl Direct for Operations {
    fn find(&self, method: &Method, path: &str) -> Option<usize> {
        let method = method.as_str();
        OPERATIONS.iter().position(|of| of.path == path && of.method == method)
    }

    fn answer(&self, at: usize, request: Request<Incoming>, sender: Sender) -> DirectAnswer {
        let shared = Arc::clone(&self.0);
        Box::pin(async move { serve_from(at, &shared, request, sender).await })
    }
}

/// Answers the request of the operation at this place of the table.
async fn serve_from<B: AnyBody>(
    at: usize,
    shared: &Arc<BinanceContext>,
    request: Request<B>,
    sender: Sender,
) -> Response<Full<Bytes>> {
    let begun = Instant::now();
    let response = answer(&OPERATIONS[at], shared, request, sender).await;
    shared.answered.count(at, response.status().as_u16(), begun.elapsed());
    response
}

async fn answer<B: AnyBody>(
    operation: &Operation,
    shared: &Arc<BinanceContext>,
    request: Request<B>,
    sender: Sender,
) -> Response<Full<Bytes>> {
    let head = RequestHead::new(Some(sender.peer), &request);
    match read(request, sender, shared).await {
        Ok((call, spare)) => {
            let has_replica = shared.door.history.as_ref().is_some_and(|it| it.has_replica());
            // In place: it is large, and would be copied.
            let executed = pin!(operation.execute(call));
            let (executed, lag) = if has_replica {
                projection::with_lag(executed).await
            } else {
                (executed.await, None)
            };
            let Executed { answer, spent, orders, retry_after_s } = executed;
            let mut response = match answer {
                Ok(reply) => reply.respond(spare),
                Err(error) => ErrorReply(error).respond(spare),
            };
            add_weight(response.headers_mut(), spent);
            order_counts::add_headers(response.headers_mut(), &orders);
            if let Some(lag) = lag {
                let lag_ms = u64::try_from(lag.as_millis()).unwrap_or(u64::MAX);
                response.headers_mut().insert(HISTORY_LAG_HEADER, HeaderValue::from(lag_ms));
            }
            if let Some(retry_after_s) = retry_after_s {
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_after_s));
            }
            response
        }
        Err(error) => {
            shared.door.record_error(&head.attempt(), &error);
            ErrorReply(error).respond(HeaderMap::new())
        }
    }
}

/// Adds the used weight of the sender's address.
pub(crate) fn add_weight(headers: &mut HeaderMap, spent: u32) {
    for name in USED_WEIGHT_HEADERS {
        headers.insert(name, number(spent));
    }
}

/// The call, and the request's headers: the response uses their memory again.
async fn read<B: AnyBody>(
    request: Request<B>,
    sender: Sender,
    shared: &Arc<BinanceContext>,
) -> Result<(Call, HeaderMap), ApiError> {
    let sent = SignedRequest::read(request, sender, &shared.settings).await?;
    let SignedRequest { received_ns, waited, connection, unit, params, peer, .. } = sent;
    let mut times = sent.times;
    if shared.door.traces.is_some() {
        times.parent = find_trace_parent(&sent.headers);
    }
    let call = Call {
        shared: Arc::clone(shared),
        received_ns,
        waited,
        times,
        unit,
        params,
        peer,
        connection,
        origin: Origin::Rest,
        proof: Proof::Http { api_key: sent.api_key, uri: sent.uri, body: sent.body },
        retry_key: find_retry_key(&sent.headers),
    };
    Ok((call, sent.headers))
}

fn find_retry_key(headers: &HeaderMap) -> Result<Option<RetryKey>, ApiError> {
    let mut sent = headers.get_all(IDEMPOTENCY_HEADER).iter();
    let Some(key) = sent.next().map(HeaderValue::as_bytes) else { return Ok(None) };
    let key = retry_key("Idempotency-Key", key)?;
    match sent.next() {
        None => Ok(Some(key)),
        Some(_) => Err(ApiError::duplicate_parameter()),
    }
}

/// The standard has two of them ignored, like an invalid one.
fn find_trace_parent(headers: &HeaderMap) -> Option<TraceParent> {
    let mut sent = headers.get_all(TRACE_PARENT_HEADER).iter();
    let parent = TraceParent::parse(header_text(sent.next()?));
    parent.filter(|_| sent.next().is_none())
}
