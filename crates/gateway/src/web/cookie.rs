//! The cookie of a session.

use axum::http::header::{COOKIE, HeaderMap, HeaderValue};

use crate::socket::http::header_text;

/// Where a page of another port of the machine, or of another name of the site, can set it too.
const PLAIN_NAME: &str = "bw_session";
/// Under TLS. A browser takes a cookie of this name from the venue's own host alone, over TLS: no
/// other host of the site can put one of its sessions into the browser.
const ENCRYPTED_NAME: &str = "__Host-bw_session";
/// No script reads it, and no other site's page has the browser send it.
const ATTRIBUTES: &str = "HttpOnly; SameSite=Strict; Path=/";

/// The session's id, as the browser sent it. Of two cookies of one name, another host has set one,
/// and the venue cannot know which: then there is no session. `is_tls`: the venue itself encrypts,
/// so that a cookie without TLS is not one of its own.
pub(crate) fn read(headers: &HeaderMap, is_tls: bool) -> Option<&str> {
    let named = |wanted: &'static str| {
        let pairs = headers.get_all(COOKIE).iter().flat_map(|sent| header_text(sent).split(';'));
        let pairs = pairs.filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(move |(name, _)| *name == wanted).map(|(_, id)| id)
    };
    let name =
        if is_tls || named(ENCRYPTED_NAME).next().is_some() { ENCRYPTED_NAME } else { PLAIN_NAME };
    let mut ids = named(name);
    ids.next().filter(|_| ids.next().is_none())
}

/// Keeps the id until the browser closes, or the session ends.
pub(crate) fn set(id: &str, is_encrypted: bool) -> HeaderValue {
    header(id, "", is_encrypted)
}

pub(crate) fn clear(is_encrypted: bool) -> HeaderValue {
    header("", "; Max-Age=0", is_encrypted)
}

fn header(id: &str, end: &str, is_encrypted: bool) -> HeaderValue {
    let (name, secure) = if is_encrypted { (ENCRYPTED_NAME, "; Secure") } else { (PLAIN_NAME, "") };
    let text = format!("{name}={id}; {ATTRIBUTES}{end}{secure}");
    HeaderValue::try_from(text).expect("letters and digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sent: &[&'static str], is_tls: bool, id: Option<&str>) {
        let pairs = sent.iter().map(|sent| (COOKIE, HeaderValue::from_static(sent)));
        assert_eq!(read(&pairs.collect::<HeaderMap>(), is_tls), id, "{sent:?}");
    }

    #[test]
    fn a_cookie_is_found_among_others() {
        check(&[], false, None);
        check(&["a=b; bw_session=x1"], false, Some("x1"));
        check(&["a=b", "bw_session=x2; c=d"], false, Some("x2"));
        check(&["xbw_session=x", "bw_session"], false, None);
        check(&["a=b; __Host-bw_session=x3"], true, Some("x3"));
    }

    #[test]
    fn two_cookies_of_a_session_are_none() {
        for is_tls in [false, true] {
            check(&["bw_session=x1; bw_session=x2"], is_tls, None);
            check(&["bw_session=x1", "bw_session=x1"], is_tls, None);
            check(&["__Host-bw_session=x1; __Host-bw_session=x2"], is_tls, None);
        }
    }

    #[test]
    fn a_cookie_that_another_host_can_set_is_none_under_tls() {
        check(&["bw_session=x1"], true, None);
        for is_tls in [false, true] {
            check(&["bw_session=x1; __Host-bw_session=x2"], is_tls, Some("x2"));
        }
    }

    #[test]
    fn a_cookie_under_tls_goes_over_tls_only() {
        assert_eq!(set("x", false), "bw_session=x; HttpOnly; SameSite=Strict; Path=/");
        assert_eq!(
            set("x", true),
            "__Host-bw_session=x; HttpOnly; SameSite=Strict; Path=/; Secure"
        );
        let cleared = "bw_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0";
        assert_eq!(clear(false), cleared);
        assert_eq!(clear(true), format!("__Host-{cleared}; Secure"));
    }
}
