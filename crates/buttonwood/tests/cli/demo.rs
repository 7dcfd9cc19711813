//! The demo's market as its settings make it, from the outside.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use client::{Client, NewOrder};
use serde_json::{Value, json};
use types::Side;

use crate::operator::trader;
use crate::process::{Serving, run, run_json, text};

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

#[test]
fn a_person_signs_in_with_the_line_that_the_demo_prints() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let mut venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let page = venue.page.clone().expect("a line before `ready`");
    let code = page.strip_prefix(&format!("{}/#", venue.url)).expect("an address of the venue");
    let by_code = |code: &str| json!({ "code": code, "account": "alice" });
    let (status, _, refused) = post(&venue, "sign-in", "", &by_code("guess"));
    assert_eq!((status, &refused["code"]), (401, &json!(-1002)));
    let (status, cookie, signed_in) = post(&venue, "sign-in", "", &by_code(code));
    assert_eq!((status, &signed_in["account"]), (200, &json!("alice")), "{signed_in}");
    let next = venue.next_line();
    let next = next.strip_prefix("open ").expect("the next code");
    assert!(next.starts_with(&format!("{}/#", venue.url)) && next != page, "{next}");

    let public = json!({ "publicKey": "IiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiI=" });
    let (status, _, registered) = post(&venue, "keys", &cookie, &public);
    assert_eq!(status, 200, "{registered}");
    venue.stop();
    let dump = run(&["log", "dump", data, "--json"]).stdout;
    let dump = String::from_utf8(dump).unwrap();
    let by_page: Vec<_> = dump.lines().filter(|line| line.contains("\"Web\"")).collect();
    assert_eq!(by_page.len(), 1, "{by_page:?}");
    assert!(by_page[0].contains("CreateKey") && by_page[0].contains("127.0.0.1"), "{by_page:?}");
    let record = std::fs::read_to_string(dir.path().join("access-keys.jsonl")).unwrap();
    assert!(record.contains("/web/v1/sign-in") && !record.contains("guess"), "{record}");

    // The next start has another code, no session, and the passwords of `demo.json`.
    let venue = Serving::start(&["--data", data, "--no-bots"]);
    assert_ne!(venue.page.as_deref().and_then(|page| page.split_once('#')), page.split_once('#'));
    let (status, _, _) = post(&venue, "keys", &cookie, &public);
    assert_eq!(status, 401);
    let file = std::fs::read(dir.path().join("demo.json")).unwrap();
    let file: Value = serde_json::from_slice(&file).unwrap();
    let by_password = json!({ "user": "bob", "password": file["accounts"][1]["password"] });
    let (status, _, signed_in) = post(&venue, "sign-in", "", &by_password);
    assert_eq!((status, &signed_in["account"]), (200, &json!("bob")), "{signed_in}");
    venue.stop();
}

#[test]
fn a_revoked_login_of_a_demo_is_back_at_the_next_start_and_nothing_else_changes() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    assert!(run(&["admin", "--data", data, "login", "revoke", "alice"]).status.success());
    let settings = ["admin", "--data", data, "settings", "--withdrawal-approvals", "2"];
    assert!(run(&settings).status.success());
    venue.stop();

    let venue = Serving::start(&["--data", data, "--no-bots"]);
    let logins = run_json(&["admin", "--data", data, "login", "list"]);
    let users: Vec<_> = logins.as_array().unwrap().iter().map(|row| &row["user"]).collect();
    assert_eq!(users, ["bob", "alice"]);
    let file = std::fs::read(dir.path().join("demo.json")).unwrap();
    let file: Value = serde_json::from_slice(&file).unwrap();
    let by_password = json!({ "user": "alice", "password": file["accounts"][0]["password"] });
    assert_eq!(post(&venue, "sign-in", "", &by_password).0, 200);
    let settings = run_json(&["admin", "--data", data, "settings"]);
    assert_eq!(settings["withdrawal_approvals"], 2, "{settings}");
    venue.stop();
}

#[test]
fn a_venue_for_a_test_prints_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let keys = dir.path().join("keys.json");
    let venue = Serving::start(&["--test", "--keys", text(&keys)]);
    assert_eq!(venue.page, None);
    venue.stop();
}

/// The status, the cookie that is set, and the body.
fn post(venue: &Serving, path: &str, cookie: &str, body: &Value) -> (u16, String, Value) {
    let (host, body) = (venue.url.strip_prefix("http://").unwrap(), body.to_string());
    let mut stream = TcpStream::connect(host).unwrap();
    let request = format!(
        "POST /web/v1/{path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         cookie: {cookie}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let set = head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = set.and_then(|set| set.split(';').next()).unwrap_or_default();
    (status, cookie.to_owned(), serde_json::from_str(body).unwrap())
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
