//! `api/asyncapi.yaml` names every stream that there is, and every event.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use protocol::binance::stream::{RollingWindow, Speed, Stream, StreamKind};
use types::{Interval, Symbol, TimeZone};

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../api/asyncapi.yaml");
    fs::read_to_string(path).expect("it is there")
}

/// What a stream's name is an example of. There is an arm for each kind: a new one must have its
/// own.
fn address(kind: StreamKind) -> &'static str {
    match kind {
        StreamKind::Trade => "{symbol}@trade",
        StreamKind::AggTrade => "{symbol}@aggTrade",
        StreamKind::BookTicker => "{symbol}@bookTicker",
        StreamKind::Depth(Speed::Ms20) => "{symbol}@depth@20ms",
        StreamKind::Depth(Speed::Ms100) => "{symbol}@depth@100ms",
        StreamKind::Depth(_) => "{symbol}@depth",
        StreamKind::PartialDepth(_, Speed::Ms20) => "{symbol}@depth{levels}@20ms",
        StreamKind::PartialDepth(_, Speed::Ms100) => "{symbol}@depth{levels}@100ms",
        StreamKind::PartialDepth(..) => "{symbol}@depth{levels}",
        StreamKind::Kline(_, TimeZone::UTC) => "{symbol}@kline_{interval}",
        StreamKind::Kline(..) => "{symbol}@kline_{interval}@+08:00",
        StreamKind::Ticker => "{symbol}@ticker",
        StreamKind::MiniTicker => "{symbol}@miniTicker",
        StreamKind::RollingTicker(_) => "{symbol}@ticker_{window}",
        StreamKind::AvgPrice => "{symbol}@avgPrice",
        StreamKind::Auction => "{symbol}@auction",
        StreamKind::Status => "!status@arr",
    }
}

#[test]
fn every_stream_is_described_by_its_name() {
    let plus_8 = TimeZone::from_minutes(480).expect("a time zone");
    let kinds = [
        StreamKind::Trade,
        StreamKind::AggTrade,
        StreamKind::BookTicker,
        StreamKind::Depth(Speed::Ms1000),
        StreamKind::Depth(Speed::Ms100),
        StreamKind::Depth(Speed::Ms20),
        StreamKind::PartialDepth(5, Speed::Ms1000),
        StreamKind::PartialDepth(5, Speed::Ms100),
        StreamKind::PartialDepth(5, Speed::Ms20),
        StreamKind::Kline(Interval::Minute1, TimeZone::UTC),
        StreamKind::Kline(Interval::Minute1, plus_8),
        StreamKind::Ticker,
        StreamKind::MiniTicker,
        StreamKind::RollingTicker(RollingWindow::Hour1),
        StreamKind::AvgPrice,
        StreamKind::Auction,
    ];
    let document = document();
    let is_described = |address: &str| document.contains(&format!("    address: \"{address}\"\n"));
    for kind in kinds {
        let address = address(kind);
        assert!(is_described(address), "{address}");
        let example = address
            .replace("{symbol}", "btcusdt")
            .replace("{levels}", "5")
            .replace("{interval}", "1m")
            .replace("{window}", "1h");
        let name = Stream { symbol: Symbol::parse("BTCUSDT"), kind }.to_string();
        assert_eq!(example, name, "{address}");
    }
    for of_all in ["!ticker@arr", "!miniTicker@arr", "!ticker_{window}@arr", "!status@arr"] {
        assert!(is_described(of_all), "{of_all}");
    }
    for interval in Interval::ALL {
        assert!(document.contains(&format!("\"{interval}\"")), "{interval}");
    }
}

#[test]
fn every_event_is_described_by_its_type() {
    let document = document();
    let events = events_in_sources();
    assert!(events.len() > 10, "{events:?}");
    for event in &events {
        let is_described = document.contains(&format!("    {event}:\n      summary:"));
        assert!(is_described, "api/asyncapi.yaml has no message `{event}`");
    }
}

/// The types that the encoders write: `"e": "trade"` in an object, `{"e":"trade"` in a text.
fn events_in_sources() -> BTreeSet<String> {
    let binance = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/binance");
    let files = [
        "stream/payload.rs",
        "stream/statistics.rs",
        "user_stream.rs",
        "user_stream/report.rs",
        "user_stream/revised.rs",
    ];
    let mut events = BTreeSet::new();
    for file in files.map(|file| binance.join(file)) {
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for mark in ["\"e\": \"", "{{\"e\":\""] {
            let found = code.split(mark).skip(1).filter_map(|rest| rest.split('"').next());
            events.extend(found.map(str::to_owned));
        }
    }
    events
}
