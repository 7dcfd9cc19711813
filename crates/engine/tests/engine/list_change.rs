//! Lists of orders: what lowers or renames one order, and what their legs count for.

use crate::script::check;

const EXIT: &[&str] = &["list 1 Executing", "accepted 1 5", "accepted 2 5", "rested 1 5@110"];

fn check_after_exit(script: &str, expect: &[&str]) {
    let script = format!("1 oco exit : sell 5 @ 110 post as a : sell 5 stop 90 as b\n{script}");
    check(&script, &[EXIT, expect].concat());
}

#[test]
fn an_amend_lowers_both_legs_of_an_oco() {
    check_after_exit(
        "1 amend a 4
         restart
         1 amend b 3
         2 buy 3 @ 110",
        &[
            "reduced 1 1@110 left 4",
            "amended 1 5->4",
            "amended 2 5->4",
            "amended 2 4->3",
            "reduced 1 1@110 left 3",
            "amended 1 4->3",
            "accepted 3 3",
            "trade 1!<3! 3@110",
            "reduced 1 3@110",
            "expired 2 0/3 OrderList",
            "list 1 AllDone",
        ],
    );
}

#[test]
fn orders_of_an_oto_are_amended_one_by_one() {
    check(
        "1 otoco entry : buy 5 @ 100 as a : sell 4 @ 110 post as b : sell 4 stop 90 as c
         1 amend a 3
         1 amend b 2
         2 sell 3 @ 100",
        &[
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 4",
            "accepted 3 4",
            "rested 1 5@100",
            "reduced 1 2@100 left 3",
            "amended 1 5->3",
            "amended 2 4->2",
            "amended 3 4->2",
            "accepted 4 3",
            "trade 1!<4! 3@100",
            "reduced 1 3@100",
            "triggered 2",
            "rested 2 2@110",
            "triggered 3",
        ],
    );
}

#[test]
fn a_renamed_order_reports_its_list() {
    check_after_exit(
        "1 amend a 4 as a
         1 amend a 3 as c
         1 modify b 2 as d",
        &[
            "reduced 1 1@110 left 4",
            "amended 1 5->4",
            "amended 2 5->4",
            "reduced 1 1@110 left 3",
            "amended 1 4->3 a->c",
            "amended 2 4->3",
            "list 1 Executing Renamed",
            "amended 2 3->2 b->d",
            "reduced 1 1@110 left 2",
            "amended 1 3->2",
            "list 1 Executing Renamed",
        ],
    );
}

#[test]
fn what_is_prevented_for_one_leg_of_an_oco_is_prevented_for_both() {
    check_after_exit(
        "1 buy 2 @ 110 stp decrement
         1 order a
         1 order b
         restart
         1 amend b 5
         1 amend b 4
         1 balance
         1 buy 9 @ 110 stp decrement",
        &[
            "accepted 3 2",
            "prevented 1<3 2@110 Decrement",
            "reduced 1 2@110 left 3",
            "decremented 1 -2 0/3",
            "decremented 2 -2 0/3",
            "expired 3 0/0 SelfTrade",
            "order 1 a New 0/3 =0",
            "order 2 b New 0/3 =0",
            "rejected AmendQtyUnchanged",
            "amended 2 3->2",
            "reduced 1 1@110 left 2",
            "amended 1 3->2",
            "balance 999998+2B 1000000Q 1000000C",
            "accepted 4 9",
            "prevented 1<4 2@110 Decrement",
            "reduced 1 2@110",
            "expired 1 0/0 SelfTrade",
            "expired 2 0/2 OrderList",
            "list 1 AllDone",
            "decremented 4 -2 0/7",
            "rested 4 7@110",
        ],
    );
}

#[test]
fn a_second_order_keeps_its_quantity_when_the_first_is_lowered() {
    check(
        "1 oto entry : buy 5 @ 100 : sell 5 @ 110
         1 sell 2 @ 100 stp decrement
         2 sell 3 @ 100",
        &[
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "rested 1 5@100",
            "accepted 3 2",
            "prevented 1<3 2@100 Decrement",
            "reduced 1 2@100 left 3",
            "decremented 1 -2 0/3",
            "expired 3 0/0 SelfTrade",
            "accepted 4 3",
            "trade 1!<4! 3@100",
            "reduced 1 3@100",
            "triggered 2",
            "rested 2 5@110",
        ],
    );
}

#[test]
fn a_second_order_ends_when_prevention_ends_the_first() {
    check(
        "1 oto entry : buy 5 @ 100 : sell 5 @ 110
         2 sell 2 @ 100
         1 sell 3 @ 100 stp decrement",
        &[
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "rested 1 5@100",
            "accepted 3 2",
            "trade 1<3! 2@100",
            "reduced 1 2@100 left 3",
            "accepted 4 3",
            "prevented 1<4 3@100 Decrement",
            "reduced 1 3@100",
            "expired 1 2/2 SelfTrade",
            "expired 2 0/5 OrderList",
            "list 1 AllDone",
            "expired 4 0/0 SelfTrade",
        ],
    );
}

