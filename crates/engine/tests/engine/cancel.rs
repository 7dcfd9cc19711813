//! Cancels: by either id, restricted, and of all orders.

use crate::script::check;

#[test]
fn an_order_is_canceled_by_either_id_or_by_both() {
    check(
        "1 buy 1 @ 10 as a
         1 buy 1 @ 10 as b
         1 buy 1 @ 10 as c
         1 cancel a #2
         1 cancel a
         1 cancel #2
         1 cancel c #3
         1 orders
         1 balance",
        &[
            "accepted 1 1",
            "rested 1 1@10",
            "accepted 2 1",
            "rested 2 1@10",
            "accepted 3 1",
            "rested 3 1@10",
            "rejected OrderNotFound",
            "canceled 1 0/1 Requested",
            "canceled 2 0/1 Requested",
            "canceled 3 0/1 Requested",
            "orders",
            "balance 1000000B 1000000Q 1000000C",
        ],
    );
}

#[test]
fn only_own_open_orders_can_be_canceled() {
    check(
        "1 buy 1 @ 10 as a
         2 cancel a
         2 cancel #1
         1 cancel a on 1
         1 cancel #1 on 1
         1 cancel
         1 cancel #2
         1 cancel a
         1 cancel a
         1 cancel #1",
        &[
            "accepted 1 1",
            "rested 1 1@10",
            "rejected OrderNotFound",
            "rejected OrderNotFound",
            "rejected OrderNotFound",
            "rejected OrderNotFound",
            "rejected OrderNotFound",
            "rejected OrderNotFound",
            "canceled 1 0/1 Requested",
            "rejected OrderNotFound",
            "rejected OrderNotFound",
        ],
    );
}

#[test]
fn a_cancel_may_be_restricted_to_a_status() {
    check(
        "1 buy 2 @ 10 as a
         1 buy 2 @ 9 as b
         2 sell 1 @ 10
         1 cancel a only-new
         1 cancel b only-partial
         1 cancel a only-partial
         1 cancel b only-new
         1 balance",
        &[
            "accepted 1 2",
            "rested 1 2@10",
            "accepted 2 2",
            "rested 2 2@9",
            "accepted 3 1",
            "trade 1<3! 1@10",
            "rejected CancelRestricted",
            "rejected CancelRestricted",
            "canceled 1 1/2 Requested",
            "canceled 2 0/2 Requested",
            "balance 1000001B 999990Q 1000000C",
        ],
    );
}

#[test]
fn cancel_all_takes_one_instrument_and_the_oldest_first() {
    check(
        "1 buy 1 @ 10
         1 sell 1 @ 20
         1 buy 1 @ 11 on 1
         2 buy 1 @ 10
         1 buy 1 @ 12
         1 cancel #2
         1 sell 1 @ 21
         1 cancel all
         1 cancel all
         1 orders on 1
         2 orders
         1 balance",
        &[
            "accepted 1 1",
            "rested 1 1@10",
            "accepted 2 1",
            "rested 2 1@20",
            "accepted 1 1",
            "rested 1 1@11",
            "accepted 3 1",
            "rested 3 1@10",
            "accepted 4 1",
            "rested 4 1@12",
            "canceled 2 0/1 Requested",
            "accepted 5 1",
            "rested 5 1@21",
            "canceled 1 0/1 CancelAll",
            "canceled 4 0/1 CancelAll",
            "canceled 5 0/1 CancelAll",
            "rejected OrderNotFound",
            "orders 1",
            "orders 3",
            "balance 1000000B 999945+55Q 1000000C",
        ],
    );
}

#[test]
fn cancels_are_refused_in_order_of_precedence() {
    check(
        "9 cancel a on 7
         0 cancel a
         1 cancel a on 7
         9 cancel all on 7
         0 cancel all
         1 cancel all on 7
         1 cancel all",
        &[
            "rejected UnknownAccount",
            "rejected UnknownAccount",
            "rejected UnknownInstrument",
            "rejected UnknownAccount",
            "rejected UnknownAccount",
            "rejected UnknownInstrument",
            "rejected OrderNotFound",
        ],
    );
}
