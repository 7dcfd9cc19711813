use proptest::prelude::*;

use super::server::Due;
use super::*;

fn request() -> LogOn {
    LogOn::new("alice1", "swordfish1", None, 7).unwrap()
}

/// A server with a client that has logged on, and what the server has sent.
fn logged_on() -> (Server, Client, Vec<u8>) {
    let (mut to_server, mut to_client) = (Vec::new(), Vec::new());
    let client = Client::log_on(&request(), &mut to_server, 0);
    let mut server = Server::new(0);
    let bytes = &mut &to_server[..];
    assert_eq!(server.receive(bytes, 0), Received::LogOn(request()));
    server.accept(SessionName::numbered(20), 7, &mut to_client, 0);
    (server, client, to_client)
}

#[test]
fn a_log_on_has_the_bytes_of_the_specification() {
    let mut bytes = Vec::new();
    let session = SessionName::new("S1").unwrap();
    let request = LogOn::new("bob", "pw", Some(session), 42).unwrap();
    Client::log_on(&request, &mut bytes, 0);
    assert_eq!(bytes, b"\x00\x2FLbob   pw                S1                  42");
    let (_, _, accepted) = logged_on();
    assert_eq!(accepted, b"\x00\x1FA        20                   7");
}

#[test]
fn a_log_on_of_version_4_has_the_heartbeat_beside() {
    let bytes =
        [&b"\x00\x34L"[..], format!("{:6}{:10}{:10}{:>20}  500", "bob", "pw", "", 0).as_bytes()]
            .concat();
    let mut server = Server::new(0);
    let Received::LogOn(log_on) = server.receive(&mut &bytes[..], 0) else { panic!("no log-on") };
    assert_eq!((log_on.user(), log_on.password()), ("bob", "pw"));
    assert_eq!((log_on.session, log_on.sequence, log_on.heartbeat_ms), (None, 0, Some(500)));
    let mut out = Vec::new();
    server.accept(SessionName::numbered(1), 1, &mut out, 0);
    out.clear();
    assert_eq!(server.tick(&mut out, 499), Due::Nothing);
    assert_eq!((server.tick(&mut out, 500), &out[..]), (Due::Heartbeat, &b"\x00\x01H"[..]));
}

#[test]
fn messages_are_counted_and_the_next_log_on_asks_for_the_rest() {
    let (_, mut client, mut sent) = logged_on();
    Server::message(&mut sent, |out| out.extend(b"seven"));
    Server::unsequenced(&mut sent, |out| out.extend(b"aside"));
    Server::debug("a text", &mut sent);
    Server::message(&mut sent, |out| out.extend(b"eight"));
    let bytes = &mut &sent[..];
    let session = SessionName::numbered(20);
    let expected = [
        Received::Accepted { session, next: 7 },
        Received::Message(b"seven"),
        Received::Unsequenced(b"aside"),
        Received::Nothing,
        Received::Message(b"eight"),
        Received::NeedMore,
    ];
    for received in expected {
        assert_eq!(client.receive(bytes, 1), received);
    }
    assert_eq!(client.position(), (Some(session), 9));
    assert!(bytes.is_empty());
}

#[test]
fn a_refused_client_gets_the_reason() {
    let (mut to_server, mut out) = (Vec::new(), Vec::new());
    let mut client = Client::log_on(&request(), &mut to_server, 0);
    let mut server = Server::new(0);
    server.receive(&mut &to_server[..], 0);
    server.reject(RejectReason::NotAuthorized, "no such user", &mut out);
    let bytes = &mut &out[..];
    assert_eq!(client.receive(bytes, 0), Received::Nothing);
    assert_eq!(client.receive(bytes, 0), Received::Rejected(RejectReason::NotAuthorized));
    assert_eq!(server.tick(&mut out, 0), Due::Close);
}

#[test]
fn each_side_sends_heartbeats_and_misses_those_of_the_other() {
    let (mut server, mut client, sent) = logged_on();
    client.receive(&mut &sent[..], 0);
    let mut out = Vec::new();
    assert_eq!(server.deadline_ms(), 1_000);
    assert_eq!(server.tick(&mut out, 999), Due::Nothing);
    assert_eq!(server.tick(&mut out, 1_000), Due::Heartbeat);
    assert_eq!(client.tick(&mut out, 1_000), Due::Heartbeat);
    assert_eq!(out, b"\x00\x01H\x00\x01R");
    assert_eq!(server.receive(&mut &b"\x00\x01R"[..], 2_000), Received::Nothing);
    assert_eq!(server.tick(&mut Vec::new(), 16_999), Due::Heartbeat);
    assert_eq!(server.tick(&mut Vec::new(), 17_000), Due::Close);
    assert_eq!(client.tick(&mut Vec::new(), 15_000), Due::Close);
}

