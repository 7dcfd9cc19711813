//! Limit orders and their times in force.

use types::{Event, InstrumentId, NewOrder, OrderStatus, Side, StpMode};

use crate::house::{House, limit};
use crate::script::check;

#[test]
fn a_limit_order_rests_and_holds_its_largest_cost() {
    check(
        "1 buy 10 @ 100
         1 sell 7 @ 101
         1 balance
         book",
        &[
            "accepted 1 10",
            "rested 1 10@100",
            "accepted 2 7",
            "rested 2 7@101",
            "balance 999993+7B 999000+1000Q 1000000C",
            "book 10@100 | 7@101",
        ],
    );
}

#[test]
fn a_limit_order_trades_first_and_rests_with_the_remainder() {
    check(
        "1 sell 4 @ 100
         2 buy 10 @ 100
         2 balance
         book",
        &[
            "accepted 1 4",
            "rested 1 4@100",
            "accepted 2 10",
            "trade 1!<2 4@100",
            "rested 2 6@100",
            "balance 1000004B 999000+600Q 1000000C",
            "book 6@100 |",
        ],
    );
}

#[test]
fn an_order_rests_above_the_market_when_the_other_side_is_empty() {
    check(
        "1 sell 4 @ 90
         2 buy 10 @ 100
         3 sell 6 @ 95
         book",
        &[
            "accepted 1 4",
            "rested 1 4@90",
            "accepted 2 10",
            "trade 1!<2 4@90",
            "rested 2 6@100",
            "accepted 3 6",
            "trade 2!<3! 6@100",
            "book |",
        ],
    );
}

#[test]
fn price_improvement_gives_back_the_difference_of_the_hold() {
    check(
        "1 sell 5 @ 90
         1 sell 5 @ 95
         2 buy 12 @ 100
         2 balance
         1 balance
         2 cancel #3
         2 balance",
        &[
            "accepted 1 5",
            "rested 1 5@90",
            "accepted 2 5",
            "rested 2 5@95",
            "accepted 3 12",
            "trade 1!<3 5@90",
            "trade 2!<3 5@95",
            "rested 3 2@100",
            "balance 1000010B 998875+200Q 1000000C",
            "balance 999990B 1000925Q 1000000C",
            "canceled 3 10/12 Requested",
            "balance 1000010B 999075Q 1000000C",
        ],
    );
}

#[test]
fn immediate_or_cancel_takes_the_available_quantity() {
    check(
        "1 sell 5 @ 90
         1 sell 5 @ 101
         2 buy 12 @ 100 ioc
         2 balance
         2 buy 1 @ 99 ioc
         2 sell 3 @ 90 ioc
         2 orders
         2 balance",
        &[
            "accepted 1 5",
            "rested 1 5@90",
            "accepted 2 5",
            "rested 2 5@101",
            "accepted 3 12",
            "trade 1!<3 5@90",
            "expired 3 5/12 ImmediateOrCancel",
            "balance 1000005B 999550Q 1000000C",
            "accepted 4 1",
            "expired 4 0/1 ImmediateOrCancel",
            "accepted 5 3",
            "expired 5 0/3 ImmediateOrCancel",
            "orders",
            "balance 1000005B 999550Q 1000000C",
        ],
    );
}

#[test]
fn immediate_or_cancel_that_is_filled_does_not_expire() {
    check(
        "1 sell 5 @ 90
         2 buy 5 @ 100 ioc
         2 balance",
        &[
            "accepted 1 5",
            "rested 1 5@90",
            "accepted 2 5",
            "trade 1!<2! 5@90",
            "balance 1000005B 999550Q 1000000C",
        ],
    );
}

#[test]
fn fill_or_kill_is_all_or_nothing() {
    check(
        "1 sell 5 @ 90
         1 sell 5 @ 95
         1 sell 5 @ 101
         2 buy 11 @ 100 fok
         2 balance
         2 buy 10 @ 100 fok
         2 balance
         book",
        &[
            "accepted 1 5",
            "rested 1 5@90",
            "accepted 2 5",
            "rested 2 5@95",
            "accepted 3 5",
            "rested 3 5@101",
            "accepted 4 11",
            "expired 4 0/11 FillOrKill",
            "balance 1000000B 1000000Q 1000000C",
            "accepted 5 10",
            "trade 1!<5 5@90",
            "trade 2!<5! 5@95",
            "balance 1000010B 999075Q 1000000C",
            "book | 5@101",
        ],
    );
}

