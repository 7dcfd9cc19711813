//! The operators' API, `/admin/v1`: here it is made sure that an operator asks. Who carries it out
//! is given to the gateway, since that takes more than a gateway sees: the data folder, for one.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use protocol::signed::{ApiError, Params};

use crate::call::Proof;
use crate::door::access::Attempt;
use crate::door::identity::Permission;
use crate::door::operator::{
    OPERATOR_ROOT, OperatorAnswer, OperatorApi, OperatorRequest, Page, Place,
};
use crate::rest;
use crate::shared::Shared;
use crate::socket::http::{Asked, Failure, Reply};

const OPERATION_WEIGHT: u32 = 1;

pub(crate) async fn serve(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let attempt = Asked::of(&request).attempt();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let below = path.strip_prefix(OPERATOR_ROOT).unwrap_or_default();
    let Some(api) = shared.operators.clone() else {
        return refuse(&shared, &attempt, ApiError::not_found(method.as_str(), &path));
    };
    match api.find(&method, below) {
        Place::Page(page) => page.into_response(),
        Place::Operation => match carry_out(&shared, &*api, below, request).await {
            Ok(answer) => {
                if let Some((code, msg)) = &answer.refusal {
                    shared.door.note(&attempt, answer.status, *code, msg);
                }
                Reply { status: answer.status, body: answer.body }.into_response()
            }
            Err(error) => refuse(&shared, &attempt, error),
        },
        Place::OtherMethods(methods) => {
            let error = ApiError::method_not_allowed(method.as_str(), &path);
            let mut response = refuse(&shared, &attempt, error);
            if let Ok(methods) = HeaderValue::try_from(methods) {
                response.headers_mut().insert(ALLOW, methods);
            }
            response
        }
        Place::Nowhere => refuse(&shared, &attempt, ApiError::not_found(method.as_str(), &path)),
    }
}

fn refuse(shared: &Shared, attempt: &Attempt, error: ApiError) -> Response {
    shared.door.note(attempt, error.status, error.code, &error.msg);
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
    shared.door.spend(call.peer, OPERATION_WEIGHT)?;
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
