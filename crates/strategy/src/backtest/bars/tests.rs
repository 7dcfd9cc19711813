//! Scripts of bars: at what price and why orders fill inside one.

use super::*;
use crate::account::Fees;
use crate::backtest::Seat;
use crate::backtest::latency::OrderLatency;
use crate::context::Context;
use crate::funding::Funding;
use crate::instrument::Instrument;
use crate::journal::Journal;
use crate::order::{Fill, NewOrder};
use crate::risk::RiskLimits;
use types::Increment;

/// Sends its orders at the first close.
struct Once {
    orders: Vec<NewOrder>,
    fills: Vec<String>,
}

impl Strategy for Once {
    fn on_bar(&mut self, context: &mut Context, _bar: &Bar) {
        for order in self.orders.drain(..) {
            context.send(order).expect("no limit");
        }
    }

    fn on_fill(&mut self, _context: &mut Context, fill: &Fill) {
        self.fills.push(format!(
            "{} @{} {}",
            fill.order_id.0,
            fill.price.ticks(),
            fill.cause.name()
        ));
    }
}

fn bar(at_ns: i64, [open, high, low, close]: [i64; 4]) -> Bar {
    let at = Price::from_ticks;
    Bar {
        instrument: 0,
        at_ns,
        open: at(open),
        high: at(high),
        low: at(low),
        close: at(close),
        volume: Qty::from_lots(1),
    }
}

#[track_caller]
fn check(inside: Inside, orders: &[NewOrder], prices: [i64; 4], expected: &[&str]) {
    let one = Increment { units: 1, decimals: 0 };
    let setup = Setup {
        instruments: vec![Instrument::new("X", one, one)],
        fees: Fees::default(),
        funding: Funding::default(),
        limits: RiskLimits::default(),
        latency: OrderLatency::constant(0),
        feed: Default::default(),
        sample_ns: 1,
    };
    let bars = [bar(1, [100; 4]), bar(2, prices)];
    let mut once = Once { orders: orders.to_vec(), fills: Vec::new() };
    let mut journal = Journal::new(1e6);
    let source = BarsInMemory::new(&bars);
    let stop = AtomicBool::new(false);
    run_bars(&setup, inside, source, Seat::alone(&mut once, &mut journal), &stop).expect("it runs");
    assert_eq!(once.fills, expected);
}

fn limit(side: Side, ticks: i64) -> NewOrder {
    NewOrder::limit(0, side, Price::from_ticks(ticks), Qty::from_lots(1))
}

fn stop(side: Side, ticks: i64) -> NewOrder {
    NewOrder::stop(0, side, Price::from_ticks(ticks), Qty::from_lots(1))
}

#[test]
fn orders_fill_at_the_open_or_where_the_path_reaches_them() {
    use Side::{Buy, Sell};
    let market = NewOrder::market(0, Buy, Qty::from_lots(1));
    check(Inside::Path, &[market], [101, 105, 99, 103], &["1 @101 open"]);
    check(Inside::Path, &[limit(Buy, 102)], [101, 105, 99, 103], &["1 @101 open"]);
    check(Inside::Path, &[limit(Buy, 100)], [101, 105, 99, 103], &["1 @100 path"]);
    check(Inside::Path, &[limit(Buy, 98)], [101, 105, 99, 103], &[]);
    check(Inside::Path, &[stop(Sell, 100)], [101, 105, 99, 103], &["1 @100 stopped"]);
    check(Inside::Path, &[stop(Sell, 102)], [101, 105, 99, 103], &["1 @101 stopped"]);
}

#[test]
fn the_nearer_extreme_comes_first() {
    use Side::{Buy, Sell};
    let both = [limit(Sell, 104), limit(Buy, 99)];
    check(Inside::Path, &both, [101, 105, 99, 103], &["2 @99 path", "1 @104 path"]);
    check(Inside::Path, &both, [102, 104, 98, 103], &["1 @104 path", "2 @99 path"]);
    // A tie goes to the low.
    check(Inside::Path, &both, [101, 104, 98, 103], &["2 @99 path", "1 @104 path"]);
}

#[test]
fn a_stop_inside_the_bar_is_pessimistic() {
    // The path reaches the limit at the high first.
    let orders = [limit(Side::Sell, 104), stop(Side::Sell, 99)];
    let prices = [102, 104, 98, 103];
    check(Inside::Path, &orders, prices, &["1 @104 path", "2 @99 stopped"]);
    check(Inside::Pessimistic, &orders, prices, &["2 @99 stopped", "1 @104 path"]);
}
