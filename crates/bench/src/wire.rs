//! The part of HTTP/1.1 that a load client needs: requests written in place, and answers found in
//! a buffer, without allocation or copy.

use protocol::signed::sign::sign;
use server::now_ns;

use super::spec::Key;

/// An answer at the front of a buffer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Response<'a> {
    pub(super) status: u16,
    pub(super) body: &'a [u8],
    /// Bytes of head and body.
    pub(super) len: usize,
}

/// The bytes are not HTTP with a stated length.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct NotHttp;

const HEAD_END: &[u8] = b"\r\n\r\n";
const LENGTH: &[u8] = b"\r\ncontent-length:";

impl<'a> Response<'a> {
    /// The first answer in `bytes`; `None` while it is incomplete.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Option<Self>, NotHttp> {
        let Some(head_len) = find(bytes, HEAD_END) else { return Ok(None) };
        let head = &bytes[..head_len];
        let status = head.strip_prefix(b"HTTP/1.1 ").and_then(|rest| number(rest.get(..3)?));
        let status = status.and_then(|status| u16::try_from(status).ok()).ok_or(NotHttp)?;
        let body_len = content_length(head).ok_or(NotHttp)?;
        let body_at = head_len + HEAD_END.len();
        let len = body_at.checked_add(body_len).ok_or(NotHttp)?;
        Ok(bytes.get(body_at..len).map(|body| Self { status, body, len }))
    }
}

fn content_length(head: &[u8]) -> Option<usize> {
    let is_length = |window: &[u8]| window.eq_ignore_ascii_case(LENGTH);
    let at = head.windows(LENGTH.len()).position(is_length)? + LENGTH.len();
    let line = head[at..].split(|byte| *byte == b'\r').next()?;
    number(line.trim_ascii())
}

fn number(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

pub(super) fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

/// The number right after `name`.
pub(super) fn number_after(bytes: &[u8], name: &[u8]) -> Option<u64> {
    let at = find(bytes, name)? + name.len();
    let digits = bytes[at..].split(|byte| !byte.is_ascii_digit()).next()?;
    number(digits).map(|number| number as u64)
}

pub(super) fn count(bytes: &[u8], needle: &[u8]) -> u64 {
    let mut count = 0;
    let mut rest = bytes;
    while let Some(at) = find(rest, needle) {
        count += 1;
        rest = &rest[at + needle.len()..];
    }
    count
}

/// A request without a body and without a signature.
pub(super) fn write_get(out: &mut Vec<u8>, path: &str) {
    write(out, format_args!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
}

/// A signed request with the time of now. `query` has neither time nor signature.
pub(super) fn write_signed(out: &mut Vec<u8>, method: &str, path: &str, query: &str, key: &Key) {
    let (payload, api_key) = (signed(query, key), &key.api_key);
    write(
        out,
        format_args!(
            "{method} {path}?{payload} HTTP/1.1\r\nHost: localhost\r\nX-MBX-APIKEY: {api_key}\r\n\
             Content-Length: 0\r\n\r\n"
        ),
    );
}

/// Likewise with the parameters as the body, where they would make too long a line.
pub(super) fn write_signed_body(out: &mut Vec<u8>, path: &str, params: &str, key: &Key) {
    let (payload, api_key) = (signed(params, key), &key.api_key);
    let len = payload.len();
    write(
        out,
        format_args!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nX-MBX-APIKEY: {api_key}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len}\r\n\r\n\
             {payload}"
        ),
    );
}

fn signed(params: &str, key: &Key) -> String {
    let payload = format!("{params}&timestamp={}", now_ns() / 1_000_000);
    let signature = sign(key.secret_key.as_bytes(), payload.as_bytes());
    format!("{payload}&signature={signature}")
}

pub(super) fn write(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    use std::io::Write;
    out.write_fmt(text).expect("a vector takes all that is written to it");
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &[u8] =
        b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc";

    #[test]
    fn an_answer_is_found_once_all_of_it_has_arrived() {
        for len in 0..ANSWER.len() {
            assert_eq!(Response::parse(&ANSWER[..len]), Ok(None), "{len}");
        }
        let expected = Response { status: 400, body: b"abc", len: ANSWER.len() };
        assert_eq!(Response::parse(ANSWER), Ok(Some(expected)));
        let two = [ANSWER, ANSWER].concat();
        assert_eq!(Response::parse(&two), Ok(Some(expected)), "the next one waits");
    }

    #[test]
    fn what_is_not_http_is_refused() {
        for bytes in [
            &b"SSH-2.0-x\r\n\r\n"[..],
            b"HTTP/1.1 200 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ncontent-length: 18446744073709551615\r\n\r\n",
        ] {
            assert_eq!(Response::parse(bytes), Err(NotHttp), "{bytes:?}");
        }
    }

    #[test]
    fn a_request_is_signed_as_the_venue_checks_it() {
        use protocol::signed::sign::{VerifyingKey, verify};
        let key = Key { api_key: "a".into(), secret_key: "s".into() };
        let mut out = Vec::new();
        write_signed(&mut out, "POST", "/api/v3/order", "symbol=BTCUSDT", &key);
        let text = String::from_utf8(out).expect("it is text");
        let line = text.lines().next().expect("it has a line");
        let query = line.split(['?', ' ']).nth(2).expect("it has a query");
        assert!(verify(&VerifyingKey::hmac(b"s"), query, b"").is_ok(), "{line}");
        let mut out = Vec::new();
        write_signed_body(&mut out, "/api/v3/batchOrders", "batchOrders=[]", &key);
        let at = find(&out, HEAD_END).expect("it has a head") + HEAD_END.len();
        assert!(verify(&VerifyingKey::hmac(b"s"), "", &out[at..]).is_ok());
        assert_eq!(content_length(&out[..at]), Some(out.len() - at));
    }
}
