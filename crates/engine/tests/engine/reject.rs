//! The ladder of refusals for a new order: one rung per reason, in the order of the reasons, and
//! absurd values on each.

use types::{
    Command, InstrumentId, NewOrder, OrderSize, OrderType, RejectReason, Side, Terms, TimeInForce,
};

use crate::house::{Driver, House, limit, lots, market, minor, state_bytes, ticks};
use crate::script::check;

/// A setup in which all bounds differ.
fn house() -> House {
    let mut house = House::default();
    let spec = &mut house.instruments[0];
    (spec.min_price, spec.max_price) = (ticks(10), ticks(100));
    (spec.min_qty, spec.max_qty, spec.market_max_qty) = (lots(2), lots(50), lots(80));
    (spec.min_notional, spec.max_notional) = (minor(40), minor(4_000));
    spec.max_open_orders = 2;
    house.accounts[0].max_open_orders = 3;
    house.balances = [((1, 0), 60), ((1, 1), 3_000)].into();
    house
}

fn refused(venue: &mut Driver, account: u32, order: NewOrder) -> Option<RejectReason> {
    let before = state_bytes(&venue.engine);
    let would = venue.engine.check_new_order(types::AccountId(account), &order).err();
    let reason = venue.reason(account, Command::NewOrder(order));
    assert_eq!(would, reason, "check_new_order gives the same result");
    if reason.is_some() {
        assert_eq!(before[18..], state_bytes(&venue.engine)[18..], "{order:?}");
    }
    reason
}

/// Each order has the fault of its rung and those of all later rungs that are compatible.
fn faulty_orders() -> Vec<(u32, NewOrder, RejectReason)> {
    use RejectReason::*;
    let quote = OrderSize::Quote(minor(0));
    let worst = NewOrder { size: quote, ..limit("a", Side::Buy, 0, 0) };
    let elsewhere = NewOrder { instrument: InstrumentId(2), ..worst };
    let post = |order| NewOrder { order_type: OrderType::LimitMaker, ..order };
    let base = |qty| OrderSize::Base(lots(qty));
    let with = |order, time_in_force| NewOrder { time_in_force, ..order };
    let (ioc, fok) = (TimeInForce::Ioc, TimeInForce::Fok);
    vec![
        (9, elsewhere, UnknownAccount),
        (0, elsewhere, UnknownAccount),
        (u32::MAX, elsewhere, UnknownAccount),
        (1, elsewhere, UnknownInstrument),
        (1, NewOrder { instrument: InstrumentId(u32::MAX), ..worst }, UnknownInstrument),
        (1, worst, OrderTermsInvalid),
        (1, post(worst), OrderTermsInvalid),
        (1, post(with(limit("a", Side::Buy, 0, 0), ioc)), OrderTermsInvalid),
        (1, post(with(limit("a", Side::Buy, 0, 0), fok)), OrderTermsInvalid),
        (1, NewOrder { price: ticks(1), ..market("a", Side::Buy, base(0)) }, OrderTermsInvalid),
        (1, NewOrder { price: ticks(-1), ..market("a", Side::Buy, quote) }, OrderTermsInvalid),
        (1, with(market("a", Side::Buy, base(0)), ioc), OrderTermsInvalid),
        (1, with(market("a", Side::Buy, base(0)), fok), OrderTermsInvalid),
        (1, limit("a", Side::Buy, 0, 9), PriceBelowMin),
        (1, limit("a", Side::Buy, 0, 0), PriceBelowMin),
        (1, limit("a", Side::Buy, 0, -1), PriceBelowMin),
        (1, limit("a", Side::Buy, u64::MAX, i64::MIN), PriceBelowMin),
        (1, post(limit("a", Side::Buy, 0, 9)), PriceBelowMin),
        (1, limit("a", Side::Buy, 0, 101), PriceAboveMax),
        (1, limit("a", Side::Buy, u64::MAX, i64::MAX), PriceAboveMax),
        (1, limit("a", Side::Buy, 1, 10), OrderQtyBelowMin),
        (1, limit("a", Side::Buy, 0, 100), OrderQtyBelowMin),
        (1, limit("a", Side::Buy, 51, 100), OrderQtyAboveMax),
        (1, limit("a", Side::Buy, u64::MAX, 100), OrderQtyAboveMax),
        (1, market("a", Side::Buy, base(1)), MarketQtyBelowMin),
        (1, market("a", Side::Buy, base(0)), MarketQtyBelowMin),
        (1, market("a", Side::Buy, OrderSize::Quote(minor(39))), MarketQtyBelowMin),
        (1, market("a", Side::Buy, base(81)), MarketQtyAboveMax),
        (1, market("a", Side::Sell, base(u64::MAX)), MarketQtyAboveMax),
        (1, limit("a", Side::Buy, 3, 13), NotionalBelowMin),
        (1, market("a", Side::Buy, quote), NotionalBelowMin),
        (1, market("a", Side::Sell, OrderSize::Quote(minor(-1))), NotionalBelowMin),
        (1, market("a", Side::Sell, OrderSize::Quote(minor(i128::MIN))), NotionalBelowMin),
        (1, limit("a", Side::Buy, 41, 100), NotionalAboveMax),
        (1, market("a", Side::Buy, OrderSize::Quote(minor(4_001))), NotionalAboveMax),
        (1, market("a", Side::Sell, OrderSize::Quote(minor(i128::MAX))), NotionalAboveMax),
        (1, limit("a", Side::Buy, 40, 100), TooManyOpenOrders),
        (1, post(limit("a", Side::Buy, 40, 100)), TooManyOpenOrders),
        // An order that never rests uses no room.
        (1, with(limit("a", Side::Buy, 40, 100), ioc), DuplicateClOrdId),
        (1, market("a", Side::Buy, OrderSize::Quote(minor(4_000))), DuplicateClOrdId),
        (1, market("b", Side::Sell, base(80)), DuplicateClOrdId),
        (1, market("c", Side::Sell, base(80)), InsufficientBalance),
        (1, market("c", Side::Buy, OrderSize::Quote(minor(4_000))), InsufficientBalance),
    ]
}

