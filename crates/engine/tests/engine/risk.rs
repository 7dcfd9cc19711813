//! Accounts that are not plain: modes, clearing, prices of zero and below.

use crate::script::check;

/// Accounts 1 and 2 have no balances.
const POOR: &str = "with balance 1 0B 0Q 0C
    with balance 2 0B 0Q 0C";

pub(crate) fn check_poor(script: &str, expect: &[&str]) {
    check(&format!("{POOR}\n{script}"), expect);
}

#[test]
fn a_mode_changes_only_while_an_account_is_flat() {
    check(
        "with balance 1 0B 0Q 0C
         1 risk limits
         1 buy 5 @ 10 as a
         1 risk cash
         2 sell 5 @ 10
         1 risk none
         2 risk limits
         2 risk cash group=7
         1 sell 5 @ 10
         3 buy 5 @ 10
         1 positions
         1 risk cash
         9 risk cash
         0 risk cash",
        &[
            "risk 1 Limits",
            "accepted 1 5",
            "rested 1 5@10",
            "rejected AccountNotFlat",
            "accepted 2 5",
            "trade 1!<2! 5@10",
            "rejected AccountNotFlat",
            "rejected AccountNotFlat",
            "risk 2 Cash",
            "accepted 3 5",
            "rested 3 5@10",
            "accepted 4 5",
            "trade 3!<4! 5@10",
            "positions",
            "risk 1 Cash",
            "rejected UnknownAccount",
            "rejected UnknownAccount",
        ],
    );
}

#[test]
fn an_account_with_limits_trades_without_balances() {
    check_poor(
        "1 risk limits
         1 sell 100 @ 50
         3 buy 60 @ 50
         1 positions
         1 balance
         3 balance
         clearing
         restart
         1 positions
         clearing
         1 buy market 5
         4 sell 5 @ 40
         1 buy market 5
         1 positions
         clearing",
        &[
            "risk 1 Limits",
            "accepted 1 100",
            "rested 1 100@50",
            "accepted 2 60",
            "trade 1<2! 60@50",
            "positions 0:-60",
            "balance",
            "balance 1000060B 997000Q 1000000C",
            "clearing -60B 3000Q 0C",
            "positions 0:-60",
            "clearing -60B 3000Q 0C",
            "accepted 3 5",
            "trade 1<3! 5@50",
            "accepted 4 5",
            "rested 4 5@40",
            "accepted 5 5",
            "trade 4!<5! 5@40",
            "positions 0:-55",
            "clearing -55B 2800Q 0C",
        ],
    );
}

#[test]
fn fees_of_accounts_without_balances_come_out_of_clearing() {
    check_poor(
        "with fees 10000 20000
         1 risk limits
         2 risk none
         1 sell 100 @ 50
         2 buy 100 @ 50
         1 positions
         2 positions
         clearing
         0 balance",
        &[
            "risk 1 Limits",
            "risk 2 None",
            "accepted 1 100",
            "rested 1 100@50",
            "accepted 2 100",
            "trade 1!<2! 100@50 fees 50Q 2B",
            "positions 0:-100",
            "positions",
            "clearing -2B -50Q 0C",
            "balance 2B 50Q",
        ],
    );
}

#[test]
fn money_is_for_accounts_that_own_balances() {
    check_poor(
        "1 risk limits
         1 deposit 5Q ref a
         1 withdraw 5Q ref b
         1 risk cash
         1 deposit 5Q ref a",
        &[
            "risk 1 Limits",
            "rejected OwnsNoBalances",
            "rejected OwnsNoBalances",
            "risk 1 Cash",
            "deposited 5 free 5Q",
        ],
    );
}

#[test]
fn prices_of_zero_and_below_are_for_accounts_without_balances() {
    check_poor(
        "with min_price=-100 min_notional=0
         1 risk limits
         2 risk limits
         1 sell 5 @ -3
         3 buy 5 @ -3
         3 buy 5 @ 0
         2 buy 2 @ -2
         1 positions
         2 positions
         clearing
         2 buy 2 @ -101
         1 cancel all
         1 buy 3 @ 0
         2 sell 3 @ 0
         clearing",
        &[
            "risk 1 Limits",
            "risk 2 Limits",
            "accepted 1 5",
            "rested 1 5@-3",
            "rejected NotionalBelowMin",
            "rejected NotionalBelowMin",
            "accepted 2 2",
            "trade 1<2! 2@-3",
            "positions 0:-2",
            "positions 0:2",
            "clearing 0B 0Q 0C",
            "rejected PriceBelowMin",
            "canceled 1 2/5 CancelAll",
            "accepted 3 3",
            "rested 3 3@0",
            "accepted 4 3",
            "trade 3!<4! 3@0",
            "clearing 0B 0Q 0C",
        ],
    );
}

