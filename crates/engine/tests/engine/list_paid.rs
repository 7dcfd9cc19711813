//! Lists whose first order buys what the others sell: OPO and OPOCO.

use crate::script::check;

const ENTRY: &[&str] = &["list 1 Executing", "accepted 1 5", "accepted 2 0", "rested 1 5@100"];

/// An account without a balance of the base asset enters an OPO.
fn check_after_entry(script: &str, expect: &[&str]) {
    let entry = "with balance 1 0B 1000Q\n1 opo entry : buy 5 @ 100 as a : sell 0 @ 110 as b";
    check(&format!("{entry}\n{script}"), &[ENTRY, expect].concat());
}

#[test]
fn the_second_order_sells_what_the_first_has_bought() {
    check_after_entry(
        "1 order b
         2 sell 2 @ 100
         1 balance
         1 sell 1 @ 105
         restart
         2 sell 3 @ 100
         1 balance
         1 order b",
        &[
            "order 2 b New 0/0 =0",
            "accepted 3 2",
            "trade 1<3! 2@100",
            "reduced 1 2@100 left 3",
            "balance 0+2B 500+300Q 1000000C",
            "rejected InsufficientBalance",
            "accepted 4 3",
            "trade 1!<4! 3@100",
            "reduced 1 3@100",
            "triggered 2",
            "rested 2 5@110",
            "balance 0+5B 500Q 1000000C",
            "order 2 b New 0/5 =0",
        ],
    );
}

#[test]
fn a_fee_is_paid_out_of_the_free_balance_if_it_suffices() {
    check(
        "with account 1 fees=100000,100000
         with balance 1 9C 1000Q
         1 opo entry : buy 5 @ 10 on 1 : sell 0 @ 12 on 1
         2 sell 3 @ 10 on 1
         1 balance
         2 sell 2 @ 10 on 1
         1 balance",
        &[
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 0",
            "rested 1 5@10",
            "accepted 3 3",
            "trade 1<3! 3@10 fees 3C 0",
            "reduced 1 3@10 left 2",
            "balance 1000000B 750+100Q 6+30C",
            "accepted 4 2",
            "trade 1!<4! 2@10 fees 2C 0",
            "reduced 1 2@10",
            "triggered 2",
            "rested 2 5@12",
            "balance 1000000B 750Q 4+50C",
        ],
    );
}

#[test]
fn a_fee_otherwise_lowers_the_quantity_to_whole_lots() {
    check(
        "with account 1 fees=100000,100000
         with balance 1 2C 1000Q
         1 opo entry : buy 5 @ 10 on 1 : sell 0 @ 12 on 1
         2 sell 3 @ 10 on 1
         1 balance
         restart
         2 sell 2 @ 10 on 1
         1 balance",
        &[
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 0",
            "rested 1 5@10",
            "accepted 3 3",
            "trade 1<3! 3@10 fees 3C 0",
            "reduced 1 3@10 left 2",
            "balance 1000000B 750+100Q 2+27C",
            "accepted 4 2",
            "trade 1!<4! 2@10 fees 2C 0",
            "reduced 1 2@10",
            "triggered 2",
            "rested 2 4@12",
            "balance 1000000B 750Q 7+40C",
        ],
    );
}

#[test]
fn both_legs_sell_what_the_first_order_has_bought() {
    check(
        "with balance 1 0B 1000Q
         2 sell 5 @ 100
         1 opoco bracket : buy 5 @ 100 : sell 0 @ 110 post : sell 0 @ 88 stop 90
         1 balance
         restart
         2 buy 5 @ 110",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "list 1 Executing",
            "accepted 2 5",
            "accepted 3 0",
            "accepted 4 0",
            "trade 1!<2! 5@100",
            "triggered 3",
            "rested 3 5@110",
            "triggered 4",
            "balance 0+5B 500Q 1000000C",
            "accepted 5 5",
            "trade 3!<5! 5@110",
            "reduced 3 5@110",
            "expired 4 0/5 OrderList",
            "list 1 AllDone",
        ],
    );
}

#[test]
fn a_market_order_sells_it_at_once() {
    check(
        "with balance 1 0B 1000Q
         3 buy 9 @ 99
         1 opo flip : buy 5 @ 100 : sell market 0
         2 sell 5 @ 100
         1 balance",
        &[
            "accepted 1 9",
            "rested 1 9@99",
            "list 1 Executing",
            "accepted 2 5",
            "accepted 3 0",
            "rested 2 5@100",
            "accepted 4 5",
            "trade 2!<4! 5@100",
            "reduced 2 5@100",
            "triggered 3",
            "trade 1<3! 5@99",
            "list 1 AllDone",
            "balance 0B 995Q 1000000C",
        ],
    );
}

