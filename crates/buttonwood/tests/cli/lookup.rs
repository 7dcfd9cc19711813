//! Single orders and trades, as an operator finds them, on a venue that runs and on a stopped one.

use client::NewOrder;
use serde_json::{Value, json};
use types::Side;

use crate::operator::{trader, words};
use crate::process::{Serving, run_json, run_refused, text};

#[tokio::test]
async fn an_operator_finds_and_cancels_an_order_of_any_account() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let admin = |args: &str| run_json(&words(data, args));
    let refused = |args: &str| run_refused(&words(data, args));
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let [alice, bob] = [0, 1].map(|account| trader(&venue, data, account));
    let buy = |price| NewOrder::limit("BTCUSDT", Side::Buy, "1", price);
    let first = alice.place(&buy("100")).await.unwrap().order_id;
    let second = alice.place(&buy("99")).await.unwrap().order_id;
    bob.place(&NewOrder::limit("BTCUSDT", Side::Sell, "0.25", "100")).await.unwrap();

    let open = admin("order list alice");
    let ids: Vec<&Value> = open.as_array().unwrap().iter().map(|row| &row["order_id"]).collect();
    assert_eq!(ids, [first, second]);
    let shown = admin(&format!("order show BTCUSDT {first}"));
    assert_eq!(shown, open[0]);
    assert_eq!((&shown["account"], &shown["side"]), (&json!("alice"), &json!("Buy")));
    let state = (&shown["status"], &shown["qty"], &shown["filled_qty"], &shown["price"]);
    let expect = json!(["PartiallyFilled", "1.00000000", "0.25000000", "100.00000000"]);
    assert_eq!(json!([state.0, state.1, state.2, state.3]), expect, "{shown}");

    let canceled = admin(&format!("order cancel BTCUSDT {first}"));
    assert_eq!((&canceled["status"], &canceled["filled_qty"]), (&json!("Canceled"), state.2));
    let sentence = refused(&format!("order cancel BTCUSDT {first}"));
    assert!(sentence.contains("is not open: it is Canceled"), "{sentence}");
    assert!(refused("order show BTCUSDT 999").contains("BTCUSDT has no order 999"));
    assert!(refused("order show NOUSDT 1").contains("there is no instrument `NOUSDT`"));
    assert!(refused("order list carol").contains("there is no account `carol`"));
    let left = alice.account().await.unwrap().balance("USDT").unwrap().locked.clone();
    assert_eq!(left, "99.00000000", "the other order's");
    assert_eq!(admin(&format!("order show BTCUSDT {first}"))["status"], "Canceled");

    venue.stop();
    assert_eq!(admin(&format!("order show BTCUSDT {first}"))["status"], "Canceled");
    assert_eq!(admin(&format!("order cancel BTCUSDT {second}"))["status"], "Canceled");
    assert_eq!(admin("order list alice"), json!([]));
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    assert_eq!(admin(&format!("order show BTCUSDT {second}"))["status"], "Canceled");
    venue.stop();
}

#[tokio::test]
async fn an_operator_finds_a_trade_with_both_its_sides() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let admin = |args: &str| run_json(&words(data, args));
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let [alice, bob] = [0, 1].map(|account| trader(&venue, data, account));
    let maker = NewOrder::limit("BTCUSDT", Side::Buy, "1", "100");
    let maker = alice.place(&maker).await.unwrap().order_id;
    bob.place(&NewOrder::limit("BTCUSDT", Side::Sell, "1", "100")).await.unwrap();
    let trade_id = bob.my_trades("BTCUSDT", None, 10).await.unwrap()[0].id;
    let show = format!("trade show BTCUSDT {trade_id}");
    let trade = admin(&show);
    let of = |trade: &Value, side: &str| {
        let side = &trade[side];
        json!([side["account"], side["order_id"], side["is_maker"], side["fee_asset"]])
    };
    assert_eq!(of(&trade, "buyer"), json!(["alice", maker, true, "BTC"]), "{trade}");
    assert_eq!(of(&trade, "seller")[0], "bob");
    assert!(trade["seller"]["client_order_id"].is_string(), "{trade}");
    assert_eq!((&trade["price"], &trade["busted"]), (&json!("100.00000000"), &Value::Null));
    let sentence = run_refused(&words(data, "trade show BTCUSDT 999"));
    assert!(sentence.contains("BTCUSDT has no trade 999"), "{sentence}");

    // The answer has what a correction and a bust must name.
    let [buyer, seller] = ["buyer", "seller"].map(|side| trade[side]["account"].as_str().unwrap());
    admin(&format!("correct BTCUSDT {trade_id} {buyer} {seller} 90"));
    admin(&format!("bust BTCUSDT {trade_id} {buyer} {seller}"));
    let busted = admin(&show);
    assert_eq!((&busted["price"], &busted["orig_price"]), (&json!("90.00000000"), &trade["price"]));
    assert!(busted["busted"].is_string() && busted["corrected"].is_string(), "{busted}");
    venue.stop();
    assert_eq!(admin(&show), busted, "of a stopped venue");
}
