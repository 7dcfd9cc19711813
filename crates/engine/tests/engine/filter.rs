//! The rules of an instrument beyond its bounds: at the bound, one beyond, and absurd values.

use types::{
    AccountId, AccountMode, AccountRisk, AmendOrder, Command, FeeRates, InstrumentId,
    InstrumentRules, InstrumentSpec, ModifyOrder, NewOrder, OrderRef, OrderSize, OrderType, Peg,
    PegReference, PercentPrice, Price, QTY_MAX, RejectReason, SetAccountRisk, SetInstrumentRules,
    Side, Terms, UpdateInstrument,
};

use crate::house::{
    Driver, House, cancel_named, limit, lots, market, minor, name, state_bytes, ticks,
};
use crate::script::check;

pub(crate) const SECOND_NS: u64 = 1_000_000_000;
pub(crate) const HERE: InstrumentId = InstrumentId(0);
pub(crate) const NO_RULES: fn() -> InstrumentRules = InstrumentRules::default;

/// The reason for which a new order would be refused.
pub(crate) fn would(venue: &Driver, account: u32, order: NewOrder) -> Option<RejectReason> {
    venue.engine.check_new_order(AccountId(account), &order).err()
}

pub(crate) fn order(venue: &mut Driver, account: u32, order: NewOrder) -> Option<RejectReason> {
    let would = would(venue, account, order);
    let reason = venue.reason(account, Command::NewOrder(order));
    assert_eq!(would, reason, "check_new_order gives the same result");
    reason
}

pub(crate) fn set(venue: &mut Driver, rules: InstrumentRules) -> Option<RejectReason> {
    venue.reason(0, Command::SetInstrumentRules(SetInstrumentRules { instrument: HERE, rules }))
}

/// Accounts 3 and 4 trade.
pub(crate) fn trade(venue: &mut Driver, qty: u64, price: i64) {
    assert_eq!(order(venue, 3, limit("offer", Side::Sell, qty, price)), None);
    assert_eq!(order(venue, 4, limit("take", Side::Buy, qty, price)), None);
    assert_eq!(venue.engine.last_price(HERE), Some(ticks(price)));
}

fn at(venue: &mut Driver, now_ns: u64) -> Option<Price> {
    venue.now_ns = now_ns - 1;
    venue.apply(0, Command::Tick(()));
    venue.engine.avg_price(HERE)
}

pub(crate) fn iceberg(cl_ord_id: &str, qty: u64, price: i64, display_qty: u64) -> NewOrder {
    let terms = Terms { display_qty: lots(display_qty), ..Terms::default() };
    NewOrder { terms: Some(terms), ..limit(cl_ord_id, Side::Buy, qty, price) }
}

pub(crate) fn amend(
    venue: &mut Driver,
    account: u32,
    cl_ord_id: &str,
    qty: u64,
) -> Option<RejectReason> {
    let amend = AmendOrder {
        instrument: HERE,
        order: OrderRef::by_cl_ord_id(name(cl_ord_id)),
        cl_ord_id: None,
        order_qty: lots(qty),
    };
    venue.reason(account, Command::AmendOrder(amend))
}

pub(crate) fn modify(
    venue: &mut Driver,
    account: u32,
    cl_ord_id: &str,
    qty: u64,
    price: i64,
) -> Option<RejectReason> {
    let modify = ModifyOrder {
        instrument: HERE,
        order: OrderRef::by_cl_ord_id(name(cl_ord_id)),
        cl_ord_id: None,
        order_qty: lots(qty),
        price: Some(ticks(price)),
    };
    venue.reason(account, Command::ModifyOrder(modify))
}

/// A setup whose prices may be negative; no account has balances.
pub(crate) fn below_zero() -> Driver {
    let mut house = House::default();
    house.instruments[0].min_price = ticks(-1000);
    for account in 1..=4 {
        house.balances.extend((0..3).map(|asset| ((account, asset), 0)));
    }
    let mut venue = house.open();
    for account in (1..=4).map(AccountId) {
        let risk = AccountRisk { mode: AccountMode::Limits, ..AccountRisk::PLAIN };
        assert_eq!(
            venue.reason(0, Command::SetAccountRisk(SetAccountRisk { account, risk })),
            None
        );
    }
    venue
}

