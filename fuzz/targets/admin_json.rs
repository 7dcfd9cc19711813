//! Whatever an operator asks for, the answer is JSON and not a fault of the venue's, and the state
//! does not contradict itself.
//!
//! The input is method and path, a query string, and a body; a line each.

#![no_main]

use std::net::{IpAddr, Ipv4Addr};

use fuzz::Site;
use gateway::{Method, OPERATOR_ROOT, OperatorRequest, OperatorRoute};
use libfuzzer_sys::fuzz_target;
use protocol::signed::Params;
use types::KeyId;

const FAULT: u16 = 500;

fuzz_target!(|bytes: &[u8]| {
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (Ok(head), Ok(query), body) = (str::from_utf8(line()), str::from_utf8(line()), line())
    else {
        return;
    };
    let Some((method, path)) = head.split_once(' ') else { return };
    let Ok(method) = Method::from_bytes(method.as_bytes()) else { return };
    let path = path.strip_prefix(OPERATOR_ROOT).unwrap_or(path);
    let site = Site::get();
    if !matches!(site.operators.find(&method, path), OperatorRoute::Operation) {
        return;
    }
    let Ok(params) = Params::parse(query, b"") else { return };
    let request = OperatorRequest {
        key: KeyId(2),
        peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
        received_ns: 0,
        method,
        path: path.to_owned(),
        query: params.into_unread(),
        body: body.to_vec().into(),
    };
    let answer = site.runtime.block_on(site.operators.answer(request));
    assert!(serde_json::from_str::<serde_json::Value>(&answer.body).is_ok(), "{}", answer.body);
    assert_ne!(answer.status, FAULT, "{}", answer.body);
    site.check();
});