#[test]
fn each_leg_counts_as_a_stop_order_and_as_an_iceberg() {
    check(
        "rules max_stop_orders=1
         1 oco a : sell 5 take 110 : sell 5 stop 90
         1 otoco a : buy 5 @ 80 : sell 5 take 110 : sell 5 stop 70
         1 oco a : sell 5 @ 110 post : sell 5 stop 90
         1 oto b : buy 5 @ 80 : sell 5 stop 70
         1 cancel-list a
         1 oto b : buy 5 @ 80 : sell 5 stop 70
         restart
         1 sell 5 stop 60
         1 cancel-list b
         1 sell 5 stop 60
         rules max_iceberg_orders=1
         1 oto c : buy 5 @ 80 display 2 : sell 5 @ 120 display 2",
        &[
            "rules 0",
            "rejected TooManyStopOrders",
            "rejected TooManyStopOrders",
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "rested 1 5@110",
            "rejected TooManyStopOrders",
            "reduced 1 5@110",
            "canceled 1 0/5 Requested",
            "canceled 2 0/5 Requested",
            "list 1 AllDone",
            "list 2 Executing",
            "accepted 3 5",
            "accepted 4 5",
            "rested 3 5@80",
            "rejected TooManyStopOrders",
            "reduced 3 5@80",
            "canceled 3 0/5 Requested",
            "canceled 4 0/5 Requested",
            "list 2 AllDone",
            "accepted 5 5",
            "rules 0",
            "rejected TooManyIcebergOrders",
        ],
    );
}

#[test]
fn legs_count_when_their_list_places_them() {
    check(
        "rules max_stop_orders=2
         1 otoco a : buy 5 @ 80 : sell 5 take 110 : sell 5 stop 70
         rules max_stop_orders=1
         2 sell 5 @ 80",
        &[
            "rules 0",
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "accepted 3 5",
            "rested 1 5@80",
            "rules 0",
            "accepted 4 5",
            "trade 1!<4! 5@80",
            "reduced 1 5@80",
            "expired 2 0/5 NotAllowed",
            "expired 3 0/5 OrderList",
            "list 1 AllDone",
        ],
    );
}

#[test]
fn each_leg_counts_for_the_position() {
    check(
        "with balance 1 0B 100000Q
         rules max_position=10
         1 oco a : buy 6 @ 90 post : buy 6 @ 112 stop 110
         1 oco a : buy 6 @ 90 post : buy 6 stop 110
         1 oco a : buy 5 @ 90 post : buy 5 stop 110
         1 buy 1 @ 50
         1 cancel-list a
         1 otoco b : buy 2 @ 100 : buy 5 @ 90 post : buy 5 @ 112 stop 110
         2 sell 2 @ 100",
        &[
            "rules 0",
            "rejected PositionAboveMax",
            "rejected PositionAboveMax",
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "rested 1 5@90",
            "rejected PositionAboveMax",
            "reduced 1 5@90",
            "canceled 1 0/5 Requested",
            "canceled 2 0/5 Requested",
            "list 1 AllDone",
            "list 2 Executing",
            "accepted 3 2",
            "accepted 4 5",
            "accepted 5 5",
            "rested 3 2@100",
            "accepted 6 2",
            "trade 3!<6! 2@100",
            "reduced 3 2@100",
            "expired 4 0/5 NotAllowed",
            "expired 5 0/5 OrderList",
            "list 2 AllDone",
        ],
    );
}

#[test]
fn each_leg_counts_for_the_open_notional() {
    check(
        "1 limits 0 open=1000
         1 oco a : buy 6 @ 90 post : buy 6 @ 112 stop 110
         1 oco a : buy 5 @ 90 post : buy 5 @ 110 stop 110
         1 cancel-list a
         1 oco a : buy 11 @ 90 post : buy 11 stop 110
         1 cancel-list a
         1 otoco b : buy 2 @ 100 : buy 5 @ 90 post : buy 5 @ 112 stop 110
         2 sell 2 @ 100",
        &[
            "limits 1 0",
            "rejected OpenNotionalAboveLimit",
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "rested 1 5@90",
            "reduced 1 5@90",
            "canceled 1 0/5 Requested",
            "canceled 2 0/5 Requested",
            "list 1 AllDone",
            "list 2 Executing",
            "accepted 3 11",
            "accepted 4 11",
            "rested 3 11@90",
            "reduced 3 11@90",
            "canceled 3 0/11 Requested",
            "canceled 4 0/11 Requested",
            "list 2 AllDone",
            "list 3 Executing",
            "accepted 5 2",
            "accepted 6 5",
            "accepted 7 5",
            "rested 5 2@100",
            "accepted 8 2",
            "trade 5!<8! 2@100",
            "reduced 5 2@100",
            "expired 6 0/5 NotAllowed",
            "expired 7 0/5 OrderList",
            "list 3 AllDone",
        ],
    );
}

#[test]
fn the_limit_of_an_oco_is_beyond_the_last_price() {
    check(
        "2 sell 1 @ 100
         3 buy 1 @ 100
         1 oco a : sell 5 @ 100 post : sell 5 stop 90
         1 oco a : sell 5 @ 99 take 110 : sell 5 stop 90
         1 oco a : sell 5 @ 101 post : sell 5 stop 90
         1 oco b : buy 5 stop 110 : buy 5 @ 100 post
         1 oco b : buy 5 stop 110 : buy 5 @ 99 post",
        &[
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "trade 1!<2! 1@100",
            "rejected OrderListInvalid",
            "rejected OrderListInvalid",
            "list 1 Executing",
            "accepted 3 5",
            "accepted 4 5",
            "rested 3 5@101",
            "rejected OrderListInvalid",
            "list 2 Executing",
            "accepted 5 5",
            "accepted 6 5",
            "rested 6 5@99",
        ],
    );
}