#[test]
fn the_remainder_after_a_trade_at_zero_holds_only_its_own_cost() {
    check_poor(
        "with min_price=-100 min_notional=0
         1 risk limits
         1 sell 2 @ 0
         3 buy 3 @ 4
         3 balance
         3 cancel #2
         3 balance",
        &[
            "risk 1 Limits",
            "accepted 1 2",
            "rested 1 2@0",
            "accepted 2 3",
            "trade 1!<2 2@0",
            "rested 2 1@4",
            "balance 1000002B 999996+4Q 1000000C",
            "canceled 2 2/3 Requested",
            "balance 1000002B 1000000Q 1000000C",
        ],
    );
}

#[test]
fn an_account_with_balances_is_paid_for_a_buy_below_zero_and_sells_nothing_there() {
    check_poor(
        "with min_price=-100 min_notional=0
         1 risk limits
         1 sell 5 @ -3
         3 buy 2 @ 4
         3 balance
         clearing
         1 cancel all
         1 buy 5 @ -3
         3 sell market 5
         3 sell market quote 5
         1 buy 1 @ 5
         3 sell market 2
         1 buy 1 @ 5
         3 sell market quote 20",
        &[
            "risk 1 Limits",
            "accepted 1 5",
            "rested 1 5@-3",
            "accepted 2 2",
            "trade 1<2! 2@-3",
            "balance 1000002B 1000006Q 1000000C",
            "clearing -2B -6Q 0C",
            "canceled 1 2/5 CancelAll",
            "accepted 3 5",
            "rested 3 5@-3",
            "rejected NotionalBelowMin",
            "rejected MarketQtyBelowMin",
            "accepted 4 1",
            "rested 4 1@5",
            "accepted 5 2",
            "trade 4!<5 1@5",
            "expired 5 1/2 NotAllowed",
            "accepted 6 1",
            "rested 6 1@5",
            "accepted 7 quote 20",
            "trade 6!<7! 1@5",
        ],
    );
}

/// 2^52 lots at 2^53 ticks of 2^14 are 2^119 of the quote asset: the clearing has room for it once.
const HUGE: &str = "with huge amounts
     with tick=16384 max_price=9007199254740992 max_qty=9007199254740992
     with market_max_qty=9007199254740992 max_notional=1329227995784915872903807060280344576
     with balance 1 9007199254740992B 0Q 0C
     with balance 2 0B 0Q 0C
     2 risk limits
     ";

#[test]
fn no_trade_clears_more_than_an_amount_can_hold() {
    check(
        &format!(
            "{HUGE}2 buy 4503599627370496 @ 9007199254740992
             1 sell 4503599627370496 @ 9007199254740992
             2 buy 4503599627370496 @ 9007199254740992
             1 sell 4503599627370496 @ 9007199254740992
             clearing
             2 cancel all
             3 buy 1 @ 9
             1 sell 1 @ 9"
        ),
        &[
            "risk 2 Limits",
            "accepted 1 4503599627370496",
            "rested 1 4503599627370496@9007199254740992",
            "accepted 2 4503599627370496",
            "trade 1!<2! 4503599627370496@9007199254740992",
            "accepted 3 4503599627370496",
            "rested 3 4503599627370496@9007199254740992",
            "accepted 4 4503599627370496",
            "expired 4 0/4503599627370496 NotAllowed",
            "clearing 4503599627370496B -664613997892457936451903530140172288Q 0C",
            "canceled 3 0/4503599627370496 CancelAll",
            "accepted 5 1",
            "rested 5 1@9",
            "accepted 6 1",
            "trade 5!<6! 1@9",
        ],
    );
}

#[test]
fn an_auction_clears_no_more_either() {
    check(
        &format!(
            "{HUGE}phase OpeningAuction
             2 buy 4503599627370496 @ 9007199254740992
             2 buy 4503599627370496 @ 9007199254740992
             3 buy 1 @ 9
             1 sell 4503599627370496 @ 9007199254740992
             1 sell 4503599627370495 @ 9007199254740992
             1 sell 1 @ 9
             phase Continuous
             restart
             clearing"
        ),
        &[
            "risk 2 Limits",
            "phase 0 OpeningAuction",
            "accepted 1 4503599627370496",
            "rested 1 4503599627370496@9007199254740992",
            "accepted 2 4503599627370496",
            "rested 2 4503599627370496@9007199254740992",
            "accepted 3 1",
            "rested 3 1@9",
            "accepted 4 4503599627370496",
            "rested 4 4503599627370496@9007199254740992",
            "accepted 5 4503599627370495",
            "rested 5 4503599627370495@9007199254740992",
            "accepted 6 1",
            "rested 6 1@9",
            "uncrossed 9007199254740992@9007199254740992",
            "trade 1<6! 1@9007199254740992",
            "reduced 6 1@9",
            "trade 1!<4 4503599627370495@9007199254740992",
            "reduced 4 4503599627370495@9007199254740992 left 1",
            "trade 2<4! 1@9007199254740992",
            "reduced 4 1@9007199254740992",
            "reduced 5 4503599627370495@9007199254740992",
            "expired 5 0/4503599627370495 NotAllowed",
            "phase 0 Continuous",
            "clearing 4503599627370497B -664613997892458084025856119816585216Q 0C",
        ],
    );
}
