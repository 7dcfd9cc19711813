//! Requests that a browser sends for a web page: the names that the venue answers to, and the
//! origins whose pages may change something.
//!
//! A page can make its visitor's browser send requests into the visitor's own network. Two checks
//! keep such pages out, on loopback too, and leave other programs alone:
//!
//! - A page may let its own name point to the venue's address (DNS rebinding): its requests then
//!   have that name as their `Host`. An IP address, or `localhost`, can be no page's name.
//! - A page's requests have its origin, which must be the venue itself or one that the operator
//!   names. Queries are left to CORS: a page can send them, and cannot read the answers.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use axum::http::header::{HOST, ORIGIN, UPGRADE};
use axum::http::{HeaderMap, Method, Uri};
use protocol::signed::ApiError;
use thiserror::Error;

use crate::socket::cors::Origin;
use crate::socket::http::{header_text, text_header};

/// The longest text of a client that an error repeats; a name has no more characters.
const SHOWN_MAX: usize = 255;

/// A name that clients may use for the venue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AllowedHost(String);

/// The text is not a name.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("`{0}` is not the name of a host, such as venue.example.com, without scheme and port")]
pub struct AllowedHostError(String);

impl FromStr for AllowedHost {
    type Err = AllowedHostError;

    fn from_str(text: &str) -> Result<Self, AllowedHostError> {
        let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        let is_name = !text.is_empty() && text.len() <= SHOWN_MAX && text.bytes().all(is_legal);
        if is_name {
            Ok(Self(text.trim_end_matches('.').to_ascii_lowercase()))
        } else {
            Err(AllowedHostError(text.to_owned()))
        }
    }
}

/// The names and origins of a listener.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    /// Names beside IP addresses and `localhost`; `None` allows all of them.
    names: Option<Vec<AllowedHost>>,
    origins: Vec<Origin>,
}

impl Pages {
    /// A listener of this machine alone needs no other names. Other listeners have names that the
    /// venue does not know, until the operator lists them.
    pub(crate) fn new(names: Vec<AllowedHost>, origins: Vec<Origin>, is_loopback: bool) -> Self {
        let is_any_name = names.is_empty() && !is_loopback;
        Self { names: (!is_any_name).then_some(names), origins }
    }

    /// Refuses a request under another name, and one that changes something for a page of another
    /// origin.
    pub(super) fn check(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), ApiError> {
        let in_uri = uri.authority().map(|authority| authority.as_str());
        let host = in_uri.or_else(|| text_header(headers, &HOST));
        if let Some(host) = host
            && !self.allows(name_of(host))
        {
            return Err(ApiError::host_not_allowed(shown(name_of(host))));
        }
        let Some(origin) = headers.get(ORIGIN).map(header_text) else { return Ok(()) };
        let is_query = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
        let is_harmless = is_query && !headers.contains_key(UPGRADE);
        let is_own = || host.is_some_and(|host| is_page_of(origin, host));
        if is_harmless || is_own() || self.origins.iter().any(|listed| listed.is(origin)) {
            Ok(())
        } else {
            Err(ApiError::origin_not_allowed(shown(origin)))
        }
    }

    fn allows(&self, name: &str) -> bool {
        let Some(names) = &self.names else { return true };
        let name = name.strip_suffix('.').unwrap_or(name);
        is_address(name)
            || is_localhost(name)
            || names.iter().any(|AllowedHost(listed)| listed.eq_ignore_ascii_case(name))
    }
}

/// The host without its port.
fn name_of(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => authority,
    }
}

fn is_address(name: &str) -> bool {
    let in_brackets = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match in_brackets {
        Some(name) => name.parse::<Ipv6Addr>().is_ok(),
        None => name.parse::<IpAddr>().is_ok(),
    }
}

/// Browsers and resolvers take all of these names for the machine itself.
fn is_localhost(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    last.eq_ignore_ascii_case("localhost")
}

/// Whether a page of this origin comes from this host, with or without TLS. The port is left out
/// where it is the scheme's own.
pub(crate) fn is_page_of(origin: &str, host: &str) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    let own_port = if scheme.eq_ignore_ascii_case("https") { ":443" } else { ":80" };
    let plain = |text: &str| text.strip_suffix(own_port).unwrap_or(text).to_ascii_lowercase();
    plain(authority) == plain(host)
}