#[test]
fn the_average_is_of_all_trades_in_the_window_by_quantity() {
    let mut venue = House::default().open();
    let minute = InstrumentRules { avg_price_mins: 1, ..NO_RULES() };
    assert_eq!(set(&mut venue, minute), None);
    assert_eq!(at(&mut venue, SECOND_NS), None);
    trade(&mut venue, 10, 100);
    assert_eq!(at(&mut venue, 2 * SECOND_NS), Some(ticks(100)));
    trade(&mut venue, 20, 104);
    // 3,080 for 30 lots: 102 and two thirds.
    assert_eq!(venue.engine.avg_price(HERE), Some(ticks(102)));
    venue.restart();
    assert_eq!(at(&mut venue, 61 * SECOND_NS - 1), Some(ticks(102)));
    trade(&mut venue, 20, 90);
    // The first second has left the window; 3,880 for 40 lots remain.
    assert_eq!(at(&mut venue, 61 * SECOND_NS), Some(ticks(97)));
    assert_eq!(at(&mut venue, 62 * SECOND_NS), Some(ticks(90)));
    assert_eq!(at(&mut venue, 1_000 * SECOND_NS), Some(ticks(90)));
    assert_eq!(at(&mut venue, u64::MAX), Some(ticks(90)));
    venue.restart();
    assert_eq!(venue.engine.avg_price(HERE), Some(ticks(90)));
}

#[test]
fn another_window_begins_anew() {
    let mut venue = House::default().open();
    let rules = |avg_price_mins| InstrumentRules { avg_price_mins, ..NO_RULES() };
    set(&mut venue, rules(1));
    trade(&mut venue, 1, 100);
    trade(&mut venue, 1, 110);
    assert_eq!(venue.engine.avg_price(HERE), Some(ticks(105)));
    set(&mut venue, InstrumentRules { max_amends: 7, ..rules(1) });
    assert_eq!(venue.engine.avg_price(HERE), Some(ticks(105)));
    set(&mut venue, rules(7 * 24 * 60));
    assert_eq!(venue.engine.avg_price(HERE), Some(ticks(110)));
    trade(&mut venue, 1, 100);
    trade(&mut venue, 1, 103);
    assert_eq!(venue.engine.avg_price(HERE), Some(ticks(101)));
    set(&mut venue, NO_RULES());
    assert_eq!(venue.engine.avg_price(HERE), Some(ticks(103)));
    assert_eq!(venue.engine.avg_price(InstrumentId(u32::MAX)), None);
}

#[test]
fn the_average_is_rounded_down_below_zero_too() {
    let mut venue = below_zero();
    set(&mut venue, InstrumentRules { avg_price_mins: 1, ..NO_RULES() });
    trade(&mut venue, 1, -100);
    trade(&mut venue, 1, -103);
    assert_eq!(venue.engine.avg_price(HERE), Some(ticks(-102)));
    venue.restart();
    trade(&mut venue, 2, 102);
    assert_eq!(venue.engine.avg_price(HERE), Some(ticks(0)));
}

const PERCENT: PercentPrice = PercentPrice {
    buy_max_bps: 12_000,
    buy_min_bps: 8_000,
    sell_max_bps: 15_000,
    sell_min_bps: 9_000,
};

