//! Whatever datagrams come: those without the key change nothing, and frames of a client that has
//! the key deliver each message once and in order.
//!
//! The first byte says whether the rest is sealed; each part of the input is a datagram behind its
//! length in one byte.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::udp::{
    Cookies, Hello, LoginKey, Open, Opening, Secrets, Session, Side, handshake, kind,
};

const HEAD_SIZE: usize = 17;

fuzz_target!(|bytes: &[u8]| {
    let Some((is_sealed, mut rest)) = bytes.split_first() else { return };
    let secrets = Secrets::of(&LoginKey::from_bytes([7; 32]));
    let keys = |side| secrets.keys(side, &[1; 16], &[2; 16]);
    let (client, mut server) = (keys(Side::Client), Session::new(9, keys(Side::Server), 1, 1, 0));
    let mut opening = Opening::new(handshake::user("a").expect("short"), [1; 16], 1);
    let (cookies, from) = (Cookies::new(&[3; 32]), "10.0.0.1:5000".parse().expect("an address"));
    let mut next = 1;
    for sequence in 1.. {
        let Some((length, after)) = rest.split_first() else { break };
        let (part, after) = after.split_at(after.len().min(usize::from(*length) * 4));
        rest = after;
        let now_us = sequence * 10_000;
        if is_sealed & 1 == 0 {
            let (mut answer, mut datagram) = (Vec::new(), part.to_vec());
            if let Some(hello) = Hello::read(part) {
                cookies.answer(&hello, from, now_us, &mut answer);
                assert!(answer.len() <= part.len(), "an answer exceeds its request");
            }
            if let Some(open) = Open::read(part) {
                assert!(!cookies.are_good(&open, from, now_us) && !Open::is_proved(part, &secrets));
            }
            opening.receive(part, &secrets);
            let taken = server.receive(&mut datagram, now_us, |_, _| panic!("without the key"));
            assert!(taken.is_err());
        } else {
            let mut datagram = vec![kind::DATA];
            datagram.extend(9_u64.to_be_bytes());
            datagram.extend(sequence.to_be_bytes());
            datagram.extend_from_slice(part);
            client.seal(sequence, HEAD_SIZE, &mut datagram);
            // What is malformed ends the session.
            let _outcome = server.receive(&mut datagram, now_us, |number, message| {
                assert_eq!(number, next);
                next += 1;
                assert!(message.len() <= protocol::udp::DATAGRAM_MAX);
            });
            server.message(b"report");
        }
        server.poll(now_us, |datagram| assert!(datagram.len() <= protocol::udp::DATAGRAM_MAX));
    }
});
