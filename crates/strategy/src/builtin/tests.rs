//! Scripts of strategies: what the market does, and the requests that follow.
//!
//! A line of a script is `at MS`, at which timers run; `bid|ask PRICE QTY` sets a level and
//! `buys|sells PRICE QTY` is a trade by its aggressor, both of instrument 0 or of the one after a
//! `#`; `accept|cancel|expire ID` and `fill ID QTY@PRICE` answer a request. Requests are
//! `ID buy QTY@PRICE TERMS`, perhaps with `#` and the instrument, or `cancel ID`.

use recorded::{Event, Kind};
use types::{Increment, OrderId, Price, Qty, Side};

use super::{WithStrategy, build, find};
use crate::account::Fees;
use crate::backtest::see_levels;
use crate::context::Context;
use crate::desk::Desk;
use crate::funding::Funding;
use crate::instrument::Instrument;
use crate::journal::Journal;
use crate::order::{Action, Answer, Execution, Expired, FillCause, Outcome, Request, Terms};
use crate::param::Values;
use crate::risk::RiskLimits;
use crate::strategy::Strategy;

const MS: i64 = 1_000_000;
/// No samples within a script.
const NEVER: i64 = 1 << 60;

/// Plays a script with a strategy whose parameters are `name=value`.
#[track_caller]
fn check(strategy: &str, params: &str, instruments: usize, script: &str, expected: &[&str]) {
    let mut values = Values::defaults(find(strategy).expect("it is built in").params);
    for (name, value) in params.split_whitespace().filter_map(|pair| pair.split_once('=')) {
        values.set(name, value).expect("in its range");
    }
    let found = build(strategy, &values, Play { instruments, script }).expect("they fit");
    assert_eq!(found, expected, "{script}");
}

struct Play<'a> {
    instruments: usize,
    script: &'a str,
}

impl WithStrategy for Play<'_> {
    type Output = Vec<String>;

    fn run<S: Strategy + Clone + Send>(self, mut strategy: S) -> Vec<String> {
        let one = Increment { units: 1, decimals: 0 };
        let instrument = |at| Instrument::new(format!("X{at}"), one, one);
        let instruments = (0..self.instruments).map(instrument).collect();
        let context = Context::new(instruments, Fees::default(), RiskLimits::default());
        let mut journal = Journal::new(1_000.0);
        let mut desk = Desk::new(context, &mut strategy, &mut journal, Funding::default(), NEVER);
        desk.start(0);
        let mut found = Vec::new();
        for line in self.script.lines().map(str::trim).filter(|line| !line.is_empty()) {
            step(&mut desk, line);
            found.extend(desk.context.outbox.drain(..).map(|request| text(&request)));
        }
        found
    }
}

fn step<S: Strategy>(desk: &mut Desk<'_, S>, line: &str) {
    let (line, instrument) = line.split_once(" #").unwrap_or((line, "0"));
    let instrument: u16 = instrument.parse().expect("a number");
    let words: Vec<&str> = line.split([' ', '@']).collect();
    let number = |at: usize| words[at].parse::<i64>().expect("a number");
    let now_ns = desk.context.now_ns;
    match words[0] {
        "at" => {
            let until_ns = number(1) * MS;
            while desk.wake_ns() <= until_ns {
                desk.wake(desk.wake_ns()).expect("there are no files");
            }
            desk.context.now_ns = until_ns;
        }
        kind @ ("bid" | "ask" | "buys" | "sells") => {
            let side = if matches!(kind, "bid" | "buys") { Side::Buy } else { Side::Sell };
            let is_level = matches!(kind, "bid" | "ask");
            let kind = if is_level { Kind::Level } else { Kind::Trade };
            let (price, qty) = (Price::from_ticks(number(1)), Qty::from_lots(number(2) as u64));
            let event = Event::cleared(instrument, now_ns, now_ns).then(kind, side, price, qty);
            desk.see(&event, |view| see_levels(view, &event)).expect("it is listed");
            desk.book_changed();
        }
        answer => {
            let id = OrderId(number(1) as u64);
            let instrument = desk.context.order(id).expect("the order is open").instrument;
            let outcome = match answer {
                "accept" => Outcome::Accepted,
                "cancel" => Outcome::Canceled,
                "expire" => Outcome::Expired(Expired::Unfilled),
                _ => Outcome::Filled(Execution {
                    price: Price::from_ticks(number(3)),
                    qty: Qty::from_lots(number(2) as u64),
                    is_maker: false,
                    cause: FillCause::Took,
                    waited_ns: 0,
                }),
            };
            let answer = Answer { id, instrument, exchange_ns: now_ns, outcome };
            desk.answered(&answer).expect("there are no files");
        }
    }
}

