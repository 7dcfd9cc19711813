use proptest::prelude::*;

use super::packet::Content;
use super::*;

const SESSION: SessionName = *b"20261126AA";

fn packets(messages: &[&[u8]], next: u64) -> Vec<Vec<u8>> {
    let mut packets = Vec::new();
    let mut sender = Sender::new(SESSION, next, 0);
    for message in messages {
        sender.message(message, 0, |packet| packets.push(packet.to_vec()));
    }
    sender.flush(0, |packet| packets.push(packet.to_vec()));
    packets
}

/// By hand from the tables of the specification.
#[test]
fn packets_have_the_bytes_of_the_specification() {
    let packet = packets(&[b"AB", b"", b"CDE"], 7);
    let expected = b"20261126AA\0\0\0\0\0\0\0\x07\0\x03\0\x02AB\0\0\0\x03CDE";
    assert_eq!(packet, [expected]);
    let Content::Messages(messages) = Packet::read(expected).unwrap().content else {
        panic!("no messages")
    };
    assert_eq!(messages.collect::<Vec<_>>(), [&b"AB"[..], b"", b"CDE"]);

    let mut sender = Sender::new(SESSION, 7, 0);
    sender.tick(999, |_| panic!("no heartbeat is due"));
    sender.tick(1_000, |packet| assert_eq!(packet, b"20261126AA\0\0\0\0\0\0\0\x07\0\0"));
    assert_eq!(sender.deadline_ms(), 2_000);
    sender.end_of_session(1_000, |packet| {
        assert_eq!(packet, b"20261126AA\0\0\0\0\0\0\0\x07\xFF\xFF");
    });
    let mut request = Vec::new();
    Request { session: SESSION, sequence: 7, count: 3 }.write(&mut request);
    assert_eq!(request, expected[..20]);
}

#[test]
fn what_is_no_packet_says_why() {
    let packet = &packets(&[b"AB", b"C"], 1)[0];
    for cut in 0..packet.len() {
        assert_eq!(Packet::read(&packet[..cut]), Err(Invalid::Truncated), "{cut}");
    }
    let longer = [&packet[..], b"\0"].concat();
    assert_eq!(Packet::read(&longer), Err(Invalid::TooLong));
    assert_eq!(Packet::read(b"20261126AA\0\0\0\0\0\0\0\x07\0\0\0"), Err(Invalid::TooLong));
    let last = b"20261126AA\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\x01\0\0";
    assert_eq!(Packet::read(last), Err(Invalid::Sequence));
    assert_eq!(Request::read(&packet[..]), Err(Invalid::TooLong));
}

#[test]
fn a_packet_holds_what_one_frame_of_ethernet_carries() {
    let message = [7; 100];
    let sent = packets(&[&message[..]; 40], 1);
    assert_eq!(sent.iter().map(Vec::len).collect::<Vec<_>>(), [1_448, 1_448, 1_244]);
    let numbers = sent.iter().map(|packet| Packet::read(packet).unwrap().sequence);
    assert_eq!(numbers.collect::<Vec<_>>(), [1, 15, 29]);
}

#[test]
fn a_receiver_asks_for_what_it_missed_until_it_has_it() {
    let messages: Vec<[u8; 1]> = (1..=4).map(|n| [n]).collect();
    let sent: Vec<_> = messages.iter().zip(1..).map(|(m, n)| packets(&[m], n)[0].clone()).collect();
    let mut receiver = Receiver::new(None, 1);
    let mut got = Vec::new();
    let mut deliver = |number, message: &[u8]| got.push((number, message[0]));
    assert_eq!(receiver.request(0), None);
    assert_eq!(receiver.receive(&sent[0], 0, &mut deliver), Received::Delivered(1));
    assert_eq!(receiver.receive(&sent[3], 0, &mut deliver), Received::Delivered(0));
    assert_eq!(receiver.missing(), 3);
    let request = Request { session: SESSION, sequence: 2, count: 2 };
    assert_eq!(receiver.request(5), Some(request));
    assert_eq!(receiver.request(24), None);
    assert_eq!(receiver.request(25), Some(request));
    // The answer comes in two packets: the request is not repeated between them.
    assert_eq!(receiver.receive(&sent[1], 44, &mut deliver), Received::Delivered(1));
    assert_eq!(receiver.request(50), None);
    assert_eq!(receiver.receive(&sent[1], 50, &mut deliver), Received::Delivered(0));
    assert_eq!(receiver.receive(&sent[2], 50, &mut deliver), Received::Delivered(2));
    assert_eq!((receiver.missing(), receiver.deadline_ms()), (0, None));
    assert_eq!(got, [(1, 1), (2, 2), (3, 3), (4, 4)]);

    let other = b"20261127AA\0\0\0\0\0\0\0\x07\0\0";
    let received = receiver.receive(other, 50, |_, _| panic!("of another session"));
    assert_eq!(received, Received::OtherSession(*b"20261127AA"));
    let end = b"20261126AA\0\0\0\0\0\0\0\x06\xFF\xFF";
    let received = receiver.receive(end, 50, |_, _| panic!("no message"));
    assert_eq!((received, receiver.missing()), (Received::Delivered(0), 1), "the last was lost");
    let received = receiver.receive(&packets(&[b"5"], 5)[0], 51, |_, _| {});
    assert_eq!(received, Received::Ended);
}

