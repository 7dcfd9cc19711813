//! Strategies that do what none should: the run ends with a sentence, or refuses the request.

use std::convert::Infallible;
use std::sync::atomic::AtomicBool;

use recorded::{Event, Kind};
use strategy::backtest::{
    BarsInMemory, FeedLatency, Fills, Inside, LevelRules, Memory, OrderLatency, QueueModel, Ran,
    RunError, Seat, Setup, run_bars, run_follow, run_impact, run_levels, run_prints,
};
use strategy::{
    Answer, Bar, Context, Fees, Instrument, Journal, NewOrder, Refusal, RiskLimits, Strategy, Trade,
};
use types::{Increment, OrderId, Price, Qty, Side};

fn setup() -> Setup {
    let one = Increment { units: 1, decimals: 0 };
    Setup {
        instruments: vec![Instrument::new("X", one, one)],
        fees: Fees::default(),
        funding: Default::default(),
        limits: RiskLimits::default(),
        latency: OrderLatency::constant(0),
        feed: FeedLatency::Recorded,
        sample_ns: 1_000,
    }
}

/// A book of one level a side, and a trade.
fn levels() -> Vec<Event> {
    let void = Event::cleared(0, 1, 1);
    let (ten, five) = (Price::from_ticks(10), Qty::from_lots(5));
    let bid = void.then(Kind::Level, Side::Buy, Price::from_ticks(9), five);
    let ask = void.then(Kind::Level, Side::Sell, ten, five);
    let trade =
        Event { exchange_ns: 2, local_ns: 2, ..void.then(Kind::Trade, Side::Buy, ten, five) };
    vec![bid, ask, trade]
}

struct Panics;

impl Strategy for Panics {
    fn on_trade(&mut self, _: &mut Context, trade: &Trade) {
        panic!("no plan for {}", trade.price.ticks());
    }

    fn on_bar(&mut self, _: &mut Context, bar: &Bar) {
        panic!("no plan for {}", bar.close.ticks());
    }
}

type Played = Result<Ran, RunError<Infallible>>;

#[test]
fn a_strategy_that_panics_ends_its_run_with_its_message_in_each_mode() {
    let (setup, events, stop) = (setup(), levels(), AtomicBool::new(false));
    let rules = LevelRules { queue: QueueModel::RiskAverse, fills: Fills::Partial, consumed_ns: 0 };
    let ten = Price::from_ticks(10);
    let volume = Qty::from_lots(1);
    let bars =
        [Bar { instrument: 0, at_ns: 1, open: ten, high: ten, low: ten, close: ten, volume }];
    let check = |run: &dyn Fn(&mut Journal) -> Played| {
        let error = run(&mut Journal::new(1.0)).expect_err("it panicked").to_string();
        assert_eq!(error, "the strategy: it panicked: no plan for 10");
    };
    let memory = || Memory::new(&events);
    check(&|journal| run_levels(&setup, rules, memory(), Seat::alone(&mut Panics, journal), &stop));
    check(&|journal| run_prints(&setup, memory(), Seat::alone(&mut Panics, journal), &stop));
    check(&|journal| run_follow(&setup, memory(), Seat::alone(&mut Panics, journal), &stop));
    let impact = |journal: &mut Journal| {
        run_impact(&setup, memory(), Seat::alone(&mut Panics, journal), &stop).map(|(ran, _)| ran)
    };
    check(&impact);
    let bars = || BarsInMemory::new(&bars);
    let inside = Inside::default();
    check(&|journal| run_bars(&setup, inside, bars(), Seat::alone(&mut Panics, journal), &stop));
}

/// Sends requests that must be refused, and keeps the refusals.
#[derive(Default)]
struct Nonsense {
    refusals: Vec<Refusal>,
    answers: usize,
}

impl Strategy for Nonsense {
    fn on_trade(&mut self, context: &mut Context, _: &Trade) {
        let buy = |at, price, qty| {
            NewOrder::limit(at, Side::Buy, Price::from_ticks(price), Qty::from_lots(qty))
        };
        let orders =
            [buy(0, 10, 0), buy(0, 0, 1), buy(0, -5, 1), buy(7, 10, 1), buy(0, 10, u64::MAX)];
        let sent = orders.map(|order| context.send(order).map(|_| ()));
        let unknown = [
            context.cancel(OrderId(99)),
            context.replace(OrderId(99), Price::from_ticks(10), Qty::from_lots(1)),
        ];
        self.refusals.extend(sent.into_iter().chain(unknown).filter_map(Result::err));
    }

    fn on_order(&mut self, _: &mut Context, _: &Answer) {
        self.answers += 1;
    }
}

#[test]
fn nonsense_is_refused_by_its_name_and_reaches_no_market() {
    let rules = LevelRules { queue: QueueModel::RiskAverse, fills: Fills::Partial, consumed_ns: 0 };
    let (events, stop) = (levels(), AtomicBool::new(false));
    let (mut strategy, mut journal) = (Nonsense::default(), Journal::new(1.0));
    let memory = Memory::new(&events);
    let ran = run_levels(&setup(), rules, memory, Seat::alone(&mut strategy, &mut journal), &stop);
    let context = &ran.expect("the run goes on").contexts[0];
    let expected = [
        Refusal::QtyIsZero,
        Refusal::PriceNotPositive,
        Refusal::PriceNotPositive,
        Refusal::InstrumentUnknown,
        Refusal::QtyIsZero,
        Refusal::OrderNotOpen,
        Refusal::OrderNotOpen,
    ];
    assert_eq!(strategy.refusals, expected);
    assert_eq!((context.refused(), context.last_refusal()), (7, Some(Refusal::OrderNotOpen)));
    assert_eq!((strategy.answers, journal.totals.orders, context.position(0)), (0, 0, 0));
}
