//! CORS: the web pages that may read answers. A browser asks first; other programs do not.
//!
//! The API takes no cookie, so a page can do no more than the API key it was given. The rules
//! protect venues in private networks that a visitor's browser can reach. `page.rs` refuses the
//! requests of pages that would change something. The cookie of the venue's own page is good for
//! `/web/v1` alone, which listed origins cannot use.

use std::str::FromStr;
use std::time::Duration;

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::uri::Uri;
use axum::http::{HeaderName, HeaderValue, Method};
use thiserror::Error;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// How long a browser may cache the answer.
const MAX_AGE: Duration = Duration::from_secs(600);

/// The origin of a web page: scheme, host, and a port other than the scheme's own.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Origin(HeaderValue);

/// The text is not an origin.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("`{0}` is not an origin, such as https://desk.example.com or http://localhost:3000")]
pub struct OriginError(String);

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let wrong = || OriginError(text.to_owned());
        let uri: Uri = text.parse().map_err(|_| wrong())?;
        let scheme = uri.scheme_str().filter(|scheme| ["http", "https"].contains(scheme));
        let authority =
            uri.authority().filter(|authority| !authority.as_str().contains(['@', '*']));
        let (Some(scheme), Some(authority)) = (scheme, authority) else { return Err(wrong()) };
        // As browsers send it: origins are compared byte by byte.
        let origin = format!("{scheme}://{authority}").to_ascii_lowercase();
        let is_all = text.to_ascii_lowercase() == origin;
        let origin = HeaderValue::try_from(origin).map_err(|_| wrong())?;
        is_all.then_some(Self(origin)).ok_or_else(wrong)
    }
}

impl Origin {
    /// Whether a request's `Origin` is this one.
    pub(super) fn is(&self, sent: &str) -> bool {
        self.0.as_bytes().eq_ignore_ascii_case(sent.as_bytes())
    }
}

/// Headers that pages may send, and headers that they may read, beyond those of HTTP.
pub(crate) struct Headers {
    pub(crate) sent: Vec<HeaderName>,
    pub(crate) answered: Vec<HeaderName>,
}

pub(crate) fn layer(origins: Vec<Origin>, headers: Headers) -> CorsLayer {
    let with = |mut names: Vec<HeaderName>, other| {
        names.push(other);
        names
    };
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins.into_iter().map(|Origin(origin)| origin)))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers(with(headers.sent, CONTENT_TYPE))
        .expose_headers(with(headers.answered, RETRY_AFTER))
        .max_age(MAX_AGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_a_scheme_and_a_host_and_nothing_else() {
        for good in
            ["https://desk.example.com", "http://localhost:3000", "HTTPS://Desk.example.com"]
        {
            let origin: Origin = good.parse().unwrap();
            assert_eq!(origin.0, good.to_ascii_lowercase());
        }
        for bad in [
            "*",
            "",
            "desk.example.com",
            "https://",
            "https://a/",
            "https://a/b",
            "https://a?b",
            "ftp://a",
            "https://u@a",
            "https://*.a",
            "null",
            "https://a b",
        ] {
            assert!(bad.parse::<Origin>().is_err(), "{bad}");
        }
    }
}
