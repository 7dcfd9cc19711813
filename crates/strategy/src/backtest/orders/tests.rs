//! Scripts of a market order by order, in both modes.
//!
//! `add ID SIDE PRICE QTY`, `cancel ID QTY`, `delete ID`, `exec ID SIDE PRICE QTY` (the maker's
//! side), `modify ID PRICE QTY` are the record; `order ID SIDE PRICE QTY TERMS`, `pull ID` are own
//! requests. An ID with a `b` is of the second account.

use types::OrderId;

use super::*;
use crate::backtest::latency::OrderLatency;
use crate::backtest::market::{Answers, Market, Wires};
use crate::order::{
    Action, Execution, Outcome, Request, Terms, account_of, base_id, number_in_account,
};

fn side(word: &str) -> Side {
    if word == "buy" { Side::Buy } else { Side::Sell }
}

fn own_id(word: &str) -> OrderId {
    let number = word.trim_start_matches('b').parse::<u64>().expect("a number");
    OrderId(if word.starts_with('b') { base_id(1) + number } else { number })
}

fn play<M: Market>(market: &mut M, script: &str) -> Vec<String> {
    let mut wires = Wires::new(&OrderLatency::constant(0), 1, 2);
    let mut found = Vec::new();
    for (at, line) in script.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        let now_ns = at as i64;
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| words[at].parse::<i64>().expect("a number");
        let mut answers = Answers { wires: &mut wires, instrument: 0 };
        let price = |at| Price::from_ticks(number(at));
        let qty = |at| Qty::from_lots(number(at) as u64);
        let event = |kind, side, price, quantity| Event {
            exchange_ns: now_ns,
            local_ns: now_ns,
            order: number(1) as u64,
            price,
            quantity,
            instrument: 0,
            kind,
            side,
        };
        let none = (Price::from_ticks(0), Qty::from_lots(0));
        let event = match words[0] {
            "add" => event(Kind::Add, Some(side(words[2])), price(3), qty(4)),
            "exec" => event(Kind::Execute, Some(side(words[2])), price(3), qty(4)),
            "cancel" => event(Kind::Cancel, None, none.0, qty(2)),
            "delete" => event(Kind::Delete, None, none.0, none.1),
            "modify" => event(Kind::Modify, None, price(2), qty(3)),
            word => {
                let action = if word == "pull" {
                    Action::Cancel
                } else {
                    let terms = match words[5] {
                        "post" => Terms::PostOnly,
                        "ioc" => Terms::Ioc,
                        "fok" => Terms::Fok,
                        _ => Terms::Limit,
                    };
                    Action::New { side: side(words[2]), price: price(3), qty: qty(4), terms }
                };
                let id = own_id(words[1]);
                let request = Request { id, instrument: 0, sent_ns: now_ns, action };
                market.request(&request, now_ns, &mut answers);
                found.extend(read(&mut wires, now_ns));
                continue;
            }
        };
        market.event(&event, &mut answers);
        found.extend(read(&mut wires, now_ns));
    }
    found
}

fn read(wires: &mut Wires, now_ns: i64) -> Vec<String> {
    let mut found = Vec::new();
    while let Some(answer) = wires.answers.pop_at(now_ns) {
        let account = if account_of(answer.id) == 0 { "" } else { "b" };
        let id = format!("{account}{}", number_in_account(answer.id));
        found.push(match answer.outcome {
            Outcome::Filled(Execution { price, qty, cause, .. }) => {
                format!("{id} {}@{} {}", qty.lots(), price.ticks(), cause.name())
            }
            other => format!("{id} {other:?}"),
        });
    }
    found
}

#[track_caller]
fn check_impact(script: &str, expected: &[&str], divergence: Divergence) {
    let mut market = ImpactMarket::default();
    assert_eq!(play(&mut market, script), expected);
    assert_eq!(market.divergence, divergence);
}

#[track_caller]
fn check_follow(script: &str, expected: &[&str]) {
    assert_eq!(play(&mut FollowMarket::default(), script), expected);
}

#[test]
fn an_own_order_trades_at_its_place_and_the_next_one_stays() {
    // Five were ahead. The record's order 12 is not executed, and stands until its execution finds
    // it; then the cancel of 13 finds nothing.
    check_impact(
        "add 11 buy 100 5
         order 1 buy 100 2 limit
         add 12 buy 100 3
         exec 11 buy 100 5
         exec 12 buy 100 3
         delete 12",
        &["1 Accepted", "1 2@100 matched"],
        Divergence { executed: 8, ..Divergence::default() },
    );
}

