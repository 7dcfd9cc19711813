//! Limits of accounts in an instrument, and order rates.

use types::{
    AccountId, AccountLimits, Command, InstrumentId, Qty, RejectReason, SetAccountLimits, Side,
};

use crate::house::{House, limit, minor};
use crate::risk::check_poor;
use crate::script::{check, play};

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
            "rejected NoLiquidity",
            "accepted 3 50",
            "rested 3 50@1",
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
        max_order_qty: Qty::from_lots(u64::MAX),
        max_order_notional: minor(i128::MAX),
        max_open_orders: u32::MAX,
        max_open_notional: minor(i128::MAX),
        max_position: Qty::from_lots(u64::MAX),
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
    let order = limit("a", Side::Buy, 10, 10);
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

/// A taker's first fill gives back one order, a maker's five, in all windows and never below zero.
#[test]
fn orders_that_fill_give_back_their_count() {
    check(
        "1 risk cash per10s=9 perday=9
         2 sell 9 @ 20
         1 buy 1 @ 10 as a
         1 buy 2 @ 20 as b
         1 rate
         1 buy 9 @ 15 as c
         1 buy 1 @ 11
         1 buy 1 @ 12
         1 buy 1 @ 13
         1 buy 1 @ 14
         1 rate
         1 cancel c
         1 buy 1 @ 21 fok
         1 buy 1 @ 19 fok
         1 rate
         2 sell 1 @ 14
         1 rate
         1 buy market 30
         1 rate
         2 sell 1 @ 13
         1 rate",
        &[
            "risk 1 Cash",
            "accepted 1 9",
            "rested 1 9@20",
            "accepted 2 1",
            "rested 2 1@10",
            "accepted 3 2",
            "trade 1<3! 2@20",
            "rate 1 1",
            "accepted 4 9",
            "rested 4 9@15",
            "accepted 5 1",
            "rested 5 1@11",
            "accepted 6 1",
            "rested 6 1@12",
            "accepted 7 1",
            "rested 7 1@13",
            "accepted 8 1",
            "rested 8 1@14",
            "rate 6 6",
            "canceled 4 0/9 Requested",
            "accepted 9 1",
            "trade 1<9! 1@20",
            "accepted 10 1",
            "expired 10 0/1 FillOrKill",
            "rate 7 7",
            "accepted 11 1",
            "trade 8!<11! 1@14",
            "rate 2 2",
            "accepted 12 30",
            "trade 1!<12 6@20",
            "expired 12 6/30 NoLiquidity",
            "rate 2 2",
            "accepted 13 1",
            "trade 7!<13! 1@13",
            "rate 0 0",
        ],
    );
}

#[test]
fn fills_of_an_auction_give_back_their_count() {
    check(
        "1 risk cash per10s=9
         2 risk cash per10s=9
         phase PreOpen
         phase OpeningAuction
         1 buy 1 @ 10
         1 buy 1 @ 10
         2 sell 1 @ 10
         2 sell 1 @ 99
         1 rate
         2 rate
         phase Continuous
         1 rate
         2 rate",
        &[
            "risk 1 Cash",
            "risk 2 Cash",
            "phase 0 PreOpen",
            "phase 0 OpeningAuction",
            "accepted 1 1",
            "rested 1 1@10",
            "accepted 2 1",
            "rested 2 1@10",
            "accepted 3 1",
            "rested 3 1@10",
            "accepted 4 1",
            "rested 4 1@99",
            "rate 2 2",
            "rate 2 2",
            "uncrossed 1@10 left 1 to buy",
            "trade 1!<3! 1@10",
            "reduced 3 1@10",
            "phase 0 Continuous",
            "rate 0 0",
            "rate 1 1",
        ],
    );
}
