//! Whatever comes over a connection, the gateway answers or closes, and the venue goes on.
//!
//! Behind a `1`, the input is a request of a trader (method and path, query, body; a line each),
//! which gets its time and its right signature; behind a `2`, one of an operator, with the
//! signature in its headers. Anything else is bytes as they are sent. Then comes a request for the
//! venue's health, which ends what is unfinished.

#![no_main]

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use fuzz::{OPERATOR, SECRET, Site, TRADER, finish};
use libfuzzer_sys::fuzz_target;
use protocol::operator::{self, Covered};
use protocol::signed::sign::sign;

const LAST: &[u8] =
    b"\r\n\r\nGET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

fuzz_target!(|bytes: &[u8]| {
    let request = match bytes {
        [b'1', rest @ ..] => of_trader(rest),
        [b'2', rest @ ..] => of_operator(rest),
        _ => bytes.to_vec(),
    };
    let site = Site::get();
    let answer = finish(site.connect(), &[&request[..], LAST].concat());
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1."), "{}", answer.escape_ascii());
    assert!(!answer.starts_with(b"HTTP/1.1 500"), "{}", answer.escape_ascii());
    site.check();
});

fn of_trader(bytes: &[u8]) -> Vec<u8> {
    let [method, path, query, body] = parts(bytes);
    let separator = if query.is_empty() { "" } else { "&" };
    let query = format!("{query}{separator}timestamp={}", now_ms());
    let signature = sign(SECRET.as_bytes(), format!("{query}{body}").as_bytes());
    let headers = format!("x-mbx-apikey: {TRADER}\r\n");
    request([method, path, &format!("{query}&signature={signature}"), body], &headers)
}

fn of_operator(bytes: &[u8]) -> Vec<u8> {
    static REQUESTS: AtomicU64 = AtomicU64::new(0);
    let [method, path, query, body] = parts(bytes);
    let (timestamp, number) = (now_ms().to_string(), REQUESTS.fetch_add(1, Ordering::Relaxed));
    let nonce = format!("{number:016}");
    let (timestamp, nonce) = (timestamp.as_str(), nonce.as_str());
    let covered = Covered { method, path, query, body: body.as_bytes(), timestamp, nonce };
    let signature = sign(SECRET.as_bytes(), covered.payload().as_bytes());
    let headers = format!(
        "x-mbx-apikey: {OPERATOR}\r\n{}: {timestamp}\r\n{}: {nonce}\r\n{}: {signature}\r\n",
        operator::TIMESTAMP,
        operator::NONCE,
        operator::SIGNATURE,
    );
    request([method, path, query, body], &headers)
}

/// Method, path, query and body.
fn parts(bytes: &[u8]) -> [&str; 4] {
    let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let (line, rest) = valid.split_once('\n').unwrap_or((valid, ""));
    let (method, path) = line.split_once(' ').unwrap_or(("GET", line));
    let (query, body) = rest.split_once('\n').unwrap_or((rest, ""));
    [method, path, query, body]
}

fn request([method, path, query, body]: [&str; 4], headers: &str) -> Vec<u8> {
    let len = body.len();
    let target = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
    format!("{method} {target} HTTP/1.1\r\nhost: localhost\r\n{headers}content-length: {len}\r\n\r\n{body}")
        .into_bytes()
}

fn now_ms() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later").as_millis()
}
