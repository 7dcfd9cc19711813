//! Modifies: another quantity or price for an open order.

use types::{Command, InstrumentId, ModifyOrder, OrderId, OrderRef, Phase, RejectReason, SetPhase};

use crate::house::{lots, ticks};
use crate::script::{check, play};

#[test]
fn less_at_the_same_price_keeps_the_place() {
    check(
        "1 sell 5 @ 100 as a
         2 sell 5 @ 100
         1 modify a 3
         1 modify a 3 @ 100 as b
         3 buy 4 @ 100
         1 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@100",
            "amended 1 5->3",
            "amended 1 3->3 a->b",
            "accepted 3 4",
            "trade 1!<3 3@100",
            "trade 2<3! 1@100",
            "balance 999997B 1000300Q 1000000C",
        ],
    );
}

#[test]
fn more_loses_the_place() {
    check(
        "1 sell 5 @ 100 as a
         2 sell 5 @ 100
         1 modify a 6 as b
         3 buy 6 @ 100
         1 balance
         1 cancel b
         1 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@100",
            "reduced 1 5@100",
            "modified 1 5@100->6@100 a->b",
            "rested 1 6@100",
            "accepted 3 6",
            "trade 2!<3 5@100",
            "trade 1<3! 1@100",
            "balance 999994+5B 1000100Q 1000000C",
            "canceled 1 1/6 Requested",
            "balance 999999B 1000100Q 1000000C",
        ],
    );
}

#[test]
fn another_price_may_trade_at_once_under_the_same_id() {
    check(
        "1 buy 5 @ 90 as a
         2 sell 2 @ 100
         2 sell 1 @ 101
         1 modify a 4 @ 101
         1 order a
         1 balance
         restart
         2 sell 9 @ 101
         1 order a
         1 orders",
        &[
            "accepted 1 5",
            "rested 1 5@90",
            "accepted 2 2",
            "rested 2 2@100",
            "accepted 3 1",
            "rested 3 1@101",
            "reduced 1 5@90",
            "modified 1 5@90->4@101",
            "trade 2!<1 2@100",
            "trade 3!<1 1@101",
            "rested 1 1@101",
            "order 1 a PartiallyFilled 3/4 =301",
            "balance 1000003B 999598+101Q 1000000C",
            "accepted 4 9",
            "trade 1!<4 1@101",
            "rested 4 8@101",
            "order 1 a Filled 4/4 =402",
            "orders",
        ],
    );
}

#[test]
fn it_may_fill_or_meet_itself() {
    check(
        "1 buy 5 @ 90 stp taker as a
         1 sell 2 @ 100
         2 sell 5 @ 99
         1 modify a 7 @ 100
         1 orders
         1 buy 3 @ 90 as b
         2 sell 9 @ 95 as s
         1 modify b 4 @ 95
         1 finished
         1 balance",
        &[
            "accepted 1 5",
            "rested 1 5@90",
            "accepted 2 2",
            "rested 2 2@100",
            "accepted 3 5",
            "rested 3 5@99",
            "reduced 1 5@90",
            "modified 1 5@90->7@100",
            "trade 3!<1 5@99",
            "prevented 2<1 2@100 ExpireTaker",
            "expired 1 5/5 SelfTrade",
            "orders 2",
            "accepted 4 3",
            "rested 4 3@90",
            "accepted 5 9",
            "rested 5 9@95",
            "reduced 4 3@90",
            "modified 4 3@90->4@95",
            "trade 5<4! 4@95",
            "finished 1 4",
            "balance 1000007+2B 999125Q 1000000C",
        ],
    );
}

#[test]
fn a_quantity_that_is_filled_already_closes_the_order() {
    check(
        "1 buy 5 @ 90 as a
         2 sell 2 @ 90
         1 modify a 2 as z
         1 buy 5 @ 90 as b
         1 modify b 0
         1 balance",
        &[
            "accepted 1 5",
            "rested 1 5@90",
            "accepted 2 2",
            "trade 1<2! 2@90",
            "canceled 1 2/5 Modified",
            "accepted 3 5",
            "rested 3 5@90",
            "canceled 3 0/5 Modified",
            "balance 1000002B 999820Q 1000000C",
        ],
    );
}

#[test]
fn an_iceberg_shows_a_fresh_part() {
    check(
        "1 sell 10 @ 100 display 4 as a
         2 buy 3 @ 100
         1 modify a 9
         1 modify a 11
         restart
         1 modify a 4
         1 modify a 8 @ 101",
        &[
            "accepted 1 10",
            "rested 1 4@100",
            "accepted 2 3",
            "trade 1<2! 3@100",
            "reduced 1 3@100 left 1",
            "amended 1 10->9",
            "reduced 1 1@100",
            "modified 1 9@100->11@100",
            "rested 1 4@100",
            "rejected DisplayQtyOutOfRange",
            "reduced 1 4@100",
            "modified 1 11@100->8@101",
            "rested 1 4@101",
        ],
    );
}

