use proptest::prelude::*;

use super::cipher::Side;
use super::handshake::{Answer, Cookie, put_refused, user};
use super::*;

const CLIENT: &str = "10.0.0.1:5000";
const KEY: LoginKey = LoginKey::from_bytes([7; 32]);

fn secrets() -> Secrets {
    Secrets::of(&KEY)
}

fn pair(now_us: u64) -> (Session, Session) {
    let (client, server) = ([1; NONCE_SIZE], [2; NONCE_SIZE]);
    let keys = |side| secrets().keys(side, &client, &server);
    let of = |side| Session::new(9, keys(side), 1, 1, now_us);
    (of(Side::Client), of(Side::Server))
}

fn sent(session: &mut Session, now_us: u64) -> Vec<Vec<u8>> {
    let mut datagrams = Vec::new();
    session.poll(now_us, |datagram| datagrams.push(datagram.to_vec()));
    datagrams
}

fn received(session: &mut Session, datagram: &[u8], now_us: u64) -> Result<Vec<Vec<u8>>, Dropped> {
    let mut messages = Vec::new();
    let mut datagram = datagram.to_vec();
    session
        .receive(&mut datagram, now_us, |_, message| messages.push(message.to_vec()))
        .map(|()| messages)
}

#[test]
fn a_session_opens_once_the_cookie_has_come_back() {
    let (from, secrets) = (CLIENT.parse().unwrap(), secrets());
    let cookies = Cookies::new(&[3; 32]);
    let mut opening = Opening::new(user("alice").unwrap(), [1; NONCE_SIZE], 5);
    let hello = opening.poll(0).unwrap().to_vec();
    assert_eq!(opening.poll(19_999), None);
    assert_eq!(opening.poll(20_000).unwrap(), hello, "again");
    let mut cookie = Vec::new();
    cookies.answer(&Hello::read(&hello).unwrap(), from, 1_000, &mut cookie);
    assert!(cookie.len() <= hello.len(), "no answer exceeds the request");
    assert_eq!(opening.receive(&cookie, &secrets), None);
    let open = opening.poll(20_000).unwrap().to_vec();
    let read = Open::read(&open).unwrap();
    assert_eq!((read.user, read.next), (user("alice").unwrap(), 5));
    assert!(Open::is_proved(&open, &secrets));
    assert!(!Open::is_proved(&open, &Secrets::of(&LoginKey::from_bytes([8; 32]))));
    // The cookie is of this address, of this nonce, and of a short time.
    assert!(cookies.are_good(&read, from, 10_001_000));
    assert!(!cookies.are_good(&read, from, 10_001_001));
    assert!(!cookies.are_good(&read, from, 999));
    assert!(!cookies.are_good(&read, "10.0.0.1:5001".parse().unwrap(), 1_000));
    let mut other = read;
    other.nonce = [9; NONCE_SIZE];
    assert!(!cookies.are_good(&other, from, 1_000));
    assert!(!Cookies::new(&[4; 32]).are_good(&read, from, 1_000));

    let opened = Opened {
        client_nonce: [1; NONCE_SIZE],
        server_nonce: [2; NONCE_SIZE],
        connection: 77,
        day: 3,
        next: 5,
        new_from: 9,
    };
    let mut answer = Vec::new();
    opened.write(&secrets, &mut answer);
    assert!(answer.len() <= open.len());
    assert_eq!(opening.receive(&answer, &secrets), Some(Answer::Opened(opened)));
    for at in 0..answer.len() {
        let mut wrong = answer.clone();
        wrong[at] ^= 1;
        assert_eq!(opening.receive(&wrong, &secrets), None, "{at}");
        assert_eq!(opening.receive(&answer[..at], &secrets), None, "{at}");
    }
    let other = Opened { client_nonce: [9; NONCE_SIZE], ..opened };
    answer.clear();
    other.write(&secrets, &mut answer);
    assert_eq!(opening.receive(&answer, &secrets), None, "an answer to another client");
    let mut refused = Vec::new();
    put_refused(Refusal::Sequence, &[1; NONCE_SIZE], &secrets, &mut refused);
    assert_eq!(opening.receive(&refused, &secrets), Some(Answer::Refused(Refusal::Sequence)));
}

