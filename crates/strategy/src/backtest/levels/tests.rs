//! Scripts of a market by levels: what fills, how much, and why.
//!
//! A line is an event or a request: `bid|ask PRICE QTY` sets a level, `buys|sells PRICE QTY` is a
//! trade by its aggressor, `order ID SIDE PRICE QTY TERMS`, `replace ID PRICE QTY`, `cancel ID`,
//! and `wait MS`. An ID with a `b` is of the second account.

use types::OrderId;

use super::*;
use crate::backtest::latency::OrderLatency;
use crate::backtest::market::Wires;
use crate::order::{account_of, base_id, number_in_account};

const MS: i64 = 1_000_000;

fn rules(fills: Fills) -> LevelRules {
    LevelRules { queue: QueueModel::RiskAverse, fills, consumed_ns: 100 * MS }
}

#[track_caller]
fn check(rules: LevelRules, script: &str, expected: &[&str]) {
    let mut market = LevelMarket::new(rules, 1.0);
    let mut wires = Wires::new(&OrderLatency::constant(0), 1, 2);
    let mut now_ns = 0;
    let mut found = Vec::new();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        now_ns += 1;
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| words[at].parse::<i64>().expect("a number");
        let mut answers = Answers { wires: &mut wires, instrument: 0 };
        let mut request = |word: &str, action| {
            let number = word.trim_start_matches('b').parse::<u64>().expect("a number");
            let id = OrderId(if word.starts_with('b') { base_id(1) + number } else { number });
            let request = Request { id, instrument: 0, sent_ns: now_ns, action };
            market.request(&request, now_ns, &mut answers);
        };
        let price = |at| Price::from_ticks(number(at));
        let qty = |at| Qty::from_lots(number(at) as u64);
        match words[0] {
            "wait" => now_ns += number(1) * MS,
            "order" => {
                let side = if words[2] == "buy" { Side::Buy } else { Side::Sell };
                let terms = match words[5] {
                    "limit" => Terms::Limit,
                    "post" => Terms::PostOnly,
                    "ioc" => Terms::Ioc,
                    "fok" => Terms::Fok,
                    _ => Terms::Market,
                };
                request(words[1], Action::New { side, price: price(3), qty: qty(4), terms });
            }
            "replace" => request(words[1], Action::Replace { price: price(2), qty: qty(3) }),
            "cancel" => request(words[1], Action::Cancel),
            kind => {
                let (kind, side) = match kind {
                    "bid" => (Kind::Level, Side::Buy),
                    "ask" => (Kind::Level, Side::Sell),
                    "buys" => (Kind::Trade, Side::Buy),
                    _ => (Kind::Trade, Side::Sell),
                };
                let event = Event {
                    exchange_ns: now_ns,
                    local_ns: now_ns,
                    order: 0,
                    price: price(1),
                    quantity: qty(2),
                    instrument: 0,
                    kind,
                    side: Some(side),
                };
                market.event(&event, &mut answers);
            }
        }
        while let Some(answer) = wires.answers.pop_at(now_ns) {
            let account = if account_of(answer.id) == 0 { "" } else { "b" };
            let id = format!("{account}{}", number_in_account(answer.id));
            found.push(match answer.outcome {
                Outcome::Filled(Execution { price, qty, cause, is_maker, .. }) => {
                    let role = if is_maker { "maker" } else { "taker" };
                    format!("{id} {}@{} {role} {}", qty.lots(), price.ticks(), cause.name())
                }
                Outcome::Replaced { .. } => format!("{id} replaced"),
                other => format!("{id} {other:?}"),
            });
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn a_trade_fills_what_is_left_when_the_queue_ahead_is_gone() {
    check(
        rules(Fills::Partial),
        "bid 100 10
         order 1 buy 100 5 limit
         sells 100 8
         sells 100 4
         sells 100 9",
        &["1 Accepted", "1 2@100 maker queue", "1 3@100 maker queue"],
    );
}

#[test]
fn accounts_share_what_a_trade_a_level_and_a_queue_have() {
    check(
        rules(Fills::Partial),
        "bid 100 10
         ask 102 5
         order 1 buy 100 5 limit
         order b1 buy 100 5 limit
         sells 100 13
         sells 100 4
         order 2 buy 102 4 ioc
         order b2 buy 102 4 ioc",
        &[
            "1 Accepted",
            "b1 Accepted",
            "1 3@100 maker queue",
            "1 2@100 maker queue",
            "b1 2@100 maker queue",
            "2 4@102 taker took",
            "b2 1@102 taker took",
            "b2 Expired(Unfilled)",
        ],
    );
    // A book that own orders do not change has no order of another account.
    check(
        rules(Fills::Partial),
        "bid 100 10
         ask 104 5
         order 1 sell 102 2 limit
         order b1 buy 102 2 limit",
        &["1 Accepted", "b1 Accepted"],
    );
}

#[test]
fn full_fills_are_of_all_that_is_left() {
    check(
        rules(Fills::Full),
        "bid 100 10
         order 1 buy 100 5 limit
         sells 100 11",
        &["1 Accepted", "1 5@100 maker queue"],
    );
}

#[test]
fn a_trade_through_the_price_fills_in_full() {
    check(
        rules(Fills::Partial),
        "bid 100 10
         order 1 buy 100 5 limit
         sells 99 1",
        &["1 Accepted", "1 5@100 maker traded_through"],
    );
}

#[test]
fn the_best_price_of_the_other_side_fills_what_it_reaches() {
    check(
        rules(Fills::Partial),
        "bid 100 10
         order 1 sell 103 5 limit
         order 2 sell 104 5 limit
         bid 103 2",
        &["1 Accepted", "2 Accepted", "1 5@103 maker crossed"],
    );
}

#[test]
fn own_orders_share_no_liquidity() {
    // Twelve lots trade: ten were ahead, and the two left are of the first order.
    check(
        rules(Fills::Partial),
        "bid 100 10
         order 1 buy 100 5 limit
         order 2 buy 100 5 limit
         sells 100 12
         sells 100 4",
        &[
            "1 Accepted",
            "2 Accepted",
            "1 2@100 maker queue",
            "1 3@100 maker queue",
            "2 1@100 maker queue",
        ],
    );
    // The first is traded through; three of its five lots are more than the trade had.
    check(
        rules(Fills::Partial),
        "order 1 buy 101 5 limit
         order 2 buy 100 5 limit
         sells 99 2
         sells 99 4",
        &[
            "1 Accepted",
            "2 Accepted",
            "1 5@101 maker traded_through",
            "2 5@100 maker traded_through",
        ],
    );
}

#[test]
fn a_taker_walks_the_levels_and_leaves_them_smaller_for_a_time() {
    check(
        rules(Fills::Partial),
        "ask 101 3
         ask 102 3
         order 1 buy 102 4 ioc
         order 2 buy 102 4 ioc
         wait 100
         order 3 buy 101 4 ioc",
        &[
            "1 3@101 taker took",
            "1 1@102 taker took",
            "2 2@102 taker took",
            "2 Expired(Unfilled)",
            "3 3@101 taker took",
            "3 Expired(Unfilled)",
        ],
    );
}

#[test]
fn terms_decide_what_happens_to_the_rest() {
    check(
        rules(Fills::Partial),
        "ask 101 3
         order 1 buy 101 4 fok
         order 2 buy 101 1 post
         order 3 buy 101 4 limit
         sells 101 1
         order 4 buy 100 1 ioc
         order 5 sell 0 1 market",
        &[
            "1 Expired(Unfilled)",
            "2 Expired(WouldTrade)",
            "3 3@101 taker took",
            "3 1@101 maker queue",
            "4 Expired(Unfilled)",
            "5 Expired(Unfilled)",
        ],
    );
}

#[test]
fn a_smaller_quantity_keeps_the_place_and_another_price_does_not() {
    check(
        rules(Fills::Partial),
        "bid 100 2
         order 1 buy 100 5 limit
         bid 100 9
         replace 1 100 4
         sells 100 3
         replace 1 100 8
         sells 100 3
         cancel 1
         cancel 1",
        &[
            "1 Accepted",
            "1 replaced",
            "1 1@100 maker queue",
            "1 replaced",
            "1 Canceled",
            "1 Rejected(NotOpen)",
        ],
    );
}
