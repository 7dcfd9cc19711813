//! Replaces: one order canceled and another entered, in one command.

use crate::script::check;

#[test]
fn the_freed_amount_counts_for_the_new_order() {
    check(
        "with balance 1 100B 1000Q
         with account 1 orders=1
         1 buy 10 @ 100 as a
         1 buy 1 @ 10 as b
         1 replace a : buy 20 @ 50 as a
         1 balance
         1 replace a : sell 100 @ 60
         1 balance",
        &[
            "accepted 1 10",
            "rested 1 10@100",
            "rejected TooManyAccountOrders",
            "canceled 1 0/10 Replaced",
            "accepted 2 20",
            "rested 2 20@50",
            "balance 100B 0+1000Q 1000000C",
            "canceled 2 0/20 Replaced",
            "accepted 3 100",
            "rested 3 100@60",
            "balance 0+100B 1000Q 1000000C",
        ],
    );
}

#[test]
fn a_refused_new_order_leaves_the_old_one_canceled() {
    check(
        "with balance 1 0B 100Q
         1 buy 10 @ 10 as a
         1 replace a : buy 11 @ 10 as b
         1 orders
         1 balance",
        &[
            "accepted 1 10",
            "rested 1 10@10",
            "canceled 1 0/10 Replaced",
            "rejected InsufficientBalance",
            "orders",
            "balance 0B 100Q 1000000C",
        ],
    );
}

/// Filters and the order rate are checked while the old order stands, and the rest when it is gone.
#[test]
fn a_new_order_that_fails_a_filter_leaves_the_old_one_alone() {
    check(
        "with min_qty=2
         rules max_stop_orders=1 max_position=1000040
         1 buy 5 @ 10 as a
         2 sell 5 @ 20 as s
         1 replace a : buy 1 @ 10
         1 replace! a : buy 0 @ 10
         1 replace a : buy 5 @ 10 stop 10 display 6
         1 replace a : buy 41 @ 10
         1 replace a : buy 20 @ 10 as b
         1 buy 5 stop 90 as c
         1 replace b : buy 5 stop 91
         1 replace c : buy 5 stop 91 as d
         1 orders
         1 replace b : buy 20 @ 20 post
         1 orders",
        &[
            "rules 0",
            "accepted 1 5",
            "rested 1 5@10",
            "accepted 2 5",
            "rested 2 5@20",
            "rejected OrderQtyBelowMin",
            "rejected OrderQtyBelowMin",
            "rejected DisplayQtyOutOfRange",
            "rejected PositionAboveMax",
            "canceled 1 0/5 Replaced",
            "accepted 3 20",
            "rested 3 20@10",
            "accepted 4 5",
            "rejected TooManyStopOrders",
            "canceled 4 0/5 Replaced",
            "accepted 5 5",
            "orders 3 5",
            "canceled 3 0/20 Replaced",
            "rejected WouldTakeLiquidity",
            "orders 5",
        ],
    );
}

#[test]
fn the_orders_of_a_canceled_list_count_as_gone() {
    check(
        "with account 1 orders=2
         1 oco exit : sell 5 @ 110 post as a : sell 5 stop 90 as b
         1 replace a : sell 5 @ 100 as c
         1 replace c : sell 5 @ 101 as d
         1 buy 1 @ 10
         1 replace a : sell 1 @ 100
         1 orders",
        &[
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "rested 1 5@110",
            "reduced 1 5@110",
            "canceled 1 0/5 Replaced",
            "canceled 2 0/5 OrderList",
            "list 1 AllDone",
            "accepted 3 5",
            "rested 3 5@100",
            "canceled 3 0/5 Replaced",
            "accepted 4 5",
            "rested 4 5@101",
            "accepted 5 1",
            "rested 5 1@10",
            "rejected TooManyAccountOrders",
            "orders 4 5",
        ],
    );
}

#[test]
fn an_order_rate_stops_a_replace_or_its_new_order_only() {
    check(
        "1 risk cash per10s=3
         1 buy 1 @ 10 as a
         1 replace nope : buy 1 @ 10
         1 replace a : buy 2 @ 10 as b
         1 replace b : buy 3 @ 10
         1 replace! b : buy 3 @ 10
         1 replace b limited : buy 0 @ 10
         1 replace nope limited : buy 3 @ 10
         1 replace! nope limited : buy 3 @ 10
         1 orders
         1 replace b limited : buy 3 @ 10
         1 orders",
        &[
            "risk 1 Cash",
            "accepted 1 1",
            "rested 1 1@10",
            "rejected cancel OrderNotFound",
            "rejected NotAttempted",
            "canceled 1 0/1 Replaced",
            "accepted 2 2",
            "rested 2 2@10",
            "rejected OrderRateAboveMax",
            "rejected OrderRateAboveMax",
            "rejected OrderQtyBelowMin",
            "rejected cancel OrderNotFound",
            "rejected OrderRateAboveMax",
            "rejected cancel OrderNotFound",
            "rejected OrderRateAboveMax",
            "orders 2",
            "canceled 2 0/2 Replaced",
            "rejected OrderRateAboveMax",
            "orders",
        ],
    );
}

