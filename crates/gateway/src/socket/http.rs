//! Requests and answers over HTTP, whatever they ask for.

use std::net::IpAddr;

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use protocol::signed::ApiError;

pub(crate) const API_KEY_HEADER: HeaderName = HeaderName::from_static("x-mbx-apikey");
pub(crate) const TIME_UNIT_HEADER: HeaderName = HeaderName::from_static("x-mbx-time-unit");
const JSON: HeaderValue = HeaderValue::from_static("application/json;charset=UTF-8");

/// Where a connection comes from.
#[derive(Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// What a client is told: an HTTP status, and JSON.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: String,
}

pub(crate) fn json(body: String) -> Reply {
    Reply { status: 200, body }
}

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
        let mut response = respond(self.0.status, self.0.body());
        if let Some(retry_after_s) = self.0.retry_after_s {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_after_s));
        }
        response
    }
}

impl IntoResponse for Reply {
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

/// What is not text is none of the values that anybody waits for.
pub(crate) fn header_text(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or("?")
}
