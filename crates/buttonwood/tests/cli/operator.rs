//! What an operator says while a venue trades, through the binary on a venue that runs.

use std::fs;

use client::{Client, NewOrder};
use serde_json::{Value, json};
use types::Side;

use crate::process::{Serving, run, run_json, run_refused, text};

/// What is asked for cannot be traded, and leaves when it is confirmed, also on a venue that has
/// been stopped meanwhile.
#[tokio::test]
async fn a_withdrawal_is_asked_for_and_then_leaves_or_not() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let admin = |args: &str| run_json(&words(data, args));
    let refused = |args: &str| run_refused(&words(data, args));
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let alice = trader(&venue, data, 0);
    let request = "withdrawal request alice USDT 999900 --ref bank-1";
    let requested = admin(request);
    assert_eq!(
        (&requested["account"], &requested["asset"], &requested["amount"], &requested["status"]),
        (&json!("alice"), &json!("USDT"), &json!("999900.00000000"), &json!("Requested"))
    );
    assert_eq!(requested["ended"], Value::Null);
    assert_eq!(admin(request), requested, "the same answer");
    let sentence = refused("withdrawal request alice USDT 7 --ref bank-1");
    assert!(sentence.contains("the reference is that of an earlier transfer"), "{sentence}");
    let sentence = refused("withdrawal request alice USDT 100.00000001 --ref bank-2");
    assert!(sentence.contains("too small"), "{sentence}");
    let balance = alice.account().await.unwrap().balance("USDT").unwrap().clone();
    assert_eq!((&balance.free[..], &balance.locked[..]), ("100.00000000", "999900.00000000"));
    let buy = NewOrder::limit("BTCUSDT", Side::Buy, "2", "100");
    assert!(refusal(&alice, &buy).await.contains("insufficient balance"));
    admin("withdrawal request alice BTC 0.5 --ref bank-3");
    let open = admin("withdrawal list");
    assert_eq!(open.as_array().map(Vec::len), Some(2), "{open}");

    let canceled = admin("withdrawal cancel alice --ref bank-3");
    assert_eq!(canceled["status"], "Canceled");
    assert!(canceled["ended"].as_str().is_some_and(|time| time.ends_with('Z')), "{canceled}");
    assert!(refused("withdrawal cancel alice --ref bank-3").contains("canceled before"));
    assert!(refused("withdrawal confirm alice --ref bank-3").contains("canceled before"));
    assert!(refused("withdrawal confirm bob --ref bank-1").contains("no withdrawal"));
    assert!(refused("withdrawal confirm nobody --ref bank-1").contains("`nobody`"));

    venue.stop();
    let completed = admin("withdrawal confirm alice --ref bank-1");
    assert_eq!(completed["status"], "Completed");
    assert!(refused("withdrawal confirm alice --ref bank-1").contains("confirmed before"));
    assert_eq!(admin(request)["status"], "Completed", "asked for again, it is not held again");
    assert_eq!(admin("withdrawal list"), json!([]));
    let ended = admin("withdrawal list alice");
    let ended = ended.as_array().expect("a list").iter().map(|row| row["status"].clone());
    assert_eq!(ended.collect::<Vec<_>>(), ["Completed", "Canceled"]);
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let alice = trader(&venue, data, 0);
    let account = alice.account().await.unwrap();
    assert_eq!(account.balance("USDT").unwrap().free, "100.00000000");
    assert_eq!(account.balance("USDT").unwrap().locked, "0.00000000");
    venue.stop();
}

