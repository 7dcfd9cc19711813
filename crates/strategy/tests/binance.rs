//! The back-test by levels over recorded Binance data, beside what hftbacktest gives for it.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use flate2::read::GzDecoder;
use recorded::{Event, Kind};
use strategy::backtest::{
    Fills, Journal, LevelRules, Memory, OrderLatency, Setup, run_levels,
};
use strategy::builtin::MarketMaker;
use strategy::param::Values;
use strategy::{Fees, Instrument, RiskLimits};
use types::{Increment, Price, Qty, Side};

fn events() -> Option<Vec<Event>> {
    let folder = std::env::var_os("BUTTONWOOD_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = folder.join("binance_usdm_btcusdt_2024-08-08_l2.csv.gz");
    let Ok(file) = std::fs::File::open(&path) else {
        eprintln!("skipped: there is no {}", path.display());
        return None;
    };
    let tick = Increment::parse("0.1").expect("a decimal");
    let lot = Increment::parse("0.001").expect("a decimal");
    let lines = BufReader::new(GzDecoder::new(file)).lines().skip(1);
    Some(
        lines
            .map(|line| {
                let line = line.expect("the file is whole");
                let f: Vec<&str> = line.split(',').collect();
                Event {
                    exchange_ns: f[0].parse().expect("a time"),
                    local_ns: f[1].parse().expect("a time"),
                    order: 0,
                    price: Price::from_ticks(tick.count(f[4]).expect("on tick") as i64),
                    quantity: Qty::from_lots(lot.count(f[5]).expect("whole lots") as u64),
                    instrument: 0,
                    kind: match f[2] {
                        "depth" => Kind::Level,
                        "snapshot" => Kind::SnapshotLevel,
                        "clear" => Kind::Clear,
                        _ => Kind::Trade,
                    },
                    side: Some(if f[3] == "B" { Side::Buy } else { Side::Sell }),
                }
            })
            .collect(),
    )
}

fn setup() -> Setup {
    let tick = Increment::parse("0.1").expect("a decimal");
    let lot = Increment::parse("0.001").expect("a decimal");
    Setup {
        instruments: vec![Instrument::new("BTCUSDT", tick, lot)],
        fees: Fees { maker: -5_000, taker: 70_000 },
        limits: RiskLimits::default(),
        latency: OrderLatency::constant(10_000_000),
        feed: Default::default(),
        sample_ns: 1_000_000_000,
    }
}

#[test]
fn speed() {
    let Some(events) = events() else { return };
    let passes = 10;
    let mut values = Values::defaults(strategy::builtin::find("market-maker").unwrap().params);
    for pair in std::env::var("SET").unwrap_or_default().split_whitespace() {
        let (name, value) = pair.split_once('=').unwrap();
        values.set(name, value).unwrap();
    }
    let queue = std::env::var("QUEUE").unwrap_or("power3:3".into()).parse().unwrap();
    let rules = LevelRules { queue, fills: if std::env::var("FULL").is_ok() {Fills::Full} else {Fills::Partial}, consumed_ns: 0 };
    for passes in [1, passes] {
        let mut maker = MarketMaker::new(&values).unwrap();
        let mut journal = match std::env::var("OUT") {
            Ok(out) if passes == 1 => Journal::in_folder(out.as_ref(), &setup().instruments).unwrap(),
            _ => Journal::default(),
        };
        let source = Memory::repeated(&events, passes);
        let start = std::time::Instant::now();
        let ran = run_levels(&setup(), rules, source, &mut maker, &mut journal, &AtomicBool::new(false)).unwrap();
        let took = start.elapsed().as_secs_f64();
        eprintln!("{} events {:.2} M/s {:?} {:?}", ran.events, ran.events as f64 / took / 1e6, journal.totals, ran.context.account(0));
    }
}