#[test]
fn when_the_cancel_fails_the_mode_decides() {
    check(
        "1 replace nope : buy 1 @ 10
         1 replace! nope : buy 1 @ 10
         1 replace! nope : buy 0 @ 10
         1 orders",
        &[
            "rejected cancel OrderNotFound",
            "rejected NotAttempted",
            "rejected cancel OrderNotFound",
            "accepted 1 1",
            "rested 1 1@10",
            "rejected OrderQtyBelowMin",
            "orders 1",
        ],
    );
}

#[test]
fn a_restricted_cancel_stops_a_replace() {
    check(
        "1 buy 2 @ 10 as a
         2 sell 1 @ 10
         1 replace a only-new : buy 2 @ 11
         1 replace a only-partial : buy 2 @ 11
         1 orders",
        &[
            "accepted 1 2",
            "rested 1 2@10",
            "accepted 2 1",
            "trade 1<2! 1@10",
            "rejected cancel CancelRestricted",
            "rejected NotAttempted",
            "canceled 1 1/2 Replaced",
            "accepted 3 2",
            "rested 3 2@11",
            "orders 3",
        ],
    );
}

#[test]
fn the_new_order_may_trade_at_once_and_elsewhere() {
    check(
        "1 buy 2 @ 10 as a
         2 sell 2 @ 20
         1 replace a : buy 3 @ 20 as a
         1 replace a : sell 1 @ 9 on 1 as a
         1 orders
         1 orders on 1",
        &[
            "accepted 1 2",
            "rested 1 2@10",
            "accepted 2 2",
            "rested 2 2@20",
            "canceled 1 0/2 Replaced",
            "accepted 3 3",
            "trade 2!<3 2@20",
            "rested 3 1@20",
            "canceled 3 2/3 Replaced",
            "accepted 1 1",
            "rested 1 1@9",
            "orders",
            "orders 1",
        ],
    );
}

#[test]
fn refusals_of_both_halves() {
    check(
        "9 replace a : buy 1 @ 10
         9 replace! a : buy 1 @ 10
         1 replace! a on 7 : buy 1 @ 10 on 8",
        &["rejected UnknownAccount", "rejected UnknownAccount", "rejected UnknownInstrument"],
    );
}

#[test]
fn over_two_instruments_one_is_followed_up_to_its_end_and_then_the_other() {
    check(
        "2 buy 1 @ 99
         1 buy 1 @ 100 as a
         2 sell 9 @ 105
         3 buy 1 peg primary
         4 sell 1 @ 90 stop 99
         2 buy 1 @ 99 on 1
         2 sell 9 @ 105 on 1
         3 buy 1 peg primary on 1
         1 replace a : buy 5 @ 100 on 1 as b
         1 replace b on 1 : buy 1 @ 80",
        &[
            "accepted 1 1",
            "rested 1 1@99",
            "accepted 2 1",
            "rested 2 1@100",
            "accepted 3 9",
            "rested 3 9@105",
            "accepted 4 1@100",
            "rested 4 1@100",
            "accepted 5 1",
            "accepted 1 1",
            "rested 1 1@99",
            "accepted 2 9",
            "rested 2 9@105",
            "accepted 3 1@99",
            "rested 3 1@99",
            "canceled 2 0/1 Replaced",
            "accepted 4 5",
            "rested 4 5@100",
            // The instrument of the cancel: the peg, and the stop that the bid has reached.
            "reduced 4 1@100",
            "repriced 4 99",
            "rested 4 1@99",
            "triggered 5",
            "trade 1!<5! 1@99",
            // The instrument of the new order.
            "reduced 3 1@99",
            "repriced 3 100",
            "rested 3 1@100",
            "canceled 4 0/5 Replaced",
            "accepted 6 1",
            "rested 6 1@80",
            "reduced 3 1@100",
            "repriced 3 99",
            "rested 3 1@99",
            "reduced 4 1@99",
            "repriced 4 80",
            "rested 4 1@80",
        ],
    );
}