#[test]
fn limit_prices_keep_to_their_part_of_the_average() {
    use RejectReason::{NoPegReference, PriceAboveMax, PriceOutsidePercent};
    let mut venue = House::default().open();
    let rules = InstrumentRules { avg_price_mins: 1, percent_price: PERCENT, ..NO_RULES() };
    set(&mut venue, rules);
    assert_eq!(would(&venue, 1, limit("a", Side::Buy, 1, 1000)), None, "nothing has traded");
    trade(&mut venue, 1, 95);
    trade(&mut venue, 1, 105);
    venue.restart();
    for (side, price, expect) in [
        (Side::Buy, 120, None),
        (Side::Buy, 121, Some(PriceOutsidePercent)),
        (Side::Buy, 80, None),
        (Side::Buy, 79, Some(PriceOutsidePercent)),
        (Side::Sell, 150, None),
        (Side::Sell, 151, Some(PriceOutsidePercent)),
        (Side::Sell, 90, None),
        (Side::Sell, 89, Some(PriceOutsidePercent)),
        (Side::Sell, 1001, Some(PriceAboveMax)),
    ] {
        assert_eq!(would(&venue, 1, limit("a", side, 1, price)), expect, "{side:?} @ {price}");
    }

    // An order that takes its limit from the book is checked too; a market order or a peg is not.
    let to_limit = NewOrder {
        order_type: OrderType::MarketToLimit,
        price: ticks(0),
        ..limit("a", Side::Buy, 1, 0)
    };
    assert_eq!(would(&venue, 1, to_limit), Some(NoPegReference));
    assert_eq!(order(&mut venue, 2, limit("offer", Side::Sell, 1, 121)), None);
    assert_eq!(order(&mut venue, 1, to_limit), Some(PriceOutsidePercent));
    assert_eq!(would(&venue, 1, market("a", Side::Buy, OrderSize::Base(lots(1)))), None);
    let peg = Peg { reference: PegReference::Primary, offset_ticks: 0, limit: None };
    let pegged = Terms { peg: Some(peg), ..Terms::default() };
    set(
        &mut venue,
        InstrumentRules {
            percent_price: PercentPrice { sell_max_bps: 10_000, ..PERCENT },
            ..rules
        },
    );
    let pegged = NewOrder { terms: Some(pegged), ..limit("a", Side::Sell, 1, 0) };
    assert_eq!(would(&venue, 1, pegged), None);

    assert_eq!(order(&mut venue, 1, limit("a", Side::Buy, 1, 80)), None);
    assert_eq!(modify(&mut venue, 1, "a", 1, 79), Some(PriceOutsidePercent));
    assert_eq!(modify(&mut venue, 1, "a", 1, 110), None);
}

#[test]
fn parts_of_an_average_below_zero_are_of_its_size() {
    let mut venue = below_zero();
    trade(&mut venue, 1, -100);
    set(&mut venue, InstrumentRules { percent_price: PERCENT, ..NO_RULES() });
    for (price, fits) in [(-80, true), (-79, false), (-120, true), (-121, false)] {
        let reason = would(&venue, 1, limit("a", Side::Buy, 1, price));
        assert_eq!(reason, (!fits).then_some(RejectReason::PriceOutsidePercent), "{price}");
    }
    let most =
        PercentPrice { buy_max_bps: u32::MAX, sell_min_bps: u32::MAX, ..PercentPrice::default() };
    set(&mut venue, InstrumentRules { percent_price: most, ..NO_RULES() });
    assert_eq!(would(&venue, 1, limit("a", Side::Buy, 1, 1000)), None);
    let refused = Some(RejectReason::PriceOutsidePercent);
    assert_eq!(would(&venue, 1, limit("a", Side::Sell, 1, 1000)), refused);
}

#[test]
fn market_orders_may_be_measured_at_the_average() {
    use RejectReason::{NotionalAboveMax, NotionalBelowMin};
    let mut house = House::default();
    house.instruments[0].min_notional = minor(1000);
    let mut venue = house.open();
    let buy = |qty| market("a", Side::Buy, OrderSize::Base(lots(qty)));
    let by_average = InstrumentRules { notional_by_avg_price: true, ..NO_RULES() };
    set(&mut venue, by_average);
    assert_eq!(order(&mut venue, 2, limit("offer", Side::Sell, 500, 200)), None);
    assert_eq!(would(&venue, 1, buy(1)), None, "nothing has traded");
    trade(&mut venue, 10, 100);
    venue.restart();
    for (qty, expect) in
        [(9, Some(NotionalBelowMin)), (10, None), (1000, None), (1001, Some(NotionalAboveMax))]
    {
        assert_eq!(would(&venue, 1, buy(qty)), expect, "{qty}");
    }
    let quote = |amount| market("a", Side::Buy, OrderSize::Quote(minor(amount)));
    assert_eq!(would(&venue, 1, quote(1000)), None);
    assert_eq!(would(&venue, 1, quote(999)), Some(NotionalBelowMin));
    set(&mut venue, NO_RULES());
    assert_eq!(would(&venue, 1, buy(5)), None);
    assert_eq!(would(&venue, 1, buy(4)), Some(NotionalBelowMin));
}