#[test]
fn only_what_the_other_side_has_sealed_is_taken_and_once() {
    let (mut client, mut server) = pair(0);
    assert!(client.message(b"first"));
    assert!(client.message(b"second"));
    let [datagram] = &sent(&mut client, 0)[..] else { panic!("one datagram") };
    for at in 0..datagram.len() {
        let mut wrong = datagram.clone();
        wrong[at] ^= 1;
        assert!(received(&mut server, &wrong, 0).is_err(), "{at}");
        assert!(received(&mut server, &datagram[..at], 0).is_err(), "{at}");
    }
    assert_eq!(received(&mut client, datagram, 0), Err(Dropped::NotGenuine), "one's own");
    let messages = received(&mut server, datagram, 0).unwrap();
    assert_eq!(messages, [b"first".to_vec(), b"second".to_vec()]);
    assert_eq!(received(&mut server, datagram, 0), Err(Dropped::Replayed));
    let mut other = pair(0).1;
    other.message(b"x");
    let of_other = sent(
        &mut Session::new(8, secrets().keys(Side::Client, &[1; 16], &[3; 16]), 1, 1, 0),
        2_000_000,
    );
    assert_eq!(received(&mut server, &of_other[0], 0), Err(Dropped::NotGenuine));
}

#[test]
fn many_messages_go_in_a_datagram_and_acknowledgements_wait_for_an_answer() {
    let (mut client, mut server) = pair(0);
    for _ in 0..40 {
        assert!(client.message(&[7; 47]));
    }
    let datagrams = sent(&mut client, 0);
    assert_eq!(datagrams.iter().map(Vec::len).collect::<Vec<_>>(), [1_367, 681]);
    for datagram in &datagrams {
        received(&mut server, datagram, 10).unwrap();
    }
    assert_eq!(sent(&mut server, 20), [b""; 0]);
    assert_eq!(server.deadline_us(), 1_010);
    assert!(server.message(b"report"));
    let answer = sent(&mut server, 500);
    assert_eq!(answer.len(), 1);
    assert_eq!(received(&mut client, &answer[0], 600).unwrap(), [b"report"]);
    assert_eq!((client.waiting(), client.round_trip_us()), (0, Some(600)));
    assert_eq!(sent(&mut server, 1_010), [b""; 0], "it went with the report");
    // Nothing else happens until the client acknowledges the report.
    assert_eq!(sent(&mut client, 1_600).len(), 1);
}

#[test]
fn silence_ends_a_session_and_a_close_reaches_the_other_side() {
    let (mut client, mut server) = pair(0);
    for second in 1..=20 {
        let now_us = second * 1_000_000;
        for datagram in sent(&mut client, now_us) {
            received(&mut server, &datagram, now_us).unwrap();
        }
    }
    assert_eq!([client.closed(), server.closed()], [Some(Closed::Silent); 2]);
    let (mut client, mut server) = pair(0);
    server.close(Closed::Day);
    let told = sent(&mut server, 0);
    received(&mut client, &told[0], 0).unwrap();
    assert_eq!((client.closed(), server.closed()), (Some(Closed::Day), Some(Closed::Day)));
    assert_eq!(sent(&mut client, 30_000_000), [b""; 0]);
}

#[test]
fn a_side_that_acknowledges_what_was_not_sent_is_closed() {
    let keys = secrets().keys(Side::Client, &[1; NONCE_SIZE], &[2; NONCE_SIZE]);
    let mut datagram = [&[kind::DATA][..], &9_u64.to_be_bytes(), &1_u64.to_be_bytes()].concat();
    frame::put_ack(0, 2, &[], &mut datagram);
    keys.seal(1, 17, &mut datagram);
    let mut server = pair(0).1;
    assert_eq!(received(&mut server, &datagram, 0), Err(Dropped::Malformed));
    assert_eq!(server.closed(), Some(Closed::Violation));
}

/// What becomes of a datagram.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Arrives,
    Lost,
    Doubled,
    LateBy(u64),
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        6 => Just(Fate::Arrives),
        2 => Just(Fate::Lost),
        1 => Just(Fate::Doubled),
        2 => (1_u64..30_000).prop_map(Fate::LateBy),
    ]
}

