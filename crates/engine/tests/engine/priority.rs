//! Priority of resting orders.

use crate::script::check;

#[test]
fn the_better_price_trades_first() {
    check(
        "1 sell 1 @ 102
         1 sell 1 @ 100
         1 sell 1 @ 101
         2 buy 3 @ 110",
        &[
            "accepted 1 1",
            "rested 1 1@102",
            "accepted 2 1",
            "rested 2 1@100",
            "accepted 3 1",
            "rested 3 1@101",
            "accepted 4 3",
            "trade 2!<4 1@100",
            "trade 3!<4 1@101",
            "trade 1!<4! 1@102",
        ],
    );
    check(
        "1 buy 1 @ 98
         1 buy 1 @ 100
         1 buy 1 @ 99
         2 sell 3 @ 90",
        &[
            "accepted 1 1",
            "rested 1 1@98",
            "accepted 2 1",
            "rested 2 1@100",
            "accepted 3 1",
            "rested 3 1@99",
            "accepted 4 3",
            "trade 2!<4 1@100",
            "trade 3!<4 1@99",
            "trade 1!<4! 1@98",
        ],
    );
}

#[test]
fn the_older_order_trades_first_at_one_price() {
    check(
        "1 sell 60 @ 10
         2 sell 60 @ 10
         3 buy 100 @ 10
         3 buy 20 @ 10",
        &[
            "accepted 1 60",
            "rested 1 60@10",
            "accepted 2 60",
            "rested 2 60@10",
            "accepted 3 100",
            "trade 1!<3 60@10",
            "trade 2<3! 40@10",
            "accepted 4 20",
            "trade 2!<4! 20@10",
        ],
    );
}

#[test]
fn a_cancel_in_the_middle_leaves_the_queue_in_order() {
    check(
        "1 sell 1 @ 10 as a
         1 sell 1 @ 10 as b
         1 sell 1 @ 10 as c
         1 cancel b
         2 buy 2 @ 10",
        &[
            "accepted 1 1",
            "rested 1 1@10",
            "accepted 2 1",
            "rested 2 1@10",
            "accepted 3 1",
            "rested 3 1@10",
            "canceled 2 0/1 Requested",
            "accepted 4 2",
            "trade 1!<4 1@10",
            "trade 3!<4! 1@10",
        ],
    );
}

#[test]
fn less_quantity_keeps_the_place_and_a_replace_loses_it() {
    check(
        "1 sell 5 @ 10 as a
         2 sell 5 @ 10 as b
         1 amend a 3
         3 buy 1 @ 10
         1 replace a : sell 2 @ 10 as a
         3 buy 6 @ 10",
        &[
            "accepted 1 5",
            "rested 1 5@10",
            "accepted 2 5",
            "rested 2 5@10",
            "amended 1 5->3",
            "accepted 3 1",
            "trade 1<3! 1@10",
            "canceled 1 1/3 Replaced",
            "accepted 4 2",
            "rested 4 2@10",
            "accepted 5 6",
            "trade 2!<5 5@10",
            "trade 4<5! 1@10",
        ],
    );
}

#[test]
fn the_queue_is_the_same_after_a_restart() {
    check(
        "1 sell 2 @ 11
         1 sell 1 @ 10
         2 sell 2 @ 10
         3 buy 1 @ 9
         4 buy 1 @ 10
         restart
         1 sell 1 @ 10
         4 buy 5 @ 11
         1 sell 1 @ 9",
        &[
            "accepted 1 2",
            "rested 1 2@11",
            "accepted 2 1",
            "rested 2 1@10",
            "accepted 3 2",
            "rested 3 2@10",
            "accepted 4 1",
            "rested 4 1@9",
            "accepted 5 1",
            "trade 2!<5! 1@10",
            "accepted 6 1",
            "rested 6 1@10",
            "accepted 7 5",
            "trade 3!<7 2@10",
            "trade 6!<7 1@10",
            "trade 1!<7! 2@11",
            "accepted 8 1",
            "trade 4!<8! 1@9",
        ],
    );
}
