//! Order lists in phases that collect orders and trade at one price.

use crate::script::check;

#[test]
fn legs_gather_and_the_one_that_trades_ends_the_other() {
    check(
        "phase OpeningAuction
         1 oco exit : sell 5 @ 100 post : sell 5 stop 90
         2 buy 3 @ 104
         phase Continuous
         1 balance",
        &[
            "phase 0 OpeningAuction",
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "rested 1 5@100",
            "accepted 3 3",
            "rested 3 3@104",
            "uncrossed 3@100 left 2 to sell",
            "trade 1<3! 3@100",
            "reduced 1 3@100 left 2",
            "reduced 3 3@104",
            "expired 2 0/5 OrderList",
            "phase 0 Continuous",
            "balance 999995+2B 1000300Q 1000000C",
        ],
    );
}

#[test]
fn a_fill_in_an_auction_places_the_second_order_after_the_phase_change() {
    check(
        "phase OpeningAuction
         1 oto entry : buy 5 @ 100 : sell 5 @ 99
         3 buy 2 @ 98
         2 sell 5 @ 97
         3 buy 1 peg primary
         restart
         phase Continuous",
        &[
            "phase 0 OpeningAuction",
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "rested 1 5@100",
            "accepted 3 2",
            "rested 3 2@98",
            "accepted 4 5",
            "rested 4 5@97",
            "rejected PhaseForbids",
            "uncrossed 5@99",
            "trade 1!<4! 5@99",
            "reduced 1 5@100",
            "reduced 4 5@97",
            "phase 0 Continuous",
            "triggered 2",
            "rested 2 5@99",
        ],
    );
}

#[test]
fn a_stop_that_the_auctions_price_reaches_already_is_not_placed() {
    check(
        "phase OpeningAuction
         1 otoco bracket : buy 5 @ 100 : sell 5 @ 110 post : sell 5 stop 99
         2 sell 5 @ 98
         phase Continuous",
        &[
            "phase 0 OpeningAuction",
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "accepted 3 5",
            "rested 1 5@100",
            "accepted 4 5",
            "rested 4 5@98",
            "uncrossed 5@98",
            "trade 1!<4! 5@98",
            "reduced 1 5@100",
            "reduced 4 5@98",
            "phase 0 Continuous",
            "expired 3 0/5 WouldTakeLiquidity",
            "expired 2 0/5 OrderList",
            "list 1 AllDone",
        ],
    );
}

#[test]
fn an_order_placed_after_an_auction_ends_in_closed_expires() {
    check(
        "phase ClosingAuction
         1 oto entry : buy 5 @ 100 : sell 5 @ 110
         2 sell 5 @ 100
         phase Closed
         1 orders
         1 balance",
        &[
            "phase 0 ClosingAuction",
            "list 1 Executing",
            "accepted 1 5",
            "accepted 2 5",
            "rested 1 5@100",
            "accepted 3 5",
            "rested 3 5@100",
            "uncrossed 5@100",
            "trade 1!<3! 5@100",
            "reduced 1 5@100",
            "reduced 3 5@100",
            "phase 0 Closed",
            "expired 2 0/5 NotAllowed",
            "list 1 AllDone",
            "orders",
            "balance 1000005B 999500Q 1000000C",
        ],
    );
}

#[test]
fn an_order_placed_in_a_halt_expires() {
    check(
        "breaker 1000:5s
         1 sell 1 @ 100
         2 buy 1 @ 100
         1 oto entry : buy 5 @ 90 : sell 5 @ 95
         2 sell 5 @ 90
         at 6s
         tick
         book",
        &[
            "breaker 0",
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "trade 1!<2! 1@100",
            "list 1 Executing",
            "accepted 3 5",
            "accepted 4 5",
            "rested 3 5@90",
            "accepted 5 5",
            "trade 3!<5! 5@90",
            "reduced 3 5@90",
            "halted 1 until 5000000027ns",
            "expired 4 0/5 NotAllowed",
            "list 1 AllDone",
            "resumed",
            "book |",
        ],
    );
}