/// A network in one direction: datagrams by the time at which they arrive.
struct Network {
    wire: Vec<(u64, Vec<u8>)>,
    /// All that was ever on it.
    seen: Vec<Vec<u8>>,
}

impl Network {
    fn carry(&mut self, datagram: Vec<u8>, fate: Fate, now_us: u64) {
        self.seen.push(datagram.clone());
        match fate {
            Fate::Lost => {}
            Fate::Arrives => self.wire.push((now_us + 100, datagram)),
            Fate::LateBy(by_us) => self.wire.push((now_us + 100 + by_us, datagram)),
            Fate::Doubled => {
                self.wire.push((now_us + 100, datagram.clone()));
                self.wire.push((now_us + 5_000, datagram));
            }
        }
    }

    fn arrived(&mut self, now_us: u64) -> Vec<Vec<u8>> {
        let (arrived, wire) =
            std::mem::take(&mut self.wire).into_iter().partition(|(at_us, _)| *at_us <= now_us);
        self.wire = wire;
        let arrived: Vec<(u64, Vec<u8>)> = arrived;
        arrived.into_iter().map(|(_, datagram)| datagram).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    /// Both sides send; an attacker repeats everything, and what they get is what was sent.
    #[test]
    fn each_message_is_delivered_once_and_in_order(
        sizes in prop::collection::vec(0_usize..400, 1..300),
        fates in prop::collection::vec(fate(), 1..60),
    ) {
        let (client, server) = pair(0);
        let mut sides = [client, server];
        let mut networks = [0, 1].map(|_| Network { wire: Vec::new(), seen: Vec::new() });
        let mut got: [Vec<usize>; 2] = Default::default();
        let mut fates = fates.into_iter().cycle();
        let mut left = [sizes.iter(), sizes.iter()];
        for now_us in (0..).step_by(500) {
            for (at, side) in sides.iter_mut().enumerate() {
                for size in left[at].by_ref().take(3) {
                    prop_assert!(side.message(&vec![at as u8; *size]));
                }
                side.poll(now_us, |datagram| {
                    // All losses in a row come to an end.
                    let fate = fates.next().filter(|_| now_us < 5_000_000);
                    networks[at].carry(datagram.to_vec(), fate.unwrap_or(Fate::Arrives), now_us);
                });
            }
            for (at, side) in sides.iter_mut().enumerate() {
                let mut arrived = networks[1 - at].arrived(now_us);
                if now_us % 7_000 == 0 {
                    // A replay of an old one.
                    arrived.extend(networks[1 - at].seen.first().cloned());
                }
                for mut datagram in arrived {
                    let from = (1 - at) as u8;
                    let next = side.next_in();
                    let mut number = next;
                    // A repeat is dropped.
                    let _dropped = side.receive(&mut datagram, now_us, |of, message| {
                        assert_eq!(of, number);
                        number += 1;
                        assert!(message.iter().all(|byte| *byte == from));
                        got[at].push(message.len());
                    });
                }
            }
            if got.iter().all(|got| got.len() == sizes.len())
                && sides.iter().all(|side| side.waiting() == 0)
            {
                break;
            }
            prop_assert!(now_us < 60_000_000, "{} and {}", got[0].len(), got[1].len());
        }
        prop_assert!(got.iter().all(|got| *got == sizes));
    }

    #[test]
    fn any_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut opening = Opening::new(user("a").unwrap(), [1; NONCE_SIZE], 1);
        let _read = (Hello::read(&bytes), Cookie::read(&bytes), Open::read(&bytes));
        opening.receive(&bytes, &secrets());
        let (mut client, mut server) = pair(0);
        prop_assert!(received(&mut client, &bytes, 0).is_err());
        // The same as frames of the other side.
        let mut datagram = [&[kind::DATA][..], &9_u64.to_be_bytes(), &1_u64.to_be_bytes()].concat();
        datagram.extend(&bytes);
        secrets().keys(Side::Client, &[1; NONCE_SIZE], &[2; NONCE_SIZE]).seal(1, 17, &mut datagram);
        let _outcome = received(&mut server, &datagram, 0);
        sent(&mut server, 3_000_000);
    }
}
