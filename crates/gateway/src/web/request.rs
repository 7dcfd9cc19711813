//! Requests that change something: the pages that may send them, and their bodies.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::header::{CONTENT_TYPE, HOST, HeaderMap, ORIGIN};
use bytes::Bytes;
use protocol::signed::ApiError;
use serde::de::DeserializeOwned;

use crate::socket::http::{Peer, header_text, read_body, text_header};
use crate::socket::page::is_page_of;
use crate::web::WebState;

/// A `POST` of the venue's own page, or of a program that is no browser.
pub(crate) struct Posted {
    pub(crate) peer: IpAddr,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Posted {
    /// Reads a request. The cookie of a browser comes with requests of all pages of the same site,
    /// and `localhost` is one site on all ports: so the origin must be the venue itself, and the
    /// content type one that no form can send.
    pub(crate) async fn read(web: &WebState, request: Request) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let (headers, uri) = (parts.headers, parts.uri);
        let Peer(peer) = *parts.extensions.get().expect("every connection has one");
        let in_uri = uri.authority().map(|authority| authority.as_str());
        let host = in_uri.or_else(|| text_header(&headers, &HOST));
        let is_foreign = |origin| !host.is_some_and(|host| is_page_of(origin, host));
        if let Some(origin) = headers.get(ORIGIN).map(header_text).filter(|one| is_foreign(one)) {
            return Err(foreign_origin(origin));
        }
        if !is_json(&headers) {
            return Err(ApiError::new(
                415,
                -1000,
                "This request needs a body of the Content-Type application/json.",
            ));
        }
        let body = read_body(&web.settings, &headers, body).await?;
        Ok(Self { peer, headers, body })
    }

    /// The error has a place and no content: the content may be a password.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let sentence = format!(
                "The body is not the JSON of this request: see line {line}, column {column}."
            );
            ApiError::new(400, -1135, sentence)
        })
    }

    /// Whether the browser speaks TLS, to the venue or to a proxy before it.
    pub(crate) fn is_encrypted(&self, web: &WebState) -> bool {
        let origin = self.headers.get(ORIGIN).map(header_text).unwrap_or_default();
        web.is_tls || origin.starts_with("https://")
    }
}

fn foreign_origin(origin: &str) -> ApiError {
    let origin: String = origin.chars().take(255).collect();
    ApiError::new(
        403,
        -1002,
        format!("Pages of the origin '{origin}' may not sign in: open the venue's own page."),
    )
}

fn is_json(headers: &HeaderMap) -> bool {
    let sent = text_header(headers, &CONTENT_TYPE).unwrap_or_default();
    let kind = sent.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}
