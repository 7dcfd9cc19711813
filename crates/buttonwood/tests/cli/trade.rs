//! `trade` and `reconcile` against a venue that runs: paper, live, and a venue that is killed.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use client::{Client, Credentials, Feed, NewOrder, Side, Tls};
use serde_json::Value;
use strategy::backtest::{OrderLatency, Setup};
use strategy::live::{Live, trade_with};
use strategy::{Answer, Context, Fees, Instrument, Journal, Outcome, RiskLimits, Strategy};
use types::{Price, Qty};

use crate::operator::trader;
use crate::process::{Serving, command, run, run_json, run_refused, text};

const PATIENCE: Duration = Duration::from_secs(60);
/// Quotes at the touch, which a taker of more than the level there reaches.
const MAKER: [&str; 12] = [
    "--strategy",
    "market-maker",
    "--set",
    "half-spread=0",
    "--set",
    "interval-ms=50",
    "--set",
    "lots=100",
    "--set",
    "max-lots=1000",
    "--symbol",
    "BTCUSDT",
];

/// A run of `trade`, ended by ctrl-c.
struct Trading(Child);

impl Trading {
    fn start(venue: &Serving, args: &[&str]) -> Self {
        let all = [&["trade", "--venue", &venue.url, "--json"], args].concat();
        let process = command(&all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Self(process.expect("the binary runs"))
    }

    fn interrupt(&self) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
    }

    /// Its report, once it has ended well.
    fn report(mut self) -> Value {
        let mut printed = String::new();
        let stdout = self.0.stdout.as_mut().expect("it is piped");
        stdout.read_to_string(&mut printed).expect("it is text");
        let mut errors = String::new();
        let stderr = self.0.stderr.as_mut().expect("it is piped");
        stderr.read_to_string(&mut errors).expect("it is text");
        let status = self.0.wait().expect("it ends");
        assert!(status.success(), "{errors}{printed}");
        serde_json::from_str(&printed).expect("JSON")
    }
}