#[test]
fn market_orders_have_a_smallest_quantity_of_their_own() {
    use RejectReason::MarketQtyBelowMin;
    let mut venue = House::default().open();
    let stop = |qty| {
        let terms = Terms { stop_price: Some(ticks(5)), ..Terms::default() };
        let order = limit("a", Side::Sell, qty, 0);
        NewOrder { order_type: OrderType::StopLoss, terms: Some(terms), ..order }
    };
    let buy = |qty| market("a", Side::Buy, OrderSize::Base(lots(qty)));
    set(&mut venue, InstrumentRules { market_min_qty: lots(5), ..NO_RULES() });
    venue.restart();
    assert_eq!(order(&mut venue, 2, limit("offer", Side::Sell, 500, 20)), None);
    assert_eq!(order(&mut venue, 1, buy(4)), Some(MarketQtyBelowMin));
    assert_eq!(would(&venue, 1, stop(4)), Some(MarketQtyBelowMin));
    assert_eq!(would(&venue, 1, buy(0)), Some(MarketQtyBelowMin));
    for order in [buy(5), stop(5), limit("a", Side::Buy, 4, 9)] {
        assert_eq!(would(&venue, 1, order), None, "{order:?}");
    }
    set(&mut venue, InstrumentRules { market_min_qty: QTY_MAX, ..NO_RULES() });
    assert_eq!(would(&venue, 1, buy(2000)), Some(MarketQtyBelowMin));
}

#[test]
fn parts_of_an_iceberg_are_bounded() {
    use RejectReason::TooManyIcebergParts;
    let mut venue = House::default().open();
    let parts = |iceberg_parts_max| InstrumentRules { iceberg_parts_max, ..NO_RULES() };
    set(&mut venue, parts(3));
    venue.restart();
    assert_eq!(order(&mut venue, 1, iceberg("a", 12, 9, 4)), None);
    assert_eq!(order(&mut venue, 1, iceberg("b", 13, 9, 4)), Some(TooManyIcebergParts));
    assert_eq!(modify(&mut venue, 1, "a", 13, 9), Some(TooManyIcebergParts));
    assert_eq!(modify(&mut venue, 1, "a", 11, 9), None);
    set(&mut venue, parts(1));
    assert_eq!(would(&venue, 1, iceberg("b", 2, 9, 1)), Some(TooManyIcebergParts));

    // No rule allows more than the venue's limit.
    let mut house = House::default();
    house.instruments[0].max_qty = lots(2000);
    let mut venue = house.open();
    set(&mut venue, parts(u32::MAX));
    assert_eq!(would(&venue, 1, iceberg("b", 1000, 9, 1)), None);
    assert_eq!(would(&venue, 1, iceberg("b", 1001, 9, 1)), Some(TooManyIcebergParts));
}

#[test]
fn icebergs_of_an_account_are_bounded() {
    use RejectReason::TooManyIcebergOrders;
    let mut venue = House::default().open();
    set(&mut venue, InstrumentRules { max_iceberg_orders: 2, ..NO_RULES() });
    let waiting = NewOrder {
        order_type: OrderType::StopLossLimit,
        terms: Some(Terms {
            stop_price: Some(ticks(500)),
            display_qty: lots(2),
            ..Terms::default()
        }),
        ..limit("b", Side::Buy, 6, 9)
    };
    assert_eq!(order(&mut venue, 1, iceberg("a", 6, 9, 2)), None);
    assert_eq!(order(&mut venue, 1, waiting), None);
    assert_eq!(order(&mut venue, 1, iceberg("c", 6, 9, 2)), Some(TooManyIcebergOrders));
    assert_eq!(would(&venue, 1, limit("c", Side::Buy, 6, 9)), None);
    assert_eq!(would(&venue, 2, iceberg("c", 6, 9, 2)), None);
    let elsewhere = NewOrder { instrument: InstrumentId(1), ..iceberg("c", 6, 9, 2) };
    assert_eq!(would(&venue, 1, elsewhere), None);
    venue.restart();
    assert_eq!(modify(&mut venue, 1, "a", 7, 9), None, "it is counted already");
    assert_eq!(would(&venue, 1, iceberg("c", 6, 9, 2)), Some(TooManyIcebergOrders));
    assert_eq!(venue.reason(1, cancel_named("b")), None);
    assert_eq!(order(&mut venue, 1, iceberg("c", 6, 9, 2)), None);
    assert_eq!(order(&mut venue, 1, iceberg("d", 6, 9, 2)), Some(TooManyIcebergOrders));
    // They trade alternately, two at a time: all of the second, and all but one of the first.
    assert_eq!(order(&mut venue, 2, limit("take", Side::Sell, 12, 9)), None);
    assert_eq!(order(&mut venue, 1, iceberg("d", 6, 9, 2)), None);
    set(&mut venue, InstrumentRules { max_iceberg_orders: u32::MAX, ..NO_RULES() });
    assert_eq!(would(&venue, 1, iceberg("e", 6, 9, 2)), None);
}

