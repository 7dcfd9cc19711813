//! What an operator says while a venue trades, through the binary on a venue that runs.

use std::fs;

use client::{Client, NewOrder};
use serde_json::{Value, json};
use types::Side;

use crate::process::{Serving, run, run_json, run_refused, text};

#[tokio::test]
async fn an_operator_steers_a_venue() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let admin = |args: &str| run_json(&words(data, args));
    let refused = |args: &str| run_refused(&words(data, args));
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let [alice, bob] = [0, 1].map(|account| trader(&venue, data, account));
    let buy = NewOrder::limit("BTCUSDT", Side::Buy, "1", "100");
    let sell = NewOrder::limit("BTCUSDT", Side::Sell, "1", "100");
    let closed = "Market is closed.";

    // An opening auction, from nothing.
    assert_eq!(admin("phase BTCUSDT PreOpen")["phase"], "PreOpen");
    assert_eq!(admin("instrument list")[0]["phase"], "PreOpen");
    assert_eq!(alice.place(&buy).await.unwrap().status, "NEW");
    assert_eq!(bob.place(&sell).await.unwrap().status, "NEW", "nothing trades yet");
    assert!(refused("phase BTCUSDT PreOpen").contains("already"));
    admin("phase BTCUSDT OpeningAuction");
    admin("phase BTCUSDT Continuous");
    let trades = alice.my_trades("BTCUSDT", None, 10).await.unwrap();
    let trade_id = trades[0].id;

    // The trade gets another price, and is then undone.
    let corrected = admin(&format!("correct BTCUSDT {trade_id} alice bob 99.50"));
    assert_eq!(
        corrected["buyer"],
        json!({"account": "alice", "base": "0.00000000", "quote": "0.50000000"})
    );
    let sentence = refused(&format!("correct BTCUSDT {trade_id} alice bob 99.505"));
    assert!(sentence.contains("`99.505`") && sentence.contains("ticks"), "{sentence}");
    let sentence = refused(&format!("bust BTCUSDT {trade_id} bob alice"));
    assert!(sentence.contains("no such trade"), "{sentence}");
    let busted = admin(&format!("bust BTCUSDT {trade_id} alice bob"));
    assert_eq!(busted["seller"]["quote"], "-99.50000000");
    assert_eq!(busted["owed"], json!([]));
    assert!(refused(&format!("bust BTCUSDT {trade_id} alice bob")).contains("busted before"));
    assert_eq!(alice.account().await.unwrap().balance("USDT").unwrap().free, "1000000.00000000");

    // Halts: of an instrument, and of the venue.
    admin("phase BTCUSDT Halt");
    assert!(refusal(&alice, &buy).await.contains(closed));
    admin("phase BTCUSDT Continuous");
    assert!(refused("resume").contains("not halted"));
    assert!(refused("halt --level 4").contains("from 1 to 3"));
    assert_eq!(admin("halt --level 2 --for 3600")["seconds"], 3600);
    assert!(refusal(&alice, &buy).await.contains(closed));
    assert!(refused("halt").contains("halted"));
    assert!(refused("phase BTCUSDT Closed").contains("the venue is halted"));
    assert_eq!(admin("resume")["halted"], false);
    assert_eq!(alice.place(&buy).await.unwrap().status, "NEW");

    // An account that is switched off has nothing open, until it is switched on.
    assert_eq!(admin("kill alice on")["killed"], true);
    assert_eq!(alice.open_orders(None).await.unwrap().len(), 0);
    assert!(refusal(&alice, &buy).await.contains("disabled"));
    let accounts = admin("account list");
    let is_alice = |account: &&Value| account["account"] == "alice";
    let account = accounts.as_array().and_then(|accounts| accounts.iter().find(is_alice));
    assert_eq!(account.expect("she is there")["killed"], true);
    admin("kill alice off");

    // Limits stay as they are where a command line does not name them.
    admin("limits alice BTCUSDT --max-order-qty 0.5 --max-order-notional 100.25");
    let limits = admin("limits alice BTCUSDT --max-open-orders 7 --collar-bps 500");
    assert_eq!(limits["max_order_qty"], "0.50000");
    assert_eq!(limits["max_order_notional"], "100.25000000");
    assert_eq!(admin("limits alice BTCUSDT"), limits, "shown, not changed");
    assert!(refusal(&alice, &buy).await.contains("limits"));
    assert!(
        refused("limits alice BTCUSDT --max-position 0.000001").contains("whole number of lots")
    );
    admin("limits alice BTCUSDT --max-order-qty 0");
    assert_eq!(alice.place(&buy).await.unwrap().status, "NEW");
    let risk = admin("risk alice --stp-group 7 --orders-per-day 100000");
    assert_eq!((&risk["mode"], &risk["stp_group"]), (&json!("Cash"), &json!(7)));
    assert!(refused("risk alice --mode Limits").contains("open orders"));
    assert!(refused("risk dave").contains("`dave`"));

    // On a stopped venue too, and for ever.
    venue.stop();
    assert_eq!(admin("risk alice --orders-per-10s 50")["orders_per_day"], 100_000);
    admin("phase ETHBTC Closed");
    admin("delist BTCUSDT");
    assert!(refused("delist BTCUSDT").contains("delisted"));
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    assert_eq!(admin("instrument list")[0]["delisted"], true);
    let alice = trader(&venue, data, 0);
    assert_eq!(alice.open_orders(None).await.unwrap().len(), 0);
    assert!(refusal(&alice, &buy).await.contains(closed));
    venue.stop();
}

#[test]
fn help_says_what_an_operator_may_say() {
    let help = |args: &str| {
        let args: Vec<&str> = ["admin"].into_iter().chain(args.split(' ')).collect();
        let output = run(&args);
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(help("phase --help").contains("VolatilityAuction"));
    assert!(help("risk --help").contains("Limits"));
    assert!(help("limits --help").contains("0 is no limit"));
    let wrong = run(&["admin", "phase", "BTCUSDT", "preopen"]);
    assert_eq!(wrong.status.code(), Some(2), "names are spelled one way");
}

fn words<'a>(data: &'a str, args: &'a str) -> Vec<&'a str> {
    ["admin", "--data", data].into_iter().chain(args.split(' ')).collect()
}

/// The demo's account of this number.
fn trader(venue: &Serving, data: &str, account: usize) -> Client {
    let demo = fs::read_to_string(format!("{data}/demo.json")).unwrap();
    let demo: Value = serde_json::from_str(&demo).unwrap();
    let text = |name: &str| demo["accounts"][account][name].as_str().unwrap().to_owned();
    venue.client(&text("api_key"), &text("secret_key"))
}

async fn refusal(trader: &Client, order: &NewOrder) -> String {
    trader.place(order).await.unwrap_err().to_string()
}
