//! The operators' API over HTTP, `/admin/v1`: authentication and routing. [`events`] is its
//! WebSocket.
//!
//! The gateway is given the backend, because operations need more than a gateway sees, for example
//! the data folder.

pub(crate) mod alarms;
mod events;
mod feed;
pub(crate) mod hub;
mod subscription;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use protocol::operator::{self, Covered};
use protocol::signed::{ApiError, Params, sign};
use venue::{api_key_hash, request_hash};

use crate::clock::signing_clock;
use crate::door::access::Attempt;
use crate::door::identity::{Permission, Signer};
use crate::door::operator::{
    Method, OPERATOR_ROOT, OperatorAnswer, OperatorApi, OperatorRequest, OperatorRoute, StaticPage,
};
use crate::door::shared::Door;
use crate::door::single_use::NotOnce;
use crate::operator::hub::OperatorHub;
use crate::socket::answered::Answered;
use crate::socket::http::{
    ErrorReply, JsonReply, RequestHead, Sender, SignedRequest, header_text, query_of,
};
use crate::socket::settings::SocketSettings;

const OPERATION_WEIGHT: u32 = 1;

/// A page loads from the venue only, and no other page frames it. Its styles are in the page too,
/// and its icons are data.
const PAGE_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' \
                           data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// State shared by all requests of operators.
#[derive(Debug)]
pub(crate) struct OperatorState {
    pub(crate) door: Arc<Door>,
    pub(crate) settings: SocketSettings,
    /// `None` answers every path with 404.
    pub(crate) api: Option<Arc<dyn OperatorApi>>,
    /// The readers of events.
    pub(crate) hub: Arc<OperatorHub>,
    /// All operations together.
    pub(crate) answered: Arc<Answered>,
}

pub(crate) fn router(operators: Arc<OperatorState>) -> Router {
    Router::new()
        .route("/admin/v1", any(serve))
        .route(events::PATH, get(events::open))
        .route("/admin/v1/{*path}", any(serve))
        .with_state(operators)
}

async fn serve(State(shared): State<Arc<OperatorState>>, request: Request) -> Response {
    let begun = Instant::now();
    let response = answer(&shared, request).await;
    shared.answered.count(0, response.status().as_u16(), begun.elapsed());
    response
}

async fn answer(shared: &OperatorState, request: Request) -> Response {
    let attempt = RequestHead::of(&request).attempt();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let below = path.strip_prefix(OPERATOR_ROOT).unwrap_or_default();
    let Some(api) = shared.api.clone() else {
        return refuse_route(shared, &attempt, ApiError::not_found(method.as_str(), &path));
    };
    match api.find(&method, below) {
        OperatorRoute::Page(page) => page.into_response(),
        OperatorRoute::Operation => match execute(shared, &*api, below, request).await {
            Ok(answer) => {
                if let Some((code, msg)) = &answer.refusal {
                    shared.door.record_refusal(&attempt, answer.status, *code, msg);
                }
                JsonReply { status: answer.status, body: answer.body }.into_response()
            }
            Err(error) => refuse(shared, &attempt, error),
        },
        OperatorRoute::OtherMethods(methods) => {
            let error = ApiError::method_not_allowed(method.as_str(), &path);
            let mut response = refuse_route(shared, &attempt, error);
            if let Ok(methods) = HeaderValue::try_from(methods) {
                response.headers_mut().insert(ALLOW, methods);
            }
            response
        }
        OperatorRoute::Nowhere => {
            refuse_route(shared, &attempt, ApiError::not_found(method.as_str(), &path))
        }
    }
}

/// Refuses what is no operation. It costs weight: no client fills the access record with it.
fn refuse_route(shared: &OperatorState, attempt: &Attempt, error: ApiError) -> Response {
    match attempt.address.map(|peer| shared.door.limits.spend(peer, OPERATION_WEIGHT)) {
        Some(Err(over)) => refuse(shared, attempt, over.into()),
        _ => refuse(shared, attempt, error),
    }
}

fn refuse(shared: &OperatorState, attempt: &Attempt, error: ApiError) -> Response {
    shared.door.record_error(attempt, &error);
    ErrorReply(error).into_response()
}

async fn execute(
    shared: &OperatorState,
    api: &dyn OperatorApi,
    path: &str,
    request: Request,
) -> Result<OperatorAnswer, ApiError> {
    let (method, whole_path) = (request.method().clone(), request.uri().path().to_owned());
    let (signer, sent) = authorize(shared, request, (&method, &whole_path)).await?;
    let request = OperatorRequest {
        key: signer.key,
        peer: sent.peer,
        received_ns: sent.received_ns,
        method,
        path: path.to_owned(),
        query: Params::parse(query_of(&sent.uri), b"")?.into_unread(),
        body: sent.body,
    };
    Ok(api.answer(request).await)
}

/// Reads a request and checks that an operator has signed it.
async fn authorize(
    shared: &OperatorState,
    request: Request,
    (method, path): (&Method, &str),
) -> Result<(Arc<Signer>, SignedRequest), ApiError> {
    let sender = Sender::of(&request);
    let sent = SignedRequest::read(request, sender, &shared.settings).await?;
    shared.door.limits.spend(sent.peer, OPERATION_WEIGHT)?;
    let api_key = sign::check_api_key(sent.api_key.as_ref().map(header_text))?;
    let signer = shared.door.signer(api_key_hash(api_key)).await?;
    let is_operator = Permission::Operate;
    let signer = signer
        .filter(|signer| is_operator.is_of(signer.role) && signer.is_valid(sent.peer))
        .ok_or_else(ApiError::api_key_rejected)?;
    check_signature(shared, &signer, &sent, (method.as_str(), path))?;
    Ok((signer, sent))
}

/// A signature that is good is good once.
fn check_signature(
    shared: &OperatorState,
    signer: &Signer,
    sent: &SignedRequest,
    (method, path): (&str, &str),
) -> Result<(), ApiError> {
    let header = |name: &str| sent.headers.get(name).map(header_text);
    let is_in_query = || query_of(&sent.uri).split('&').any(|pair| pair.starts_with("signature="));
    if header(operator::SIGNATURE).is_none() && is_in_query() {
        return Err(operator::signed_by_query());
    }
    let mandatory = |name| header(name).ok_or_else(|| ApiError::mandatory(name));
    let (timestamp, nonce) = (mandatory(operator::TIMESTAMP)?, mandatory(operator::NONCE)?);
    let signature = mandatory(operator::SIGNATURE)?;
    operator::check_nonce(nonce)?;
    let (query, body) = (query_of(&sent.uri), &*sent.body);
    let covered = Covered { method, path, query, body, timestamp, nonce };
    signer.verifying_key.verify(covered.payload().as_bytes(), signature.as_bytes())?;
    let clock = signing_clock();
    let window = operator::check_time(timestamp, clock)?;
    let uses = &shared.door.single_uses;
    uses.use_up(signer.key, request_hash(nonce.as_bytes()), window, clock.now_us).map_err(|not| {
        match not {
            NotOnce::Repeated => operator::nonce_used(),
            NotOnce::Late => ApiError::outside_recv_window(),
            NotOnce::TooMany => ApiError::overloaded(),
        }
    })
}

impl IntoResponse for StaticPage {
    fn into_response(self) -> Response {
        let mut response = self.body.into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if self.is_gzip {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}
