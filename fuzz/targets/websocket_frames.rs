//! Whatever frames come over a WebSocket, the venue answers in whole frames of valid JSON.
//!
//! The first byte chooses: `0` frames as they are sent to the market's streams, `1` to the
//! WebSocket API; `2` and `3` likewise texts, a line each, that get their frames.

#![no_main]

use std::io::{Read, Write};
use std::net::TcpStream;

use fuzz::{Site, finish};
use libfuzzer_sys::fuzz_target;

const TEXT: u8 = 0x81;
const CLOSE: u8 = 0x88;
const MASKED: u8 = 0x80;
const LONG: u8 = 126;
const VERY_LONG: u8 = 127;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let site = Site::get();
    let path = if kind & 1 == 0 { "/stream" } else { "/ws-api/v3" };
    let stream = upgraded(site.connect(), path);
    let answer = if kind & 2 == 0 {
        finish(stream, rest)
    } else {
        finish(stream, &rest.split(|byte| *byte == b'\n').flat_map(frame).collect::<Vec<_>>())
    };
    check_frames(&answer);
    site.check();
});

fn upgraded(mut stream: TcpStream, path: &str) -> TcpStream {
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("the gateway reads");
    let mut answer = Vec::new();
    let mut byte = [0];
    while !answer.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).expect("the gateway answers");
        answer.push(byte[0]);
    }
    assert!(answer.starts_with(b"HTTP/1.1 101 "), "{}", answer.escape_ascii());
    stream
}

/// A text in one frame, whose mask of zeros leaves it as it is.
fn frame(text: &[u8]) -> Vec<u8> {
    let mut frame = vec![TEXT];
    match text.len() {
        len @ ..126 => frame.push(MASKED | len as u8),
        len => {
            frame.push(MASKED | LONG);
            frame.extend((len as u16).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(text);
    frame
}

/// The last frame may be cut: the venue closes on a client that does not keep to the protocol.
fn check_frames(mut bytes: &[u8]) {
    while let [first, second, rest @ ..] = bytes {
        assert_eq!(second & MASKED, 0, "servers mask nothing");
        let (len, rest) = match (*second, rest) {
            (LONG, [a, b, rest @ ..]) => (usize::from(u16::from_be_bytes([*a, *b])), rest),
            (VERY_LONG, rest) => match rest.split_first_chunk() {
                Some((len, rest)) => (u64::from_be_bytes(*len) as usize, rest),
                None => return,
            },
            (len, rest) => (usize::from(len), rest),
        };
        let Some((payload, rest)) = rest.split_at_checked(len) else { return };
        if *first == TEXT {
            let parsed = serde_json::from_slice::<serde_json::Value>(payload);
            assert!(parsed.is_ok(), "{}", payload.escape_ascii());
        }
        assert!(*first != CLOSE || len != 1, "a close has no code, or a whole one");
        bytes = rest;
    }
}
