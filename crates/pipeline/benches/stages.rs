//! Times of the pipeline's single steps: a push into the queue, a pop, a message parsed.
//!
//! `cargo bench -p pipeline` prints nanoseconds for each, the best of [`ROUNDS`], because other
//! work of the machine only adds to a round.

use std::hint::black_box;
use std::time::Instant;

use pipeline::{Book, Flow, QUEUE_UPDATES, Update, Wire};
use protocol::fix::tag_value::{self, Writer, parse_decimal, parse_u64};
use rtrb::RingBuffer;
use types::Side;

const ROUNDS: usize = 200;
const SEED: u64 = 7;
const ORDERS: usize = 2_000;

fn main() {
    println!("{:44}{:>9}{:>10}", "one step", "ns", "others");
    let (push, pop) = queue();
    row("queue: push", push, "12");
    row("queue: pop", pop, "15");
    row("binary message parsed (ITCH)", parse(Wire::Binary), "45");
    row("FIX market data refresh parsed", parse(Wire::Fix), "");
    row("FIX new order parsed", new_order_parsed(), "380");
    row("FIX new order written", new_order_written(), "");
    row("book: an update, and both best levels", book(), "");
}

/// The column of others has what the systems we compare with publish.
fn row(name: &str, ns: f64, others: &str) {
    println!("{name:44}{ns:>9.1}{others:>10}");
}

/// On one thread, with updates as the pipeline has them.
fn queue() -> (f64, f64) {
    let (mut producer, mut consumer) = RingBuffer::<Update>::new(QUEUE_UPDATES);
    let flow = Flow::new(Wire::Binary, SEED);
    let (update, _) = Wire::Binary.read(flow.bytes()).expect("a message");
    let (mut push, mut pop) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        for _ in 0..QUEUE_UPDATES {
            assert!(producer.push(black_box(update)).is_ok());
        }
        push = push.min(begun.elapsed().as_nanos() as f64);
        let begun = Instant::now();
        for _ in 0..QUEUE_UPDATES {
            assert!(black_box(consumer.pop()).is_ok());
        }
        pop = pop.min(begun.elapsed().as_nanos() as f64);
    }
    (push / QUEUE_UPDATES as f64, pop / QUEUE_UPDATES as f64)
}

fn parse(wire: Wire) -> f64 {
    let flow = Flow::new(wire, SEED);
    best(flow.messages(), || {
        let (mut rest, mut count) = (black_box(flow.bytes()), 0);
        while let Some((update, size)) = wire.read(rest) {
            black_box(update);
            rest = &rest[size..];
            count += 1;
        }
        assert_eq!(count, flow.messages());
    })
}

fn book() -> f64 {
    let flow = Flow::new(Wire::Binary, SEED);
    let (mut rest, mut updates) = (flow.bytes(), Vec::new());
    while let Some((update, size)) = Wire::Binary.read(rest) {
        updates.push(update);
        rest = &rest[size..];
    }
    let mut book = Book::new();
    best(updates.len(), || {
        for update in &updates {
            book.apply(update);
            black_box((book.best(Side::Buy), book.best(Side::Sell)));
        }
        assert_eq!(book.refused(), 0);
    })
}

fn new_order_written() -> f64 {
    let mut out = Vec::with_capacity(ORDERS * 200);
    best(ORDERS, || {
        out.clear();
        (0..ORDERS as u64).for_each(|number| write_order(&mut out, number));
        assert!(black_box(&out).len() > ORDERS * 100);
    })
}

fn new_order_parsed() -> f64 {
    let mut bytes = Vec::new();
    (0..ORDERS as u64).for_each(|number| write_order(&mut bytes, number));
    best(ORDERS, || {
        let (mut rest, mut count, mut quantity) = (&black_box(&bytes)[..], 0, 0);
        while let Ok(Some(message)) = tag_value::read(rest) {
            let order = Order::of(&message).expect("each message is an order");
            quantity += black_box(order).quantity;
            rest = &rest[message.size()..];
            count += 1;
        }
        assert_eq!((count, quantity), (ORDERS, 100 * ORDERS as u64));
    })
}

/// The fields that an order needs, in their types.
#[derive(Clone, Copy, Default)]
#[allow(dead_code, reason = "parsed for their time")]
struct Order<'a> {
    sequence: u64,
    cl_ord_id: &'a [u8],
    symbol: &'a [u8],
    side: u8,
    quantity: u64,
    order_type: u8,
    price: i64,
    time_in_force: u8,
}

impl<'a> Order<'a> {
    fn of(message: &tag_value::Message<'a>) -> Option<Self> {
        let mut order = Self::default();
        for field in message.fields() {
            let field = field.ok()?;
            match field.tag {
                34 => order.sequence = parse_u64(field.value)?,
                11 => order.cl_ord_id = field.value,
                55 => order.symbol = field.value,
                54 => order.side = field.value[0],
                38 => order.quantity = parse_u64(field.value)?,
                40 => order.order_type = field.value[0],
                44 => order.price = parse_decimal(field.value, 8)?,
                59 => order.time_in_force = field.value[0],
                _ => {}
            }
        }
        Some(order)
    }
}

fn write_order(out: &mut Vec<u8>, number: u64) {
    let mut writer = Writer::begin(out, b"FIX.4.4", b"D");
    writer.field(49, b"CLIENT");
    writer.field(56, b"VENUE");
    writer.number(34, number + 1);
    writer.field(52, b"20240808-12:00:00.000");
    writer.field(11, b"order-1");
    writer.field(55, b"BTCUSDT");
    writer.field(54, b"1");
    writer.field(60, b"20240808-12:00:00.000");
    writer.number(38, 100);
    writer.field(40, b"2");
    writer.decimal(44, 5_871_020, 2);
    writer.field(59, b"1");
    writer.finish();
}

/// Nanoseconds of one of a round's steps.
fn best(steps: usize, mut round: impl FnMut()) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let begun = Instant::now();
        round();
        begun.elapsed()
    });
    times.min().expect("there are rounds").as_nanos() as f64 / steps as f64
}