#[test]
fn amends_of_an_order_are_bounded() {
    use RejectReason::{AmendQtyNotAboveCum, AmendQtyUnchanged, TooManyAmends};
    let mut venue = House::default().open();
    set(&mut venue, InstrumentRules { max_amends: 2, ..NO_RULES() });
    for own in ["a", "b"] {
        assert_eq!(order(&mut venue, 1, limit(own, Side::Buy, 10, 9)), None);
    }
    assert_eq!(amend(&mut venue, 1, "a", 9), None);
    assert_eq!(amend(&mut venue, 1, "a", 9), Some(AmendQtyUnchanged), "it does not count");
    venue.restart();
    assert_eq!(amend(&mut venue, 1, "a", 8), None);
    assert_eq!(amend(&mut venue, 1, "a", 7), Some(TooManyAmends));
    venue.restart();
    assert_eq!(order(&mut venue, 2, limit("take", Side::Sell, 2, 9)), None);
    assert_eq!(amend(&mut venue, 1, "a", 7), Some(TooManyAmends));
    assert_eq!(amend(&mut venue, 1, "a", 2), Some(AmendQtyNotAboveCum));
    assert_eq!(amend(&mut venue, 1, "b", 7), None, "each order by itself");
    // A modify is no amend, and does not reset the count.
    assert_eq!(modify(&mut venue, 1, "b", 6, 9), None);
    assert_eq!(modify(&mut venue, 1, "b", 6, 8), None);
    assert_eq!(amend(&mut venue, 1, "b", 5), None);
    assert_eq!(amend(&mut venue, 1, "b", 4), Some(TooManyAmends));
    set(&mut venue, NO_RULES());
    assert_eq!(amend(&mut venue, 1, "b", 4), None);
}

#[test]
fn rules_that_contradict_themselves_are_refused() {
    let mut venue = House::default().open();
    let percent = |percent_price| InstrumentRules { percent_price, ..NO_RULES() };
    let none = PercentPrice::default();
    let beyond = lots(QTY_MAX.lots() + 1);
    let week = 7 * 24 * 60;
    for wrong in [
        InstrumentRules { avg_price_mins: week + 1, ..NO_RULES() },
        InstrumentRules { avg_price_mins: u32::MAX, ..NO_RULES() },
        percent(PercentPrice { buy_max_bps: 9, buy_min_bps: 10, ..none }),
        percent(PercentPrice { sell_max_bps: 9, sell_min_bps: 10, ..none }),
        InstrumentRules { trailing_delta_max_bps: 9, trailing_delta_min_bps: 10, ..NO_RULES() },
        InstrumentRules { market_min_qty: beyond, ..NO_RULES() },
        InstrumentRules { max_position: beyond, ..NO_RULES() },
    ] {
        let before = state_bytes(&venue.engine);
        assert_eq!(set(&mut venue, wrong), Some(RejectReason::InstrumentRulesInvalid), "{wrong:?}");
        assert_eq!(before[18..], state_bytes(&venue.engine)[18..], "{wrong:?}");
    }
    for right in [
        InstrumentRules { avg_price_mins: week, ..NO_RULES() },
        percent(PercentPrice { buy_max_bps: 10, buy_min_bps: 10, ..none }),
        percent(PercentPrice { sell_min_bps: u32::MAX, ..none }),
        InstrumentRules { market_min_qty: QTY_MAX, max_position: QTY_MAX, ..NO_RULES() },
    ] {
        assert_eq!(set(&mut venue, right), None, "{right:?}");
        venue.restart();
        assert_eq!(venue.engine.instrument_rules(HERE), Some(&right));
    }
    let instrument = InstrumentId(2);
    let unknown = SetInstrumentRules { instrument, rules: NO_RULES() };
    let reason = venue.reason(0, Command::SetInstrumentRules(unknown));
    assert_eq!(reason, Some(RejectReason::UnknownInstrument));
}

