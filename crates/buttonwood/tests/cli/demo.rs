//! The demo's market as its settings make it, from the outside.

use std::time::Duration;

use client::{Client, NewOrder};
use serde_json::{Value, json};
use types::Side;

use crate::operator::trader;
use crate::process::{Serving, run_json, text};

#[tokio::test]
async fn spread_size_and_fees_are_those_of_the_settings() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let market = ["--demo-spread-bps", "50", "--demo-size-usdt", "1000"];
    let still = ["--demo-volatility-bps", "0", "--demo-drift-bps", "0"];
    let fees = ["--demo-maker-fee-bps", "2.5", "--demo-taker-fee-bps", "4"];
    let venue = Serving::start(&[&["--data", data, "--demo"], &market[..], &still, &fees].concat());
    let alice = trader(&venue, data, 0);
    // 0.5 % around 60,000. A quote that the taker has just traded with is missing for a moment.
    while best(&alice).await != ["59850.00000000", "60150.00000000"] {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // Five levels, of about 1,000, 2,000, … USDT: each is half as large again at most.
    let depth = alice.depth("BTCUSDT", 100).await.unwrap();
    let worth = depth.bids.iter().map(|[price, qty]| number(price) * number(qty));
    assert!(worth.sum::<f64>() < 1.5 * 15_000.0, "{:?}", depth.bids);
    venue.stop();

    // The fees are in the log, so that the next start does not need the settings.
    let venue = Serving::start(&["--data", data, "--no-bots"]);
    assert_eq!(fees_of_a_trade(&venue, data).await, ["2.50000000 USDT", "0.00040000 BTC"]);
    venue.stop();
}

#[tokio::test]
async fn by_default_traders_pay_fees_and_bots_do_not() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    assert_eq!(fees_of_a_trade(&venue, data).await, ["10.00000000 USDT", "0.00100000 BTC"]);
    let accounts = run_json(&["admin", "--data", data, "account", "list"]);
    let own = accounts.as_array().unwrap().iter().map(|row| {
        let fees = [&row["maker_fee_bps"], &row["taker_fee_bps"]];
        (row["account"].as_str().unwrap(), fees)
    });
    let (none, zero) = (Value::Null, json!("0.00"));
    let instruments = [&none, &none];
    let expect = [
        ("alice", instruments),
        ("bob", instruments),
        ("maker-1", [&zero, &zero]),
        ("maker-2", [&zero, &zero]),
        ("taker-1", [&zero, &zero]),
        ("operator", instruments),
    ];
    assert_eq!(own.filter(|(name, _)| *name != "venue").collect::<Vec<_>>(), expect);
    venue.stop();
}

async fn best(reader: &Client) -> [String; 2] {
    let ticker = reader.book_ticker("BTCUSDT").await.unwrap();
    [ticker.bid_price, ticker.ask_price]
}

/// What bob pays as the maker and alice as the taker when he sells her 1 BTC for 10,000 USDT.
async fn fees_of_a_trade(venue: &Serving, data: &str) -> [String; 2] {
    let [alice, bob] = [0, 1].map(|account| trader(venue, data, account));
    bob.place(&NewOrder::limit("BTCUSDT", Side::Sell, "1", "10000")).await.unwrap();
    alice.place(&NewOrder::market("BTCUSDT", Side::Buy, "1")).await.unwrap();
    let mut paid = Vec::new();
    for trader in [&bob, &alice] {
        let trades = trader.my_trades("BTCUSDT", None, 10).await.unwrap();
        let last = trades.last().unwrap();
        paid.push(format!("{} {}", last.commission, last.commission_asset));
    }
    paid.try_into().unwrap()
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}
