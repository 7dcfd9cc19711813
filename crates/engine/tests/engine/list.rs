//! Orders that depend on each other: OCO, OTO, OTOCO.

use crate::script::check;

const EXIT: &[&str] = &["list 1 Executing", "accepted 1 5", "accepted 2 5", "rested 1 5@110"];

fn check_after_exit(script: &str, expect: &[&str]) {
    let script = format!("1 oco exit : sell 5 @ 110 post as a : sell 5 stop 90 as b\n{script}");
    check(&script, &[EXIT, expect].concat());
}

#[test]
fn when_one_leg_trades_the_other_expires() {
    check_after_exit(
        "2 buy 2 @ 110
         2 buy 3 @ 110",
        &[
            "accepted 3 2",
            "trade 1<3! 2@110",
            "reduced 1 2@110 left 3",
            "expired 2 0/5 OrderList",
            "accepted 4 3",
            "trade 1!<4! 3@110",
            "reduced 1 3@110",
            "list 1 AllDone",
        ],
    );
}

#[test]
fn when_one_leg_is_triggered_the_other_expires() {
    check_after_exit(
        "2 buy 1 @ 90",
        &[
            "accepted 3 1",
            "rested 3 1@90",
            "triggered 2",
            "reduced 1 5@110",
            "expired 1 0/5 OrderList",
            "trade 3!<2 1@90",
            "expired 2 1/5 NoLiquidity",
            "list 1 AllDone",
        ],
    );
}

#[test]
fn canceling_one_order_cancels_the_list() {
    check_after_exit(
        "1 cancel b",
        &[
            "canceled 2 0/5 Requested",
            "reduced 1 5@110",
            "canceled 1 0/5 OrderList",
            "list 1 AllDone",
        ],
    );
    check_after_exit(
        "1 cancel-list exit",
        &[
            "reduced 1 5@110",
            "canceled 1 0/5 Requested",
            "canceled 2 0/5 Requested",
            "list 1 AllDone",
        ],
    );
}

#[test]
fn both_legs_together_hold_the_larger_amount() {
    check(
        "with balance 1 5B
         1 oco exit : sell 5 @ 110 post : sell 5 @ 88 stop 90
         1 sell 1 @ 120
         restart
         1 cancel-list exit
         1 sell 5 @ 120",
        &[
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "rested 1 5@110",
            "rejected InsufficientBalance",
            "reduced 1 5@110",
            "canceled 1 0/5 Requested",
            "canceled 2 0/5 Requested",
            "list 1 AllDone",
            "accepted 3 5",
            "rested 3 5@120",
        ],
    );
}

#[test]
fn a_second_order_is_placed_when_the_first_has_filled() {
    check(
        "1 oto entry : buy 5 @ 100 : sell 5 @ 110
         2 sell 3 @ 100
         restart
         2 sell 2 @ 100",
        &[
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "rested 1 5@100",
            "accepted 3 3",
            "trade 1<3! 3@100",
            "reduced 1 3@100 left 2",
            "accepted 4 2",
            "trade 1!<4! 2@100",
            "reduced 1 2@100",
            "triggered 2",
            "rested 2 5@110",
        ],
    );
}

#[test]
fn a_second_order_ends_with_the_first() {
    check(
        "1 oto entry : buy 5 @ 100 ioc : sell 5 @ 110",
        &[
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "expired 1 0/5 ImmediateOrCancel",
            "expired 2 0/5 OrderList",
            "list 1 AllDone",
        ],
    );
}

#[test]
fn a_second_order_that_may_not_be_placed_expires() {
    check(
        "2 buy 1 @ 112
         1 oto entry : sell 1 @ 112 : sell 5 @ 110 post
         2 buy 1 @ 111",
        &[
            "accepted 1 1",
            "rested 1 1@112",
            "list 1 Executing",
            "accepted 2 1",
            "accepted 3 5",
            "trade 1!<2! 1@112",
            "triggered 3",
            "rested 3 5@110",
            "accepted 4 1",
            "trade 3<4! 1@110",
            "reduced 3 1@110 left 4",
        ],
    );
    check(
        "2 buy 1 @ 111
         2 buy 1 @ 112
         1 oto entry : sell 1 @ 112 : sell 5 @ 110 post",
        &[
            "accepted 1 1",
            "rested 1 1@111",
            "accepted 2 1",
            "rested 2 1@112",
            "list 1 Executing",
            "accepted 3 1",
            "accepted 4 5",
            "trade 2!<3! 1@112",
            "expired 4 0/5 WouldTakeLiquidity",
            "list 1 AllDone",
        ],
    );
}

