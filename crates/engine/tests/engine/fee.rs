//! Fees: rate, basis, rounding, and the receiver.

use crate::script::check;

#[test]
fn each_side_pays_from_its_proceeds() {
    // 1 % for the maker, 2 % for the taker.
    check(
        "with fees 10000 20000
         1 sell 100 @ 50
         2 buy 100 @ 50
         3 buy 100 @ 60
         4 sell 50 @ 60
         1 balance
         2 balance
         3 balance
         4 balance
         0 balance",
        &[
            "accepted 1 100",
            "rested 1 100@50",
            "accepted 2 100",
            "trade 1!<2! 100@50 fees 50Q 2B",
            "accepted 3 100",
            "rested 3 100@60",
            "accepted 4 50",
            "trade 3<4! 50@60 fees 0 60Q",
            "balance 999900B 1004950Q 1000000C",
            "balance 1000098B 995000Q 1000000C",
            "balance 1000050B 994000+3000Q 1000000C",
            "balance 999950B 1002940Q 1000000C",
            "balance 2B 110Q",
        ],
    );
}

#[test]
fn fees_round_down_for_every_fill() {
    check(
        "with fees 10000 19999
         1 sell 1 @ 199
         2 buy 1 @ 199
         1 sell 101 @ 1
         2 buy 51 @ 1
         2 buy 50 @ 1
         0 balance",
        &[
            "accepted 1 1",
            "rested 1 1@199",
            "accepted 2 1",
            "trade 1!<2! 1@199 fees 1Q 0",
            "accepted 3 101",
            "rested 3 101@1",
            "accepted 4 51",
            "trade 3<4! 51@1 fees 0 1B",
            "accepted 5 50",
            "trade 3!<5! 50@1",
            "balance 1B 1Q",
        ],
    );
}

#[test]
fn an_accounts_own_rates_replace_the_instruments() {
    check(
        "with fees 10000 10000
         with account 1 fees=0,50000
         with account 2 fees=1000000,1000000
         1 sell 100 @ 10
         2 buy 100 @ 10
         3 sell 100 @ 10
         1 buy 100 @ 10
         2 balance",
        &[
            "accepted 1 100",
            "rested 1 100@10",
            "accepted 2 100",
            "trade 1!<2! 100@10 fees 0 100B",
            "accepted 3 100",
            "rested 3 100@10",
            "accepted 4 100",
            "trade 3!<4! 100@10 fees 10Q 5B",
            "balance 1000000B 999000Q 1000000C",
        ],
    );
}

#[test]
fn fees_count_smallest_units_not_lots() {
    // One lot of C is ten smallest units, of which 10 % is one.
    check(
        "with account 2 fees=0,100000
         1 sell 1 @ 20 on 1
         2 buy 1 @ 20 on 1
         2 balance
         0 balance",
        &[
            "accepted 1 1",
            "rested 1 1@20",
            "accepted 2 1",
            "trade 1!<2! 1@20 fees 0 1C",
            "balance 1000000B 999900Q 1000009C",
            "balance 0B 0Q 1C",
        ],
    );
}

#[test]
fn the_venue_may_withdraw_its_revenue() {
    check(
        "with fees 10000 20000
         1 sell 100 @ 50
         2 buy 100 @ 50
         0 withdraw 51Q ref w
         0 withdraw 50Q ref w
         0 withdraw 1B ref x
         0 balance",
        &[
            "accepted 1 100",
            "rested 1 100@50",
            "accepted 2 100",
            "trade 1!<2! 100@50 fees 50Q 2B",
            "rejected WithdrawalAboveFree",
            "withdrawn 50 free 0Q",
            "withdrawn 1 free 1B",
            "balance 1B 0Q",
        ],
    );
}
