//! Auctions: the price, the trades, and the orders that end with the auction.

use engine::WORK_PER_COMMAND;
use types::{Command, Event, InstrumentId, Phase, SetPhase, Side};

use crate::house::{House, limit};
use crate::script::{check, play};

/// The uncrossing of an opening auction after a last trade at this price, if any.
fn uncrosses_at(last_price: Option<i64>, bids: &[(u64, i64)], asks: &[(u64, i64)]) -> String {
    let mut script = String::new();
    if let Some(price) = last_price {
        script += &format!("1 sell 1 @ {price}\n2 buy 1 @ {price}\n");
    }
    script += "phase OpeningAuction\n";
    for (qty, price) in bids {
        script += &format!("1 buy {qty} @ {price}\n");
    }
    for (qty, price) in asks {
        script += &format!("2 sell {qty} @ {price}\n");
    }
    script += "phase Continuous\n";
    let (_, output) = play(&script);
    let uncrossed = output.iter().find_map(|line| line.strip_prefix("uncrossed "));
    uncrossed.unwrap_or("nowhere").to_owned()
}

#[test]
fn the_most_volume_comes_first() {
    let (bids, asks) = ([(10, 105), (10, 101)], [(10, 100), (10, 101)]);
    assert_eq!(uncrosses_at(None, &bids, &asks), "20@101");
    assert_eq!(uncrosses_at(Some(105), &bids, &asks), "20@101");
}

#[test]
fn then_the_least_surplus() {
    let (bids, asks) = ([(10, 102), (3, 101)], [(10, 100)]);
    assert_eq!(uncrosses_at(None, &bids, &asks), "10@102", "at 101 and 100 three are left over");
    assert_eq!(uncrosses_at(Some(100), &bids, &asks), "10@102");
}

#[test]
fn then_the_highest_if_the_surplus_is_to_buy_and_the_lowest_if_to_sell() {
    for last_price in [None, Some(90), Some(103), Some(110)] {
        let to_buy = uncrosses_at(last_price, &[(15, 105)], &[(10, 100)]);
        assert_eq!(to_buy, "10@105 left 5 to buy");
        let to_sell = uncrosses_at(last_price, &[(10, 105)], &[(15, 100)]);
        assert_eq!(to_sell, "10@100 left 5 to sell");
    }
}

#[test]
fn then_the_nearest_to_the_last_price_or_the_lowest() {
    let balanced = |last_price| uncrosses_at(last_price, &[(10, 105)], &[(10, 100)]);
    assert_eq!(balanced(None), "10@100");
    assert_eq!(balanced(Some(90)), "10@100");
    assert_eq!(balanced(Some(103)), "10@103");
    assert_eq!(balanced(Some(110)), "10@105");
    // The surplus at the lower prices equals that at the higher ones on the other side.
    let (bids, asks) = ([(10, 105), (5, 102)], [(10, 100), (5, 103)]);
    assert_eq!(uncrosses_at(None, &bids, &asks), "10@100 left 5 to buy");
    assert_eq!(uncrosses_at(Some(102), &bids, &asks), "10@102 left 5 to buy");
    assert_eq!(uncrosses_at(Some(103), &bids, &asks), "10@103 left 5 to sell");
    assert_eq!(uncrosses_at(Some(110), &bids, &asks), "10@105 left 5 to sell");
}

#[test]
fn a_book_that_is_not_crossed_uncrosses_nowhere() {
    assert_eq!(uncrosses_at(Some(100), &[(10, 99)], &[(10, 100)]), "nowhere");
    assert_eq!(uncrosses_at(Some(100), &[(10, 99)], &[]), "nowhere");
}

#[test]
fn better_orders_trade_in_full_and_those_at_the_price_by_priority() {
    check(
        "phase OpeningAuction
         1 buy 4 @ 103 hidden
         2 buy 6 @ 103 display 2
         3 buy 3 @ 103
         3 buy 2 @ 105
         4 sell 8 @ 103
         indicative
         phase Continuous
         book",
        &[
            "phase 0 OpeningAuction",
            "accepted 1 4",
            "accepted 2 6",
            "rested 2 2@103",
            "accepted 3 3",
            "rested 3 3@103",
            "accepted 4 2",
            "rested 4 2@105",
            "accepted 5 8",
            "rested 5 8@103",
            "indicative 8@103",
            "uncrossed 8@103 left 7 to buy",
            "trade 4!<5 2@103",
            "reduced 5 2@103 left 6",
            "trade 2<5 2@103",
            "reduced 2 2@103",
            "reduced 5 2@103 left 4",
            "rested 2 2@103",
            "trade 3!<5 3@103",
            "reduced 5 3@103 left 1",
            "trade 2<5! 1@103",
            "reduced 2 1@103 left 1",
            "reduced 5 1@103",
            "phase 0 Continuous",
            "book 1@103 |",
        ],
    );
}