#[test]
fn an_update_keeps_steps_and_bounds_sound() {
    use RejectReason::*;
    let mut venue = House::default().open();
    trade(&mut venue, 1, 500);
    set(&mut venue, InstrumentRules { avg_price_mins: 1, ..NO_RULES() });
    trade(&mut venue, 1, 700);
    let spec = House::default().instruments[0];
    let other = House::default().instruments[1];
    let too_high = FeeRates { taker_fee_bps_x100: FeeRates::MAX_BPS_X100 + 1, ..spec.fees };
    let mut update = |instrument, spec| {
        let update = UpdateInstrument { instrument: InstrumentId(instrument), spec };
        venue.reason(0, Command::UpdateInstrument(update))
    };
    for (instrument, spec, expect) in [
        (2, spec, UnknownInstrument),
        (0, InstrumentSpec { symbol: other.symbol, ..spec }, InstrumentStepsFixed),
        (0, InstrumentSpec { base: other.base, ..spec }, InstrumentStepsFixed),
        (0, InstrumentSpec { tick_size: other.tick_size, ..spec }, InstrumentStepsFixed),
        (0, InstrumentSpec { lot_size: other.lot_size, ..spec }, InstrumentStepsFixed),
        (0, InstrumentSpec { min_qty: lots(0), ..spec }, InstrumentBoundsInvalid),
        (0, InstrumentSpec { max_price: ticks(0), ..spec }, InstrumentBoundsInvalid),
        (0, InstrumentSpec { fees: too_high, ..spec }, FeeTooHigh),
    ] {
        assert_eq!(update(instrument, spec), Some(expect));
    }
    // After a trade, narrower bounds keep the average and leave the state valid.
    assert_eq!(update(0, InstrumentSpec { max_price: ticks(100), ..spec }), None);
    venue.restart();
    assert_eq!(venue.engine.avg_price(HERE), Some(ticks(700)));
    assert_eq!(would(&venue, 1, limit("a", Side::Buy, 1, 101)), Some(PriceAboveMax));
}

/// Open orders keep the bounds that they entered with, so the widest of both must be amounts.
#[test]
fn an_update_keeps_the_amounts_of_open_orders_valid() {
    use RejectReason::InstrumentAmountsTooLarge;
    let mut house = House::default();
    let spec = &mut house.instruments[0];
    (spec.tick_size.units, spec.max_price) = (1 << 20, ticks(1 << 50));
    (spec.max_qty, spec.market_max_qty) = (lots(1 << 50), lots(1 << 50));
    let spec = *spec;
    let mut venue = house.open();
    let mut update = |max_price: i64, max_qty: u64| {
        let (max_price, max_qty) = (ticks(max_price), lots(max_qty));
        let spec = InstrumentSpec { max_price, max_qty, market_max_qty: max_qty, ..spec };
        let update = UpdateInstrument { instrument: HERE, spec };
        venue.reason(0, Command::UpdateInstrument(update))
    };
    assert_eq!(update(1 << 50, (1 << 50) + 1), Some(InstrumentAmountsTooLarge));
    assert_eq!(update((1 << 50) + 1, 1 << 50), Some(InstrumentAmountsTooLarge));
    // At the lower price there would be room for more, but not at the former one.
    assert_eq!(update(1 << 49, 1 << 50), None);
    assert_eq!(update(1 << 49, 1 << 51), Some(InstrumentAmountsTooLarge));
    assert_eq!(update(1 << 50, 1 << 50), None);
}

#[test]
fn icebergs_and_amends_are_counted_by_order_and_account() {
    check(
        "rules max_iceberg_orders=1 max_amends=1
         1 buy 5 @ 9 display 2 as a
         1 buy 5 @ 8 display 2
         1 buy 5 @ 8
         2 buy 5 @ 8 display 2
         1 buy 5 @ 9 display 2 on 1
         1 amend a 4
         1 amend a 3
         1 modify a 3
         1 amend a 2
         1 cancel a
         1 buy 5 @ 8 display 2",
        &[
            "rules 0",
            "accepted 1 5",
            "rested 1 2@9",
            "rejected TooManyIcebergOrders",
            "accepted 2 5",
            "rested 2 5@8",
            "accepted 3 5",
            "rested 3 2@8",
            "accepted 1 5",
            "rested 1 2@9",
            "amended 1 5->4",
            "rejected TooManyAmends",
            "amended 1 4->3",
            "rejected TooManyAmends",
            "reduced 1 2@9",
            "canceled 1 0/3 Requested",
            "accepted 4 5",
            "rested 4 2@8",
        ],
    );
}
