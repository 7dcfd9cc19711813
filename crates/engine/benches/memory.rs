//! Memory per resting order, in total: a million orders of 2,000 accounts, on 200,000 prices or
//! each on a page of its own.
//!
//! `cargo bench -p engine --bench memory` prints the growth of the resident memory for names as the
//! venue generates them and for the longest names. It fails if that is more than promised.

use types::{AccountId, ClOrdId, Command, NewOrder, Side};

mod house;

const ACCOUNTS: u32 = 2_000;
const ORDERS: u64 = 1_000_000;
const PRICES_A_SIDE: u64 = 100_000;
/// Selects the row that a process measures.
const ROW: &str = "MEMORY_ROW";
const MIDDLE: i64 = 1_000_000_000;
/// No two orders of a sparse book lie on one page of 64 prices.
const APART: i64 = 7 * 64;

type Row = (&'static str, usize, u64, fn(u64) -> i64);

const ROWS: [Row; 4] = [
    ("names as generated, 20 characters", 20, 128, crowded),
    ("names of 36 characters", ClOrdId::LEN_MAX, 176, crowded),
    ("a page each, names of 20 characters", 20, 256, sparse),
    ("a page each, names of 36 characters", ClOrdId::LEN_MAX, 256, sparse),
];

/// Each row is measured in a process of its own, without freed memory of other rows.
fn main() {
    if let Some(row) = std::env::var(ROW).ok().and_then(|row| row.parse::<usize>().ok()) {
        return measure(ROWS[row]);
    }
    println!("{:46}{:>9}{:>9}", "a million resting orders", "bytes", "at most");
    let program = std::env::current_exe().expect("a path");
    let holds = |row: &usize| {
        let mut process = std::process::Command::new(&program);
        process.env(ROW, row.to_string()).status().expect("it starts").success()
    };
    let held = (0..ROWS.len()).filter(holds).count();
    assert_eq!(held, ROWS.len());
}

fn measure((name, name_len, bytes_max, away): Row) {
    let mut engine = house::open(ACCOUNTS);
    let before = house::resident_bytes();
    let mut events = Vec::new();
    for number in 0..ORDERS {
        let (account, order) = order(number, name_len, away);
        house::execute(&mut engine, 0, account, Command::NewOrder(order), &mut events);
    }
    let bytes = house::resident_bytes().saturating_sub(before) / ORDERS;
    assert_eq!(engine.resting_count() as u64, ORDERS);
    println!("{name:46}{bytes:>9}{bytes_max:>9}");
    assert!(bytes <= bytes_max, "more than promised");
}

fn order(number: u64, name_len: usize, away: fn(u64) -> i64) -> (AccountId, NewOrder) {
    let hash = hash(number);
    let (side, price) = match number % 2 {
        0 => (Side::Buy, MIDDLE - away(number)),
        _ => (Side::Sell, MIDDLE + away(number)),
    };
    let text = format!("{number:0name_len$}");
    let account = AccountId(1 + (number % u64::from(ACCOUNTS)) as u32);
    (account, house::limit_order(side, price, 1 + hash % 100, &text))
}

/// Distance of an order from the middle: several orders share a price.
fn crowded(number: u64) -> i64 {
    1 + (hash(number) % PRICES_A_SIDE) as i64
}

/// All pages, in pseudo-random order.
fn sparse(number: u64) -> i64 {
    // The factor and the number of orders are coprime.
    APART * (1 + (number * 618_033 % ORDERS) as i64)
}

/// The finalizer of SplitMix64.
fn hash(number: u64) -> u64 {
    let hash = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
}
