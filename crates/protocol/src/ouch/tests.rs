use proptest::prelude::*;

use super::appendage::tag;
use super::inbound::*;
use super::outbound::*;
use super::*;

/// The bytes of a message without an appendage.
macro_rules! bytes {
    ($message:expr) => {{
        let mut out = Vec::new();
        $message.write(&mut out, |_| {});
        out
    }};
}

/// By hand from the tables of sections 2.1 and 3.2.
#[test]
fn orders_have_the_bytes_of_the_specification() {
    let enter = EnterOrder {
        user_ref_num: 1,
        side: code::side::BUY,
        quantity: 100,
        symbol: *b"AAPL    ",
        price: 1_503_400,
        time_in_force: b'0',
        display: b'Y',
        capacity: b'A',
        intermarket_sweep: b'N',
        cross_type: b'N',
        cl_ord_id: *b"CLORD1        ",
    };
    let expected = b"O\0\0\0\x01B\0\0\0\x64AAPL    \0\0\0\0\0\x16\xF0\xA80YANNCLORD1        \0\0";
    assert_eq!(bytes!(enter), expected);
    let mut tagged = Vec::new();
    enter.write(&mut tagged, |tags| tags.put(tag::USER_REF_IDX, &[5]));
    assert_eq!(tagged[45..], [0, 3, 2, 28, 5]);
    let Ok(Inbound::EnterOrder(read, tags)) = Inbound::read(&tagged) else { panic!("unreadable") };
    assert_eq!((read, tags.get(tag::USER_REF_IDX)), (enter, Some([5])));
    assert_eq!((tags.get::<2>(tag::USER_REF_IDX), tags.get::<1>(tag::SIDE)), (None, None));

    let executed = OrderExecuted {
        timestamp: 34_200_000_000_123,
        user_ref_num: 1,
        quantity: 100,
        price: 1_503_400,
        liquidity: b'A',
        match_number: 987_654_321,
    };
    let expected = b"E\0\0\x1F\x1A\xCE\xD9\xF0\x7B\0\0\0\x01\0\0\0\x64\0\0\0\0\0\x16\xF0\xA8A\0\0\0\0\x3A\xDE\x68\xB1\0\0";
    assert_eq!(bytes!(executed), expected);
}

#[test]
fn a_message_without_an_appendage_may_end_before_its_length() {
    let cancel = CancelOrder { user_ref_num: 77, quantity: 0 };
    assert_eq!(bytes!(cancel), b"X\0\0\0\x4D\0\0\0\0");
    let explicit = b"X\0\0\0\x4D\0\0\0\0\0\0";
    assert_eq!(CancelOrder::read(explicit), Some((cancel, Appendage::default())));
    assert_eq!(bytes!(AccountQuery {}), b"Q");
    let enter = bytes!(DisableOrderEntry { user_ref_num: 1, firm: *b"FIRM" });
    assert_eq!(DisableOrderEntry::read(&enter[..enter.len() - 2]), None);
}

#[test]
fn messages_that_cannot_be_read_say_why() {
    assert_eq!(Inbound::read(b""), Err(Unreadable::Malformed));
    assert_eq!(Inbound::read(b"A"), Err(Unreadable::UnknownKind(b'A')));
    assert_eq!(Outbound::read(b"O"), Err(Unreadable::UnknownKind(b'O')));
    assert_eq!(Inbound::read(b"X\0\0\0\x4D\0\0\0\0\0"), Err(Unreadable::Malformed));
    // A length of zero has no tag; one beyond the appendage has no value.
    for fields in [&[0, 1][..], &[2, 1], &[1, 1, 5]] {
        let mut message = b"Q".to_vec();
        message.extend((fields.len() as u16).to_be_bytes());
        message.extend(fields);
        assert_eq!(Inbound::read(&message), Err(Unreadable::Malformed), "{fields:?}");
    }
}

#[test]
fn texts_are_padded_on_the_right() {
    assert_eq!(alpha(b"MSFT"), Some(*b"MSFT    "));
    assert_eq!(alpha::<3>(b"MSFT"), None);
    assert_eq!(trimmed(b"MSFT    "), b"MSFT");
    assert_eq!(trimmed(b"    "), b"");
}

/// Each message of one direction, with random fields and tags, survives its bytes; no part of them
/// is a message, nor are they with a byte more.
macro_rules! round_trips {
    ($test:ident: $direction:ident { $($name:ident: $make:expr;)* }) => {
        proptest! {
            #[test]
            fn $test(
                n in any::<[u64; 4]>(),
                text in any::<[u8; 14]>(),
                tags in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 0..9)), 0..4),
            ) {
                $({
                    let make: fn([u64; 4], [u8; 14]) -> $name = $make;
                    let message = make(n, text);
                    let mut bytes = Vec::new();
                    message.write(&mut bytes, |out| {
                        tags.iter().for_each(|(tag, value)| out.put(*tag, value));
                    });
                    let read = $direction::read(&bytes);
                    let Ok($direction::$name(found, appendage)) = read else {
                        return Err(TestCaseError::fail(format!("{read:?}")));
                    };
                    prop_assert_eq!(found, message);
                    let found: Vec<_> =
                        appendage.iter().map(|found| (found.tag, found.value.to_vec())).collect();
                    prop_assert_eq!(&found, &tags);
                    for cut in 0..bytes.len() {
                        let part = $direction::read(&bytes[..cut]);
                        let whole = cut == $name::SIZE && $name::read(&bytes[..cut]).is_some();
                        prop_assert!(whole || part == Err(Unreadable::Malformed), "cut at {}", cut);
                    }
                    bytes.push(0);
                    prop_assert_eq!($direction::read(&bytes), Err(Unreadable::Malformed));
                })*
            }
        }
    };
}