fn text(request: &Request) -> String {
    let id = request.id.0;
    let of =
        if request.instrument > 0 { format!(" #{}", request.instrument) } else { String::new() };
    match request.action {
        Action::New { side, price, qty, terms } => {
            let side = if side == Side::Buy { "buy" } else { "sell" };
            let terms = match terms {
                Terms::PostOnly => "post",
                Terms::Ioc => "ioc",
                Terms::Market => "market",
                other => panic!("{other:?}"),
            };
            format!("{id} {side} {}@{} {terms}{of}", qty.lots(), price.ticks())
        }
        Action::Replace { price, qty } => format!("replace {id} {}@{}", qty.lots(), price.ticks()),
        Action::Cancel => format!("cancel {id}"),
    }
}

#[test]
fn a_market_maker_quotes_around_the_middle_that_inventory_moves() {
    check(
        "market-maker",
        "interval-ms=100 half-spread=2 skew=1.5 lots=2 max-lots=4",
        1,
        "bid 98 5
         ask 102 5
         at 100
         accept 1
         accept 2
         fill 1 2@98
         at 200
         cancel 2
         at 300",
        &[
            "1 buy 2@98 post",
            "2 sell 2@102 post",
            // Three ticks down for two lots, but not through the touch.
            "3 buy 2@95 post",
            "4 sell 2@102 post",
        ],
    );
    // Beyond the largest inventory one side is not quoted.
    check(
        "market-maker",
        "interval-ms=100 half-spread=2 skew=0 lots=2 max-lots=2",
        1,
        "bid 98 5
         ask 102 5
         at 100
         fill 1 2@98
         accept 2
         at 200",
        &["1 buy 2@98 post", "2 sell 2@102 post"],
    );
}

#[test]
fn avellaneda_and_stoikov_widen_with_the_variance_and_lean_against_the_inventory() {
    // g = 0.1, k = 1.5, T = 1 s; ln(1 + g/k) / g = 0.645. A half-life of one interval halves the
    // variance each second.
    let params = "model=avellaneda-stoikov interval-ms=1000 halflife-s=1 risk-aversion=0.1 \
                  intensity=1.5 horizon-s=1 lots=2 max-lots=100";
    check(
        "market-maker",
        params,
        1,
        // At 1 s: s^2 = 0, so the quotes are 0.645 away from 100, and no closer than the touch.
        "bid 99 9
         ask 101 9
         at 1000
         accept 1
         accept 2
         ask 101 0
         ask 121 9
         bid 119 9
         at 2000
         cancel 1
         cancel 2
         at 3000
         fill 3 2@119
         cancel 4
         at 4000",
        &[
            "1 buy 2@99 post",
            "2 sell 2@101 post",
            // At 2 s: the middle has moved 20 ticks, s^2 = 200.
            "cancel 1",
            "cancel 2",
            // At 3 s: s^2 = 100, q = 0: 120 -+ (5 + 0.645).
            "3 buy 2@114 post",
            "4 sell 2@126 post",
            // At 4 s: s^2 = 50, q = 2: the reservation price is 120 - 2 x 0.1 x 50 = 110, the half
            // spread 2.5 + 0.645; the sale is not below the best ask.
            "5 buy 2@106 post",
            "6 sell 2@121 post",
        ],
    );
}