#[tokio::test]
async fn an_operator_steers_a_venue() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let admin = |args: &str| run_json(&words(data, args));
    let refused = |args: &str| run_refused(&words(data, args));
    // Without fees, so that the amounts are those of the trades.
    let fees = ["--demo-maker-fee-bps", "0", "--demo-taker-fee-bps", "0"];
    let venue = Serving::start(&[&["--data", data, "--demo", "--no-bots"], &fees[..]].concat());
    let [alice, bob] = [0, 1].map(|account| trader(&venue, data, account));
    let buy = NewOrder::limit("BTCUSDT", Side::Buy, "1", "100");
    let sell = NewOrder::limit("BTCUSDT", Side::Sell, "1", "100");
    let closed = "Market is closed.";

    // An opening auction, from nothing.
    assert_eq!(admin("phase BTCUSDT PreOpen")["phase"], "PreOpen");
    assert_eq!(admin("instrument list")[0]["phase"], "PreOpen");
    assert_eq!(alice.place(&buy).await.unwrap().report.status, "NEW");
    assert_eq!(bob.place(&sell).await.unwrap().report.status, "NEW", "nothing trades yet");
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

    // Of a trade whose proceeds are gone, what is missing is owed, and paid when it is there.
    assert_eq!(admin("owed"), json!([]));
    assert!(refused("settle 1").contains("no receivable has this number"));
    alice.place(&buy).await.unwrap();
    bob.place(&sell).await.unwrap();
    let trade_id = bob.my_trades("BTCUSDT", None, 10).await.unwrap().last().unwrap().id;
    admin("withdraw bob USDT 1000050 --ref gone");
    let busted = admin(&format!("bust BTCUSDT {trade_id} alice bob"));
    let mut expected = json!([{
        "receivable": 1, "debtor": "bob", "creditor": "alice", "asset": "USDT",
        "amount": "50.00000000",
    }]);
    assert_eq!(busted["owed"], expected);
    assert_eq!(admin("owed"), expected);
    admin("deposit bob USDT 20 --ref back");
    expected[0]["amount"] = json!("30.00000000");
    assert_eq!(admin("owed"), expected, "a deposit pays first");
    assert!(refused("settle 1").contains("no free balance of the asset"));
    alice.place(&buy).await.unwrap();
    bob.place(&sell).await.unwrap();
    assert_eq!(admin("settle 1"), json!([]));

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
    assert_eq!(alice.place(&buy).await.unwrap().report.status, "NEW");
    let levels = json!([{"bps": 700, "seconds": 900}, {"bps": 2000, "seconds": 0}]);
    let breaker = admin("breaker ETHBTC --level 700 900 --level 2000 0");
    assert_eq!(breaker, json!({"index": "ETHBTC", "levels": levels}));
    assert!(refused("breaker ETHBTC --level 700 900 --level 600 0").contains("in ascending order"));

    // An account that is switched off has nothing open, until it is switched on.
    assert_eq!(admin("kill alice on")["killed"], true);
    assert_eq!(alice.open_orders(None).await.unwrap().len(), 0);
    assert!(refusal(&alice, &buy).await.contains("disabled"));
    let accounts = admin("account list");
    let is_alice = |account: &&Value| account["account"] == "alice";
    let account = accounts.as_array().and_then(|accounts| accounts.iter().find(is_alice));
    assert_eq!(account.expect("she is there")["killed"], true);
    let confirm = "withdrawal confirm alice --ref away";
    admin("kill alice off");
    admin("withdrawal request alice USDT 5 --ref away");
    admin("kill alice on");
    assert!(refused(confirm).contains("kill switch is on"));
    assert!(refused("withdrawal request alice USDT 6 --ref off").contains("kill switch is on"));
    admin("kill alice off");
    admin(confirm);
    let mut expected = account.expect("she is there").clone();
    (expected["killed"], expected["max_open_orders"]) = (json!(false), json!(77));
    assert_eq!(admin("account update alice --max-open-orders 77"), expected);
    expected["maker_fee_bps"] = json!("1.00");
    expected["taker_fee_bps"] = json!("2.50");
    let fees = "account update alice --maker-fee-bps 1 --taker-fee-bps 2.5";
    assert_eq!(admin(fees), expected);
    assert_eq!(admin("account update alice --no-own-fees")["taker_fee_bps"], Value::Null);
    admin("account update alice --maker-fee-bps 0 --taker-fee-bps 0");

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
    assert_eq!(alice.place(&buy).await.unwrap().report.status, "NEW");
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