fn a<const N: usize>(text: [u8; 14]) -> Alpha<N> {
    std::array::from_fn(|at| text[at])
}

round_trips! { messages_of_clients_survive_their_bytes: Inbound {
    EnterOrder: |n, t| EnterOrder {
        user_ref_num: n[0] as u32,
        side: t[0],
        quantity: n[1] as u32,
        symbol: a(t),
        price: n[2],
        time_in_force: t[1],
        display: t[2],
        capacity: t[3],
        intermarket_sweep: t[4],
        cross_type: t[5],
        cl_ord_id: t,
    };
    ReplaceOrder: |n, t| ReplaceOrder {
        orig_user_ref_num: n[0] as u32,
        user_ref_num: n[1] as u32,
        quantity: n[2] as u32,
        price: n[3],
        time_in_force: t[0],
        display: t[1],
        intermarket_sweep: t[2],
        cl_ord_id: t,
    };
    CancelOrder: |n, _| CancelOrder { user_ref_num: n[0] as u32, quantity: n[1] as u32 };
    ModifyOrder: |n, t| ModifyOrder {
        user_ref_num: n[0] as u32,
        side: t[0],
        quantity: n[1] as u32,
    };
    MassCancel: |n, t| MassCancel { user_ref_num: n[0] as u32, firm: a(t), symbol: a(t) };
    DisableOrderEntry: |n, t| DisableOrderEntry { user_ref_num: n[0] as u32, firm: a(t) };
    EnableOrderEntry: |n, t| EnableOrderEntry { user_ref_num: n[0] as u32, firm: a(t) };
    AccountQuery: |_, _| AccountQuery {};
} }

round_trips! { messages_of_the_venue_survive_their_bytes: Outbound {
    SystemEvent: |n, t| SystemEvent { timestamp: n[0], event: t[0] };
    OrderAccepted: |n, t| OrderAccepted {
        timestamp: n[0],
        user_ref_num: n[1] as u32,
        side: t[0],
        quantity: n[1] as u32,
        symbol: a(t),
        price: n[2],
        time_in_force: t[1],
        display: t[2],
        order_ref_num: n[3],
        capacity: t[3],
        intermarket_sweep: t[4],
        cross_type: t[5],
        order_state: t[6],
        cl_ord_id: t,
    };
    OrderReplaced: |n, t| OrderReplaced {
        timestamp: n[0],
        orig_user_ref_num: n[1] as u32,
        user_ref_num: n[2] as u32,
        side: t[0],
        quantity: n[1] as u32,
        symbol: a(t),
        price: n[2],
        time_in_force: t[1],
        display: t[2],
        order_ref_num: n[3],
        capacity: t[3],
        intermarket_sweep: t[4],
        cross_type: t[5],
        order_state: t[6],
        cl_ord_id: t,
    };
    OrderCanceled: |n, t| OrderCanceled {
        timestamp: n[0],
        user_ref_num: n[1] as u32,
        quantity: n[2] as u32,
        reason: t[0],
    };
    AiqCanceled: |n, t| AiqCanceled {
        timestamp: n[0],
        user_ref_num: n[1] as u32,
        decrement: n[2] as u32,
        reason: t[0],
        prevented: n[3] as u32,
        price: n[0],
        liquidity: t[1],
        strategy: t[2],
    };
    OrderExecuted: |n, t| OrderExecuted {
        timestamp: n[0],
        user_ref_num: n[1] as u32,
        quantity: n[2] as u32,
        price: n[3],
        liquidity: t[0],
        match_number: n[0],
    };
    BrokenTrade: |n, t| BrokenTrade {
        timestamp: n[0],
        user_ref_num: n[1] as u32,
        match_number: n[2],
        reason: t[0],
        cl_ord_id: t,
    };
    Rejected: |n, t| Rejected {
        timestamp: n[0],
        user_ref_num: n[1] as u32,
        reason: n[2] as u16,
        cl_ord_id: t,
    };
    CancelPending: |n, _| CancelPending { timestamp: n[0], user_ref_num: n[1] as u32 };
    CancelReject: |n, _| CancelReject { timestamp: n[0], user_ref_num: n[1] as u32 };
    OrderPriorityUpdate: |n, t| OrderPriorityUpdate {
        timestamp: n[0],
        user_ref_num: n[1] as u32,
        price: n[2],
        display: t[0],
        order_ref_num: n[3],
    };
    OrderModified: |n, t| OrderModified {
        timestamp: n[0],
        user_ref_num: n[1] as u32,
        side: t[0],
        quantity: n[2] as u32,
    };
    OrderRestated: |n, t| OrderRestated {
        timestamp: n[0],
        user_ref_num: n[1] as u32,
        reason: t[0],
    };
    MassCancelResponse: |n, t| MassCancelResponse {
        timestamp: n[0],
        user_ref_num: n[1] as u32,
        firm: a(t),
        symbol: a(t),
    };
    DisableOrderEntryResponse: |n, t| DisableOrderEntryResponse {
        timestamp: n[0],
        user_ref_num: n[1] as u32,
        firm: a(t),
    };
    EnableOrderEntryResponse: |n, t| EnableOrderEntryResponse {
        timestamp: n[0],
        user_ref_num: n[1] as u32,
        firm: a(t),
    };
    AccountQueryResponse: |n, _| AccountQueryResponse {
        timestamp: n[0],
        next_user_ref_num: n[1] as u32,
    };
} }

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        if let Ok(Inbound::EnterOrder(order, tags)) = Inbound::read(&bytes) {
            let mut again = Vec::new();
            order.write(&mut again, |out| tags.iter().for_each(|found| out.put(found.tag, found.value)));
            prop_assert_eq!(again, bytes);
        } else {
            let _read = Outbound::read(&bytes);
        }
    }
}
