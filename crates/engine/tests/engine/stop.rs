//! Stop orders while they wait, and refused stop orders.

use types::{
    Command, Event, ExpireCause, InstrumentId, InstrumentRules, OrderType, Phase, RejectReason,
    SetInstrumentRules, Side, Terms,
};

use crate::house::{House, cancel_named, limit};
use crate::script::{check, play};
use crate::trigger::{check_only, set_phase, trade_at, triggered, with_trades};

#[test]
fn stops_for_the_day_expire_when_it_ends() {
    let script =
        "last 100 \n 1 buy 1 stop 110 day \n 1 sell 1 @ 80 stop 90 day \n 1 sell 1 stop 90";
    let (mut venue, _) = play(&with_trades(script));
    let events = venue.apply(0, set_phase(Phase::Closed));
    let expired: Vec<(u64, ExpireCause)> = events
        .iter()
        .filter_map(|event| match event {
            Event::OrderExpired(expired) => Some((expired.order.order_id.0, expired.cause)),
            _ => None,
        })
        .collect();
    assert_eq!(expired, [(3, ExpireCause::Day), (4, ExpireCause::Day)]);
    assert_eq!(venue.balance(1, 0), (1_000_000, 0));
    venue.apply(0, set_phase(Phase::Continuous));
    assert_eq!(triggered(&trade_at(&mut venue, 90)), [5]);
}

#[test]
fn those_with_a_limit_hold_from_the_start() {
    check_only(
        "balance triggered",
        "last 100
         1 buy 5 stop 110
         1 sell 5 stop 90
         1 balance
         1 buy 5 @ 112 stop 110
         1 sell 6 @ 88 stop 90
         1 balance
         restart
         last 110
         1 balance
         1 cancel all
         1 balance",
        &[
            "balance 1000000B 1000000Q 1000000C",
            "balance 999994+6B 999440+560Q 1000000C",
            "triggered 3",
            "triggered 5",
            "balance 999994+6B 999440+560Q 1000000C",
            "balance 1000000B 1000000Q 1000000C",
        ],
    );
    check_only(
        "rejected accepted",
        "with balance 1 4B 559Q
         1 buy 5 @ 112 stop 110
         1 sell 5 @ 88 stop 90
         1 buy 5 stop 110
         1 sell 5 stop 90",
        &[
            "rejected InsufficientBalance",
            "rejected InsufficientBalance",
            "accepted 1 5",
            "accepted 2 5",
        ],
    );
}

#[test]
fn a_waiting_stop_may_be_modified() {
    check(
        "1 buy 5 @ 112 stop 110 as a
         1 modify a 6 @ 113
         1 balance
         1 modify a 4 as b
         1 amend b 3
         1 modify b 3 @ 1001
         1 balance
         1 sell 5 stop 90 as m
         1 modify m 6 @ 80
         1 modify m 6
         1 modify m 5
         1 modify m 2001
         1 modify m 0
         restart
         2 sell 1 @ 110
         1 modify b 4",
        &[
            "accepted 1 5",
            "modified 1 5@112->6@113",
            "balance 1000000B 999322+678Q 1000000C",
            "amended 1 6->4 a->b",
            "amended 1 4->3",
            "rejected PriceAboveMax",
            "balance 1000000B 999661+339Q 1000000C",
            "accepted 2 5",
            "rejected AmendNotAllowed",
            "modified 2 5@0->6@0",
            "amended 2 6->5",
            "rejected MarketQtyAboveMax",
            "canceled 2 0/5 Modified",
            "accepted 3 1",
            "rested 3 1@110",
            "triggered 1",
            "trade 3!<1 1@110",
            "rested 1 2@113",
            "reduced 1 2@113",
            "modified 1 3@113->4@113",
            "rested 1 3@113",
        ],
    );
}

#[test]
fn waiting_stops_are_canceled_like_any_order() {
    check_only(
        "canceled orders balance triggered kill",
        "last 100
         1 buy 5 stop 110 as a
         1 sell 5 @ 88 stop 90
         1 sell 5 take trail 100
         1 buy 5 @ 112 take 90
         2 sell 5 stop 90
         1 cancel a
         1 mass-cancel sell
         1 orders
         restart
         1 cancel all
         2 kill on
         1 balance
         last 110
         last 90",
        &[
            "canceled 3 0/5 Requested",
            "canceled 4 0/5 CancelAll",
            "canceled 5 0/5 CancelAll",
            "orders 6",
            "canceled 6 0/5 CancelAll",
            "kill 2 on",
            "canceled 7 0/5 KillSwitch",
            "balance 1000000B 1000000Q 1000000C",
        ],
    );
}

