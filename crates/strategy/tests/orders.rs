//! Back-tests order by order over a recorded day of ES futures, in both modes.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use recorded::{Event, Options, Recording, Stream, StreamError};
use strategy::backtest::{
    Divergence, Memory, OrderLatency, Ran, Seat, Setup, Source, run_follow, run_impact,
};
use strategy::builtin::{MarketMaker, find};
use strategy::param::Values;
use strategy::{Fees, Instrument, Journal, RiskLimits, Strategy};

struct Streamed(Stream);

impl Source for Streamed {
    type Error = StreamError;

    fn read(&mut self, into: &mut Vec<Event>) -> Result<bool, StreamError> {
        let batch = self.0.next_batch()?;
        into.extend_from_slice(batch);
        Ok(!batch.is_empty())
    }
}

fn day() -> Option<(Vec<Event>, Setup)> {
    let folder = std::env::var_os("BUTTONWOOD_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = folder.join("esh4-glbx-mdp3-20231225.mbo.dbn.zst");
    if !path.exists() {
        eprintln!("skipped: there is no {}", path.display());
        return None;
    }
    let stream = Stream::open(&[Recording { path, name: None }], &Options::default());
    let stream = stream.expect("the file is sound");
    let mut streamed = Streamed(stream);
    let mut events = Vec::new();
    while streamed.read(&mut events).expect("the file is sound") {}
    let instruments: Vec<Instrument> = streamed
        .0
        .instruments()
        .iter()
        .map(|found| Instrument::new(found.name.clone(), found.tick, found.lot))
        .collect();
    let setup = Setup {
        instruments,
        fees: Fees { maker: 0, taker: 10_000 },
        funding: Default::default(),
        limits: RiskLimits::default(),
        latency: OrderLatency::constant(500_000),
        feed: Default::default(),
        sample_ns: 60_000_000_000,
    };
    Some((events, setup))
}

fn maker(max_lots: &str) -> MarketMaker {
    let mut values = Values::defaults(find("market-maker").expect("it is built in").params);
    let params = [("half-spread", "0.5"), ("skew", "0.1"), ("max-lots", max_lots)];
    for (name, value) in params.into_iter().chain([("interval-ms", "1000")]) {
        values.set(name, value).expect("in its range");
    }
    MarketMaker::new(&values).expect("the parameters fit")
}

fn impact<S: Strategy>(
    events: &[Event],
    setup: &Setup,
    mut strategy: S,
) -> (Ran, Divergence, Journal) {
    let mut journal = Journal::new(1e6);
    let stop = AtomicBool::new(false);
    let source = Memory::new(events);
    let ran = run_impact(setup, source, Seat::alone(&mut strategy, &mut journal), &stop);
    let (ran, divergence) = ran.expect("the events are sound");
    (ran, divergence, journal)
}

/// Sends nothing.
struct Silent;

impl Strategy for Silent {}

#[test]
fn own_orders_of_one_lot_hardly_change_the_day() {
    let Some((events, setup)) = day() else { return };
    // Executions of the auction and of orders that are not the oldest go another way by themselves.
    let (_, without, _) = impact(&events, &setup, Silent);
    let (ran, divergence, journal) = impact(&events, &setup, maker("5"));
    eprintln!("without own orders {without:?}, with them {divergence:?}");
    assert!(journal.totals.fills > 20, "{:?}", journal.totals);
    assert!(divergence.executed > 1_000, "{divergence:?}");
    assert_eq!(divergence.executed, without.executed);
    assert!(divergence.part() - without.part() < 0.05, "{without:?} {divergence:?}");
    assert!(ran.contexts[0].position(0).abs() <= 5);
    let (_, again, same) = impact(&events, &setup, maker("5"));
    assert_eq!((again, same.fills), (divergence, journal.fills));
}

#[test]
fn without_impact_every_fill_has_its_place() {
    let Some((events, setup)) = day() else { return };
    let run = || {
        let mut journal = Journal::new(1e6);
        let stop = AtomicBool::new(false);
        let ran = run_follow(
            &setup,
            Memory::new(&events),
            Seat::alone(&mut maker("5"), &mut journal),
            &stop,
        );
        (ran.expect("the events are sound"), journal)
    };
    let (ran, journal) = run();
    assert!(journal.totals.fills > 20, "{:?}", journal.totals);
    let account = ran.contexts[0].account(0);
    let signed = |fill: &strategy::Fill| {
        let lots = fill.qty.lots() as i64;
        if fill.side == types::Side::Buy { lots } else { -lots }
    };
    assert_eq!(journal.fills.iter().map(signed).sum::<i64>(), account.position);
    assert_eq!(run().1.fills, journal.fills);
}
