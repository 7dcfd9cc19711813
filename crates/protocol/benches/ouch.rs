//! Time of an OUCH message: enter order decoded, accepted and executed encoded, each in its packet.
//!
//! `cargo bench -p protocol --bench ouch` prints nanoseconds for each, the best of [`ROUNDS`],
//! because other work of the machine only adds to a round.

use std::hint::black_box;
use std::time::Instant;

use protocol::ouch::outbound::{OrderAccepted, OrderExecuted};
use protocol::ouch::{Inbound, inbound::EnterOrder};
use protocol::soup::{Client, LogOn, Received, Server, SessionName};

const ROUNDS: usize = 20;
const MESSAGES: usize = 10_000;

fn main() {
    println!("{:44}{:>9}", "one message", "ns");
    row("enter order: packet and message decoded", decode());
    row("accepted: encoded into a packet", encode(|out| accepted().write(out, |_| {})));
    row("executed: encoded into a packet", encode(|out| executed().write(out, |_| {})));
}

fn row(name: &str, ns: f64) {
    println!("{name:44}{ns:>9.1}");
}

fn decode() -> f64 {
    let log_on = LogOn::new("bench", "password", None, 1).expect("short texts");
    let (mut bytes, mut answer) = (Vec::new(), Vec::new());
    Client::log_on(&log_on, &mut bytes, 0);
    let mut server = Server::new(0);
    server.receive(&mut &bytes[..], 0);
    server.accept(SessionName::numbered(1), 1, &mut answer, 0);
    bytes.clear();
    for number in 1..=MESSAGES as u32 {
        Client::message(&mut bytes, |out| enter(number).write(out, |_| {}));
    }
    best(|| {
        let (mut rest, mut sum) = (&black_box(&bytes)[..], 0_u64);
        while let Received::Message(message) = server.receive(&mut rest, 0) {
            let Ok(Inbound::EnterOrder(order, tags)) = Inbound::read(message) else {
                unreachable!("each message is an order")
            };
            sum += u64::from(order.user_ref_num) + u64::from(tags.is_empty());
            black_box(order);
        }
        let expected = (1..=MESSAGES as u64).sum::<u64>() + MESSAGES as u64;
        assert_eq!(sum, expected);
    })
}

fn encode(write: impl Fn(&mut Vec<u8>)) -> f64 {
    let mut out = Vec::with_capacity(MESSAGES * 100);
    best(|| {
        out.clear();
        for _ in 0..MESSAGES {
            Server::message(&mut out, &write);
        }
        assert!(black_box(&out).len() >= MESSAGES * OrderExecuted::SIZE);
    })
}

/// Nanoseconds of one of a round's messages.
fn best(mut round: impl FnMut()) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let begun = Instant::now();
        round();
        begun.elapsed()
    });
    times.min().expect("there are rounds").as_nanos() as f64 / MESSAGES as f64
}

fn enter(user_ref_num: u32) -> EnterOrder {
    EnterOrder {
        user_ref_num,
        side: b'B',
        quantity: 100,
        symbol: *b"BTCUSDT ",
        price: 1_000_000_000,
        time_in_force: b'0',
        display: b'Y',
        capacity: b'A',
        intermarket_sweep: b'N',
        cross_type: b'N',
        cl_ord_id: [b' '; 14],
    }
}

fn accepted() -> OrderAccepted {
    black_box(OrderAccepted {
        timestamp: 34_200_000_000_123,
        user_ref_num: 7,
        side: b'B',
        quantity: 100,
        symbol: *b"BTCUSDT ",
        price: 1_000_000_000,
        time_in_force: b'0',
        display: b'Y',
        order_ref_num: 123_456_789,
        capacity: b'A',
        intermarket_sweep: b'N',
        cross_type: b'N',
        order_state: b'L',
        cl_ord_id: [b' '; 14],
    })
}

fn executed() -> OrderExecuted {
    black_box(OrderExecuted {
        timestamp: 34_200_000_000_123,
        user_ref_num: 7,
        quantity: 100,
        price: 1_000_000_000,
        liquidity: b'A',
        match_number: 987_654_321,
    })
}