/// A reached stop waits until trading continues, and can be canceled until then.
#[test]
fn a_reached_stop_can_be_canceled_until_it_is_triggered() {
    let script = "last 250 \n 1 sell 1 stop trail 100 as t \n 1 sell 1 stop 247 as s";
    let (mut venue, _) = play(&with_trades(script));
    venue.apply(0, set_phase(Phase::OpeningAuction));
    trade_at(&mut venue, 247);
    venue.apply(0, set_phase(Phase::Closed));
    venue.apply(1, cancel_named("t"));
    venue.restart();
    venue.apply(1, cancel_named("s"));
    assert_eq!(triggered(&venue.apply(0, set_phase(Phase::Continuous))), []);
    assert_eq!(triggered(&trade_at(&mut venue, 240)), []);
}

#[test]
fn stops_are_refused_in_order_of_precedence() {
    check_only(
        "accepted rejected",
        "last 100
         1 sell 5 stop
         1 sell 5 @ 80 stop 90 post
         1 buy market quote 500 stop 110
         1 sell 5 stop 90 ioc
         1 sell 5 stop 90 peg primary
         1 sell 5 stop 90 display 2
         1 sell 5 stop 90 until 1
         1 sell 5 @ 1001 stop 0
         1 sell 5 stop 0
         1 sell 5 stop 1001 trail 10000
         1 sell 5 stop -1
         1 sell 5 stop -9223372036854775808
         1 buy 5 stop 9223372036854775807
         1 sell 5 stop trail 10000
         1 sell 5 stop trail 4294967295
         1 sell 0 stop trail 10000 until 1
         1 sell 0 stop 90 until 1
         1 sell 0 stop 90
         1 sell 2001 stop 90
         1 sell 2000 stop 90
         1 sell 2000 @ 10 stop 90
         1 sell 5 @ 1 stop 1 as low
         1 buy 5 @ 1000 stop 1000
         1 sell 5 take 100 as low
         1 sell 5 take 100
         1 sell 5 stop trail 9999
         1 sell 5 take trail 1",
        &[
            "accepted 1 1",
            "accepted 2 1",
            "rejected OrderTermsInvalid",
            "rejected OrderTermsInvalid",
            "rejected OrderTermsInvalid",
            "rejected OrderTermsInvalid",
            "rejected OrderTermsInvalid",
            "rejected OrderTermsInvalid",
            "rejected ExpireTimePast",
            "rejected PriceAboveMax",
            "rejected StopPriceOutOfRange",
            "rejected StopPriceOutOfRange",
            "rejected StopPriceOutOfRange",
            "rejected StopPriceOutOfRange",
            "rejected StopPriceOutOfRange",
            "rejected TrailingDeltaOutOfRange",
            "rejected TrailingDeltaOutOfRange",
            "rejected TrailingDeltaOutOfRange",
            "rejected ExpireTimePast",
            "rejected MarketQtyBelowMin",
            "rejected MarketQtyAboveMax",
            "accepted 3 2000",
            "rejected OrderQtyAboveMax",
            "accepted 4 5",
            "accepted 5 5",
            "rejected DuplicateClOrdId",
            "rejected WouldTriggerImmediately",
            "accepted 6 5",
            "accepted 7 5",
        ],
    );
}

#[test]
fn an_instrument_may_bound_stops_and_deltas() {
    let mut venue = House::default().open();
    let rules = InstrumentRules {
        max_stop_orders: 2,
        trailing_delta_min_bps: 50,
        trailing_delta_max_bps: 500,
        ..InstrumentRules::default()
    };
    let set = SetInstrumentRules { instrument: InstrumentId(0), rules };
    assert_eq!(venue.reason(0, Command::SetInstrumentRules(set)), None);
    let trailing = |name: &str, trailing_delta_bps: u32| {
        let mut order = limit(name, Side::Sell, 1, 0);
        order.order_type = OrderType::StopLoss;
        order.terms = Some(Terms { trailing_delta_bps, ..Terms::default() });
        Command::NewOrder(order)
    };
    let out_of_range = Some(RejectReason::TrailingDeltaOutOfRange);
    assert_eq!(venue.reason(1, trailing("a", 49)), out_of_range);
    assert_eq!(venue.reason(1, trailing("a", 501)), out_of_range);
    assert_eq!(venue.reason(1, trailing("a", 50)), None);
    assert_eq!(venue.reason(1, trailing("b", 500)), None);
    assert_eq!(venue.reason(1, trailing("c", 500)), Some(RejectReason::TooManyStopOrders));
    assert_eq!(venue.reason(2, trailing("c", 500)), None, "each account has its own");
    venue.restart();
    venue.apply(1, cancel_named("a"));
    assert_eq!(venue.reason(1, trailing("c", 500)), None);
    assert_eq!(venue.reason(1, trailing("d", 500)), Some(RejectReason::TooManyStopOrders));
}