#[test]
fn what_an_own_taker_consumed_is_missing_for_the_record() {
    check_impact(
        "add 11 sell 101 5
         order 1 buy 101 5 ioc
         exec 11 sell 101 2
         cancel 11 3",
        &["1 5@101 took"],
        Divergence { executed: 2, unmatched: 2, canceled: 3, unknown: 0 },
    );
}

#[test]
fn a_recorded_order_that_crosses_an_own_one_trades_with_it() {
    check_impact(
        "add 11 buy 100 5
         order 1 buy 101 2 limit
         add 12 sell 101 3
         exec 12 sell 101 1",
        &["1 Accepted", "1 2@101 matched"],
        Divergence { executed: 1, ..Divergence::default() },
    );
}

#[test]
fn own_orders_do_not_trade_with_each_other() {
    check_impact(
        "order 1 sell 101 2 limit
         order 2 buy 101 2 limit
         order 3 buy 101 2 post
         pull 1",
        &["1 Accepted", "2 Expired(Unfilled)", "3 Expired(WouldTrade)", "1 Canceled"],
        Divergence::default(),
    );
}

#[test]
fn own_orders_of_two_accounts_trade_with_each_other() {
    check_impact(
        "order 1 sell 101 2 limit
         order b1 buy 101 5 limit
         order b2 sell 101 1 ioc
         order 2 sell 101 1 ioc",
        &[
            "1 Accepted",
            "1 2@101 matched",
            "b1 2@101 took",
            "b2 Expired(Unfilled)",
            "b1 1@101 matched",
            "2 1@101 took",
        ],
        Divergence::default(),
    );
}

#[test]
fn an_order_that_fills_in_full_or_not_at_all_does_not_count_its_own_account() {
    check_impact(
        "add 11 sell 101 1
         order 1 sell 101 2 limit
         add 12 sell 101 5
         order 2 buy 101 3 fok
         order b1 buy 101 4 fok",
        &[
            "1 Accepted",
            "2 Expired(Unfilled)",
            "b1 1@101 took",
            "1 2@101 matched",
            "b1 2@101 took",
            "b1 1@101 took",
        ],
        Divergence::default(),
    );
}

#[test]
fn without_impact_accounts_share_an_execution_and_do_not_meet() {
    check_follow(
        "add 11 buy 100 5
         order 1 buy 100 2 limit
         order b1 buy 100 4 limit
         add 12 buy 100 3
         exec 12 buy 100 3
         order 2 sell 100 1 limit",
        &["1 Accepted", "b1 Accepted", "1 2@100 queue", "b1 1@100 queue", "2 1@100 took"],
    );
    check_follow(
        "order 1 sell 101 2 limit
         order b1 buy 101 2 limit",
        &["1 Accepted", "b1 Accepted"],
    );
}

#[test]
fn without_impact_an_execution_behind_the_order_fills_it() {
    check_follow(
        "add 11 buy 100 5
         order 1 buy 100 2 limit
         add 12 buy 100 3
         exec 11 buy 100 5
         exec 12 buy 100 1",
        &["1 Accepted", "1 2@100 queue"],
    );
}

#[test]
fn without_impact_a_lost_place_is_behind() {
    check_follow(
        "add 11 buy 100 5
         order 1 buy 100 2 limit
         modify 11 100 6
         exec 11 buy 100 1",
        &["1 Accepted", "1 2@100 queue"],
    );
    check_follow(
        "add 11 buy 100 5
         order 1 buy 100 2 limit
         modify 11 100 4
         exec 11 buy 100 4",
        &["1 Accepted"],
    );
}

#[test]
fn without_impact_a_worse_price_or_the_other_side_fills_too() {
    check_follow(
        "add 11 buy 100 5
         order 1 buy 101 2 limit
         exec 11 buy 100 1
         order 2 buy 101 2 limit
         add 12 sell 101 1
         order 3 buy 101 7 ioc",
        &["1 Accepted", "1 2@101 traded_through", "2 Accepted", "2 2@101 crossed", "3 7@101 took"],
    );
}
