//! Fee schedules: tiers by volume, rebates, fees in the quote asset.

use crate::script::check;

#[test]
fn a_schedule_uses_the_volume_of_thirty_days() {
    // 1 % and 2 % below a volume of 1,000, half of it from there on.
    check(
        "schedule received 0:10000,20000 1000:5000,10000
         1 fees
         1 sell 10 @ 100
         2 buy 10 @ 100
         1 fees
         2 fees on 1
         1 sell 10 @ 100
         restart
         2 buy 10 @ 100
         tick 2592000000000000
         1 fees
         schedule none
         1 fees",
        &[
            "schedule 0",
            "fees 10000 20000",
            "accepted 1 10",
            "rested 1 10@100",
            "accepted 2 10",
            "trade 1!<2! 10@100 fees 10Q 0",
            "fees 5000 10000",
            "fees 0 0",
            "accepted 3 10",
            "rested 3 10@100",
            "accepted 4 10",
            "trade 3!<4! 10@100 fees 5Q 0",
            "fees 10000 20000",
            "schedule 0",
            "fees 0 0",
        ],
    );
}

#[test]
fn an_accounts_own_rates_override_the_schedule() {
    check(
        "with account 1 fees=0,50000
         schedule received 0:10000,20000
         1 fees
         2 fees",
        &["schedule 0", "fees 0 50000", "fees 10000 20000"],
    );
}

#[test]
fn a_rebate_comes_out_of_the_other_sides_fee() {
    // The maker sells and gets back 1 % of the basis of the taker's fee of 2 %.
    check(
        "schedule received 0:-10000,20000
         1 sell 100 @ 50
         2 buy 100 @ 50
         1 buy 199 @ 50
         2 sell 199 @ 50
         1 balance
         2 balance
         0 balance",
        &[
            "schedule 0",
            "accepted 1 100",
            "rested 1 100@50",
            "accepted 2 100",
            "trade 1!<2! 100@50 fees -1B 2B",
            "accepted 3 199",
            "rested 3 199@50",
            "accepted 4 199",
            "trade 3!<4! 199@50 fees -99Q 199Q",
            "balance 1000100B 995149Q 1000000C",
            "balance 999899B 1004751Q 1000000C",
            "balance 1B 100Q",
        ],
    );
}

#[test]
fn a_rebate_is_never_more_than_the_other_sides_fee() {
    check(
        "with account 2 fees=0,5000
         schedule quote 0:-10000,20000
         1 sell 100 @ 50
         2 buy 100 @ 50
         1 sell 100 @ 50
         3 buy 100 @ 50
         schedule quote 0:-10000,-10000
         1 sell 100 @ 50
         3 buy 100 @ 50
         0 balance",
        &[
            "schedule 0",
            "accepted 1 100",
            "rested 1 100@50",
            "accepted 2 100",
            "trade 1!<2! 100@50 fees -25Q 25Q",
            "accepted 3 100",
            "rested 3 100@50",
            "accepted 4 100",
            "trade 3!<4! 100@50 fees -50Q 100Q",
            "schedule 0",
            "accepted 5 100",
            "rested 5 100@50",
            "accepted 6 100",
            "trade 5!<6! 100@50",
            "balance 0B 50Q",
        ],
    );
}

#[test]
fn a_buy_holds_the_higher_fee_on_top_and_pays_no_more() {
    // 1 % as maker, 3 % as taker: the hold is at 3 %, and its remainder comes back.
    check(
        "with balance 1 0B 1029Q
         schedule quote 0:10000,30000
         1 buy 10 @ 100
         1 deposit 1Q ref a
         1 buy 10 @ 100 as a
         1 balance
         2 sell 3 @ 100
         1 balance
         restart
         schedule quote 0:90000,90000
         2 sell 3 @ 100
         1 balance
         1 amend a 7
         1 balance
         1 cancel a
         1 balance
         0 balance",
        &[
            "schedule 0",
            "rejected InsufficientBalance",
            "deposited 1 free 1030Q",
            "accepted 1 10",
            "rested 1 10@100",
            "balance 0B 0+1030Q 1000000C",
            "accepted 2 3",
            "trade 1<2! 3@100 fees 3Q 9Q",
            "balance 3B 6+721Q 1000000C",
            "schedule 0",
            "accepted 3 3",
            "trade 1<3! 3@100 fees 9Q 27Q",
            "balance 6B 6+412Q 1000000C",
            "amended 1 10->7",
            "balance 6B 315+103Q 1000000C",
            "canceled 1 6/7 Requested",
            "balance 6B 418Q 1000000C",
            "balance 0B 48Q",
        ],
    );
}

