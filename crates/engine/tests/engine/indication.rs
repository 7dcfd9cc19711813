//! Published indications of running auctions.

use crate::script::check;

#[test]
fn indications_follow_changes_at_most_every_100_ms() {
    check(
        "phase OpeningAuction
         at 1s
         tick
         deadline
         1 sell 5 @ 100
         2 buy 3 @ 100
         restart
         deadline
         at 1099ms
         tick
         advance 1ms
         tick
         deadline
         at 2s
         tick
         1 cancel all
         tick
         phase Continuous
         2 cancel all
         tick",
        &[
            "phase 0 OpeningAuction",
            "indicated 0 none",
            "deadline none",
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 3",
            "rested 2 3@100",
            "deadline 1100ms",
            "indicated 0 3@100 left 2 to sell",
            "deadline none",
            "canceled 1 0/5 CancelAll",
            "indicated 0 none",
            "phase 0 Continuous",
            "canceled 2 0/3 CancelAll",
        ],
    );
}

#[test]
fn indications_come_by_instrument_and_not_while_the_venue_is_halted() {
    check(
        "at 1s
         phase ClosingAuction on 1
         phase VolatilityAuction
         halt 1
         deadline
         tick
         resume
         tick",
        &[
            "phase 1 ClosingAuction",
            "phase 0 VolatilityAuction",
            "halted 1",
            "deadline none",
            "resumed",
            "indicated 0 none",
            "indicated 1 none",
        ],
    );
}

#[test]
fn only_a_tick_publishes_indications_and_only_without_deferred_work() {
    check(
        "with work 1
         phase OpeningAuction
         phase OpeningAuction on 1
         at 1s
         1 sell 5 @ 100
         2 buy 3 @ 100 until 1500000000
         2 buy 2 @ 101 until 1500000000
         continue
         at 1500ms
         tick
         continue
         tick
         tick
         tick",
        &[
            "phase 0 OpeningAuction",
            "phase 1 OpeningAuction",
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 3",
            "rested 2 3@100",
            "accepted 3 2",
            "rested 3 2@101",
            "reduced 2 3@100",
            "expired 2 0/3 GoodTillDate",
            "reduced 3 2@101",
            "expired 3 0/2 GoodTillDate",
            "indicated 0 none",
            "indicated 1 none",
        ],
    );
}
