//! An EMA cross over the sample bars, beside backtesting.py and vectorbt: both give these trades
//! and this equity, and backtesting.py these figures. `bench/backtest/bars.py` wrote the files.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use recorded::{Options, Recording, Stream};
use strategy::backtest::{BarsInMemory, Inside, OrderLatency, Ran, Seat, Setup, run_bars};
use strategy::builtin::{EmaCross, find};
use strategy::param::Values;
use strategy::statistics::{Figure, rows};
use strategy::{Bar, BarEvents, Fees, Instrument, Journal, RiskLimits};

const TRADES: &str = include_str!("backtesting/trades.csv");
const STATISTICS: &str = include_str!("backtesting/statistics.csv");

fn bars() -> (Vec<Bar>, Instrument) {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/bars.csv.gz");
    let file = Recording { path: PathBuf::from(sample), name: None };
    let mut stream = Stream::open(&[file], &Options::default()).expect("the sample is sound");
    let found = &stream.instruments()[0];
    let instrument = Instrument::new(found.name.clone(), found.tick, found.lot);
    let (mut bars, mut bar_events) = (Vec::new(), BarEvents::default());
    loop {
        let batch = stream.next_batch().expect("the sample is sound");
        if batch.is_empty() {
            return (bars, instrument);
        }
        bars.extend(batch.iter().filter_map(|event| bar_events.add(event)));
    }
}

fn play(bars: &[Bar], instrument: &Instrument) -> (Ran, Journal) {
    let setup = Setup {
        instruments: vec![instrument.clone()],
        fees: Fees::default(),
        funding: Default::default(),
        limits: RiskLimits::default(),
        latency: OrderLatency::constant(0),
        feed: Default::default(),
        sample_ns: 1,
    };
    let mut values = Values::defaults(find("ema-cross").expect("it is built in").params);
    for (name, value) in [("fast", "5"), ("slow", "20")] {
        values.set(name, value).expect("in its range");
    }
    let mut cross = EmaCross::new(&values).expect("the parameters fit");
    let mut journal = Journal::new(10_000.0);
    let source = BarsInMemory::new(bars);
    let stop = AtomicBool::new(false);
    let ran =
        run_bars(&setup, Inside::Pessimistic, source, Seat::alone(&mut cross, &mut journal), &stop);
    (ran.expect("the bars are sound"), journal)
}

#[test]
fn trades_are_those_of_both_peers() {
    let (bars, instrument) = bars();
    let (_, journal) = play(&bars, &instrument);
    let found = journal.trades.first.iter().map(|trip| {
        let price = |value: i128| instrument.tick.text(value / i128::from(trip.lots), 2);
        format!("{},{}", price(trip.entry_value), price(trip.exit_value))
    });
    let expected: Vec<&str> = TRADES.lines().collect();
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn figures_are_those_of_backtesting_py() {
    let (bars, instrument) = bars();
    let (_, journal) = play(&bars, &instrument);
    let found = rows(&journal.returns, &journal.trades);
    for line in STATISTICS.lines() {
        let (name, expected) = line.rsplit_once(',').expect("two fields");
        let expected: f64 = expected.parse().expect("a number");
        let row = found.iter().find(|row| row.name == name);
        let row = row.unwrap_or_else(|| panic!("{name} is missing"));
        let value = match row.figure {
            Figure::Number(value) => value,
            Figure::Count(count) => count as f64,
            Figure::Moment(ns) | Figure::Nanoseconds(ns) => ns as f64,
        };
        // It counts the bar of an exit as exposed, and rounds mean durations up to whole bars.
        if name == "Exposure Time [%]" || name.starts_with("Avg.") && name.ends_with("Duration") {
            assert!(value <= expected, "{name}: {value} and {expected}");
            continue;
        }
        // It sums floats where this sums integers: the last digits differ.
        let error = (value - expected).abs() / expected.abs().max(1e-3);
        assert!(error < 1e-9, "{name}: {value} and {expected}");
    }
}

#[test]
fn the_same_bars_give_the_same_run() {
    let (bars, instrument) = bars();
    let (first, second) = (play(&bars, &instrument).1, play(&bars, &instrument).1);
    assert_eq!(first.fills, second.fills);
    assert_eq!(first.samples, second.samples);
}

/// Prints the rate over a million bars in memory. Run it in release with `--nocapture`.
#[test]
fn a_million_bars() {
    let (bars, instrument) = bars();
    let span_ns = bars[bars.len() - 1].at_ns - bars[0].at_ns + 900_000_000_000;
    let many: Vec<Bar> = (0..500)
        .flat_map(|pass| {
            bars.iter().map(move |bar| Bar { at_ns: bar.at_ns + pass * span_ns, ..*bar })
        })
        .collect();
    let start = std::time::Instant::now();
    let (ran, journal) = play(&many, &instrument);
    let rate = ran.events as f64 / start.elapsed().as_secs_f64() / 1e6;
    assert_eq!((ran.events, many.len()), (1_000_000, 1_000_000));
    eprintln!("{rate:.1} M bars/s, {} trades", journal.trades.gains.count);
}