#[test]
fn hidden_orders_and_whole_icebergs_count() {
    check(
        "phase OpeningAuction
         1 sell 6 @ 100 display 1
         1 sell 4 @ 100 hidden
         2 buy 9 @ 100
         indicative
         phase Continuous
         1 orders
         2 orders",
        &[
            "phase 0 OpeningAuction",
            "accepted 1 6",
            "rested 1 1@100",
            "accepted 2 4",
            "accepted 3 9",
            "rested 3 9@100",
            "indicative 9@100",
            "uncrossed 9@100 left 1 to sell",
            "trade 1<3 1@100",
            "reduced 1 1@100",
            "reduced 3 1@100 left 8",
            "rested 1 1@100",
            "trade 1<3 1@100",
            "reduced 1 1@100",
            "reduced 3 1@100 left 7",
            "rested 1 1@100",
            "trade 1<3 1@100",
            "reduced 1 1@100",
            "reduced 3 1@100 left 6",
            "rested 1 1@100",
            "trade 1<3 1@100",
            "reduced 1 1@100",
            "reduced 3 1@100 left 5",
            "rested 1 1@100",
            "trade 1<3 1@100",
            "reduced 1 1@100",
            "reduced 3 1@100 left 4",
            "rested 1 1@100",
            "trade 1!<3 1@100",
            "reduced 1 1@100",
            "reduced 3 1@100 left 3",
            "trade 2<3! 3@100",
            "reduced 3 3@100",
            "phase 0 Continuous",
            "orders 2",
            "orders",
        ],
    );
}

#[test]
fn the_older_order_is_the_maker_and_both_have_the_one_price() {
    check(
        "with fees 0 10000
         1 sell 1 @ 100
         2 buy 1 @ 100
         phase OpeningAuction
         3 buy 100 @ 105
         4 sell 100 @ 99
         1 sell 100 @ 95
         2 buy 100 @ 101
         phase Continuous
         3 balance
         4 balance",
        &[
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "trade 1!<2! 1@100",
            "phase 0 OpeningAuction",
            "accepted 3 100",
            "rested 3 100@105",
            "accepted 4 100",
            "rested 4 100@99",
            "accepted 5 100",
            "rested 5 100@95",
            "accepted 6 100",
            "rested 6 100@101",
            "uncrossed 200@100",
            "trade 3!<5! 100@100 fees 0 100Q",
            "reduced 5 100@95",
            "trade 4!<6! 100@100 fees 0 1B",
            "reduced 6 100@101",
            "phase 0 Continuous",
            "balance 1000100B 990000Q 1000000C",
            "balance 999900B 1010000Q 1000000C",
        ],
    );
}

#[test]
fn an_account_may_trade_with_itself_in_an_auction() {
    check(
        "phase OpeningAuction
         1 sell 5 @ 100 stp both
         1 buy 5 @ 100 stp taker
         phase Continuous
         1 balance",
        &[
            "phase 0 OpeningAuction",
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@100",
            "uncrossed 5@100",
            "trade 1!<2! 5@100",
            "reduced 2 5@100",
            "phase 0 Continuous",
            "balance 1000000B 1000000Q 1000000C",
        ],
    );
}

#[test]
fn at_open_orders_end_with_the_auction_and_at_close_orders_wait_for_theirs() {
    check(
        "phase PreOpen
         1 buy 5 @ 100 at-open
         2 buy 5 @ 99 at-close
         phase OpeningAuction
         1 buy 2 @ 98 at-open
         2 sell 3 @ 100
         phase Continuous
         book
         restart
         2 orders
         3 buy 1 @ 97 at-close
         4 sell 1 @ 97
         phase ClosingAuction
         book
         3 buy 2 @ 90 day
         4 buy 2 @ 89 at-close
         phase Closed
         book
         2 balance",
        &[
            "phase 0 PreOpen",
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "phase 0 OpeningAuction",
            "accepted 3 2",
            "rested 3 2@98",
            "accepted 4 3",
            "rested 4 3@100",
            "uncrossed 3@100 left 2 to buy",
            "trade 1<4! 3@100",
            "reduced 4 3@100",
            "phase 0 Continuous",
            "reduced 1 2@100",
            "expired 1 3/5 AtOpen",
            "reduced 3 2@98",
            "expired 3 0/2 AtOpen",
            "book |",
            "orders 2",
            "accepted 5 1",
            "accepted 6 1",
            "rested 6 1@97",
            "phase 0 ClosingAuction",
            "rested 2 5@99",
            "rested 5 1@97",
            "book 5@99 1@97 | 1@97",
            "accepted 7 2",
            "rested 7 2@90",
            "accepted 8 2",
            "rested 8 2@89",
            "uncrossed 1@99 left 4 to buy",
            "trade 2<6! 1@99",
            "reduced 2 1@99 left 4",
            "reduced 6 1@97",
            "phase 0 Closed",
            "reduced 2 4@99",
            "expired 2 1/5 AtClose",
            "reduced 5 1@97",
            "expired 5 0/1 AtClose",
            "reduced 7 2@90",
            "expired 7 0/2 Day",
            "reduced 8 2@89",
            "expired 8 0/2 AtClose",
            "book |",
            "balance 999998B 1000201Q 1000000C",
        ],
    );
}