#[test]
fn heartbeats_of_a_server_leave_at_shared_moments_and_none_is_late() {
    let (mut server, _, _) = logged_on();
    for (sent_ms, due_ms) in [(0, 1_000), (1, 1_000), (249, 1_000), (250, 1_250), (1_003, 2_000)] {
        server.sent(sent_ms);
        assert_eq!(server.deadline_ms(), due_ms, "sent at {sent_ms}");
    }
    assert_eq!(server.tick(&mut Vec::new(), 1_999), Due::Nothing);
    assert_eq!(server.tick(&mut Vec::new(), 2_000), Due::Heartbeat);
    assert_eq!(server.deadline_ms(), 3_000);
}

#[test]
fn a_short_heartbeat_time_has_moments_of_its_own() {
    let due_ms = |heartbeat_ms, sent_ms| {
        let (mut bytes, mut request) = (Vec::new(), request());
        request.heartbeat_ms = Some(heartbeat_ms);
        request.write(&mut bytes);
        let mut server = Server::new(0);
        assert!(matches!(server.receive(&mut &bytes[..], 0), Received::LogOn(_)));
        server.accept(SessionName::numbered(1), 1, &mut Vec::new(), sent_ms);
        server.deadline_ms()
    };
    assert_eq!([due_ms(100, 260), due_ms(100, 275)], [350, 375]);
    assert_eq!([due_ms(1, 260), due_ms(3, 260)], [261, 263]);
}

#[test]
fn a_client_that_does_not_log_on_is_closed() {
    let mut server = Server::new(5);
    assert_eq!(server.receive(&mut &b"\x00\x01R"[..], 29_000), Received::Nothing);
    assert_eq!(server.tick(&mut Vec::new(), 30_004), Due::Nothing);
    assert_eq!(server.tick(&mut Vec::new(), 30_005), Due::Close);
}

#[test]
fn what_is_no_packet_or_out_of_place_is_a_violation() {
    let check = |server: &mut Server, mut bytes: &[u8], violation| {
        assert_eq!(server.receive(&mut bytes, 0), Received::Violation(violation));
    };
    let fresh = || Server::new(0);
    check(&mut fresh(), b"\x00\x00", Violation::Empty);
    check(&mut fresh(), b"\x04\x01", Violation::TooLong);
    check(&mut fresh(), b"\x00\x01?", Violation::UnknownKind(b'?'));
    check(&mut fresh(), b"\x00\x02Rx", Violation::Malformed(b'R'));
    check(&mut fresh(), b"\x00\x03Lab", Violation::Malformed(b'L'));
    check(&mut fresh(), b"\x00\x02Ux", Violation::NotLoggedOn);
    check(&mut fresh(), b"\x00\x01O", Violation::NotLoggedOn);
    let fields = format!("{:6}{:10}{:10}{:>20}", "bob", "pw", "", "4 2");
    let bad_number = [&b"\x00\x2FL"[..], fields.as_bytes()].concat();
    check(&mut fresh(), &bad_number, Violation::Malformed(b'L'));
    let (mut server, ..) = logged_on();
    let mut again = Vec::new();
    Client::log_on(&request(), &mut again, 0);
    check(&mut server, &again, Violation::LoggedOnAlready);
    assert_eq!(server.receive(&mut &b"\x00\x01O"[..], 0), Received::LogOut);
}

proptest! {
    /// However the bytes are cut, the same packets come out, and no cut loses or makes one.
    #[test]
    fn cuts_change_nothing(
        messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20),
        cuts in prop::collection::vec(1_usize..30, 1..10),
    ) {
        let (_, mut client, mut sent) = logged_on();
        for message in &messages {
            Server::message(&mut sent, |out| out.extend(message));
        }
        let (mut found, mut kept) = (Vec::new(), Vec::new());
        let mut rest = &sent[..];
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (part, after) = rest.split_at((*cut).min(rest.len()));
            rest = after;
            kept.extend(part);
            let mut bytes = &kept[..];
            loop {
                match client.receive(&mut bytes, 0) {
                    Received::NeedMore => break,
                    Received::Message(message) => found.push(message.to_vec()),
                    Received::Accepted { .. } => {}
                    other => return Err(TestCaseError::fail(format!("{other:?}"))),
                }
            }
            kept = bytes.to_vec();
        }
        prop_assert_eq!(found, messages);
        prop_assert!(kept.is_empty());
    }

    #[test]
    fn any_bytes_are_packets_or_violations(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (mut server, mut client, _) = logged_on();
        for side in 0..2 {
            let mut rest = &bytes[..];
            loop {
                let before = rest.len();
                let received = if side == 0 {
                    server.receive(&mut rest, 0)
                } else {
                    client.receive(&mut rest, 0)
                };
                match received {
                    Received::NeedMore | Received::Violation(_) => break,
                    _ => prop_assert!(rest.len() < before),
                }
            }
        }
    }
}
