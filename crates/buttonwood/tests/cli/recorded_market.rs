//! A recorded market as a client of the venue meets it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use client::{Client, Credentials, NewOrder, Tls};
use serde_json::Value;
use types::Side;

use crate::operator::trader;
use crate::process::{Serving, command, run_refused, text};

const PATIENCE: Duration = Duration::from_secs(20);
/// Two levels a side, then nothing for an hour, then a trade and a level that goes away.
const DAY: &str = "exch_ts_ns,local_ts_ns,kind,side,price,qty
1723161256000000000,1723161256000000000,depth,B,60000.0,0.500
1723161256000000000,1723161256000000000,depth,B,59999.5,1.000
1723161256000000000,1723161256000000000,depth,S,60000.5,0.400
1723161256000000000,1723161256000000000,depth,S,60001.0,2.000
1723164856000000000,1723164856000000000,trade,S,60000.0,0.300
1723164856000000000,1723164856000000000,depth,B,60000.0,0.200
1723164856000000000,1723164856000000000,depth,S,60000.5,0
";

#[tokio::test]
async fn clients_trade_with_a_recorded_market() {
    let dir = tempfile::tempdir().unwrap();
    let (data, file) = (dir.path().join("venue"), dir.path().join("btcusdt_l2.csv"));
    fs::write(&file, DAY).unwrap();
    let market = format!("BTCUSDT={}", text(&file));
    let args = ["--data", text(&data), "--market", &market, "--speed"];
    let venue = Serving::start(&[&args[..], &["1"]].concat());
    let alice = trader(&venue, text(&data), 0);
    let book = ["60000.00000000 0.50000000", "59999.50000000 1.00000000"];
    expect(&alice, &book, &["60000.50000000 0.40000000", "60001.00000000 2.00000000"]).await;
    // It is the record's order that the client trades with; what it has taken stays taken.
    let bought = buy(&alice, "0.15", "60000.5").await;
    assert_eq!(bought, "FILLED");
    expect(&alice, &book, &["60000.50000000 0.25000000", "60001.00000000 2.00000000"]).await;
    venue.stop();

    // Another start begins the recording anew, here an hour in a moment.
    let venue = Serving::start(&[&args[..], &["1000000"]].concat());
    let alice = trader(&venue, text(&data), 0);
    let book = ["60000.00000000 0.20000000", "59999.50000000 1.00000000"];
    expect(&alice, &book, &["60001.00000000 2.00000000"]).await;
    let query = [("symbol", "BTCUSDT"), ("limit", "1")];
    let trades = alice.get::<Value>("/api/v3/trades", &query).await;
    let trades = trades.unwrap();
    assert_eq!(
        (&trades[0]["price"], &trades[0]["qty"]),
        (&"60000.00000000".into(), &"0.30000000".into())
    );
    venue.stop();
}

#[tokio::test]
async fn an_instrument_that_the_demo_has_not_is_listed() {
    let dir = tempfile::tempdir().unwrap();
    let (data, file) = (dir.path().join("venue"), dir.path().join("solusdt_l2.csv"));
    fs::write(&file, DAY).unwrap();
    let market = format!("SOLUSDT={}", text(&file));
    let venue = Serving::start(&["--data", text(&data), "--market", &market]);
    let alice = trader(&venue, text(&data), 0);
    let begun = Instant::now();
    while alice.depth("SOLUSDT", 5).await.unwrap().asks.len() < 2 {
        assert!(begun.elapsed() < PATIENCE, "no market");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let order = NewOrder::market("SOLUSDT", Side::Sell, "0.5");
    assert_eq!(alice.place(&order).await.unwrap().report.status, "FILLED");
    venue.stop();
}

#[test]
fn a_market_that_cannot_be_played_is_refused_before_clients_come() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |name: &str, file: &Path| {
        let (data, market) = (dir.path().join(name), format!("{name}={}", text(file)));
        let args = ["serve", "--http", "127.0.0.1:0", "--log-level", "warn", "--data", text(&data)];
        run_refused(&[&args[..], &["--market", &market]].concat())
    };
    let missing = dir.path().join("missing.csv");
    let sentence = refused("BTCUSDT", &missing);
    assert!(sentence.contains("missing.csv"), "{sentence}");
    let odd = dir.path().join("odd_l2.csv");
    fs::write(&odd, DAY.replace("60000.5", "60000.123456")).unwrap();
    let sentence = refused("BTCUSDT", &odd);
    assert!(sentence.contains("BTCUSDT") && sentence.contains("tick size"), "{sentence}");
}

async fn buy(client: &Client, quantity: &str, price: &str) -> String {
    let order = NewOrder::limit("BTCUSDT", Side::Buy, quantity, price);
    client.place(&order).await.unwrap().report.status.into_owned()
}