#[test]
fn fill_or_kill_by_a_seller() {
    check(
        "1 buy 5 @ 100
         1 buy 5 @ 99
         2 sell 6 @ 100 fok
         2 sell 6 @ 99 fok
         2 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@99",
            "accepted 3 6",
            "expired 3 0/6 FillOrKill",
            "accepted 4 6",
            "trade 1!<4 5@100",
            "trade 2<4! 1@99",
            "balance 999994B 1000599Q 1000000C",
        ],
    );
}

#[test]
fn post_only_rests_or_is_refused() {
    check(
        "1 sell 5 @ 100
         2 buy post 5 @ 100
         2 buy post 5 @ 99
         1 sell post 5 @ 99
         1 sell post 5 @ 98
         1 sell post 5 @ 100
         book
         2 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "rejected WouldTakeLiquidity",
            "accepted 2 5",
            "rested 2 5@99",
            "rejected WouldTakeLiquidity",
            "rejected WouldTakeLiquidity",
            "accepted 3 5",
            "rested 3 5@100",
            "book 5@99 | 10@100",
            "balance 1000000B 999505+495Q 1000000C",
        ],
    );
}

#[test]
fn an_account_trades_with_itself() {
    check(
        "1 sell 5 @ 100
         1 buy 3 @ 100
         1 balance
         1 trades",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 3",
            "trade 1<2! 3@100",
            "balance 999998+2B 1000000Q 1000000C",
            "trades 1:1:maker 1:2:taker",
        ],
    );
}

#[test]
fn instruments_count_in_their_own_units() {
    check(
        "1 sell 3 @ 20 on 1
         2 buy 5 @ 21 on 1
         1 balance
         2 balance
         book on 1
         book",
        &[
            "accepted 1 3",
            "rested 1 3@20",
            "accepted 2 5",
            "trade 1!<2 3@20",
            "rested 2 2@21",
            "balance 1000000B 1000300Q 999970C",
            "balance 1000000B 999490+210Q 1000030C",
            "book 2@21 |",
            "book |",
        ],
    );
}

#[test]
fn events_show_the_whole_order() {
    let mut venue = House::default().open();
    let request = NewOrder {
        stp_mode: StpMode::ExpireBoth,
        strategy_id: Some(-7),
        strategy_type: Some(1_000_000),
        instrument: InstrumentId(1),
        ..limit("mine", Side::Sell, 4, 30)
    };
    let events = venue.apply(1, types::Command::NewOrder(request));
    let [Event::OrderAccepted(accepted), Event::OrderRested(_)] = events[..] else {
        panic!("{events:?}");
    };
    let order = accepted.order;
    assert_eq!(order.stp_mode, StpMode::ExpireBoth);
    assert_eq!((order.strategy_id, order.strategy_type), (Some(-7), Some(1_000_000)));
    assert_eq!(order.status, OrderStatus::New);
    assert_eq!((order.created_ns, order.updated_ns), (venue.now_ns, venue.now_ns));

    let taker = NewOrder { instrument: InstrumentId(1), ..limit("other", Side::Buy, 1, 30) };
    let events = venue.apply(2, types::Command::NewOrder(taker));
    let [_, Event::TradeExecuted(trade)] = events[..] else { panic!("{events:?}") };
    let maker = trade.maker.order;
    assert_eq!(maker.status, OrderStatus::PartiallyFilled);
    assert_eq!((maker.created_ns, maker.updated_ns), (venue.now_ns - 1, venue.now_ns));
    assert_eq!((maker.strategy_id, maker.stp_mode), (Some(-7), StpMode::ExpireBoth));
    assert_eq!((trade.quote.minor(), trade.side), (150, Side::Buy));
    assert_eq!(trade.taker.order.cum_quote.minor(), 150);
}

#[test]
fn every_order_ends_once_with_one_cause() {
    check(
        "1 sell 5 @ 100
         2 buy 3 @ 100
         2 buy 4 @ 100
         1 buy 1 @ 99 ioc
         2 cancel #3
         2 cancel #3
         2 amend #3 1
         2 cancel #2",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 3",
            "trade 1<2! 3@100",
            "accepted 3 4",
            "trade 1!<3 2@100",
            "rested 3 2@100",
            "accepted 4 1",
            "expired 4 0/1 ImmediateOrCancel",
            "canceled 3 2/4 Requested",
            "rejected OrderNotFound",
            "rejected OrderNotFound",
            "rejected OrderNotFound",
        ],
    );
}
