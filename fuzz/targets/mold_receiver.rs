//! Whatever packets come to a receiver, it delivers numbers in order, each once.
//!
//! Bytes are cut into packets: each behind its length in one byte. A packet gets the session.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::mold::{Receiver, Request};

const SESSION: [u8; 10] = *b"SESSION001";

fuzz_target!(|bytes: &[u8]| {
    let mut receiver = Receiver::new(Some(SESSION), 1);
    let (mut rest, mut next, mut now_ms) = (bytes, 1, 0);
    while let [length, more @ ..] = rest {
        let (packet, more) = more.split_at(usize::from(*length).min(more.len()));
        rest = more;
        now_ms += 7;
        let packet = [&SESSION[..], packet].concat();
        receiver.receive(&packet, now_ms, |number, _| {
            assert_eq!(number, next);
            next += 1;
        });
        assert_eq!(receiver.next(), next);
        if let Some(request) = receiver.request(now_ms) {
            assert_eq!(request.sequence, next);
            assert!(request.count > 0 && u64::from(request.count) <= receiver.missing());
            let mut written = Vec::new();
            request.write(&mut written);
            assert_eq!(Request::read(&written), Ok(request));
        }
    }
});
