//! Time of an ITCH message: one decoded, of a mix as a market has it.
//!
//! `cargo bench -p protocol --bench itch` prints nanoseconds, the best of [`ROUNDS`], because other
//! work of the machine only adds to a round.

use std::hint::black_box;
use std::time::Instant;

use protocol::itch::message::{AddOrder, OrderDeleted, OrderExecuted, OrderReplaced};
use protocol::itch::{Head, Message};

const ROUNDS: usize = 20;
const MESSAGES: usize = 10_000;

fn main() {
    let messages = mix();
    let sum: u64 = (0..MESSAGES as u64).sum();
    let ns = best(|| {
        let found = black_box(&messages).iter().map(|message| {
            let read = Message::read(black_box(message)).expect("a message");
            black_box(&read).head().timestamp
        });
        assert_eq!(found.sum::<u64>(), sum);
    });
    println!("{:44}{:>9}", "one message", "ns");
    println!("{:44}{ns:>9.1}", "decoded, of adds, deletes, replaces, fills");
}

/// Of ten messages four enter orders, four delete them, one replaces and one executes an order.
fn mix() -> Vec<Vec<u8>> {
    let message = |number: usize| {
        let head = Head { locate: 1, tracking: 0, timestamp: number as u64 };
        let order_ref = number as u64;
        match number % 10 {
            0..4 => Message::AddOrder(AddOrder {
                head,
                order_ref,
                side: b'B',
                shares: 100,
                stock: *b"AAPL    ",
                price: 1_503_400,
            }),
            4..8 => Message::OrderDeleted(OrderDeleted { head, order_ref }),
            8 => Message::OrderReplaced(OrderReplaced {
                head,
                order_ref,
                new_order_ref: order_ref + 1,
                shares: 100,
                price: 1_503_500,
            }),
            _ => Message::OrderExecuted(OrderExecuted {
                head,
                order_ref,
                shares: 7,
                match_number: order_ref,
            }),
        }
    };
    let bytes = |message: Message| {
        let mut out = Vec::new();
        message.write(&mut out);
        out
    };
    (0..MESSAGES).map(message).map(bytes).collect()
}

fn best(round: impl Fn()) -> f64 {
    let timed = |_| {
        let begun = Instant::now();
        round();
        begun.elapsed().as_secs_f64() * 1e9 / MESSAGES as f64
    };
    (0..ROUNDS).map(timed).fold(f64::INFINITY, f64::min)
}
