//! Market-to-limit orders: they take the best price, and rest at it.

use crate::script::check;

#[test]
fn it_trades_at_the_best_price_and_rests_there() {
    check(
        "1 sell 3 @ 100
         1 sell 3 @ 101
         2 buy 5 mtl
         book
         2 balance
         restart
         1 sell 2 @ 99",
        &[
            "accepted 1 3",
            "rested 1 3@100",
            "accepted 2 3",
            "rested 2 3@101",
            "accepted 3 5@100",
            "trade 1!<3 3@100",
            "rested 3 2@100",
            "book 2@100 | 3@101",
            "balance 1000003B 999500+200Q 1000000C",
            "accepted 4 2",
            "trade 3!<4! 2@100",
        ],
    );
}

#[test]
fn the_best_price_may_be_hidden() {
    check(
        "1 sell 1 @ 99 hidden
         1 sell 3 @ 100
         2 buy 2 mtl
         2 buy 9 mtl fok
         2 buy 9 mtl ioc
         book",
        &[
            "accepted 1 1",
            "accepted 2 3",
            "rested 2 3@100",
            "accepted 3 2@99",
            "trade 1!<3 1@99",
            "rested 3 1@99",
            "accepted 4 9@100",
            "expired 4 0/9 FillOrKill",
            "accepted 5 9@100",
            "trade 2!<5 3@100",
            "expired 5 3/9 ImmediateOrCancel",
            "book 1@99 |",
        ],
    );
}

#[test]
fn refusals_in_order_of_precedence() {
    check(
        "with min_qty=2 min_notional=300
         with balance 2 100B 100Q
         1 sell 9 @ 100 as s
         2 buy 5 @ 100 mtl
         2 buy 1 mtl
         2 buy 1001 mtl
         2 buy 2 mtl
         2 buy 5 mtl
         2 sell 1001 mtl
         2 sell 2 mtl
         1 buy 3 mtl as s
         1 buy 3 mtl",
        &[
            "accepted 1 9",
            "rested 1 9@100",
            "rejected OrderTermsInvalid",
            "rejected OrderQtyBelowMin",
            "rejected OrderQtyAboveMax",
            "rejected NotionalBelowMin",
            "rejected InsufficientBalance",
            "rejected NoPegReference",
            "rejected NoPegReference",
            "rejected DuplicateClOrdId",
            "accepted 2 3@100",
            "trade 1<2! 3@100",
        ],
    );
}