#[test]
fn momentum_takes_towards_the_move_up_to_its_largest_position() {
    // The average halves its distance to the middle price each interval.
    check(
        "momentum",
        "interval-ms=1000 halflife-s=1 threshold=2 lots=3 max-lots=3",
        1,
        "bid 99 9
         ask 101 9
         at 1000
         bid 105 9
         ask 101 0
         ask 107 9
         at 2000
         fill 1 3@107
         at 3000
         bid 105 0
         bid 99 0
         bid 91 9
         ask 93 9
         at 4000
         at 5000
         expire 2
         at 6000",
        &[
            // At 2 s the middle is 106, the average 103.
            "1 buy 3@107 ioc",
            // At 3 s the average is 104.5, within the threshold. At 4 s the middle is 92, the
            // average 98.25; at 5 s the order is still open, at 6 s 93.56 is within the threshold.
            "2 sell 3@91 ioc",
        ],
    );
}

#[test]
fn a_twap_trades_equal_slices_and_makes_up_for_what_did_not_fill() {
    check(
        "twap",
        "lots=10 duration-s=5 interval-ms=1000",
        1,
        "bid 99 9
         ask 101 1
         at 1000
         fill 1 1@101
         expire 1
         at 2000
         fill 2 3@101
         at 3000
         at 4000
         expire 3
         at 5000
         fill 4 6@101
         at 9000",
        &[
            "1 buy 2@101 ioc",
            // One lot of the first slice is missing.
            "2 buy 3@101 ioc",
            "3 buy 2@101 ioc",
            // At 4 s the third slice has no answer yet; at 5 s all is due.
            "4 buy 6@101 ioc",
        ],
    );
    // Data without a book.
    check("twap", "side=sell lots=4 duration-s=2", 1, "at 1000", &["1 sell 2@0 market"]);
}

#[test]
fn a_vwap_trades_its_share_of_the_volume() {
    check(
        "vwap",
        "side=sell lots=5 share=0.25 interval-ms=1000",
        1,
        "bid 99 9
         ask 101 9
         at 1000
         buys 101 7
         at 2000
         fill 1 1@99
         sells 99 5
         at 3000
         fill 2 2@99
         buys 101 1000
         at 4000
         fill 3 2@99
         at 9000",
        &["1 sell 1@99 ioc", "2 sell 2@99 ioc", "3 sell 2@99 ioc"],
    );
}

#[test]
fn triangular_arbitrage_takes_all_three_sides_when_the_round_pays() {
    // A costs 100 C or 10 B, B costs 10 C: a round earns nothing until a price moves.
    let quotes = "bid 100 9
                  ask 100 9 #1
                  bid 10 9 #1
                  bid 10 9 #2
                  ask 11 9 #1
                  ask 11 9 #2";
    let params = "lots=2 edge-bps=50";
    check("triangular-arbitrage", params, 3, quotes, &[]);
    // A for 98 C, sold for 10 B, sold for 10 C each: 100 C.
    check(
        "triangular-arbitrage",
        params,
        3,
        &format!(
            "{quotes}\n ask 98 9\n ask 97 9\n fill 1 2@98\n expire 2\n fill 3 20@10\n ask 98 8"
        ),
        &[
            "1 buy 2@98 ioc",
            "2 sell 2@10 ioc #1",
            "3 sell 20@10 ioc #2",
            // With an order open there is no second round; then the best ask is 97.
            "4 buy 2@97 ioc",
            "5 sell 2@10 ioc #1",
            "6 sell 20@10 ioc #2",
        ],
    );
    // The other way round: A sold for 123 C, bought for 11 B, which cost 11 C each.
    check(
        "triangular-arbitrage",
        params,
        3,
        &format!("{quotes}\n bid 123 9"),
        &["1 sell 2@123 ioc", "2 buy 2@11 ioc #1", "3 buy 22@11 ioc #2"],
    );
}