#[test]
fn both_legs_are_placed_when_the_first_has_filled() {
    check(
        "2 sell 5 @ 100
         1 otoco bracket : buy 5 @ 100 : sell 5 @ 110 post : sell 5 stop 90
         2 buy 5 @ 110",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "list 1 Executing",
            "accepted 2 5",
            "accepted 3 5",
            "accepted 4 5",
            "trade 1!<2! 5@100",
            "triggered 3",
            "rested 3 5@110",
            "triggered 4",
            "accepted 5 5",
            "trade 3!<5! 5@110",
            "reduced 3 5@110",
            "expired 4 0/5 OrderList",
            "list 1 AllDone",
        ],
    );
}

#[test]
fn lists_are_accepted_whole_or_not_at_all() {
    check(
        "1 oco exit : sell 5 @ 90 post : sell 5 stop 110
         1 oco exit : sell 5 @ 110 post : buy 5 stop 90
         1 oco exit : sell 5 @ 110 post : sell 4 stop 90
         1 oco exit : sell 5 @ 110 : sell 5 stop 90
         1 oto exit : sell 5 @ 110 : sell 5 mtl
         1 oco exit : sell 5 @ 110 post as a : sell 5 stop 90 as a
         1 oco exit : sell 5 @ 110 post : sell 5 stop 90
         1 oco exit : sell 5 @ 110 post : sell 5 stop 90",
        &[
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected NoPegReference",
            "rejected DuplicateClOrdId",
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "rested 1 5@110",
            "rejected DuplicateListClOrdId",
        ],
    );
}

#[test]
fn lists_of_an_account_in_an_instrument_are_bounded() {
    check(
        "rules max_order_lists=1
         3 sell 1 @ 100
         4 buy 1 @ 100
         1 oco exit : sell 5 @ 110 post : sell 5 stop 90
         1 oto other : buy 1 @ 80 : sell 1 @ 120
         1 oto other : buy 1 @ 80 on 1 : sell 1 @ 120 on 1
         2 oto other : buy 1 @ 80 : sell 1 @ 120
         1 cancel-list nope
         1 cancel-list exit
         1 cancel-list exit
         9 cancel-list exit
         1 cancel-list exit on 9
         1 oto other : buy 1 @ 80 : sell 1 @ 120",
        &[
            "rules 0",
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "trade 1!<2! 1@100",
            "list 1 Executing",
            "accepted 3 5",
            "accepted 4 5",
            "rested 3 5@110",
            "rejected TooManyOrderLists",
            "list 1 Executing",
            "accepted 1 1",
            "accepted 2 1",
            "rested 1 1@80",
            "list 2 Executing",
            "accepted 5 1",
            "accepted 6 1",
            "rested 5 1@80",
            "rejected OrderListNotFound",
            "reduced 3 5@110",
            "canceled 3 0/5 Requested",
            "canceled 4 0/5 Requested",
            "list 1 AllDone",
            "rejected OrderListNotFound",
            "rejected UnknownAccount",
            "rejected UnknownInstrument",
            "list 3 Executing",
            "accepted 7 1",
            "accepted 8 1",
            "rested 7 1@80",
        ],
    );
}

#[test]
fn a_buying_oco_holds_its_fee_once() {
    check(
        "with balance 1 0B 1030Q
         schedule quote 0:10000,30000
         1 oco entry : buy 10 @ 90 post : buy 10 @ 100 stop 95
         1 balance
         1 buy 1 @ 1
         restart
         2 sell 4 @ 90
         1 balance
         1 cancel-list entry
         1 balance",
        &[
            "schedule 0",
            "list 1 Executing",
            "accepted 1 10",
            "accepted 2 10",
            "rested 1 10@90",
            "balance 0B 0+1030Q 1000000C",
            "rejected InsufficientBalance",
            "accepted 3 4",
            "trade 1<3! 4@90 fees 3Q 10Q",
            "reduced 1 4@90 left 6",
            "expired 2 0/10 OrderList",
            "balance 4B 111+556Q 1000000C",
            "reduced 1 6@90",
            "canceled 1 4/10 Requested",
            "list 1 AllDone",
            "balance 4B 667Q 1000000C",
        ],
    );
    check(
        "with balance 1 0B 1029Q
         schedule quote 0:10000,30000
         1 oco entry : buy 10 @ 90 post : buy 10 @ 100 stop 95",
        &["schedule 0", "rejected InsufficientBalance"],
    );
}

#[test]
fn a_payment_of_one_leg_of_a_buying_oco_lowers_the_hold_of_the_other() {
    check(
        "with balance 1 0B 1030Q
         schedule quote 0:10000,30000
         2 sell 1 @ 95
         3 sell 6 @ 100
         1 oco entry : buy 10 @ 90 post : buy 10 @ 100 stop 96
         4 buy 1 @ 95
         1 balance
         4 buy 1 @ 100
         1 balance
         1 orders",
        &[
            "schedule 0",
            "accepted 1 1",
            "rested 1 1@95",
            "accepted 2 6",
            "rested 2 6@100",
            "list 1 Executing",
            "accepted 3 10",
            "accepted 4 10",
            "rested 3 10@90",
            "accepted 5 1",
            "trade 1!<5! 1@95 fees 0 2Q",
            "balance 0B 0+1030Q 1000000C",
            "accepted 6 1",
            "trade 2<6! 1@100 fees 1Q 3Q",
            "triggered 4",
            "reduced 3 10@90",
            "expired 3 0/10 OrderList",
            "trade 2!<4 5@100 fees 5Q 15Q",
            "rested 4 5@100",
            "balance 5B 0+515Q 1000000C",
            "orders 4",
        ],
    );
}