#[test]
fn a_hold_that_rounds_down_covers_all_fees_that_round_down() {
    // 50 lots at 1 and 3.9999 %: 1 is held; a fill of 25 pays 0, the last 25 pay 0 too.
    check(
        "with balance 1 0B 51Q
         schedule quote 0:39999,39999
         1 buy 50 @ 1
         1 balance
         2 sell 25 @ 1
         1 balance
         2 sell 25 @ 1
         1 balance",
        &[
            "schedule 0",
            "accepted 1 50",
            "rested 1 50@1",
            "balance 0B 0+51Q 1000000C",
            "accepted 2 25",
            "trade 1<2! 25@1",
            "balance 25B 1+25Q 1000000C",
            "accepted 3 25",
            "trade 1!<3! 25@1",
            "balance 50B 1Q 1000000C",
        ],
    );
}

#[test]
fn an_order_older_than_the_schedule_pays_nothing_on_top() {
    check(
        "with fees 10000 10000
         with balance 1 0B 1000Q
         1 buy 10 @ 100
         schedule quote 0:10000,10000
         2 sell 5 @ 100
         schedule none
         2 sell 5 @ 100
         1 balance",
        &[
            "accepted 1 10",
            "rested 1 10@100",
            "schedule 0",
            "accepted 2 5",
            "trade 1<2! 5@100 fees 0 5Q",
            "schedule 0",
            "accepted 3 5",
            "trade 1!<3! 5@100 fees 0 5Q",
            "balance 10B 0Q 1000000C",
        ],
    );
}

#[test]
fn a_market_buy_leaves_room_for_its_fee() {
    check(
        "with balance 1 0B 1049Q
         schedule quote 0:0,50000
         2 sell 20 @ 100
         1 buy market 10
         1 buy market 10 within-balance
         1 balance
         1 buy market quote 110
         1 buy market quote 100
         1 balance",
        &[
            "schedule 0",
            "accepted 1 20",
            "rested 1 20@100",
            "rejected InsufficientBalance",
            "accepted 2 10",
            "trade 1<2 9@100 fees 0 45Q",
            "expired 2 9/10 BalanceExhausted",
            "balance 9B 104Q 1000000C",
            "rejected InsufficientBalance",
            "rejected InsufficientBalance",
            "balance 9B 104Q 1000000C",
        ],
    );
}

#[test]
fn a_price_better_than_the_limit_gives_back_its_part_of_the_fee() {
    check(
        "with balance 1 0B 1100Q
         schedule quote 0:0,100000
         2 sell 10 @ 50
         1 buy 10 @ 100
         1 balance",
        &[
            "schedule 0",
            "accepted 1 10",
            "rested 1 10@50",
            "accepted 2 10",
            "trade 1!<2! 10@50 fees 0 50Q",
            "balance 10B 550Q 1000000C",
        ],
    );
}

#[test]
fn schedules_that_make_no_sense_are_refused() {
    check(
        "schedule received
         schedule received 1:0,0
         schedule received 0:0,0 0:1,1
         schedule received 0:0,0 5:1,1 4:1,1
         schedule received 0:1000001,0
         schedule received 0:0,-1000001
         schedule received 0:0,0 on 7
         schedule received 0:0,-1000000 170141183460469231731687303715884105727:1000000,-1000000",
        &[
            "rejected FeeScheduleInvalid",
            "rejected FeeScheduleInvalid",
            "rejected FeeScheduleInvalid",
            "rejected FeeScheduleInvalid",
            "rejected FeeScheduleInvalid",
            "rejected FeeScheduleInvalid",
            "rejected UnknownInstrument",
            "schedule 0",
        ],
    );
}
