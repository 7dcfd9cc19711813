//! Orders that wait for a price.

use engine::WORK_PER_COMMAND;
use types::{Command, Event, InstrumentId, OrderType, Phase, SetPhase, Side, Terms};

use crate::house::{Driver, House, limit, ticks};
use crate::script::{check, play};

/// Each of the four types by market, and the prices one tick away from its bound and at it.
const ONE_OF_EACH: [(&str, i64, i64); 4] = [
    ("buy 5 stop 110", 109, 110),
    ("buy 5 take 90", 91, 90),
    ("sell 5 stop 90", 91, 90),
    ("sell 5 take 110", 109, 110),
];

/// Runs a script in which `last 100` is a trade at 100. Only output lines that begin with one of
/// `kinds` count.
pub(crate) fn check_only(kinds: &str, script: &str, expect: &[&str]) {
    let mut output = play(&with_trades(script)).1;
    output.retain(|line| kinds.split(' ').any(|kind| line.starts_with(kind)));
    assert_eq!(output, expect, "\n{script}");
}

/// Each trade takes two order ids.
pub(crate) fn with_trades(script: &str) -> String {
    let mut lines = Vec::new();
    for line in script.lines().map(str::trim) {
        match line.strip_prefix("last ") {
            Some(price) => {
                lines.push(format!("4 sell 1 @ {price}"));
                lines.push(format!("4 buy 1 @ {price}"));
            }
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

pub(crate) fn set_phase(phase: Phase) -> Command {
    Command::SetPhase(SetPhase { instrument: InstrumentId(0), phase })
}

pub(crate) fn triggered(events: &[Event]) -> Vec<u64> {
    let order_ids = events.iter().filter_map(|event| match event {
        Event::OrderTriggered(triggered) => Some(triggered.order.order_id.0),
        _ => None,
    });
    order_ids.collect()
}

pub(crate) fn trade_at(venue: &mut Driver, price: i64) -> Vec<Event> {
    let mut events =
        venue.apply(4, Command::NewOrder(limit(&format!("s{price}"), Side::Sell, 1, price)));
    events.extend(
        venue.apply(4, Command::NewOrder(limit(&format!("b{price}"), Side::Buy, 1, price))),
    );
    events
}

#[test]
fn each_type_is_triggered_exactly_at_its_bound() {
    for (order, off, bound) in ONE_OF_EACH {
        let by_limit = order.replace("5 ", "5 @ 100 ");
        for order in [order, &by_limit] {
            let waits = format!("last 100 \n 1 {order} \n last {off} \n restart");
            check_only("triggered", &waits, &[]);
            let reached = format!("{waits} \n last {bound}");
            check_only("triggered", &reached, &["triggered 3"]);
        }
    }
}

#[test]
fn an_order_that_the_price_reaches_already_is_refused() {
    for (order, off, bound) in ONE_OF_EACH {
        let by_limit = order.replace("5 ", "5 @ 100 ");
        let trailing = format!("{order} trail 100");
        for order in [order, &by_limit, &trailing] {
            let at = |last: i64| format!("last {last} \n 1 {order}");
            let reason = "rejected WouldTriggerImmediately";
            check_only("rejected", &at(bound), &[reason]);
            check_only("rejected", &at(bound + (bound - off)), &[reason]);
            check_only("rejected", &at(off), &[]);
        }
    }
}

#[test]
fn until_the_first_trade_the_best_displayed_quotes_count() {
    check_only(
        "triggered trade",
        "1 buy 5 stop 110
         2 sell 1 @ 109 as low
         2 cancel low
         2 sell 1 @ 110 hidden
         2 buy 1 @ 109
         2 sell 1 @ 111",
        &["triggered 1", "trade 3!<1 1@110", "trade 5!<1 1@111"],
    );
    check_only(
        "triggered trade",
        "1 sell 5 stop 90
         1 buy 5 take 80
         2 buy 1 @ 91 as high
         2 sell 1 @ 95
         2 cancel high
         2 buy 1 @ 90",
        &["triggered 1", "trade 5!<1 1@90"],
    );
    check_only(
        "rejected triggered",
        "2 buy 1 @ 90
         2 sell 1 @ 110
         1 buy 1 stop 110
         1 buy 1 stop 111
         1 sell 1 take 110
         1 sell 1 stop 90
         1 buy 1 take 90
         1 sell 1 stop 89",
        &["rejected WouldTriggerImmediately"; 4],
    );
}

#[test]
fn after_the_first_trade_quotes_trigger_nothing() {
    check_only(
        "rejected triggered",
        "last 100
         1 buy 1 stop 110
         1 sell 1 stop 90
         2 sell 1 @ 110
         2 buy 1 @ 90
         1 buy 1 stop 110
         1 sell 1 stop 90",
        &[],
    );
}

#[test]
fn every_price_of_a_sweep_counts_though_it_came_back() {
    check_only(
        "triggered",
        "last 110
         1 sell 1 stop 100
         1 buy 1 take 99
         2 sell 1 @ 100
         2 sell 1 @ 110
         restart
         3 buy 2 @ 110",
        &["triggered 3"],
    );
}

#[test]
fn stops_for_a_rise_run_first_from_the_lowest_then_those_for_a_fall_from_the_highest() {
    check_only(
        "triggered",
        "last 110
         1 buy 1 stop 113
         1 sell 1 take 112
         1 sell 1 stop 100
         1 buy 1 take 105
         1 buy 1 stop 112
         1 sell 1 stop 100
         2 sell 1 @ 95
         2 sell 1 @ 115
         3 buy 2 @ 115",
        &["triggered 4", "triggered 7", "triggered 3", "triggered 6", "triggered 5", "triggered 8"],
    );
}

#[test]
fn one_trigger_leads_to_the_next() {
    check(
        "2 sell 1 @ 101
         2 sell 1 @ 106
         2 sell 1 @ 110
         1 buy 1 stop 104
         1 buy 1 stop 107
         3 buy 1 @ 101
         3 buy 1 @ 106",
        &[
            "accepted 1 1",
            "rested 1 1@101",
            "accepted 2 1",
            "rested 2 1@106",
            "accepted 3 1",
            "rested 3 1@110",
            "accepted 4 1",
            "accepted 5 1",
            "accepted 6 1",
            "trade 1!<6! 1@101",
            "accepted 7 1",
            "trade 2!<7! 1@106",
            "triggered 4",
            "trade 3!<4! 1@110",
            "triggered 5",
            "expired 5 0/1 NoLiquidity",
        ],
    );
}

/// A trigger that trades at a low price reaches orders that wait for a fall. They still run after
/// all reached orders that wait for a rise.
#[test]
fn orders_that_a_trigger_reaches_wait_for_their_turn() {
    check_only(
        "triggered trade",
        "last 100
         1 sell 1 take 101
         1 buy 1 stop 102
         1 sell 1 stop 95
         2 buy 1 @ 94
         last 102",
        &[
            "trade 1!<2! 1@100",
            "trade 7!<8! 1@102",
            "triggered 3",
            "trade 6!<3! 1@94",
            "triggered 4",
            "triggered 5",
        ],
    );
}

/// More orders than one command can reach; their triggers take as many commands again.
fn venue_with_reached_stops() -> (Driver, Vec<u64>) {
    const STOPS: u64 = 1_500;
    let mut venue = House::default().open();
    venue.unchecked = true;
    trade_at(&mut venue, 100);
    for number in 0..STOPS {
        let mut order = limit(&format!("stop{number}"), Side::Buy, 1, 0);
        order.order_type = OrderType::StopLoss;
        let stop_price = Some(ticks(110 + number as i64 % 3));
        order.terms = Some(Terms { stop_price, ..Terms::default() });
        assert_eq!(venue.reason(1, Command::NewOrder(order)), None);
    }
    venue.unchecked = false;
    let first = triggered(&trade_at(&mut venue, 120));
    assert!(first.len() < STOPS as usize && venue.engine.has_deferred());
    (venue, first)
}

#[test]
fn work_beyond_one_command_continues_in_the_next() {
    let by_price_and_age: Vec<u64> =
        (0..3).flat_map(|price| (0..500).map(move |at| 3 + 3 * at + price)).collect();
    let (mut venue, mut order_ids) = venue_with_reached_stops();
    while venue.engine.has_deferred() {
        venue.restart();
        let more = triggered(&venue.apply(0, Command::Continue(())));
        assert!(more.len() <= WORK_PER_COMMAND as usize);
        order_ids.extend(more);
    }
    assert_eq!(order_ids, by_price_and_age);

    let (mut venue, mut order_ids) = venue_with_reached_stops();
    venue.restart();
    let events = venue.apply(2, Command::NewOrder(limit("next", Side::Buy, 1, 50)));
    order_ids.extend(triggered(&events));
    assert_eq!(order_ids, by_price_and_age);
    let [.., Event::OrderAccepted(next), Event::OrderRested(_)] = &events[..] else {
        panic!("no command runs in between: {events:?}")
    };
    assert_eq!(next.order.account.0, 2);
}

#[test]
fn a_triggered_order_that_cannot_be_paid_expires() {
    check_only(
        "triggered trade expired balance",
        "last 100
         1 sell 5 stop 90
         1 withdraw 1000000B ref all
         2 buy 9 @ 90
         last 90
         1 balance",
        &[
            "trade 1!<2! 1@100",
            "trade 4<5! 1@90",
            "triggered 3",
            "expired 3 0/5 NotAllowed",
            "balance 0B 1000000Q 1000000C",
        ],
    );
    let buy = |free: i64| {
        format!(
            "with balance 1 0B {free}Q
             last 100
             1 buy 5 stop 110
             2 sell 9 @ 120
             last 110"
        )
    };
    let trades = ["trade 1!<2! 1@100", "trade 5!<6! 1@110", "triggered 3"];
    let not_one = [&trades[..], &["expired 3 0/5 NotAllowed"]].concat();
    check_only("triggered trade expired", &buy(119), &not_one);
    let one = [&trades[..], &["trade 4<3 1@120", "expired 3 1/5 BalanceExhausted"]].concat();
    check_only("triggered trade expired", &buy(120), &one);
}

#[test]
fn stops_are_reached_in_any_phase_and_triggered_in_continuous_trading() {
    let (mut venue, _) = play(&with_trades(
        "last 100
         1 buy 1 stop 110
         1 buy 1 stop 120
         1 sell 1 stop 90",
    ));
    venue.apply(0, set_phase(Phase::PreOpen));
    assert_eq!(triggered(&trade_at(&mut venue, 115)), []);
    let events = venue.apply(0, set_phase(Phase::ClosingAuction));
    assert_eq!(triggered(&events), []);
    assert_eq!(triggered(&venue.apply(0, set_phase(Phase::Closed))), [], "it traded at 115");
    venue.restart();
    venue.apply(0, set_phase(Phase::PreOpen));
    let events = venue.apply(0, set_phase(Phase::Continuous));
    assert_eq!(triggered(&events), [3]);
}

#[test]
fn a_triggered_limit_order_trades_and_rests() {
    check(
        "2 sell 2 @ 111
         2 sell 2 @ 113
         1 buy 5 @ 112 stop 120
         3 sell 1 @ 120
         3 cancel all
         2 sell 1 @ 100
         3 buy 1 @ 100
         1 buy 5 @ 112 stop 111
         3 buy 1 @ 111
         1 balance
         book",
        &[
            "accepted 1 2",
            "rested 1 2@111",
            "accepted 2 2",
            "rested 2 2@113",
            "accepted 3 5",
            "accepted 4 1",
            "rested 4 1@120",
            "canceled 4 0/1 CancelAll",
            "accepted 5 1",
            "rested 5 1@100",
            "accepted 6 1",
            "trade 5!<6! 1@100",
            "accepted 7 5",
            "accepted 8 1",
            "trade 1<8! 1@111",
            "triggered 7",
            "trade 1!<7 1@111",
            "rested 7 4@112",
            "balance 1000001B 998881+1008Q 1000000C",
            "book 4@112 | 2@113",
        ],
    );
}

#[test]
fn time_in_force_and_minimum_quantity_count_when_triggered() {
    for (terms, expect) in [
        ("ioc", &["trade 4!<3 2@111", "expired 3 2/5 ImmediateOrCancel"][..]),
        ("fok", &["expired 3 0/5 FillOrKill"]),
        ("min 3", &["expired 3 0/5 MinQty"]),
        ("min 2", &["trade 4!<3 2@111", "rested 3 3@112"]),
        ("day", &["trade 4!<3 2@111", "rested 3 3@112"]),
    ] {
        let script = with_trades(&format!(
            "last 100
             1 buy 5 @ 112 stop 110 {terms}
             2 sell 2 @ 111
             last 110"
        ));
        let output = play(&script).1;
        let at = output.iter().position(|line| line == "triggered 3").unwrap();
        assert_eq!(output[at + 1..], *expect, "{terms}");
    }
}