#[tokio::test]
async fn an_operator_gives_an_instrument_its_rules() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let admin = |args: &str| run_json(&words(data, args));
    let refused = |args: &str| run_refused(&words(data, args));
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let [alice, bob] = [0, 1].map(|account| trader(&venue, data, account));
    let buy = |qty: &str, price: &str| NewOrder::limit("BTCUSDT", Side::Buy, qty, price);
    let sell = |qty: &str, price: &str| NewOrder::limit("BTCUSDT", Side::Sell, qty, price);

    // Bounds and fees. What is not named stays.
    let listed = admin("instrument list")[0].clone();
    assert_eq!(admin("instrument update BTCUSDT"), listed, "shown, not changed");
    let mut expected = listed.clone();
    assert_eq!(listed["market_max_qty"], listed["max_qty"]);
    expected["max_qty"] = json!("3.00000");
    expected["market_max_qty"] = json!("3.00000");
    expected["taker_fee_bps"] = json!("12.50");
    let updated = admin("instrument update BTCUSDT --max-qty 3 --taker-fee-bps 12.5");
    assert_eq!(updated, expected);
    assert!(refusal(&alice, &buy("3.00001", "100")).await.contains("LOT_SIZE"));
    let sentence = refused("instrument update BTCUSDT --max-price 0.001");
    assert!(sentence.contains("whole number of ticks"), "{sentence}");
    let sentence = refused("instrument update BTCUSDT --min-qty 4");
    assert!(sentence.contains("out of range"), "{sentence}");
    assert!(refused("instrument update NONE").contains("`NONE`"));

    // Rules: a breach of the bands, which the next trade would be, halts.
    let plain = admin("instrument rules BTCUSDT");
    assert_eq!(
        (&plain["avg_price_mins"], &plain["breach"]),
        (&json!(0), &json!("VolatilityAuction"))
    );
    admin("instrument rules BTCUSDT --static-band-bps 1000 --max-position 101");
    let rules = admin("instrument rules BTCUSDT --breach Halt --breach-s 3600 --avg-price-mins 5");
    assert_eq!(rules["max_position"], "101.00000");
    assert_eq!((&rules["static_band_bps"], &rules["breach_s"]), (&json!(1000), &json!(3600)));
    assert_eq!(admin("instrument rules BTCUSDT"), rules, "shown, not changed");
    let sentence = refused("instrument rules BTCUSDT --buy-min-bps 9000 --buy-max-bps 8000");
    assert!(sentence.contains("above its largest"), "{sentence}");
    bob.place(&sell("1", "100")).await.unwrap();
    assert_eq!(alice.place(&buy("1", "100")).await.unwrap().report.status, "FILLED");
    assert!(refusal(&alice, &buy("1", "100")).await.contains("MAX_POSITION"));
    bob.place(&sell("1", "120")).await.unwrap();
    admin("instrument rules BTCUSDT --max-position 0");
    alice.place(&buy("1", "120")).await.unwrap();
    assert_eq!(admin("instrument list")[0]["phase"], "Halt");

    // Fees by volume: the demo's accounts have rates of their own, so a new one trades.
    let fees = admin("instrument fees BTCUSDT");
    assert_eq!((&fees["asset"], &fees["tiers"]), (&Value::Null, &json!([])));
    let tiers = "--tier 0 10 20 --tier 1000.5 -0.5 15";
    let fees = admin(&format!("instrument fees BTCUSDT --asset Quote {tiers}"));
    assert_eq!(fees["asset"], "Quote");
    assert_eq!(
        fees["tiers"][1],
        json!({"volume_min": "1000.50000000", "maker_fee_bps": "-0.50", "taker_fee_bps": "15.00"})
    );
    assert_eq!(admin("instrument fees BTCUSDT"), fees, "shown, not changed");
    assert_eq!(admin(&format!("instrument fees BTCUSDT {tiers}")), fees, "the asset stays");
    let sentence = refused("instrument fees BTCUSDT --tier 5 1 2");
    assert!(sentence.contains("begins at a volume of 0"), "{sentence}");
    assert!(refused("instrument fees BTCUSDT --tier 0 1 x").contains("`x`"));
    let many = " --tier 0 1 2".repeat(9);
    assert!(refused(&format!("instrument fees BTCUSDT{many}")).contains("at most 8"));

    // A calendar that says what is, so that nothing changes while the test runs.
    let day = "instrument calendar ETHUSDT --session Mon-Sun 00:00 Closed";
    assert_eq!(
        admin(day)["sessions"],
        json!([{"days": "Mon,Tue,Wed,Thu,Fri,Sat,Sun", "time": "00:00:00", "phase": "Closed"}])
    );
    venue.stop();
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let eth = NewOrder::limit("ETHUSDT", Side::Buy, "1", "100");
    let alice = trader(&venue, data, 0);
    assert!(refusal(&alice, &eth).await.contains("Market is closed."));
    assert_eq!(admin("instrument calendar ETHUSDT --clear")["sessions"], json!([]));
    admin("phase ETHUSDT Continuous");
    assert_eq!(alice.place(&eth).await.unwrap().report.status, "NEW");
    let sentence = refused("instrument calendar ETHUSDT --session Monday 09:00 Closed");
    assert!(sentence.contains("`Monday`") && sentence.contains("Mon-Fri"), "{sentence}");
    assert!(refused("instrument calendar ETHUSDT --session Mon 25:00 Closed").contains("`25:00`"));
    assert!(refused("instrument calendar ETHUSDT --session Mon 09:00 Open").contains("`Open`"));
    venue.stop();

    // On a stopped venue too.
    assert_eq!(admin("instrument rules BTCUSDT --breach-s 0")["static_band_bps"], 1000);
    assert_eq!(admin("instrument fees BTCUSDT --clear")["asset"], Value::Null);
}

