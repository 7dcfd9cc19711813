//! Minimum quantities: all of it at once, or no trade.

use crate::script::{check, play};

#[test]
fn less_than_the_minimum_is_no_trade() {
    check(
        "1 sell 3 @ 100
         1 sell 3 @ 101
         2 buy 10 @ 100 min 4
         2 buy 10 @ 101 min 7
         2 buy 10 @ 101 min 6
         1 sell 1 @ 101",
        &[
            "accepted 1 3",
            "rested 1 3@100",
            "accepted 2 3",
            "rested 2 3@101",
            "accepted 3 10",
            "expired 3 0/10 MinQty",
            "accepted 4 10",
            "expired 4 0/10 MinQty",
            "accepted 5 10",
            "trade 1!<5 3@100",
            "trade 2!<5 3@101",
            "rested 5 4@101",
            "accepted 6 1",
            "trade 5<6! 1@101",
            "reduced 5 1@101 left 3",
        ],
    );
}

#[test]
fn undisplayed_quantity_counts() {
    check(
        "1 sell 6 @ 100 display 2
         1 sell 2 @ 100 hidden
         2 buy 9 @ 100 ioc min 9
         2 buy 9 @ 100 ioc min 8",
        &[
            "accepted 1 6",
            "rested 1 2@100",
            "accepted 2 2",
            "accepted 3 9",
            "expired 3 0/9 MinQty",
            "accepted 4 9",
            "trade 1<4 2@100",
            "reduced 1 2@100",
            "rested 1 2@100",
            "trade 1<4 2@100",
            "reduced 1 2@100",
            "rested 1 2@100",
            "trade 1!<4 2@100",
            "reduced 1 2@100",
            "trade 2!<4 2@100",
            "expired 4 8/9 ImmediateOrCancel",
        ],
    );
}

#[test]
fn a_market_order_counts_the_lots_that_it_can_pay() {
    check(
        "with balance 2 0B 450Q
         1 sell 9 @ 100
         2 buy market 9 min 5 within-balance
         2 buy market quote 430 min 5
         2 buy market 9 min 4 within-balance",
        &[
            "accepted 1 9",
            "rested 1 9@100",
            "accepted 2 9",
            "expired 2 0/9 MinQty",
            "accepted 3 quote 430",
            "expired 3 0/0 MinQty",
            "accepted 4 9",
            "trade 1<4 4@100",
            "expired 4 4/9 BalanceExhausted",
        ],
    );
}

#[test]
fn own_orders_do_not_count() {
    check(
        "1 sell 3 @ 100
         2 sell 3 @ 100
         1 sell 3 @ 100
         1 buy 9 @ 100 fok stp maker
         1 buy 3 @ 100 fok stp taker
         1 buy 3 @ 100 min 1 stp both
         1 buy 3 @ 100 min 1 stp decrement
         2 buy 6 @ 100 fok stp taker
         2 buy 3 @ 100 fok stp taker
         1 buy 3 @ 100 fok stp maker",
        &[
            "accepted 1 3",
            "rested 1 3@100",
            "accepted 2 3",
            "rested 2 3@100",
            "accepted 3 3",
            "rested 3 3@100",
            "accepted 4 9",
            "expired 4 0/9 FillOrKill",
            "accepted 5 3",
            "expired 5 0/3 FillOrKill",
            "accepted 6 3",
            "expired 6 0/3 MinQty",
            "accepted 7 3",
            "expired 7 0/3 MinQty",
            "accepted 8 6",
            "expired 8 0/6 FillOrKill",
            "accepted 9 3",
            "trade 1!<9! 3@100",
            "accepted 10 3",
            "trade 2!<10! 3@100",
        ],
    );
}

/// An iceberg's reserve queues after all displayed orders at its price, so an own order may be in
/// between.
#[test]
fn an_own_order_may_queue_ahead_of_a_reserve() {
    check(
        "1 sell 6 @ 100 display 2
         2 sell 1 @ 100
         2 buy 6 @ 100 fok stp taker
         2 buy 2 @ 100 fok stp taker",
        &[
            "accepted 1 6",
            "rested 1 2@100",
            "accepted 2 1",
            "rested 2 1@100",
            "accepted 3 6",
            "expired 3 0/6 FillOrKill",
            "accepted 4 2",
            "trade 1<4! 2@100",
            "reduced 1 2@100",
            "rested 1 2@100",
        ],
    );
}

#[test]
fn minimum_quantities_are_refused_in_order_of_precedence() {
    check(
        "1 buy 5 @ 100 post min 1
         1 buy 5 @ 100 display 9 min 6
         1 buy 5 @ 100 min 6
         1 buy market 5 min 6
         1 buy 5 @ 100 min 18446744073709551615
         1 buy 5 @ 100 min 5",
        &[
            "rejected OrderTermsInvalid",
            "rejected DisplayQtyOutOfRange",
            "rejected MinQtyAboveOrderQty",
            "rejected MinQtyAboveOrderQty",
            "rejected MinQtyAboveOrderQty",
            "accepted 1 5",
            "expired 1 0/5 MinQty",
        ],
    );
}

#[test]
fn one_that_was_lowered_below_its_minimum_has_to_fill_in_full() {
    for lower in ["3 modify s 2", "3 amend s 2"] {
        let script = format!(
            "1 sell 1 @ 100
             2 buy 1 @ 100
             3 buy 4 @ 95 take 93 min 4 as s
             {lower}
             1 sell 2 @ 95
             2 buy 1 @ 93
             4 sell 1 @ 93"
        );
        let (_, output) = play(&script);
        assert_eq!(output.last().map(String::as_str), Some("trade 4!<3! 2@95"), "{output:?}");
    }
}
