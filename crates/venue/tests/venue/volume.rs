//! How much of the log an order takes.

use testing::limit;
use types::{AccountId, Command, Entry, Envelope, KeyId, Origin, Side, Wire};

const BATCH_COMMANDS: usize = 64;

/// Bytes of the log per plain limit order, in batches of 64 as a busy REST client brings about.
fn bytes_per_order(cl_ord_id: &str) -> f64 {
    let mut payload = Vec::new();
    for number in 0..BATCH_COMMANDS as u64 {
        let received_ns = 1_700_000_000_000_000_000 + number;
        let envelope = Envelope {
            account: AccountId(1_000),
            key: KeyId(1_000),
            ..Envelope::venue(Origin::Rest, received_ns)
        };
        let command = Command::NewOrder(limit(cl_ord_id, Side::Buy, 6_000_000, 1_000));
        Entry { envelope, command }.write(&mut payload);
    }
    log::frame::size(payload.len()) as f64 / BATCH_COMMANDS as f64
}

#[test]
fn an_order_takes_little_of_the_log() {
    let generated = bytes_per_order("0123456789abcdefABCD");
    let longest = bytes_per_order("0123456789abcdefghijklmnopqrstuvwxyz");
    assert!(generated <= 112.0 && longest <= 144.0, "{generated} and {longest} bytes");
}