impl Drop for Trading {
    fn drop(&mut self) {
        // After its report it is gone already.
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}

/// A demo whose bots show a hundredth of a bitcoin and more at a level.
fn demo(data: &Path) -> Serving {
    Serving::start(&["--data", text(data), "--demo", "--demo-size-usdt", "1000"])
}

/// Takes from both sides in turn until `done`.
async fn take_until(taker: &Client, mut done: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    let mut side = Side::Sell;
    while !done().await {
        assert!(begun.elapsed() < PATIENCE, "nothing was traded");
        side = if side == Side::Sell { Side::Buy } else { Side::Sell };
        // The venue may be down, or its book empty for a moment.
        let _missed = taker.place(&NewOrder::market("BTCUSDT", side, "0.04")).await;
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
}

async fn fills(client: &Client) -> usize {
    client.my_trades("BTCUSDT", None, 1_000).await.map_or(0, |trades| trades.len())
}

/// What the run says of its fills is what the venue says of the account.
async fn expect_books_equal(report: &Value, account: &Client) {
    assert_eq!(account.open_orders(None).await.unwrap().len(), 0, "nothing stands");
    // The list of trades may be a moment behind.
    let (begun, fills) = (Instant::now(), report["fills"].as_u64().unwrap());
    let trades = loop {
        let trades = account.my_trades("BTCUSDT", None, 1_000).await.unwrap();
        if trades.len() as u64 == fills {
            break trades;
        }
        assert!(begun.elapsed() < PATIENCE, "{} trades: {report}", trades.len());
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let lots = |trade: &client::MyTrade| {
        let lots = (trade.qty.parse::<f64>().unwrap() * 1e5).round() as i64;
        if trade.is_buyer { lots } else { -lots }
    };
    let position = trades.iter().map(lots).sum::<i64>();
    assert_eq!(report["position_lots"][0], position, "{report}");
    let balances = report["balances"].as_array().unwrap();
    assert!(balances.iter().any(|of| of["asset"] == "BTC" && of["change"] != "0.00000000"));
    for balance in balances {
        assert_eq!(balance["change"], balance["by_fills"], "{report}");
    }
}

#[tokio::test]
async fn a_market_maker_on_paper_is_its_own_back_test() {
    let dir = tempfile::tempdir().unwrap();
    let (data, record) = (dir.path().join("venue"), dir.path().join("run"));
    let venue = demo(&data);
    let record = text(&record);
    let args = ["--paper", "--record", record, "--latency-us", "500..2000", "--maker-fee-bps", "1"];
    let trading = Trading::start(&venue, &[&MAKER[..], &args].concat());
    let bob = trader(&venue, text(&data), 1);
    // Six seconds of orders, or longer on a loaded machine.
    let mut orders = 0;
    take_until(&bob, async || {
        orders += 1;
        orders > 140
    })
    .await;
    trading.interrupt();
    let report = trading.report();
    assert!(report["fills"].as_u64().unwrap() > 5, "{report}");
    assert!(report["fees"].as_f64().unwrap() > 0.0, "{report}");
    assert_eq!((&report["kind"], &report["feed_lost"]), (&"paper".into(), &0.into()));
    let found = run_json(&["reconcile", record, "--json"]);
    assert_eq!(found["fills"], report["fills"], "{found}");
    assert_eq!(found["backtest_fills"], report["fills"], "{found}");
    assert_eq!(
        (&found["difference_percent"], &found["max_time_difference_ns"]),
        (&0.0.into(), &0.into())
    );
    assert_eq!(found["price_differences"], 0);

    // A fill of another day is in one of both only.
    let file = Path::new(record).join("fills.csv");
    let lines = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{lines}9999,BTCUSDT,buy,1.00,0.00100,0,true,queue,0,0,1,1,0\n"))
        .unwrap();
    let output = run(&["reconcile", record]);
    let (printed, sentence) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(
        printed.contains("only in the run: BTCUSDT order 9999 buy 0.00100 at 1.00"),
        "{printed}"
    );
    assert!(sentence.contains("on one side only, above the bound of 0 %"), "{sentence}");
    venue.stop();
}

#[tokio::test]
async fn a_market_maker_trades_live_and_its_books_are_the_venues() {
    let dir = tempfile::tempdir().unwrap();
    let (data, record) = (dir.path().join("venue"), dir.path().join("run"));
    let venue = demo(&data);
    let (keys, record) = (data.join("demo.json"), text(&record));
    let args = ["--live", "--key", text(&keys), "--account", "alice", "--record", record];
    let trading = Trading::start(&venue, &[&MAKER[..], &args].concat());
    let (alice, bob) = (trader(&venue, text(&data), 0), trader(&venue, text(&data), 1));
    take_until(&bob, async || fills(&alice).await > 20).await;
    trading.interrupt();
    let report = trading.report();
    expect_books_equal(&report, &alice).await;
    // The fees are the demo's: ten basis points of what was traded.
    let (fees, turnover) = (report["fees"].as_f64().unwrap(), report["turnover"].as_f64().unwrap());
    assert!((fees / turnover - 0.001).abs() < 1e-9, "{report}");
    let found = run_json(&["reconcile", record, "--bound-percent", "100", "--json"]);
    assert_eq!(found["fills"], report["fills"], "{found}");
    assert!(found["pairs"].as_u64().unwrap() > 0, "{found}");
    venue.stop();
}

#[tokio::test]
async fn no_fill_is_lost_when_the_venue_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("venue");
    let venue = demo(&data);
    let keys = data.join("demo.json");
    let args = ["--live", "--key", text(&keys)];
    let trading = Trading::start(&venue, &[&MAKER[..], &args].concat());
    let (alice, bob) = (trader(&venue, text(&data), 0), trader(&venue, text(&data), 1));
    take_until(&bob, async || fills(&alice).await > 5).await;
    let address = venue.url.strip_prefix("http://").unwrap().to_owned();
    venue.kill();
    let again = ["serve", "--http", &address, "--log-level", "warn", "--data", text(&data)];
    let venue = Serving::ready(command(&again));
    take_until(&bob, async || fills(&alice).await > 15).await;
    trading.interrupt();
    let report = trading.report();
    assert!(report["feed_lost"].as_u64().unwrap() > 0, "{report}");
    expect_books_equal(&report, &alice).await;
    venue.stop();
}

/// Bars of a second, whose fast average crosses the slow one at nearly each of them.
const CROSS: [&str; 12] = [
    "--strategy",
    "ema-cross",
    "--set",
    "fast=1",
    "--set",
    "slow=2",
    "--set",
    "lots=100",
    "--bars",
    "1s",
    "--symbol",
    "BTCUSDT",
];

#[tokio::test]
async fn a_strategy_that_decides_by_bars_trades_on_paper_and_live() {
    let dir = tempfile::tempdir().unwrap();
    let (data, record) = (dir.path().join("venue"), dir.path().join("run"));
    let venue = demo(&data);
    let (keys, record) = (data.join("demo.json"), text(&record));
    let paper = ["--paper", "--set", "sides=both", "--record", record];
    let paper = Trading::start(&venue, &[&CROSS[..], &paper].concat());
    let live = ["--live", "--key", text(&keys)];
    let live = Trading::start(&venue, &[&CROSS[..], &live].concat());
    let (alice, bob) = (trader(&venue, text(&data), 0), trader(&venue, text(&data), 1));
    take_until(&bob, async || fills(&alice).await > 3).await;
    paper.interrupt();
    live.interrupt();
    let (paper, live) = (paper.report(), live.report());
    expect_books_equal(&live, &alice).await;
    assert!(paper["fills"].as_u64().unwrap() > 0, "{paper}");
    // The record has the bars: a back-test over it decides by them.
    let found = run_json(&["reconcile", record, "--json"]);
    assert_eq!(found["backtest_fills"], paper["fills"], "{found}");
    assert_eq!(found["difference_percent"], 0.0, "{found}");
    venue.stop();
}

#[tokio::test]
async fn feed_and_orders_go_over_tls_to_a_venue_that_is_trusted() {
    let dir = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let [cert, private, data] = ["cert.pem", "tls.key", "venue"].map(|name| dir.path().join(name));
    fs::write(&cert, made.cert.pem()).unwrap();
    fs::write(&private, made.signing_key.serialize_pem()).unwrap();
    let tls = ["--tls-cert", text(&cert), "--tls-key", text(&private)];
    let demo = ["--data", text(&data), "--demo", "--no-bots"];
    let mut venue = Serving::start(&[&demo[..], &tls].concat());
    venue.url = venue.url.replace("127.0.0.1", "localhost");
    let twap = ["--strategy", "twap", "--symbol", "BTCUSDT", "--set", "lots=300"];
    // Far apart: a slice that is late on a loaded machine would go with the next one.
    let twap = [&twap[..], &["--set", "interval-ms=600", "--set", "duration-s=3"]].concat();
    let untrusted = [&["trade", "--venue", &venue.url, "--paper"], &twap[..]].concat();
    let sentence = run_refused(&untrusted);
    assert!(sentence.contains("the venue: connection failed"), "{sentence}");

    let demo: Value = serde_json::from_slice(&fs::read(data.join("demo.json")).unwrap()).unwrap();
    let key = |name: &str| demo["accounts"][1][name].as_str().unwrap().to_owned();
    let credentials = Credentials { api_key: key("api_key"), secret_key: key("secret_key") };
    let tls = Tls::new(made.cert.pem().as_bytes(), "localhost").unwrap();
    let bob = Client::with_tls(&venue.url, Some(credentials), tls).unwrap();
    for (side, price) in [(Side::Buy, "59000"), (Side::Sell, "60000")] {
        bob.place(&NewOrder::limit("BTCUSDT", side, "1", price)).await.unwrap();
    }
    let ends = ["--ca", text(&cert), "--duration-s", "5"];
    let keys = data.join("demo.json");
    for way in [&["--paper"][..], &["--live", "--key", text(&keys)]] {
        let report = Trading::start(&venue, &[&twap[..], &ends, way].concat()).report();
        assert_eq!((&report["position_lots"][0], &report["feed_lost"]), (&300.into(), &0.into()));
    }
    assert_eq!(fills(&bob).await, 5, "each slice of the live run");
    venue.stop();
}

/// Sends an order, and panics when it stands.
struct Panics {
    stood: Arc<AtomicU64>,
}

impl Strategy for Panics {
    fn on_start(&mut self, context: &mut Context) {
        let (price, qty) = (Price::from_ticks(5_000_000), Qty::from_lots(100));
        context.send(strategy::NewOrder::limit(0, Side::Buy, price, qty)).expect("no limit");
    }

    fn on_order(&mut self, context: &mut Context, answer: &Answer) {
        assert_eq!(answer.outcome, Outcome::Accepted);
        self.stood.store(context.open_orders().len() as u64, Ordering::Relaxed);
        panic!("no plan for order {}", answer.id.0);
    }
}

#[tokio::test]
async fn a_live_strategy_that_panics_has_its_orders_canceled_first() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("venue");
    let venue = Serving::start(&["--data", text(&data), "--demo", "--no-bots"]);
    let (alice, bob) = (trader(&venue, text(&data), 0), trader(&venue, text(&data), 1));
    bob.place(&NewOrder::limit("BTCUSDT", Side::Buy, "1", "59000")).await.unwrap();
    let feed = Feed::open(alice.clone(), &["BTCUSDT".to_owned()], None).await.unwrap();
    let sizes = feed.instruments().iter();
    let sizes = sizes.map(|of| Instrument::new(of.symbol.clone(), of.tick, of.lot)).collect();
    let setup = Setup {
        instruments: sizes,
        fees: Fees::default(),
        funding: Default::default(),
        limits: RiskLimits::default(),
        latency: OrderLatency::constant(0),
        feed: Default::default(),
        sample_ns: 1_000_000_000,
    };
    let (stop, stood) = (AtomicBool::new(false), Arc::default());
    let until = Some(Instant::now() + PATIENCE);
    let live = Live { client: alice.clone(), feed, recorder: None, stop: &stop, until };
    let panics = Panics { stood: Arc::clone(&stood) };
    let ended = trade_with(&setup, live, Journal::new(1.0), panics).await;
    let error = ended.expect_err("it panicked").to_string();
    assert_eq!(error, "the strategy: it panicked: no plan for order 1");
    assert_eq!(stood.load(Ordering::Relaxed), 1);
    // At once: the run has waited for it. The order of the other account stands.
    assert_eq!(alice.open_orders(None).await.unwrap().len(), 0);
    assert_eq!(bob.open_orders(None).await.unwrap().len(), 1);
    venue.stop();
}

#[test]
fn what_cannot_be_traded_is_refused_in_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("venue");
    let venue = Serving::start(&["--data", text(&data), "--demo", "--no-bots"]);
    let keys = data.join("demo.json");
    let refused = |args: &[&str]| {
        let trade = ["trade", "--strategy", "twap", "--venue", &venue.url];
        run_refused(&[&trade[..], args].concat())
    };
    let sentence = refused(&["--paper", "--symbol", "DOGEUSDT"]);
    let expected = "the venue does not list DOGEUSDT: there are BTCUSDT, ETHUSDT, ETHBTC";
    assert!(sentence.contains(expected), "{sentence}");
    let sentence =
        refused(&["--live", "--symbol", "BTCUSDT", "--key", text(&keys), "--account", "x"]);
    assert!(sentence.contains("demo.json: it has no such account"), "{sentence}");
    let sentence =
        refused(&["--paper", "--symbol", "BTCUSDT", "--record", text(&data.join("demo.json"))]);
    assert!(sentence.contains("demo.json: "), "{sentence}");
    let sentence = refused(&["--paper", "--symbol", "BTCUSDT", "--ca", text(&keys)]);
    assert!(sentence.contains("--ca has a use with an https:// --venue only"), "{sentence}");
    let odd = ["trade", "--strategy", "twap", "--venue", &venue.url, "--paper", "--bars", "7m"];
    let output = run(&[&odd[..], &["--symbol", "BTCUSDT"]].concat());
    let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(sentence.contains("expected one of 1s, 1m, 3m"), "{sentence}");
    let url = venue.url.clone();
    venue.stop();
    let gone = ["trade", "--strategy", "twap", "--venue", &url, "--paper", "--symbol", "BTCUSDT"];
    assert!(run_refused(&gone).starts_with("buttonwood: the venue: connection failed"));
}
