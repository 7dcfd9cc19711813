//! Accounts that are not plain: modes, clearing, positions, limits, order rates.

use types::{AccountId, AccountLimits, Command, InstrumentId, RejectReason, SetAccountLimits};

use crate::house::{House, minor};
use crate::script::{check, play};

/// Accounts 1 and 2 have no balances.
const POOR: &str = "with balance 1 0B 0Q 0C
    with balance 2 0B 0Q 0C";

fn check_poor(script: &str, expect: &[&str]) {
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
            "accepted 4 quote 5",
            "expired 4 0/0 BelowOneLot",
            "accepted 5 1",
            "rested 5 1@5",
            "accepted 6 2",
            "trade 5!<6 1@5",
            "expired 6 1/2 NotAllowed",
            "accepted 7 1",
            "rested 7 1@5",
            "accepted 8 quote 20",
            "trade 7!<8! 1@5",
        ],
    );
}

#[test]
fn limits_refuse_in_the_order_of_their_reasons() {
    check_poor(
        "1 risk limits
         3 sell 1 @ 100
         4 buy 1 @ 100
         1 limits qty=10 notional=500 orders=2 open=600 position=12 collar=1000
         1 limited
         1 buy 20 @ 111
         1 buy 20 @ 110
         1 buy 10 @ 51
         1 buy 10 @ 50 as a
         1 buy 2 @ 51
         1 buy 3 @ 10
         1 buy 2 @ 50
         1 buy 1 @ 1
         1 sell 10 @ 89
         1 cancel all
         1 sell 2 @ 90
         restart
         1 buy market 11
         1 buy market 5
         1 sell 10 @ 90
         1 sell 3 @ 90 ioc
         1 limits
         1 sell 1000 @ 1",
        &[
            "risk 1 Limits",
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "trade 1!<2! 1@100",
            "limits 1 0",
            "limited 0",
            "rejected PriceOutsideCollar",
            "rejected OrderQtyAboveLimit",
            "rejected NotionalAboveLimit",
            "accepted 3 10",
            "rested 3 10@50",
            "rejected OpenNotionalAboveLimit",
            "rejected PositionAboveLimit",
            "accepted 4 2",
            "rested 4 2@50",
            "rejected OpenOrdersAboveLimit",
            "rejected PriceOutsideCollar",
            "canceled 3 0/10 CancelAll",
            "canceled 4 0/2 CancelAll",
            "accepted 5 2",
            "rested 5 2@90",
            "rejected OrderQtyAboveLimit",
            "accepted 6 5",
            "trade 5!<6 2@90",
            "expired 6 2/5 NoLiquidity",
            "rejected NotionalAboveLimit",
            "accepted 7 3",
            "expired 7 0/3 ImmediateOrCancel",
            "limits 1 0",
            "accepted 8 1000",
            "rested 8 1000@1",
        ],
    );
}

#[test]
fn a_position_counts_open_orders_as_filled() {
    check_poor(
        "1 risk limits
         1 limits position=10
         1 buy 6 @ 10 as a
         1 buy 5 @ 10
         1 sell 10 @ 20 as b
         1 sell 1 @ 20
         3 sell 4 @ 10
         1 buy 5 @ 9
         1 buy 4 @ 9
         1 sell 4 @ 20
         1 sell 1 @ 20
         1 cancel b
         1 sell 10 @ 30 as c
         1 sell 1 @ 30
         restart
         1 sell 1 @ 30
         1 positions",
        &[
            "risk 1 Limits",
            "limits 1 0",
            "accepted 1 6",
            "rested 1 6@10",
            "rejected PositionAboveLimit",
            "accepted 2 10",
            "rested 2 10@20",
            "rejected PositionAboveLimit",
            "accepted 3 4",
            "trade 1<3! 4@10",
            "rejected PositionAboveLimit",
            "accepted 4 4",
            "rested 4 4@9",
            "accepted 5 4",
            "rested 5 4@20",
            "rejected PositionAboveLimit",
            "canceled 2 0/10 Requested",
            "accepted 6 10",
            "rested 6 10@30",
            "rejected PositionAboveLimit",
            "rejected PositionAboveLimit",
            "positions 0:4",
        ],
    );
}

#[test]
fn a_market_order_trades_no_more_than_its_position_may_be() {
    check_poor(
        "1 risk limits
         3 sell 5 @ 10
         3 sell 5 @ 20
         1 limits position=7
         1 buy market quote 110
         1 sell market quote 50
         4 buy 50 @ 1
         1 sell market quote 14
         1 sell market quote 15",
        &[
            "risk 1 Limits",
            "accepted 1 5",
            "rested 1 5@10",
            "accepted 2 5",
            "rested 2 5@20",
            "limits 1 0",
            "rejected PositionAboveLimit",
            "accepted 3 quote 50",
            "expired 3 0/0 NoLiquidity",
            "accepted 4 50",
            "rested 4 50@1",
            "rejected PositionAboveLimit",
            "rejected PositionAboveLimit",
        ],
    );
    check_poor(
        "1 risk limits
         3 buy 1 @ 10
         3 buy 50 @ 1
         1 limits position=7
         1 sell market quote 50
         1 positions",
        &[
            "risk 1 Limits",
            "accepted 1 1",
            "rested 1 1@10",
            "accepted 2 50",
            "rested 2 50@1",
            "limits 1 0",
            "accepted 3 quote 50",
            "trade 1!<3 1@10",
            "trade 2<3 6@1",
            "expired 3 7/7 BalanceExhausted",
            "positions 0:-7",
        ],
    );
}

