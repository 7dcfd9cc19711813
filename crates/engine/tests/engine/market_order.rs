//! Market orders, by quantity and by quote amount.

use crate::script::check;

#[test]
fn a_market_order_takes_any_price() {
    check(
        "1 sell 5 @ 100
         1 sell 5 @ 900
         2 buy market 8
         2 balance
         3 sell market 1",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@900",
            "accepted 3 8",
            "trade 1!<3 5@100",
            "trade 2<3! 3@900",
            "balance 1000008B 996800Q 1000000C",
            "accepted 4 1",
            "expired 4 0/1 NoLiquidity",
        ],
    );
}

#[test]
fn a_market_order_never_rests() {
    check(
        "1 sell 5 @ 100
         2 buy market 8
         2 order #2
         book",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 8",
            "trade 1!<2 5@100",
            "expired 2 5/8 NoLiquidity",
            "order 2 unnamed-2 Expired 5/8 =500",
            "book |",
        ],
    );
}

#[test]
fn a_market_buy_is_bounded_by_the_free_balance() {
    check(
        "with balance 2 1000Q
         1 sell 5 @ 100
         1 sell 5 @ 150
         2 buy 1 @ 50
         2 buy market 10
         2 balance
         2 order #4",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@150",
            "accepted 3 1",
            "rested 3 1@50",
            "accepted 4 10",
            "trade 1!<4 5@100",
            "trade 2<4 3@150",
            "expired 4 8/10 BalanceExhausted",
            "balance 1000008B 0+50Q 1000000C",
            "order 4 unnamed-4 Expired 8/10 =950",
        ],
    );
}

#[test]
fn an_account_must_own_the_size_of_its_market_order() {
    check(
        "with balance 2 5B 99Q
         1 sell 5 @ 100
         1 buy 5 @ 90
         2 buy market 1
         2 buy market quote 100
         2 sell market 6
         2 sell market 5",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@90",
            "rejected InsufficientBalance",
            "rejected InsufficientBalance",
            "rejected InsufficientBalance",
            "accepted 3 5",
            "trade 2!<3! 5@90",
        ],
    );
}

#[test]
fn by_quote_amount_it_buys_whole_lots() {
    check(
        "1 sell 5 @ 100
         1 sell 5 @ 150
         2 buy market quote 1000
         2 order #3
         2 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@150",
            "accepted 3 quote 1000",
            "trade 1!<3 5@100",
            // 50 remain, and the next lot costs 150.
            "trade 2<3! 3@150",
            "order 3 unnamed-3 Filled 8/8 =950",
            "balance 1000008B 999050Q 1000000C",
        ],
    );
}

#[test]
fn by_quote_amount_a_rest_too_small_for_the_next_price_is_filled() {
    check(
        "1 sell 5 @ 100
         1 sell 5 @ 150
         2 buy market quote 649
         2 order #3",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@150",
            "accepted 3 quote 649",
            "trade 1!<3! 5@100",
            "order 3 unnamed-3 Filled 5/5 =500",
        ],
    );
}

#[test]
fn by_quote_amount_an_empty_book_ends_it() {
    check(
        "1 sell 5 @ 100
         2 buy market quote 649
         2 order #2
         2 buy market quote 100
         2 order #3
         2 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 quote 649",
            "trade 1!<2 5@100",
            "expired 2 5/5 NoLiquidity",
            "order 2 unnamed-2 Expired 5/5 =500",
            "accepted 3 quote 100",
            "expired 3 0/0 NoLiquidity",
            "order 3 unnamed-3 Expired 0/0 =0",
            "balance 1000005B 999500Q 1000000C",
        ],
    );
}

#[test]
fn by_quote_amount_it_may_spend_all_on_the_last_offer() {
    check(
        "1 sell 5 @ 100
         2 buy market quote 500",
        &["accepted 1 5", "rested 1 5@100", "accepted 2 quote 500", "trade 1!<2! 5@100"],
    );
}

#[test]
fn by_quote_amount_below_one_lot_expires() {
    check(
        "1 sell 5 @ 100
         2 buy market quote 99
         1 buy 5 @ 90
         2 sell market quote 89
         2 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 quote 99",
            "expired 2 0/0 BelowOneLot",
            "accepted 3 5",
            "rested 3 5@90",
            "accepted 4 quote 89",
            "expired 4 0/0 BelowOneLot",
            "balance 1000000B 1000000Q 1000000C",
        ],
    );
}

#[test]
fn by_quote_amount_a_seller_sells_the_lots_that_earn_it() {
    check(
        "with balance 2 7B 0Q
         1 buy 5 @ 100
         1 buy 5 @ 60
         2 sell market quote 600
         2 order #3
         2 sell market quote 1000
         2 sell market quote 1000
         2 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@60",
            "accepted 3 quote 600",
            "trade 1!<3 5@100",
            "trade 2<3! 1@60",
            "order 3 unnamed-3 Filled 6/6 =560",
            "accepted 4 quote 1000",
            "trade 2<4 1@60",
            "expired 4 1/1 BalanceExhausted",
            "rejected InsufficientBalance",
            "balance 0B 620Q 1000000C",
        ],
    );
}

#[test]
fn by_quote_amount_an_account_may_trade_with_itself() {
    check(
        "with balance 1 5B 500Q
         1 sell 5 @ 100
         1 buy market quote 500
         1 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 quote 500",
            "trade 1!<2! 5@100",
            "balance 5B 500Q 1000000C",
        ],
    );
}