#[test]
fn a_kill_switch_ends_lists_whole() {
    check(
        "3 sell 1 @ 100
         4 buy 1 @ 100
         1 oco exit : sell 5 @ 110 post : sell 5 stop 90
         1 otoco bracket : buy 5 @ 80 : sell 5 @ 120 post : sell 5 stop 70
         1 buy 1 @ 79
         1 kill on
         1 orders
         1 balance
         1 oto more : buy 1 @ 80 : sell 1 @ 90
         1 cancel-list exit",
        &[
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "trade 1!<2! 1@100",
            "list 1 Executing",
            "accepted 3 5",
            "accepted 4 5",
            "rested 3 5@110",
            "list 2 Executing",
            "accepted 5 5",
            "accepted 6 5",
            "accepted 7 5",
            "rested 5 5@80",
            "accepted 8 1",
            "rested 8 1@79",
            "kill 1 on",
            "reduced 5 5@80",
            "canceled 5 0/5 KillSwitch",
            "canceled 6 0/5 OrderList",
            "canceled 7 0/5 OrderList",
            "list 2 AllDone",
            "canceled 8 0/1 KillSwitch",
            "reduced 3 5@110",
            "canceled 3 0/5 KillSwitch",
            "canceled 4 0/5 OrderList",
            "list 1 AllDone",
            "orders",
            "balance 1000000B 1000000Q 1000000C",
            "rejected AccountKilled",
            "rejected OrderListNotFound",
        ],
    );
}

#[test]
fn each_order_of_a_list_counts_towards_the_order_rate() {
    check(
        "1 risk cash per10s=4
         1 oto entry : buy 1 @ 80 : sell 1 @ 90
         1 rate
         1 otoco bracket : buy 1 @ 80 : sell 1 @ 120 post : sell 1 stop 70
         2 sell 1 @ 80
         1 rate
         1 oco exit : sell 1 @ 110 post : sell 1 stop 70
         1 rate
         1 buy 1 @ 80",
        &[
            "risk 1 Cash",
            "list 1 Executing",
            "accepted 1 1",
            "accepted 2 1",
            "rested 1 1@80",
            "rate 2 2",
            "rejected OrderRateAboveMax",
            "accepted 3 1",
            "trade 1!<3! 1@80",
            "reduced 1 1@80",
            "triggered 2",
            "rested 2 1@90",
            "rate 0 0",
            "list 2 Executing",
            "accepted 4 1",
            "accepted 5 1",
            "rested 4 1@110",
            "rate 2 2",
            "accepted 6 1",
            "rested 6 1@80",
        ],
    );
}

#[test]
fn forbidden_orders_of_lists() {
    check(
        "1 sell 1 @ 100
         2 buy 1 @ 99
         1 oto entry : buy 1 @ 80 : sell 1 mtl
         1 oto entry : buy 1 peg primary : sell 1 @ 90
         1 oto entry : buy 1 @ 80 : sell market quote 100
         1 oto entry : buy 1 @ 80 at-close : sell 1 @ 90
         1 oto entry : buy 1 @ 80 : sell 1 @ 90 at-open
         1 oto entry : buy 1 @ 80 : sell 1 @ 90 on 1
         1 oto entry : buy market 1 : sell 1 @ 90
         1 oto entry : buy 1 stop 110 : sell 1 @ 90
         1 oto entry : buy 1 @ 80 as a : sell 1 @ 90 as a
         1 oto entry : buy 1 @ 80
         1 oto entry : buy 1 @ 80 : sell 1 @ 90 : sell 1 stop 70
         1 otoco entry : buy 1 @ 80 : sell 1 @ 90
         1 oco entry : sell 5 @ 90 post : sell 5 stop 110
         1 oco entry : buy 5 @ 110 post : buy 5 stop 90
         1 oco entry : buy 5 take 110 : buy 5 @ 95 stop 90
         1 oco entry : sell 5 take 90 : sell 5 @ 95 stop 90
         1 oco entry : sell 0 @ 110 post : sell 0 stop 90
         1 oto entry : buy 1 @ 80 : sell 0 @ 90
         1 oto entry : buy 1 @ 80 : sell 1 @ 1001
         1 orders",
        &[
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "rested 2 1@99",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected PhaseForbids",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected DuplicateClOrdId",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "rejected OrderQtyBelowMin",
            "rejected OrderQtyBelowMin",
            "rejected PriceAboveMax",
            "orders 1",
        ],
    );
}