#[test]
fn its_own_hold_counts_as_free() {
    check(
        "with balance 1 0B 500Q
         1 buy 5 @ 100 as a
         1 modify a 6
         1 modify a 5 @ 101
         1 modify a 10 @ 50
         2 sell 4 @ 50
         1 modify a 11 @ 50
         1 modify a 7 @ 100
         1 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "rejected InsufficientBalance",
            "rejected InsufficientBalance",
            "reduced 1 5@100",
            "modified 1 5@100->10@50",
            "rested 1 10@50",
            "accepted 2 4",
            "trade 1<2! 4@50",
            "rejected InsufficientBalance",
            "reduced 1 6@50",
            "modified 1 10@50->7@100",
            "rested 1 3@100",
            "balance 4B 0+300Q 1000000C",
        ],
    );
}

#[test]
fn modifications_are_refused_in_order_of_precedence() {
    check(
        "with min_qty=2 max_qty=100 min_notional=500 max_notional=20000 max_open_orders=2
         1 buy 10 @ 100 as a
         1 buy 10 @ 99 post as b
         2 sell 9 @ 101
         9 modify a 9 @ 100
         1 modify a on 7 9
         1 modify z 9 @ 0
         2 modify #1 9
         1 modify a 9 @ 0
         1 modify a 9 @ -9223372036854775808
         1 modify a 9 @ 9223372036854775807
         1 modify a 1
         1 modify a 101
         1 modify a 18446744073709551615
         1 modify a 3 as b
         1 modify a 100 @ 201 as b
         1 modify a 9 as b
         1 modify b 9 @ 101
         1 modify b 9 @ 100 as c",
        &[
            "accepted 1 10",
            "rested 1 10@100",
            "accepted 2 10",
            "rested 2 10@99",
            "accepted 3 9",
            "rested 3 9@101",
            "rejected UnknownAccount",
            "rejected UnknownInstrument",
            "rejected OrderNotFound",
            "rejected OrderNotFound",
            "rejected PriceBelowMin",
            "rejected PriceBelowMin",
            "rejected PriceAboveMax",
            "rejected OrderQtyBelowMin",
            "rejected OrderQtyAboveMax",
            "rejected OrderQtyAboveMax",
            "rejected NotionalBelowMin",
            "rejected NotionalAboveMax",
            "rejected DuplicateClOrdId",
            "rejected WouldTakeLiquidity",
            "reduced 2 10@99",
            "modified 2 10@99->9@100 b->c",
            "rested 2 9@100",
        ],
    );
}

#[test]
fn nothing_is_modified_in_a_halt() {
    let (mut venue, _) = play("1 buy 5 @ 90 as a");
    for phase in [Phase::Halt, Phase::Closed] {
        let set = SetPhase { instrument: InstrumentId(0), phase };
        if venue.reason(0, Command::SetPhase(set)).is_some() {
            continue;
        }
        let modify = ModifyOrder {
            instrument: InstrumentId(0),
            order: OrderRef::by_id(OrderId(1)),
            cl_ord_id: None,
            order_qty: lots(6),
            price: Some(ticks(91)),
        };
        assert_eq!(venue.reason(1, Command::ModifyOrder(modify)), Some(RejectReason::PhaseForbids));
    }
}

/// A modified order with many trades is suspended, and is found under its id until it continues.
#[test]
fn a_modified_order_goes_on_in_the_next_command() {
    let (mut venue, _) = play("1 buy 5 @ 90 as a");
    venue.unchecked = true;
    for number in 0..1_001 {
        let sell = crate::house::limit(&format!("s{number}"), types::Side::Sell, 1, 95);
        venue.apply(2, Command::NewOrder(sell));
    }
    venue.unchecked = false;
    let modify = ModifyOrder {
        instrument: InstrumentId(0),
        order: OrderRef::by_id(OrderId(1)),
        cl_ord_id: None,
        order_qty: lots(1_000),
        price: Some(ticks(95)),
    };
    let events = venue.apply(1, Command::ModifyOrder(modify));
    assert_eq!(events.len(), 1_002);
    assert!(!venue.engine.has_deferred());
    venue.apply(2, Command::NewOrder(crate::house::limit("t", types::Side::Sell, 1, 96)));
    let mut house = crate::house::House::default();
    house.instruments[0].max_qty = lots(5_000);
    let mut venue = house.open();
    venue.apply(1, Command::NewOrder(crate::house::limit("a", types::Side::Buy, 5, 90)));
    venue.unchecked = true;
    for number in 0..1_001 {
        let sell = crate::house::limit(&format!("s{number}"), types::Side::Sell, 1, 95);
        venue.apply(2, Command::NewOrder(sell));
    }
    venue.unchecked = false;
    let modify = ModifyOrder { order_qty: lots(1_002), ..modify };
    assert_eq!(venue.apply(1, Command::ModifyOrder(modify)).len(), 1_002);
    assert!(venue.engine.has_deferred());
    let by_id = OrderRef::by_id(OrderId(1));
    let order = venue.engine.order(types::AccountId(1), InstrumentId(0), &by_id).unwrap();
    assert_eq!(order.cum_qty, lots(1_000));
    venue.restart();
    assert_eq!(venue.apply(0, Command::Continue(())).len(), 2);
    assert_eq!(venue.levels(0, types::Side::Buy), [(95, 1)]);
}