#[test]
fn the_last_number_is_received() {
    let next = u64::MAX - 1;
    let mut receiver = Receiver::new(Some(SESSION), next);
    let packet = packets(&[b"A"], next);
    let mut got = Vec::new();
    let received = receiver.receive(&packet[0], 0, |number, _| got.push(number));
    assert_eq!((received, got), (Received::Delivered(1), vec![next]));
}

#[derive(Clone, Copy, Debug)]
enum Fate {
    Arrives,
    Lost,
    Doubled,
    /// Overtaken by the packets after it.
    Late(u8),
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        4 => Just(Fate::Arrives),
        2 => Just(Fate::Lost),
        1 => Just(Fate::Doubled),
        1 => (1_u8..5).prop_map(Fate::Late),
    ]
}

proptest! {
    /// A session over a network that loses, doubles and reorders, also requests and their answers.
    #[test]
    fn each_message_is_delivered_once_and_in_order(
        messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..60),
        fates in prop::collection::vec(fate(), 1..40),
    ) {
        let mut fates = fates.into_iter().cycle();
        let mut turn = 0_u32;
        let all: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let mut wire: Vec<(u32, Vec<u8>)> = packets(&all, 1).into_iter().map(|p| (0, p)).collect();
        let mut receiver = Receiver::new(Some(SESSION), 1);
        let mut got: Vec<Vec<u8>> = Vec::new();
        for now_ms in (0..).step_by(10) {
            // All losses in a row come to an end: the last rounds lose nothing.
            let loses = now_ms < 2_000;
            for (due, packet) in std::mem::take(&mut wire) {
                turn += 1;
                let mut deliver = |number: u64, message: &[u8]| {
                    assert_eq!(number, got.len() as u64 + 1);
                    got.push(message.to_vec());
                };
                if due > turn {
                    wire.push((due, packet));
                    continue;
                }
                match if loses { fates.next().unwrap() } else { Fate::Arrives } {
                    Fate::Lost => {}
                    Fate::Late(by) if due == 0 => wire.push((turn + u32::from(by), packet)),
                    Fate::Doubled => {
                        receiver.receive(&packet, now_ms, &mut deliver);
                        receiver.receive(&packet, now_ms, &mut deliver);
                    }
                    _ => {
                        receiver.receive(&packet, now_ms, &mut deliver);
                    }
                }
            }
            if wire.is_empty() && got.len() < all.len() {
                // The heartbeat says what there is.
                let mut sender = Sender::new(SESSION, all.len() as u64 + 1, 0);
                sender.tick(1_000, |packet| wire.push((0, packet.to_vec())));
            }
            if let Some(request) = receiver.request(now_ms)
                && (!loses || !matches!(fates.next(), Some(Fate::Lost)))
            {
                let first = request.sequence as usize - 1;
                let asked = &all[first..first + usize::from(request.count)];
                wire.extend(packets(asked, request.sequence).into_iter().map(|p| (0, p)));
            }
            if got.len() == all.len() {
                break;
            }
            prop_assert!(now_ms < 20_000, "{} of {}", got.len(), all.len());
        }
        prop_assert_eq!(got, messages);
        prop_assert_eq!(receiver.missing(), 0);
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..80),
        is_session in any::<bool>(),
    ) {
        let mut bytes = bytes;
        if is_session && bytes.len() >= SESSION.len() {
            bytes[..SESSION.len()].copy_from_slice(&SESSION);
        }
        let mut receiver = Receiver::new(Some(SESSION), 1);
        receiver.receive(&bytes, 0, |_, _| {});
        let _request = (Request::read(&bytes), receiver.request(0));
    }
}