#[test]
fn at_close_orders_go_on_waiting_for_an_auction_that_did_not_come() {
    check(
        "1 sell 6 @ 100 display 2 at-close
         2 buy 3 @ 100 at-close
         phase VolatilityAuction
         indicative
         phase Closed
         1 orders
         phase Continuous
         3 buy 1 @ 100
         phase ClosingAuction
         indicative",
        &[
            "accepted 1 6",
            "accepted 2 3",
            "phase 0 VolatilityAuction",
            "indicative none",
            "phase 0 Closed",
            "orders 1",
            "phase 0 Continuous",
            "accepted 3 1",
            "rested 3 1@100",
            "phase 0 ClosingAuction",
            "rested 1 2@100",
            "rested 2 3@100",
            "indicative 4@100",
        ],
    );
}

#[test]
fn stops_follow_the_auctions_price_when_the_phase_has_changed() {
    check(
        "1 sell 1 @ 100
         2 buy 1 @ 100
         1 buy 5 @ 90
         2 sell 2 stop 95
         phase OpeningAuction
         3 buy 1 @ 94
         4 sell 1 @ 94
         phase Continuous",
        &[
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "trade 1!<2! 1@100",
            "accepted 3 5",
            "rested 3 5@90",
            "accepted 4 2",
            "phase 0 OpeningAuction",
            "accepted 5 1",
            "rested 5 1@94",
            "accepted 6 1",
            "rested 6 1@94",
            "uncrossed 1@94",
            "trade 5!<6! 1@94",
            "reduced 6 1@94",
            "phase 0 Continuous",
            "triggered 4",
            "trade 3<4! 2@90",
        ],
    );
}

#[test]
fn trades_phase_expiries_pegs_and_triggers_come_in_this_order() {
    check(
        "1 sell 1 @ 100
         2 buy 1 @ 100
         1 buy 5 @ 90
         2 buy 1 peg primary
         3 buy 1 stop 105
         phase OpeningAuction
         4 buy 2 @ 95 at-open
         1 buy 1 @ 107
         2 sell 1 @ 106
         2 sell 1 @ 110
         4 buy 1 @ 92
         phase Continuous",
        &[
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "trade 1!<2! 1@100",
            "accepted 3 5",
            "rested 3 5@90",
            "accepted 4 1@90",
            "rested 4 1@90",
            "accepted 5 1",
            "phase 0 OpeningAuction",
            "accepted 6 2",
            "rested 6 2@95",
            "accepted 7 1",
            "rested 7 1@107",
            "accepted 8 1",
            "rested 8 1@106",
            "accepted 9 1",
            "rested 9 1@110",
            "accepted 10 1",
            "rested 10 1@92",
            "uncrossed 1@106",
            "trade 7!<8! 1@106",
            "reduced 8 1@106",
            "phase 0 Continuous",
            "reduced 6 2@95",
            "expired 6 0/2 AtOpen",
            "reduced 4 1@90",
            "repriced 4 92",
            "rested 4 1@92",
            "triggered 5",
            "trade 9!<5! 1@110",
        ],
    );
}

#[test]
fn work_beyond_one_command_continues_first_at_the_same_price() {
    let set_phase = |phase| Command::SetPhase(SetPhase { instrument: InstrumentId(0), phase });
    let bids = u64::from(WORK_PER_COMMAND) + 5;
    for goes_on_by in ["continue", "order"] {
        let mut venue = House::default().open();
        venue.unchecked = true;
        venue.apply(0, set_phase(Phase::OpeningAuction));
        for number in 0..bids {
            let bid = limit(&format!("b{number}"), Side::Buy, 1, 5);
            venue.apply(1, Command::NewOrder(bid));
        }
        for (number, qty) in [(1, 1000), (2, bids - 1000)] {
            let ask = limit(&format!("s{number}"), Side::Sell, qty, 4);
            venue.apply(2, Command::NewOrder(ask));
        }
        let first = venue.apply(0, set_phase(Phase::Continuous));
        assert_eq!(prices(&first), vec![4; WORK_PER_COMMAND as usize], "{goes_on_by}");
        assert!(!first.iter().any(|event| matches!(event, Event::PhaseChanged(_))));
        assert!(venue.engine.has_deferred());
        venue.engine.assert_consistent();
        venue.restart();
        let rest = match goes_on_by {
            "continue" => venue.apply(0, Command::Continue(())),
            _ => venue.apply(3, Command::NewOrder(limit("late", Side::Buy, 1, 9))),
        };
        assert_eq!(prices(&rest), [4; 5], "{goes_on_by}");
        let changed = rest.iter().position(|event| matches!(event, Event::PhaseChanged(_)));
        let accepted = rest.iter().position(|event| matches!(event, Event::OrderAccepted(_)));
        assert!(changed.is_some() && accepted.is_none_or(|accepted| changed < Some(accepted)));
        venue.engine.assert_consistent();
    }
}

fn prices(events: &[Event]) -> Vec<i64> {
    let price = |event: &Event| match event {
        Event::TradeExecuted(trade) => Some(trade.price.ticks()),
        _ => None,
    };
    events.iter().filter_map(price).collect()
}