async fn expect(client: &Client, bids: &[&str], asks: &[&str]) {
    let begun = Instant::now();
    loop {
        let depth = client.depth("BTCUSDT", 5).await.unwrap();
        let lines = |levels: &[[String; 2]]| {
            levels.iter().map(|[price, qty]| format!("{price} {qty}")).collect::<Vec<_>>()
        };
        let found = (lines(&depth.bids), lines(&depth.asks));
        if found.0 == bids && found.1 == asks {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{found:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A venue whose market is that of another one, which goes away and comes back.
#[tokio::test]
async fn clients_trade_with_the_mirrored_market_of_another_venue() {
    let dir = tempfile::tempdir().unwrap();
    let (of_source, of_mirror) = (dir.path().join("source"), dir.path().join("mirror"));
    let source = Serving::start(&["--data", text(&of_source), "--demo", "--no-bots"]);
    let maker = trader(&source, text(&of_source), 0);
    quote(&maker, Side::Buy, "0.5", "60000").await;
    quote(&maker, Side::Sell, "0.4", "60000.5").await;
    let market = format!("BTCUSDT={}", source.url);
    let mirror = Serving::start(&["--data", text(&of_mirror), "--market", &market]);
    let alice = trader(&mirror, text(&of_mirror), 0);
    let bids = ["60000.00000000 0.50000000"];
    expect(&alice, &bids, &["60000.50000000 0.40000000"]).await;
    // What the client has taken stays taken; what the source adds is added.
    assert_eq!(buy(&alice, "0.15", "60000.5").await, "FILLED");
    expect(&alice, &bids, &["60000.50000000 0.25000000"]).await;
    quote(&maker, Side::Sell, "1", "60001").await;
    expect(&alice, &bids, &["60000.50000000 0.25000000", "60001.00000000 1.00000000"]).await;
    // A trade of the source meets the client's order, which is in front.
    let order = NewOrder::limit("BTCUSDT", Side::Buy, "0.2", "60000.2");
    alice.place(&order).await.unwrap();
    quote(&maker, Side::Buy, "0.3", "60000.1").await;
    let taker = trader(&source, text(&of_source), 1);
    taker.place(&NewOrder::market("BTCUSDT", Side::Sell, "0.3")).await.unwrap();
    let begun = Instant::now();
    while alice.my_trades("BTCUSDT", None, 10).await.unwrap().len() < 2 {
        assert!(begun.elapsed() < PATIENCE, "the trade was not mirrored");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    // Without its source the market is empty, and then as the source has it.
    let address = source.url.strip_prefix("http://").unwrap().to_owned();
    source.kill();
    expect(&alice, &[], &[]).await;
    let again = ["serve", "--http", &address, "--log-level", "warn", "--no-bots", "--data"];
    let source = Serving::ready(command(&[&again[..], &[text(&of_source)]].concat()));
    let asks = ["60000.50000000 0.40000000", "60001.00000000 1.00000000"];
    expect(&alice, &bids, &asks).await;
    mirror.stop();
    source.stop();
}

#[tokio::test]
async fn a_venue_is_mirrored_over_tls_if_its_certificate_is_trusted() {
    let dir = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let [cert, private, of_source, of_mirror] =
        ["cert.pem", "tls.key", "source", "mirror"].map(|name| dir.path().join(name));
    fs::write(&cert, made.cert.pem()).unwrap();
    fs::write(&private, made.signing_key.serialize_pem()).unwrap();
    let tls = ["--tls-cert", text(&cert), "--tls-key", text(&private)];
    let demo = ["--data", text(&of_source), "--demo", "--no-bots"];
    let source = Serving::start(&[&demo[..], &tls].concat());
    let url = source.url.replace("127.0.0.1", "localhost");
    let demo = fs::read(of_source.join("demo.json")).unwrap();
    let demo: Value = serde_json::from_slice(&demo).unwrap();
    let key = |name: &str| demo["accounts"][0][name].as_str().unwrap().to_owned();
    let credentials = Credentials { api_key: key("api_key"), secret_key: key("secret_key") };
    let tls = Tls::new(made.cert.pem().as_bytes(), "localhost").unwrap();
    let maker = Client::with_tls(&url, Some(credentials), tls).unwrap();
    quote(&maker, Side::Buy, "0.5", "60000").await;

    let market = format!("BTCUSDT={url}");
    let untrusted = ["serve", "--http", "127.0.0.1:0", "--log-level", "warn", "--data"];
    let untrusted = [&untrusted[..], &[text(&of_mirror), "--market", &market]].concat();
    let sentence = run_refused(&untrusted);
    assert!(sentence.contains(&format!("the market of {url}: ")), "{sentence}");
    let _none = fs::remove_dir_all(&of_mirror);

    let trusting = ["--market-ca", text(&cert)];
    let args = ["--data", text(&of_mirror), "--market", &market];
    let mirror = Serving::start(&[&args[..], &trusting].concat());
    let alice = trader(&mirror, text(&of_mirror), 0);
    expect(&alice, &["60000.00000000 0.50000000"], &[]).await;
    // The feed follows, too.
    quote(&maker, Side::Sell, "0.4", "60000.5").await;
    expect(&alice, &["60000.00000000 0.50000000"], &["60000.50000000 0.40000000"]).await;
    mirror.stop();
    source.stop();
}

async fn quote(client: &Client, side: Side, quantity: &str, price: &str) {
    client.place(&NewOrder::limit("BTCUSDT", side, quantity, price)).await.unwrap();
}
