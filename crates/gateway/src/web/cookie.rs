//! The cookie of a session.

use axum::http::header::{COOKIE, HeaderMap, HeaderValue};

use crate::socket::http::header_text;

const NAME: &str = "bw_session";
/// No script reads it, and no other site's page has the browser send it.
const ATTRIBUTES: &str = "HttpOnly; SameSite=Strict; Path=/";

/// The session's id, as the browser sent it.
pub(crate) fn read(headers: &HeaderMap) -> Option<&str> {
    let pairs = headers.get_all(COOKIE).iter().flat_map(|sent| header_text(sent).split(';'));
    let mut named = pairs.filter_map(|pair| pair.trim().split_once('='));
    named.find(|(name, _)| *name == NAME).map(|(_, id)| id)
}

/// Keeps the id until the browser closes, or the session ends.
pub(crate) fn set(id: &str, is_encrypted: bool) -> HeaderValue {
    header(&format!("{NAME}={id}; {ATTRIBUTES}"), is_encrypted)
}

pub(crate) fn clear(is_encrypted: bool) -> HeaderValue {
    header(&format!("{NAME}=; {ATTRIBUTES}; Max-Age=0"), is_encrypted)
}

fn header(text: &str, is_encrypted: bool) -> HeaderValue {
    let secure = if is_encrypted { "; Secure" } else { "" };
    HeaderValue::try_from(format!("{text}{secure}")).expect("letters and digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_among_others() {
        let read = |sent: &[&'static str]| {
            let pairs = sent.iter().map(|sent| (COOKIE, HeaderValue::from_static(sent)));
            read(&pairs.collect::<HeaderMap>()).map(str::to_owned)
        };
        assert_eq!(read(&[]), None);
        assert_eq!(read(&["a=b; bw_session=x1"]).as_deref(), Some("x1"));
        assert_eq!(read(&["a=b", "bw_session=x2; c=d"]).as_deref(), Some("x2"));
        assert_eq!(read(&["xbw_session=x", "bw_session"]), None);
    }

    #[test]
    fn a_cookie_under_tls_goes_over_tls_only() {
        assert_eq!(set("x", false), "bw_session=x; HttpOnly; SameSite=Strict; Path=/");
        assert_eq!(set("x", true), "bw_session=x; HttpOnly; SameSite=Strict; Path=/; Secure");
        let cleared = "bw_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0";
        assert_eq!(clear(false), cleared);
    }
}
