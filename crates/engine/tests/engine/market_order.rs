//! Market orders, by quantity and by quote amount.

use types::{AccountId, Command, OrderSize, RejectReason, Side};

use crate::house::{Driver, House, limit, lots, market, minor};
use crate::script::check;

#[test]
fn a_market_order_takes_any_price() {
    check(
        "1 sell 5 @ 100
         1 sell 5 @ 900
         2 buy market 8
         2 balance
         3 sell market 1
         3 buy market 2
         3 sell market quote 5",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@900",
            "accepted 3 8",
            "trade 1!<3 5@100",
            "trade 2<3! 3@900",
            "balance 1000008B 996800Q 1000000C",
            "rejected NoLiquidity",
            "accepted 4 2",
            "trade 2!<4! 2@900",
            "rejected NoLiquidity",
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
fn a_market_order_beyond_the_free_balance_is_refused() {
    check(
        "with balance 2 5B 1000Q
         1 sell 5 @ 100
         1 sell 5 @ 150
         1 buy 3 @ 40
         1 buy 9 @ 30
         2 buy 1 @ 50
         2 buy market 10
         2 sell market quote 181
         2 sell market quote 180
         2 buy market 9
         2 balance
         2 buy market 1",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@150",
            "accepted 3 3",
            "rested 3 3@40",
            "accepted 4 9",
            "rested 4 9@30",
            "accepted 5 1",
            "rested 5 1@50",
            "rejected InsufficientBalance",
            "accepted 6 quote 181",
            "trade 5!<6 1@50",
            "trade 3!<6! 3@40",
            "rejected InsufficientBalance",
            "accepted 7 9",
            "trade 1!<7 5@100",
            "trade 2<7! 4@150",
            "balance 11B 20Q 1000000C",
            "rejected InsufficientBalance",
        ],
    );
}

/// Own orders that self-trade prevention removes cost nothing, and nothing behind one that stops
/// the order does.
#[test]
fn the_cost_of_a_market_buy_is_what_it_would_trade() {
    check(
        "with balance 2 100B 500Q
         1 sell 2 @ 100 display 1
         2 sell 5 @ 110
         1 sell 2 @ 120 hidden
         1 sell 9 @ 150
         2 buy market 4 stp maker
         2 balance
         1 sell 3 @ 20
         2 sell 1 @ 30
         2 buy market 20 stp taker",
        &[
            "accepted 1 2",
            "rested 1 1@100",
            "accepted 2 5",
            "rested 2 5@110",
            "accepted 3 2",
            "accepted 4 9",
            "rested 4 9@150",
            "accepted 5 4",
            "trade 1<5 1@100",
            "reduced 1 1@100",
            "rested 1 1@100",
            "trade 1!<5 1@100",
            "reduced 1 1@100",
            "prevented 2<5 2@110 ExpireMaker",
            "reduced 2 5@110",
            "expired 2 0/0 SelfTrade",
            "trade 3!<5! 2@120",
            "balance 104B 60Q 1000000C",
            "accepted 6 3",
            "rested 6 3@20",
            "accepted 7 1",
            "rested 7 1@30",
            "accepted 8 20",
            "trade 6!<8 3@20",
            "prevented 7<8 1@30 ExpireTaker",
            "expired 8 3/3 SelfTrade",
        ],
    );
}

#[test]
fn within_the_balance_a_market_order_trades_what_it_pays_for() {
    check(
        "with balance 2 5B 1000Q
         1 sell 5 @ 100
         1 sell 5 @ 150
         2 buy 1 @ 50
         2 buy market 10 within-balance
         2 balance
         2 order #4
         2 buy market quote 900 within-balance
         1 buy 20 @ 10
         2 sell market 14 within-balance
         2 buy 5 @ 5 within-balance",
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
            "balance 13B 0+50Q 1000000C",
            "order 4 unnamed-4 Expired 8/10 =950",
            "rejected InsufficientBalance",
            "accepted 5 20",
            "rested 5 20@10",
            "accepted 6 14",
            "trade 3!<6 1@50",
            "trade 5<6! 13@10",
            "rejected OrderTermsInvalid",
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
         2 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 quote 649",
            "trade 1!<2 5@100",
            "expired 2 5/5 NoLiquidity",
            "order 2 unnamed-2 Expired 5/5 =500",
            "rejected NoLiquidity",
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
fn by_quote_amount_below_one_lot_is_refused() {
    check(
        "1 sell 5 @ 100
         2 buy market quote 99
         1 buy 5 @ 90
         2 sell market quote 89
         2 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "rejected MarketQtyBelowMin",
            "accepted 2 5",
            "rested 2 5@90",
            "rejected MarketQtyBelowMin",
            "balance 1000000B 1000000Q 1000000C",
        ],
    );
}

#[test]
fn by_quote_amount_the_quantity_has_the_bounds_of_a_market_order() {
    use RejectReason::{MarketQtyAboveMax, MarketQtyBelowMin, NoLiquidity};
    let mut house = House::default();
    let spec = &mut house.instruments[0];
    (spec.min_qty, spec.market_max_qty) = (lots(3), lots(8));
    let check = |venue: &Driver, amount, expect: Option<RejectReason>| {
        let buy = market("b", Side::Buy, OrderSize::Quote(minor(amount)));
        let found = venue.engine.check_new_order(AccountId(1), &buy);
        assert_eq!(found.err(), expect, "{amount}");
    };
    let mut venue = house.open();
    venue.apply(2, Command::NewOrder(limit("s", Side::Sell, 6, 100)));
    venue.apply(1, Command::NewOrder(market("b", Side::Buy, OrderSize::Quote(minor(400)))));
    check(&venue, 199, Some(MarketQtyBelowMin));
    check(&venue, 300, Some(NoLiquidity));
    venue.apply(2, Command::NewOrder(limit("t", Side::Sell, 10, 110)));
    for (amount, expect) in [
        (309, Some(MarketQtyBelowMin)),
        (310, None),
        (969, None),
        (970, Some(MarketQtyAboveMax)),
        (10_000, Some(MarketQtyAboveMax)),
    ] {
        check(&venue, amount, expect);
    }
    // A log of the first rules is applied as it was.
    let mut venue = House { rules: 1, ..house }.open();
    venue.apply(2, Command::NewOrder(limit("s", Side::Sell, 9, 100)));
    for amount in [299, 900] {
        check(&venue, amount, None);
    }
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
            "rejected InsufficientBalance",
            "rejected InsufficientBalance",
            "balance 1B 560Q 1000000C",
        ],
    );
}

#[test]
fn by_quote_amount_a_seller_needs_no_more_than_it_sells() {
    check(
        "with balance 2 1B 0Q
         with balance 3 1B 0Q
         1 buy 8 @ 70
         1 buy 9 @ 30
         2 sell market quote 130
         1 cancel #1
         1 buy 1 @ 70
         1 buy 1 @ 65
         3 sell market quote 130",
        &[
            "accepted 1 8",
            "rested 1 8@70",
            "accepted 2 9",
            "rested 2 9@30",
            "accepted 3 quote 130",
            "trade 1<3! 1@70",
            "canceled 1 1/8 Requested",
            "accepted 4 1",
            "rested 4 1@70",
            "accepted 5 1",
            "rested 5 1@65",
            "accepted 6 quote 130",
            "trade 4!<6! 1@70",
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