#[test]
fn reasons_come_in_order_of_precedence() {
    use RejectReason::*;
    let mut venue = house().open();
    // Two of three open orders, one of them at a price that can trade.
    assert_eq!(refused(&mut venue, 1, limit("a", Side::Buy, 2, 20)), None);
    assert_eq!(refused(&mut venue, 1, limit("b", Side::Sell, 2, 30)), None);

    for (account, order, expect) in faulty_orders() {
        assert_eq!(refused(&mut venue, account, order), Some(expect), "{order:?}");
    }

    let post = |order| NewOrder { order_type: OrderType::LimitMaker, ..order };
    let on_other = NewOrder { instrument: InstrumentId(1), ..limit("a", Side::Buy, 1, 10) };
    assert_eq!(refused(&mut venue, 1, on_other), None);
    assert_eq!(refused(&mut venue, 1, on_other), Some(TooManyAccountOrders));
    venue.apply(1, crate::house::cancel_named("b"));
    venue.apply(1, crate::house::cancel_named("a"));
    assert_eq!(refused(&mut venue, 2, limit("x", Side::Sell, 2, 99)), None);
    assert_eq!(
        refused(&mut venue, 1, post(limit("a", Side::Buy, 40, 100))),
        Some(InsufficientBalance)
    );
    assert_eq!(
        refused(&mut venue, 1, post(limit("a", Side::Buy, 2, 99))),
        Some(WouldTakeLiquidity)
    );
    assert_eq!(refused(&mut venue, 1, post(limit("a", Side::Buy, 2, 98))), None);
}

#[test]
fn a_market_order_by_quantity_is_measured_at_the_best_price() {
    check(
        "with min_notional=100 max_notional=1000
         1 buy market 1
         1 sell 20 @ 50
         1 buy market 1
         1 buy market 21
         1 buy market 2
         1 sell market 1",
        &[
            "rejected NoLiquidity",
            "accepted 1 20",
            "rested 1 20@50",
            "rejected NotionalBelowMin",
            "rejected NotionalAboveMax",
            "accepted 2 2",
            "trade 1<2! 2@50",
            "rejected NoLiquidity",
        ],
    );
}

#[test]
fn a_name_is_taken_while_its_order_is_open() {
    check(
        "1 buy 1 @ 10 as a
         1 buy 1 @ 10 as a
         1 buy 1 @ 10 on 1 as a
         2 buy 1 @ 10 as a
         1 buy market 1 as a
         1 cancel #1
         1 buy 1 @ 11 as a
         3 sell 1 @ 11 as a
         1 buy 1 @ 12 as a ioc
         1 buy 1 @ 12 as a",
        &[
            "accepted 1 1",
            "rested 1 1@10",
            "rejected DuplicateClOrdId",
            "accepted 1 1",
            "rested 1 1@10",
            "accepted 2 1",
            "rested 2 1@10",
            "rejected DuplicateClOrdId",
            "canceled 1 0/1 Requested",
            "accepted 3 1",
            "rested 3 1@11",
            "accepted 4 1",
            "trade 3!<4! 1@11",
            "accepted 5 1",
            "expired 5 0/1 ImmediateOrCancel",
            "accepted 6 1",
            "rested 6 1@12",
        ],
    );
}

