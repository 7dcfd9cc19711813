use proptest::prelude::*;

use super::message::*;
use super::*;

fn bytes(message: &Message) -> Vec<u8> {
    let mut out = Vec::new();
    message.write(&mut out);
    out
}

/// By hand from the tables of section 1.
#[test]
fn messages_have_the_bytes_of_the_specification() {
    let head = Head { locate: 13, tracking: 2, timestamp: 34_200_000_000_123 };
    let add = Message::AddOrder(AddOrder {
        head,
        order_ref: 987_654_321,
        side: code::side::BUY,
        shares: 100,
        stock: *b"AAPL    ",
        price: 1_503_400,
    });
    let expected = b"A\0\x0D\0\x02\x1F\x1A\xCE\xD9\xF0\x7B\0\0\0\0\x3A\xDE\x68\xB1B\0\0\0\x64AAPL    \0\x16\xF0\xA8";
    assert_eq!(bytes(&add), expected);
    assert_eq!(Message::read(expected), Ok(add));

    let executed =
        Message::OrderExecuted(OrderExecuted { head, order_ref: 1, shares: 7, match_number: 2 });
    let expected =
        b"E\0\x0D\0\x02\x1F\x1A\xCE\xD9\xF0\x7B\0\0\0\0\0\0\0\x01\0\0\0\x07\0\0\0\0\0\0\0\x02";
    assert_eq!(bytes(&executed), expected);
}

#[test]
fn messages_that_cannot_be_read_say_why() {
    assert_eq!(Message::read(b""), Err(Unreadable::Empty));
    assert_eq!(Message::read(b"Z"), Err(Unreadable::UnknownKind(b'Z')));
    assert_eq!(Message::read(b"S"), Err(Unreadable::Length(b'S')));
    assert_eq!(Message::read(&[b'S'; 13]), Err(Unreadable::Length(b'S')));
}

proptest! {
    /// All bytes of the right length are a message, which has these bytes.
    #[test]
    fn each_message_survives_its_bytes(fill in prop::collection::vec(any::<u8>(), MESSAGE_MAX)) {
        for kind in b"SRHYLVWKJhAFECXDUPQBINO" {
            let size = Message::size_of_kind(*kind).unwrap();
            let mut message = fill.clone();
            message[0] = *kind;
            let read = Message::read(&message[..size]).unwrap();
            prop_assert_eq!(bytes(&read), &message[..size]);
            prop_assert!(read.head().timestamp <= Head::TIMESTAMP_MAX);
            for cut in 1..size {
                prop_assert_eq!(Message::read(&message[..cut]), Err(Unreadable::Length(*kind)));
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(message in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(read) = Message::read(&message) {
            prop_assert_eq!(bytes(&read), message);
        }
    }
}
