//! Amends: a lower quantity for an open order.

use crate::script::check;

#[test]
fn an_amend_frees_the_difference_of_the_hold() {
    check(
        "1 buy 10 @ 10 as a
         1 sell 10 @ 20 as b
         2 sell 4 @ 10
         1 amend a 5
         1 amend #2 1
         1 balance
         book
         2 sell 1 @ 10
         1 order a",
        &[
            "accepted 1 10",
            "rested 1 10@10",
            "accepted 2 10",
            "rested 2 10@20",
            "accepted 3 4",
            "trade 1<3! 4@10",
            "amended 1 10->5",
            "amended 2 10->1",
            "balance 1000003+1B 999950+10Q 1000000C",
            "book 1@10 | 1@20",
            "accepted 4 1",
            "trade 1!<4! 1@10",
            "order 1 a Filled 5/5 =50",
        ],
    );
}

#[test]
fn an_amend_may_rename() {
    check(
        "1 buy 10 @ 10 as a
         1 buy 10 @ 10 as b
         1 amend a 9 as b
         1 amend a 9 as c
         1 amend a 8
         1 amend c 8 as c
         1 buy 1 @ 10 as a
         1 buy 1 @ 10 as c
         restart
         1 cancel c
         1 cancel c",
        &[
            "accepted 1 10",
            "rested 1 10@10",
            "accepted 2 10",
            "rested 2 10@10",
            "rejected DuplicateClOrdId",
            "amended 1 10->9 a->c",
            "rejected OrderNotFound",
            "amended 1 9->8",
            "accepted 3 1",
            "rested 3 1@10",
            "rejected DuplicateClOrdId",
            "canceled 1 0/8 Requested",
            "rejected OrderNotFound",
        ],
    );
}

#[test]
fn a_change_counts_from_the_original_quantity() {
    check(
        "1 buy 6 @ 10 as a
         1 sell 2 @ 10 stp decrement
         1 amend a 6
         1 amend a 2
         1 amend a 5
         1 amend a 3
         1 order a
         1 balance
         1 modify a 4 @ 9
         1 modify a 2",
        &[
            "accepted 1 6",
            "rested 1 6@10",
            "accepted 2 2",
            "prevented 1<2 2@10 Decrement",
            "reduced 1 2@10 left 4",
            "decremented 1 -2 0/4",
            "expired 2 0/0 SelfTrade",
            "rejected AmendQtyUnchanged",
            "rejected AmendQtyNotAboveCum",
            "reduced 1 1@10 left 3",
            "amended 1 4->3",
            "reduced 1 2@10 left 1",
            "amended 1 3->1",
            "order 1 a New 0/1 =0",
            "balance 1000000B 999990+10Q 1000000C",
            "reduced 1 1@10",
            "modified 1 1@10->2@9",
            "rested 1 2@9",
            "reduced 1 2@9",
            "canceled 1 0/2 Modified",
        ],
    );
}

#[test]
fn an_amend_leaves_the_smallest_notional() {
    check(
        "with min_notional=500
         1 buy 10 @ 100 as a
         1 amend a 4
         1 amend a 5",
        &["accepted 1 10", "rested 1 10@100", "rejected NotionalBelowMin", "amended 1 10->5"],
    );
}

#[test]
fn amends_are_refused_in_order_of_precedence() {
    check(
        "with min_qty=2
         1 buy 10 @ 10 as a
         1 buy 9 @ 10 as b
         2 sell 5 @ 10
         9 amend a on 7 1
         9 amend a 1
         1 amend z on 7 1
         1 amend z 1 as b
         1 amend z 12 as b
         1 amend z 12 as c
         1 amend a 12
         1 amend a 10
         1 amend a 5
         1 amend a 4
         2 amend #1 9
         1 amend a 6",
        &[
            "accepted 1 10",
            "rested 1 10@10",
            "accepted 2 9",
            "rested 2 9@10",
            "accepted 3 5",
            "trade 1<3! 5@10",
            "rejected UnknownAccount",
            "rejected UnknownAccount",
            "rejected UnknownInstrument",
            "rejected OrderQtyBelowMin",
            "rejected DuplicateClOrdId",
            "rejected OrderNotFound",
            "rejected AmendQtyNotLower",
            "rejected AmendQtyUnchanged",
            "rejected AmendQtyNotAboveCum",
            "rejected AmendQtyNotAboveCum",
            "rejected OrderNotFound",
            "amended 1 10->6",
        ],
    );
}
