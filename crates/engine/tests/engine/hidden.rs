//! Hidden orders, which market data does not show.

use crate::script::check;

#[test]
fn nothing_is_shown_of_a_hidden_order() {
    check(
        "1 sell 5 @ 100 hidden
         book
         1 orders
         2 buy 3 @ 100
         book
         1 amend #1 4
         1 cancel all",
        &[
            "accepted 1 5",
            "book |",
            "orders 1",
            "accepted 2 3",
            "trade 1<2! 3@100",
            "book |",
            "amended 1 5->4",
            "canceled 1 3/4 CancelAll",
        ],
    );
}

#[test]
fn at_one_price_displayed_orders_trade_first() {
    check(
        "1 sell 5 @ 100 hidden
         2 sell 5 @ 100
         3 sell 5 @ 99 hidden
         3 sell 5 @ 100 hidden
         4 buy 17 @ 100",
        &[
            "accepted 1 5",
            "accepted 2 5",
            "rested 2 5@100",
            "accepted 3 5",
            "accepted 4 5",
            "accepted 5 17",
            "trade 3!<5 5@99",
            "trade 2!<5 5@100",
            "trade 1!<5 5@100",
            "trade 4<5! 2@100",
        ],
    );
}

#[test]
fn an_icebergs_next_part_trades_ahead_of_hidden_orders() {
    check(
        "1 sell 4 @ 100 display 2
         2 sell 2 @ 100 hidden
         3 buy 5 @ 100 fok",
        &[
            "accepted 1 4",
            "rested 1 2@100",
            "accepted 2 2",
            "accepted 3 5",
            "trade 1<3 2@100",
            "reduced 1 2@100",
            "rested 1 2@100",
            "trade 1!<3 2@100",
            "reduced 1 2@100",
            "trade 2<3! 1@100",
        ],
    );
}

#[test]
fn a_hidden_order_is_traded_with_like_any_other() {
    check(
        "1 buy 5 @ 100 hidden
         2 sell 1 @ 100 post
         2 sell 1 @ 101 post
         3 sell market 2
         3 sell market quote 250
         3 sell 9 @ 100 fok
         3 sell 1 @ 100 fok
         book",
        &[
            "accepted 1 5",
            "rejected WouldTakeLiquidity",
            "accepted 2 1",
            "rested 2 1@101",
            "accepted 3 2",
            "trade 1<3! 2@100",
            "accepted 4 quote 250",
            "trade 1<4! 2@100",
            "accepted 5 9",
            "expired 5 0/9 FillOrKill",
            "accepted 6 1",
            "trade 1!<6! 1@100",
            "book | 1@101",
        ],
    );
}

#[test]
fn a_hidden_order_takes_before_it_hides() {
    check(
        "1 sell 2 @ 100
         2 buy 5 @ 100 hidden
         restart
         2 balance
         book
         3 sell 3 @ 99",
        &[
            "accepted 1 2",
            "rested 1 2@100",
            "accepted 2 5",
            "trade 1!<2 2@100",
            "balance 1000002B 999500+300Q 1000000C",
            "book |",
            "accepted 3 3",
            "trade 2!<3! 3@100",
        ],
    );
}

#[test]
fn the_hidden_queue_is_the_same_after_a_restart() {
    check(
        "1 sell 1 @ 100 hidden
         2 sell 1 @ 100 hidden
         3 sell 1 @ 99 hidden
         restart
         1 modify #1 2
         restart
         4 buy 4 @ 100",
        &[
            "accepted 1 1",
            "accepted 2 1",
            "accepted 3 1",
            "modified 1 1@100->2@100",
            "accepted 4 4",
            "trade 3!<4 1@99",
            "trade 2!<4 1@100",
            "trade 1!<4! 2@100",
        ],
    );
}

#[test]
fn immediate_and_market_orders_cannot_hide() {
    check(
        "1 sell 5 @ 100 ioc hidden
         1 sell 5 @ 100 fok hidden
         1 sell market 5 hidden",
        &["rejected OrderTermsInvalid"; 3],
    );
}