fn shown(text: &str) -> &str {
    let end = text.char_indices().nth(SHOWN_MAX).map_or(text.len(), |(end, _)| end);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn names(list: &[&str]) -> Vec<AllowedHost> {
        list.iter().map(|name| name.parse().unwrap()).collect()
    }

    /// The status of the refusal, or 200.
    fn check(pages: &Pages, method: &Method, fields: &[(axum::http::HeaderName, &str)]) -> u16 {
        let field = |(name, text): &(axum::http::HeaderName, &str)| {
            (name.clone(), HeaderValue::from_str(text).unwrap())
        };
        let headers: HeaderMap = fields.iter().map(field).collect();
        let checked = pages.check(method, &Uri::from_static("/api/v3/ping"), &headers);
        checked.map_or_else(|error| error.status, |()| 200)
    }

    #[test]
    fn a_loopback_listener_has_the_names_of_this_machine() {
        let own = Pages::new(Vec::new(), Vec::new(), true);
        let named = Pages::new(names(&["Venue.example.com."]), Vec::new(), true);
        let open = Pages::new(Vec::new(), Vec::new(), false);
        let listed = Pages::new(names(&["venue.example.com"]), Vec::new(), false);
        let host = |pages, text| check(pages, &Method::GET, &[(HOST, text)]);
        for text in [
            "localhost",
            "LOCALHOST:8080",
            "localhost.",
            "bot.localhost:1",
            "127.0.0.1:8080",
            "192.0.2.7",
            "[::1]:8080",
            "[::1]",
        ] {
            for pages in [&own, &named, &open, &listed] {
                assert_eq!(host(pages, text), 200, "{text}");
            }
        }
        for text in
            ["evil.example", "localhost.evil.example:8080", "127.0.0.1.evil.example", "", "?"]
        {
            for (pages, status) in [(&own, 421), (&named, 421), (&open, 200), (&listed, 421)] {
                assert_eq!(host(pages, text), status, "{text}");
            }
        }
        for pages in [&named, &listed] {
            assert_eq!(host(pages, "venue.example.com:8443"), 200);
            assert_eq!(host(pages, "VENUE.example.com."), 200);
        }
        assert_eq!(check(&own, &Method::GET, &[]), 200, "a client without a host is no browser");
        let uri = Uri::from_static("http://evil.example/api/v3/ping");
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("localhost"));
        assert_eq!(own.check(&Method::GET, &uri, &headers).unwrap_err().status, 421);
    }

    #[test]
    fn pages_of_other_origins_change_nothing() {
        let origins = vec!["https://desk.example.com".parse().unwrap()];
        let pages = Pages::new(Vec::new(), origins, true);
        let of = |method: Method, host, origin, upgrade: bool| {
            let mut fields = vec![(HOST, host), (ORIGIN, origin)];
            if upgrade {
                fields.push((UPGRADE, "websocket"));
            }
            check(&pages, &method, &fields)
        };
        for (host, origin, status) in [
            ("localhost:8080", "http://localhost:8080", 200),
            ("localhost:8080", "https://localhost:8080", 200),
            ("LOCALHOST:8080", "http://localhost:8080", 200),
            ("127.0.0.1", "http://127.0.0.1", 200),
            ("127.0.0.1:443", "https://127.0.0.1", 200),
            ("127.0.0.1", "https://127.0.0.1:443", 200),
            ("localhost:8080", "https://desk.example.com", 200),
            ("localhost:8080", "HTTPS://desk.example.com", 200),
            ("localhost:8080", "http://localhost:3000", 403),
            ("localhost:8080", "http://localhost", 403),
            ("localhost:8080", "http://127.0.0.1:8080", 403),
            ("localhost:8080", "https://evil.example", 403),
            ("localhost:8080", "http://desk.example.com", 403),
            ("localhost:8080", "null", 403),
            ("localhost:8080", "", 403),
        ] {
            assert_eq!(of(Method::POST, host, origin, false), status, "{host} {origin}");
            assert_eq!(of(Method::DELETE, host, origin, false), status, "{host} {origin}");
            assert_eq!(of(Method::GET, host, origin, true), status, "{host} {origin}");
            assert_eq!(of(Method::GET, host, origin, false), 200, "{host} {origin}");
            assert_eq!(of(Method::OPTIONS, host, origin, false), 200, "{host} {origin}");
        }
        let long = format!("https://{}", "x".repeat(10_000));
        assert_eq!(of(Method::POST, "localhost", &long, false), 403);
    }

    #[test]
    fn a_name_has_neither_scheme_nor_port() {
        for bad in ["", "*", "https://a", "a:80", "a/b", "a b", "[::1]", &"x".repeat(256)] {
            assert!(bad.parse::<AllowedHost>().is_err(), "{bad}");
        }
    }
}
