//! The operators' API, `/admin/v1`: here it is made sure that an operator asks. Who carries it out
//! is given to the gateway, since that takes more than a gateway sees: the data folder, for one.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use protocol::signed::{ApiError, Params};
use types::KeyId;

use crate::access::Refusal;
use crate::call::Proof;
use crate::directory::Permission;
use crate::rest;
use crate::shared::Shared;
use crate::socket::http::{Failure, Reply};

pub use axum::http::Method;

pub const OPERATOR_ROOT: &str = "/admin/v1";

const OPERATION_WEIGHT: u32 = 1;

/// Who knows the paths below [`OPERATOR_ROOT`], and carries out what they stand for.
pub trait OperatorApi: fmt::Debug + Send + Sync {
    fn find(&self, method: &Method, path: &str) -> Place;

    /// For what [`OperatorApi::find`] says to be an operation.
    fn answer(&self, request: OperatorRequest) -> Answering;
}

pub type Answering = Pin<Box<dyn Future<Output = OperatorAnswer> + Send>>;

/// What a method and a path stand for.
#[derive(Debug)]
pub enum Place {
    /// Anybody may read it.
    Page(Page),
    /// Operators may ask for it.
    Operation,
    /// The path takes these methods only, named as in `GET, POST`.
    OtherMethods(String),
    Nowhere,
}

#[derive(Debug)]
pub struct Page {
    pub content_type: &'static str,
    pub is_gzip: bool,
    pub body: &'static [u8],
}

/// What an operator asks for. His signature was good.
#[derive(Debug)]
pub struct OperatorRequest {
    pub key: KeyId,
    pub received_ns: u64,
    pub method: Method,
    /// Below [`OPERATOR_ROOT`], as it was sent.
    pub path: String,
    /// Parameters of the query string, but for those of the signature.
    pub query: Vec<(String, String)>,
    pub body: Bytes,
}

#[derive(Debug)]
pub struct OperatorAnswer {
    pub status: u16,
    /// JSON.
    pub body: String,
    /// Why it was refused before any command of it came to the log: a code and a sentence.
    pub refusal: Option<(i32, String)>,
}

pub(crate) async fn serve(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let refusal = Refusal::of_http(&request);
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let below = path.strip_prefix(OPERATOR_ROOT).unwrap_or_default();
    let Some(api) = shared.operators.clone() else {
        return refuse(&shared, &refusal, ApiError::not_found(method.as_str(), &path));
    };
    match api.find(&method, below) {
        Place::Page(page) => page.into_response(),
        Place::Operation => match carry_out(&shared, &*api, below, request).await {
            Ok(answer) => {
                if let Some((code, msg)) = &answer.refusal {
                    shared.note(&refusal, answer.status, *code, msg);
                }
                Reply { status: answer.status, body: answer.body }.into_response()
            }
            Err(error) => refuse(&shared, &refusal, error),
        },
        Place::OtherMethods(methods) => {
            let error = ApiError::method_not_allowed(method.as_str(), &path);
            let mut response = refuse(&shared, &refusal, error);
            if let Ok(methods) = HeaderValue::try_from(methods) {
                response.headers_mut().insert(ALLOW, methods);
            }
            response
        }
        Place::Nowhere => refuse(&shared, &refusal, ApiError::not_found(method.as_str(), &path)),
    }
}

fn refuse(shared: &Shared, refusal: &Refusal, error: ApiError) -> Response {
    shared.note(refusal, error.status, error.code, &error.msg);
    Failure(error).into_response()
}

async fn carry_out(
    shared: &Arc<Shared>,
    api: &dyn OperatorApi,
    path: &str,
    request: Request,
) -> Result<OperatorAnswer, ApiError> {
    let method = request.method().clone();
    let mut call = rest::read(request, shared).await?;
    shared.limits.spend(call.peer, OPERATION_WEIGHT)?;
    let Proof::Http { query, body, .. } = &call.proof else { return Err(ApiError::unknown()) };
    let body = body.clone();
    // Time and signature belong into the query string: the body is the request's own.
    call.params = Params::parse(query, b"")?;
    let signed = call.signed_for(Permission::Operate).await?;
    let request = OperatorRequest {
        key: signed.signer.key,
        received_ns: signed.received_ns,
        method,
        path: path.to_owned(),
        query: signed.params.into_unread(),
        body,
    };
    Ok(api.answer(request).await)
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let mut response = self.body.into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if self.is_gzip {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}