#[test]
fn limits_of_an_account_with_balances_count_its_balance() {
    check(
        "with balance 1 10B 5000Q
         1 buy 5 @ 10 as a
         1 limits position=20
         1 buy 6 @ 10
         1 buy 5 @ 10
         1 cancel a
         restart
         1 buy 6 @ 10
         1 buy 5 @ 10
         1 sell 10 @ 20
         1 limits
         1 limited
         1 buy 500 @ 1",
        &[
            "accepted 1 5",
            "rested 1 5@10",
            "limits 1 0",
            "rejected PositionAboveLimit",
            "accepted 2 5",
            "rested 2 5@10",
            "canceled 1 0/5 Requested",
            "rejected PositionAboveLimit",
            "accepted 3 5",
            "rested 3 5@10",
            "accepted 4 10",
            "rested 4 10@20",
            "limits 1 0",
            "limited",
            "accepted 5 500",
            "rested 5 500@1",
        ],
    );
}

#[test]
fn a_modified_order_is_held_to_the_limits_in_its_own_place() {
    check(
        "1 limits qty=20 orders=1 open=200 position=1000015
         1 buy 10 @ 10 as a
         3 sell 4 @ 10
         1 modify a 11 @ 10
         1 modify a 12 @ 10
         1 modify a 21 @ 1
         1 modify a 12 @ 26
         1 modify a 12 @ 25",
        &[
            "limits 1 0",
            "accepted 1 10",
            "rested 1 10@10",
            "accepted 2 4",
            "trade 1<2! 4@10",
            "reduced 1 6@10",
            "modified 1 10@10->11@10",
            "rested 1 7@10",
            "reduced 1 7@10",
            "modified 1 11@10->12@10",
            "rested 1 8@10",
            "rejected OrderQtyAboveLimit",
            "rejected OpenNotionalAboveLimit",
            "reduced 1 8@10",
            "modified 1 12@10->12@25",
            "rested 1 8@25",
        ],
    );
}

#[test]
fn limits_of_absurd_size_are_no_limits() {
    let mut venue = House::default().open();
    let mut limits = AccountLimits {
        max_order_qty: types::Qty::from_lots(u64::MAX),
        max_order_notional: minor(i128::MAX),
        max_open_orders: u32::MAX,
        max_open_notional: minor(i128::MAX),
        max_position: types::Qty::from_lots(u64::MAX),
        collar_bps: u32::MAX,
    };
    let set = |limits| {
        Command::SetAccountLimits(SetAccountLimits {
            account: AccountId(1),
            instrument: InstrumentId(0),
            limits,
        })
    };
    assert_eq!(venue.reason(0, set(limits)), None);
    venue.restart();
    let order = crate::house::limit("a", types::Side::Buy, 10, 10);
    assert_eq!(venue.reason(1, Command::NewOrder(order)), None);
    limits.max_order_notional = minor(-1);
    assert_eq!(venue.reason(0, set(limits)), Some(RejectReason::AmountNotPositive));
    let (_, output) = play("1 limits qty=1 on 7");
    assert_eq!(output, ["rejected UnknownInstrument"]);
}

#[test]
fn the_order_rate_is_that_of_ten_seconds_and_of_a_day() {
    // A window ends at a multiple of ten seconds, a day at midnight UTC.
    check(
        "1 risk cash per10s=2 perday=3
         tick 86390000000000
         1 buy 1 @ 1
         1 buy 1 @ 1
         1 buy 0 @ 1
         1 rate
         restart
         1 buy 1 @ 1
         tick 86399999999997
         1 buy 1 @ 1
         tick 86400000000000
         1 buy 1 @ 1
         1 buy 1 @ 1
         tick 86410000000000
         1 buy 1 @ 1
         tick 86420000000000
         1 rate
         1 buy 1 @ 1
         2 rate",
        &[
            "risk 1 Cash",
            "accepted 1 1",
            "rested 1 1@1",
            "accepted 2 1",
            "rested 2 1@1",
            "rejected OrderRateAboveMax",
            "rate 2 2",
            "rejected OrderRateAboveMax",
            "rejected OrderRateAboveMax",
            "accepted 3 1",
            "rested 3 1@1",
            "accepted 4 1",
            "rested 4 1@1",
            "accepted 5 1",
            "rested 5 1@1",
            "rate 0 3",
            "rejected OrderRateAboveMax",
            "rate 0 0",
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