#[test]
fn held_amounts_are_not_free() {
    check(
        "with balance 1 10B 100Q
         1 buy 6 @ 10
         1 buy 5 @ 10
         1 buy 4 @ 10
         1 sell 6 @ 20
         1 sell 5 @ 20
         1 sell market 5
         1 cancel all
         1 buy 10 @ 10",
        &[
            "accepted 1 6",
            "rested 1 6@10",
            "rejected InsufficientBalance",
            "accepted 2 4",
            "rested 2 4@10",
            "accepted 3 6",
            "rested 3 6@20",
            "rejected InsufficientBalance",
            "rejected InsufficientBalance",
            "canceled 1 0/6 CancelAll",
            "canceled 2 0/4 CancelAll",
            "canceled 3 0/6 CancelAll",
            "accepted 4 10",
            "rested 4 10@10",
        ],
    );
}

/// The largest amounts that can be listed, traded, charged and canceled.
#[test]
fn the_largest_amounts_do_not_overflow() {
    use types::{AMOUNT_MAX, PRICE_MAX, QTY_MAX};
    let mut house = House::default();
    let spec = &mut house.instruments[0];
    spec.tick_size.units = 1 << 14;
    (spec.max_price, spec.max_qty, spec.market_max_qty) = (PRICE_MAX, QTY_MAX, QTY_MAX);
    spec.max_notional = minor(i128::MAX);
    (spec.fees.maker_fee_bps_x100, spec.fees.taker_fee_bps_x100) = (1_000_000, 999_999);
    house.balances = (1..=4).flat_map(|account| [((account, 0), 0), ((account, 1), 0)]).collect();
    house.balances.insert((1, 0), QTY_MAX.lots().into());
    house.balances.insert((2, 1), AMOUNT_MAX.minor());
    let mut venue = house.open();
    let (qty, price) = (QTY_MAX.lots(), PRICE_MAX.ticks());
    let sell = limit("s", Side::Sell, qty, price);
    assert_eq!(refused(&mut venue, 1, sell), None);
    let by_quote = market("q", Side::Buy, OrderSize::Quote(minor(i128::MAX)));
    assert_eq!(refused(&mut venue, 2, by_quote), Some(RejectReason::InsufficientBalance));
    assert_eq!(refused(&mut venue, 2, limit("b", Side::Buy, qty, price)), None);
    assert_eq!(venue.balance(2, 1), (0, 0));
    assert_eq!(venue.balance(0, 1), (AMOUNT_MAX.minor(), 0));
    assert_eq!(venue.engine.resting_count(), 0);
}

/// An amount can name more lots than the largest quantity.
#[test]
fn an_order_by_quote_amount_stops_at_the_largest_quantity() {
    use types::QTY_MAX;
    let mut house = House::default();
    let spec = &mut house.instruments[0];
    (spec.max_qty, spec.max_notional) = (QTY_MAX, minor(i128::MAX));
    spec.market_max_qty = QTY_MAX;
    let plenty = 1 << 70;
    house.balances = [((1, 1), plenty), ((2, 0), plenty)].into();
    let mut venue = house.open();
    let qty = QTY_MAX.lots();
    for number in 0..3 {
        let buy = limit(&format!("b{number}"), Side::Buy, qty - 1, 1);
        assert_eq!(refused(&mut venue, 1, buy), None);
    }
    let all = market("m", Side::Sell, OrderSize::Quote(minor(plenty)));
    let events = venue.apply(2, Command::NewOrder(all));
    let [_, types::Event::TradeExecuted(first), types::Event::TradeExecuted(last)] = events[..]
    else {
        panic!("{events:?}");
    };
    assert_eq!((first.qty.lots(), last.qty.lots()), (qty - 1, 1));
    assert_eq!(last.taker.order.cum_qty, QTY_MAX);
    assert_eq!(last.taker.order.status, types::OrderStatus::Filled);
}

/// Each part is a trade of its own: without a limit one order could occupy the venue without bound.
#[test]
fn an_iceberg_of_too_many_parts_is_refused() {
    let mut house = House::default();
    house.instruments[0].max_qty = lots(10_000);
    let mut venue = house.open();
    let terms = Some(Terms { display_qty: lots(2), ..Terms::default() });
    let iceberg = |qty| NewOrder { terms, ..limit("a", Side::Sell, qty, 5) };
    assert_eq!(refused(&mut venue, 1, iceberg(2_001)), Some(RejectReason::TooManyIcebergParts));
    assert_eq!(refused(&mut venue, 1, iceberg(2_000)), None);
}