#[test]
fn help_shows_values_and_examples() {
    let help = |args: &str| {
        let args: Vec<&str> = ["admin"].into_iter().chain(args.split(' ')).collect();
        let output = run(&args);
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(help("phase --help").contains("VolatilityAuction"));
    assert!(help("risk --help").contains("Limits"));
    assert!(help("limits --help").contains("0 is no limit"));
    assert!(help("instrument rules --help").contains("0 is no such rule"));
    assert!(help("instrument fees --help").contains("--tier 1000000 -0.5 15"));
    assert!(help("instrument calendar --help").contains("--session Mon-Fri 17:00 Closed"));
    let wrong = run(&["admin", "phase", "BTCUSDT", "preopen"]);
    assert_eq!(wrong.status.code(), Some(2), "names are spelled one way");
}

pub(crate) fn words<'a>(data: &'a str, args: &'a str) -> Vec<&'a str> {
    ["admin", "--data", data].into_iter().chain(args.split(' ')).collect()
}

/// The demo's account of this number.
pub(crate) fn trader(venue: &Serving, data: &str, account: usize) -> Client {
    let demo = fs::read_to_string(format!("{data}/demo.json")).unwrap();
    let demo: Value = serde_json::from_str(&demo).unwrap();
    let text = |name: &str| demo["accounts"][account][name].as_str().unwrap().to_owned();
    venue.client(&text("api_key"), &text("secret_key"))
}

async fn refusal(trader: &Client, order: &NewOrder) -> String {
    trader.place(order).await.unwrap_err().to_string()
}

#[test]
fn a_test_moves_its_clock_and_asks_for_faults_from_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let keys = dir.path().join("keys.json");
    let venue = Serving::start(&["--test", "--keys", text(&keys)]);
    let keys: Value = serde_json::from_slice(&fs::read(&keys).unwrap()).unwrap();
    let data = keys["data_dir"].as_str().unwrap();
    let test = |args: &'static str| {
        ["admin", "--data", data, "test"].into_iter().chain(args.split(' ')).collect::<Vec<_>>()
    };
    let before = run_json(&test("clock 60000"));
    let after = run_json(&test("clock 1500"));
    let ahead = |shown: &Value| shown["ahead_ms"].as_u64().unwrap();
    assert_eq!((ahead(&before), ahead(&after)), (60_000, 61_500), "{before} {after}");
    assert!(run_refused(&test("clock 2678400001")).contains("31 days"));

    run_json(&test("fault rate-limit --count 2 --account alice"));
    run_json(&test("fault delay --ms 20"));
    let faults = run_json(&test("faults"));
    let shown: Vec<_> = faults.as_array().unwrap().iter().map(|fault| &fault["fault"]).collect();
    assert_eq!(shown, ["rate-limit", "delay"], "{faults}");
    assert_eq!((&faults[0]["count"], &faults[0]["account"]), (&2.into(), &"alice".into()));
    assert!(run_refused(&test("fault reject --account dave")).contains("dave"));
    run_json(&test("clear"));
    assert_eq!(run_json(&test("faults")).as_array().map(Vec::len), Some(0));
    venue.stop();
}