#[test]
fn a_canceled_list_frees_what_was_bought() {
    const TRADED: &[&str] = &["accepted 3 2", "trade 1<3! 2@100", "reduced 1 2@100 left 3"];
    check_after_entry(
        "2 sell 2 @ 100
         1 cancel-list entry
         1 balance",
        &[
            TRADED,
            &[
                "reduced 1 3@100",
                "canceled 1 2/5 Requested",
                "canceled 2 0/0 Requested",
                "list 1 AllDone",
                "balance 2B 800Q 1000000C",
            ],
        ]
        .concat(),
    );
    check_after_entry(
        "2 sell 2 @ 100
         1 cancel b
         1 balance",
        &[
            TRADED,
            &[
                "canceled 2 0/0 Requested",
                "reduced 1 3@100",
                "canceled 1 2/5 OrderList",
                "list 1 AllDone",
                "balance 2B 800Q 1000000C",
            ],
        ]
        .concat(),
    );
}

#[test]
fn an_order_without_enough_to_sell_expires() {
    check(
        "with account 1 fees=100000,100000
         with balance 1 0C 1000Q
         1 opo entry : buy 1 @ 10 on 1 : sell 0 @ 12 on 1
         2 sell 1 @ 10 on 1
         1 balance",
        &[
            "list 1 Executing",
            "accepted 1 1",
            "accepted 2 0",
            "rested 1 1@10",
            "accepted 3 1",
            "trade 1!<3! 1@10 fees 1C 0",
            "reduced 1 1@10",
            "expired 2 0/0 NotAllowed",
            "list 1 AllDone",
            "balance 1000000B 950Q 9C",
        ],
    );
    check(
        "with min_notional=50
         1 opo entry : buy 1 @ 60 : sell 0 @ 40 stop 50
         2 sell 1 @ 60",
        &[
            "list 1 Executing",
            "accepted 1 1",
            "accepted 2 0",
            "rested 1 1@60",
            "accepted 3 1",
            "trade 1!<3! 1@60",
            "reduced 1 1@60",
            "expired 2 0/1 NotAllowed",
            "list 1 AllDone",
        ],
    );
}

#[test]
fn an_order_sells_no_more_than_its_largest_quantity() {
    check(
        "with market_max_qty=3
         with balance 1 0B 1000Q
         3 buy 9 @ 99
         1 opo flip : buy 5 @ 100 : sell market 0
         2 sell 5 @ 100
         1 balance",
        &[
            "accepted 1 9",
            "rested 1 9@99",
            "list 1 Executing",
            "accepted 2 5",
            "accepted 3 0",
            "rested 2 5@100",
            "accepted 4 5",
            "trade 2!<4! 5@100",
            "reduced 2 5@100",
            "triggered 3",
            "trade 1<3! 3@99",
            "list 1 AllDone",
            "balance 2B 797Q 1000000C",
        ],
    );
}

#[test]
fn the_quantity_cannot_be_amended_before_the_first_order_has_filled() {
    check_after_entry(
        "1 amend b 3
         1 modify b 3
         1 amend a 4
         2 sell 4 @ 100
         1 amend b 3",
        &[
            "rejected AmendNotAllowed",
            "rejected AmendNotAllowed",
            "reduced 1 1@100 left 4",
            "amended 1 5->4",
            "accepted 3 4",
            "trade 1!<3! 4@100",
            "reduced 1 4@100",
            "triggered 2",
            "rested 2 4@110",
            "reduced 2 1@110 left 3",
            "amended 2 4->3",
        ],
    );
}

#[test]
fn forbidden_orders_of_paid_lists() {
    check(
        "1 opo entry : sell 5 @ 100 : sell 0 @ 110
         1 opo entry : buy 5 @ 100 : buy 0 @ 90
         1 opo entry : buy 5 @ 100 : sell 5 @ 110
         1 opo entry : buy 5 stop 100 : sell 0 @ 110
         1 opo entry : buy 5 @ 100
         1 opoco entry : buy 5 @ 100 : sell 0 @ 110 post : sell 0 stop 120
         1 opoco entry : buy 5 @ 100 : sell 0 @ 110 post : sell 5 stop 90
         1 opo entry : buy 5 @ 100 : sell 0 @ 1001
         1 oto entry : buy 5 @ 100 : sell 0 @ 110",
        &[
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected PriceAboveMax",
            "rejected OrderQtyBelowMin",
        ],
    );
}

#[test]
fn accounts_without_balances_sell_all_that_they_have_bought() {
    check(
        "with account 1 fees=100000,100000
         1 withdraw 1000000B ref w1
         1 withdraw 1000000Q ref w2
         1 withdraw 1000000C ref w3
         1 risk limits
         1 opo entry : buy 5 @ 10 on 1 : sell 0 @ 12 on 1
         2 sell 5 @ 10 on 1",
        &[
            "withdrawn 1000000 free 0B",
            "withdrawn 1000000 free 0Q",
            "withdrawn 1000000 free 0C",
            "risk 1 Limits",
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 0",
            "rested 1 5@10",
            "accepted 3 5",
            "trade 1!<3! 5@10 fees 5C 0",
            "reduced 1 5@10",
            "triggered 2",
            "rested 2 5@12",
        ],
    );
}
