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
fn both_legs_hold_what_the_dearer_one_needs() {
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
fn lists_are_taken_on_whole_or_not_at_all() {
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
