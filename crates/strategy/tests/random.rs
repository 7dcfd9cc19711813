//! Properties of back-tests over random markets.

use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use recorded::{Event, Kind};
use strategy::backtest::{
    Delay, FeedLatency, Fills, LevelRules, Memory, OrderLatency, QueueModel, Ran, Seat, Setup,
    run_levels,
};
use strategy::builtin::{MarketMaker, find};
use strategy::param::Values;
use strategy::{Fees, FillCause, Instrument, Journal, RiskLimits};
use types::{Increment, Price, Qty, Side};

const MS: i64 = 1_000_000;

/// A step of the market: time, what, side, price and quantity.
type Step = (u16, bool, bool, i64, u64);

fn events(steps: &[Step]) -> Vec<Event> {
    let mut exchange_ns = 0;
    let event = |(delay, is_trade, is_buy, ticks, lots): &Step| {
        exchange_ns += i64::from(*delay) * MS / 10;
        Event {
            exchange_ns,
            local_ns: exchange_ns + i64::from(*delay) * MS / 20,
            order: 0,
            // Bids below, asks above, and both around a common price.
            price: Price::from_ticks(if *is_buy == *is_trade { 100 + ticks } else { 104 - ticks }),
            quantity: Qty::from_lots(if *is_trade { lots + 1 } else { *lots }),
            instrument: 0,
            kind: if *is_trade { Kind::Trade } else { Kind::Level },
            side: Some(if *is_buy { Side::Buy } else { Side::Sell }),
        }
    };
    steps.iter().map(event).collect()
}

fn play(events: &[Event], batch: usize, fills: Fills, limit: Option<u64>) -> (Ran, Journal) {
    let one = Increment { units: 1, decimals: 0 };
    let delay = Delay::Uniform { low_ns: 0, high_ns: 3 * MS };
    let setup = Setup {
        instruments: vec![Instrument::new("X", one, one)],
        fees: Fees { maker: -1_000, taker: 5_000 },
        funding: Default::default(),
        limits: RiskLimits { position_lots: limit, ..RiskLimits::default() },
        latency: OrderLatency::Drawn { order: delay, answer: delay, seed: 3 },
        feed: FeedLatency::Recorded,
        sample_ns: 100 * MS,
    };
    let mut values = Values::defaults(find("market-maker").expect("it is built in").params);
    for (name, value) in [("interval-ms", "5"), ("lots", "3"), ("half-spread", "0.5")] {
        values.set(name, value).expect("in its range");
    }
    let mut maker = MarketMaker::new(&values).expect("the parameters fit");
    let mut journal = Journal::new(1_000.0);
    let rules = LevelRules { queue: QueueModel::Power3(3.0), fills, consumed_ns: 50 * MS };
    let source = Memory::in_batches(events, batch);
    let stop = AtomicBool::new(false);
    let ran = run_levels(&setup, rules, source, Seat::alone(&mut maker, &mut journal), &stop);
    (ran.expect("the events are sound"), journal)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sums_batches_limits_and_quantities_hold(
        steps in prop::collection::vec(
            (0u16..40, any::<bool>(), any::<bool>(), -3i64..6, 0u64..8), 1..400),
        batch in 1usize..200,
        is_full in any::<bool>(),
    ) {
        let events = events(&steps);
        let fills = if is_full { Fills::Full } else { Fills::Partial };
        let (ran, journal) = play(&events, events.len(), fills, Some(6));
        let (_, again) = play(&events, batch, fills, Some(6));
        prop_assert_eq!(&again.fills, &journal.fills);
        prop_assert_eq!(&again.samples, &journal.samples);
        let account = ran.contexts[0].account(0);
        let (mut position, mut cash, mut fees) = (0i64, 0i128, 0i128);
        for fill in &journal.fills {
            let sign = if fill.side == Side::Buy { 1 } else { -1 };
            let lots = fill.qty.lots() as i64;
            position += sign * lots;
            cash -= i128::from(sign * lots) * i128::from(fill.price.ticks());
            fees += fill.fee;
            // The limit counts all open orders, so no fill exceeds it.
            prop_assert!(position.abs() <= 6);
            prop_assert!(fill.is_maker != (fill.cause == FillCause::Took));
            prop_assert!(fill.local_ns >= fill.exchange_ns && fill.waited_ns >= 0);
        }
        prop_assert_eq!((account.position, account.cash, account.fees), (position, cash, fees));
        let filled: u64 = journal.fills.iter().map(|fill| fill.qty.lots()).sum();
        prop_assert_eq!(account.volume, filled);
        // No order fills more than it had.
        for fill in &journal.fills {
            let of_order = journal.fills.iter().filter(|other| other.order_id == fill.order_id);
            prop_assert!(of_order.map(|other| other.qty.lots()).sum::<u64>() <= 3);
        }
    }
}
