//! Random orders, lists, and changes of them.

use proptest::prelude::*;
use proptest::strategy::Union;
use types::{
    CancelOrder, CancelOrderList, CancelRestriction, ModifyOrder, NewOrder, NewOrderList, OrderId,
    OrderListId, OrderListKind, OrderRef, OrderSize, OrderType, Peg, PegReference, Qty, Side,
    StpMode, Terms, TimeInForce,
};

use crate::house::{lots, minor, name, ticks};
use crate::random::{DRAWN, SECOND_NS, cl_ord_id, drawn_of, instrument, side, weight};

pub(super) fn new_order() -> BoxedStrategy<NewOrder> {
    drawn_of![
        44 => plain_order(),
        weight(DRAWN.special, 16) => special_order(),
        weight(DRAWN.triggers, 16) => stop_order(),
        weight(DRAWN.dated || DRAWN.phases, 8) => timed_order(),
        weight(DRAWN.special && DRAWN.triggers && DRAWN.phases && DRAWN.dated, 1) => odd_order(),
    ]
    .boxed()
}

pub(super) fn price() -> impl Strategy<Value = i64> {
    prop_oneof![30 => 3..=9_i64, 5 => 0..=13_i64, 3 => -7..=2_i64]
}

fn qty() -> impl Strategy<Value = u64> {
    prop_oneof![30 => 1..=12_u64, 4 => 13..=70_u64, 1 => Just(0)]
}

fn stp_mode() -> impl Strategy<Value = StpMode> {
    let modes = prop::sample::select(StpMode::ALL);
    drawn_of![2 => Just(StpMode::None), weight(DRAWN.self_trade, 3) => modes]
}

fn plain_order() -> BoxedStrategy<NewOrder> {
    let terms = prop_oneof![
        20 => Just((OrderType::Limit, TimeInForce::Gtc)),
        4 => Just((OrderType::Limit, TimeInForce::Ioc)),
        4 => Just((OrderType::Limit, TimeInForce::Fok)),
        4 => Just((OrderType::LimitMaker, TimeInForce::Gtc)),
        8 => Just((OrderType::Market, TimeInForce::Gtc)),
        1 => Just((OrderType::Market, TimeInForce::Ioc)),
        1 => Just((OrderType::LimitMaker, TimeInForce::Fok)),
    ];
    // What some lots at a price cost, to the unit, is a case of its own.
    let exact = (price(), 1..=12_i128).prop_map(|(price, lots)| i128::from(price) * lots);
    let amount = prop_oneof![3 => -5..450_i128, 1 => exact];
    let quote = prop_oneof![1 => Just(None), 1 => amount.prop_map(Some)];
    let strategy = prop_oneof![5 => Just((None, None)), 1 => Just((Some(-1), Some(1_000_000)))];
    let terms = (terms, prop::bool::weighted(0.3));
    (instrument(), cl_ord_id(), side(), terms, price(), qty(), quote, strategy, stp_mode())
        .prop_map(|(instrument, cl_ord_id, side, terms, price, qty, quote, strategy, stp_mode)| {
            let ((order_type, time_in_force), within_balance) = terms;
            let is_bounded = within_balance && order_type == OrderType::Market;
            let by_quote = quote.filter(|_| order_type == OrderType::Market);
            let size = by_quote.map_or(OrderSize::Base(lots(qty)), |q| OrderSize::Quote(minor(q)));
            NewOrder {
                instrument,
                cl_ord_id,
                side,
                order_type,
                time_in_force,
                stp_mode,
                price: ticks(if order_type == OrderType::Market { 0 } else { price }),
                size,
                strategy_id: strategy.0,
                strategy_type: strategy.1,
                terms: is_bounded.then_some(Terms { within_balance, ..Terms::default() }),
            }
        })
        .boxed()
}

/// Icebergs, hidden and pegged orders, minimum quantities, market-to-limit.
fn special_order() -> BoxedStrategy<NewOrder> {
    let reference = prop::sample::select(PegReference::ALL);
    let peg = (
        reference,
        prop::sample::select(vec![-2, -1, 0, 1, 2]),
        prop::option::weighted(0.3, 2..=10_i64),
    )
        .prop_map(|(reference, offset_ticks, limit)| Peg {
            reference,
            offset_ticks,
            limit: limit.map(ticks),
        });
    let kind = prop_oneof![
        4 => (1..=5_u64).prop_map(|qty| Terms { display_qty: lots(qty), ..Terms::default() }),
        3 => Just(Terms { hidden: true, ..Terms::default() }),
        4 => peg.clone().prop_map(|peg| Terms { peg: Some(peg), ..Terms::default() }),
        1 => peg.prop_map(|peg| Terms { peg: Some(peg), hidden: true, ..Terms::default() }),
        3 => (1..=8_u64).prop_map(|qty| Terms { min_qty: lots(qty), ..Terms::default() }),
        2 => Just(Terms::default()),
    ];
    let in_force = prop_oneof![
        8 => Just(TimeInForce::Gtc),
        1 => Just(TimeInForce::Ioc),
        1 => Just(TimeInForce::Fok),
    ];
    (plain_order(), kind, in_force, 3..=9_i64, qty())
        .prop_map(|(order, terms, time_in_force, price, qty)| {
            let pegged = terms.peg.is_some();
            let order_type = match order.order_type {
                OrderType::Market => OrderType::MarketToLimit,
                other => other,
            };
            let no_price = pegged || order_type == OrderType::MarketToLimit;
            NewOrder {
                order_type,
                time_in_force: if pegged { TimeInForce::Gtc } else { time_in_force },
                price: if no_price { ticks(0) } else { ticks(price) },
                size: OrderSize::Base(lots(qty)),
                terms: Some(terms),
                ..order
            }
        })
        .boxed()
}

fn stop_order() -> BoxedStrategy<NewOrder> {
    use OrderType::{StopLoss, StopLossLimit, TakeProfit, TakeProfitLimit};
    let kind = prop::sample::select(vec![StopLoss, StopLossLimit, TakeProfit, TakeProfitLimit]);
    let trails = drawn_of![
        12 => Just(None),
        weight(DRAWN.trailing, 5) => (500..5_000_u32).prop_map(Some),
        weight(DRAWN.trailing, 1) => Just(Some(20_000)),
    ];
    let in_force = prop_oneof![
        6 => Just(TimeInForce::Gtc),
        1 => Just(TimeInForce::Ioc),
        1 => Just(TimeInForce::Fok),
    ];
    let stop_price = prop_oneof![30 => 3..=9_i64, 1 => 0..=13_i64];
    let special = drawn_of![
        6 => Just(Terms::default()),
        weight(DRAWN.special, 1) => Just(Terms { display_qty: lots(2), ..Terms::default() }),
        weight(DRAWN.special, 1) => Just(Terms { min_qty: lots(4), ..Terms::default() }),
        weight(DRAWN.special, 1) => Just(Terms { hidden: true, ..Terms::default() }),
    ];
    (plain_order(), kind, trails, in_force, stop_price, any::<bool>(), qty(), special, 3..=9_i64)
        .prop_map(
            |(order, order_type, trails, in_force, stop_price, at_once, qty, special, price)| {
                let by_market = order_type.is_market();
                let stop_price = (trails.is_none() || !at_once).then_some(ticks(stop_price));
                let trailing_delta_bps = trails.unwrap_or(0);
                let terms = Terms { stop_price, trailing_delta_bps, ..Terms::default() };
                let terms = if by_market {
                    terms
                } else {
                    Terms {
                        display_qty: special.display_qty,
                        min_qty: special.min_qty,
                        hidden: special.hidden,
                        ..terms
                    }
                };
                NewOrder {
                    order_type,
                    time_in_force: if by_market { TimeInForce::Gtc } else { in_force },
                    price: if by_market { ticks(0) } else { ticks(price) },
                    size: OrderSize::Base(lots(qty)),
                    terms: Some(terms),
                    ..order
                }
            },
        )
        .boxed()
}

/// Orders that end at a time, or belong to an auction.
fn timed_order() -> BoxedStrategy<NewOrder> {
    let in_force = drawn_of![
        weight(DRAWN.dated, 2) => Just(TimeInForce::Gtd),
        weight(DRAWN.phases, 2) => Just(TimeInForce::Day),
        weight(DRAWN.phases, 3) => Just(TimeInForce::AtOpen),
        weight(DRAWN.phases, 2) => Just(TimeInForce::AtClose),
        1 => Just(TimeInForce::Gtc),
    ];
    let expire_ns = prop_oneof![9 => 1..600_u64, 1 => Just(0), 1 => Just(20 * SECOND_NS)];
    (new_untimed(), in_force, expire_ns)
        .prop_map(|(order, time_in_force, expire_ns)| {
            let expire_ns = if time_in_force == TimeInForce::Gtd { expire_ns } else { 0 };
            let terms = Terms { expire_ns, ..order.special() };
            let is_plain = terms == Terms::default() && order.terms.is_none();
            NewOrder { time_in_force, terms: (!is_plain).then_some(terms), ..order }
        })
        .boxed()
}

fn new_untimed() -> BoxedStrategy<NewOrder> {
    drawn_of![
        5 => plain_order(),
        weight(DRAWN.special, 2) => special_order(),
        weight(DRAWN.triggers, 2) => stop_order(),
    ]
    .boxed()
}

/// Incompatible terms.
fn odd_order() -> BoxedStrategy<NewOrder> {
    let terms =
        prop::array::uniform4(any::<bool>()).prop_map(|[stop, trail, hidden, show]| Terms {
            stop_price: stop.then_some(ticks(5)),
            trailing_delta_bps: if trail { 1_000 } else { 0 },
            hidden,
            display_qty: lots(if show { 2 } else { 0 }),
            min_qty: lots(u64::from(stop != hidden)),
            within_balance: stop && show,
            fixed_peg: trail && show,
            ..Terms::default()
        });
    let kinds = prop::sample::select(OrderType::ALL);
    let in_force = prop::sample::select(TimeInForce::ALL);
    (plain_order(), kinds, in_force, terms)
        .prop_map(|(order, order_type, time_in_force, terms)| NewOrder {
            order_type,
            time_in_force,
            terms: Some(terms),
            ..order
        })
        .boxed()
}

pub(super) fn new_list() -> BoxedStrategy<NewOrderList> {
    let kind = prop::sample::select(OrderListKind::ALL);
    let pair = (stop_order(), stop_order(), 3..=9_i64, 0..10_u8);
    (kind, plain_order(), pair, cl_ord_id(), any::<bool>(), 0..30_u8)
        .prop_map(|(kind, first, (one, other, price, form), cl_ord_id, turned, odd)| {
            let instrument = first.instrument;
            let pays = kind.pays_later_orders();
            let first = NewOrder {
                side: if pays && odd != 3 { Side::Buy } else { first.side },
                order_type: if form < 3 { OrderType::LimitMaker } else { OrderType::Limit },
                time_in_force: TimeInForce::Gtc,
                price: if first.price.ticks() == 0 { ticks(price) } else { first.price },
                size: OrderSize::Base(lots(u64::from(form) + 1)),
                ..first
            };
            let side = if kind == OrderListKind::Oco { first.side } else { first.side.opposite() };
            let leg = |order: NewOrder, number: u8| NewOrder {
                instrument,
                side: if odd == 0 { order.side } else { side },
                size: match odd {
                    1 => order.size,
                    _ if pays => OrderSize::Base(Qty::ZERO),
                    _ => first.size,
                },
                cl_ord_id: if odd == 2 {
                    order.cl_ord_id
                } else {
                    name(&format!("l{number}{cl_ord_id}"))
                },
                ..order
            };
            let gain = match form % 3 {
                0 => NewOrder {
                    order_type: if other.order_type.is_market() {
                        OrderType::TakeProfit
                    } else {
                        OrderType::TakeProfitLimit
                    },
                    ..other
                },
                _ => NewOrder {
                    order_type: OrderType::LimitMaker,
                    time_in_force: TimeInForce::Gtc,
                    price: ticks(price),
                    terms: None,
                    ..other
                },
            };
            let stop = NewOrder {
                order_type: if one.order_type.is_market() {
                    OrderType::StopLoss
                } else {
                    OrderType::StopLossLimit
                },
                ..one
            };
            let (gain, stop) = (leg(gain, 1), leg(stop, 2));
            let (one, other) = if turned { (stop, gain) } else { (gain, stop) };
            let orders = match kind {
                OrderListKind::Oco => vec![one, other],
                OrderListKind::Oto | OrderListKind::Opo => vec![first, one],
                OrderListKind::Otoco | OrderListKind::Opoco => vec![first, one, other],
            };
            NewOrderList { instrument, cl_ord_id, kind, orders }
        })
        .boxed()
}

pub(super) fn cancel() -> BoxedStrategy<CancelOrder> {
    let restriction = prop_oneof![
        6 => Just(CancelRestriction::None),
        1 => Just(CancelRestriction::OnlyNew),
        1 => Just(CancelRestriction::OnlyPartiallyFilled),
    ];
    (instrument(), order_ref(), cl_ord_id(), restriction)
        .prop_map(|(instrument, order, cl_ord_id, restriction)| CancelOrder {
            instrument,
            order,
            cl_ord_id,
            restriction,
        })
        .boxed()
}

pub(super) fn modify() -> impl Strategy<Value = ModifyOrder> {
    let price = prop::option::weighted(0.6, price().prop_map(ticks));
    let new_name = prop::option::weighted(0.3, cl_ord_id());
    (instrument(), order_ref(), new_name, 0..14_u64, price).prop_map(
        |(instrument, order, cl_ord_id, qty, price)| ModifyOrder {
            instrument,
            order,
            cl_ord_id,
            order_qty: lots(qty),
            price,
        },
    )
}

pub(super) fn cancel_list() -> impl Strategy<Value = CancelOrderList> {
    let id = prop::option::weighted(0.6, (0..6_u64).prop_map(OrderListId));
    (instrument(), id, prop::option::weighted(0.6, cl_ord_id()), cl_ord_id()).prop_map(
        |(instrument, order_list, list_cl_ord_id, cl_ord_id)| CancelOrderList {
            instrument,
            order_list,
            list_cl_ord_id,
            cl_ord_id,
        },
    )
}

pub(super) fn order_ref() -> BoxedStrategy<OrderRef> {
    let id = || (0..24_u64).prop_map(OrderId);
    prop_oneof![
        5 => cl_ord_id().prop_map(OrderRef::by_cl_ord_id),
        5 => id().prop_map(OrderRef::by_id),
        1 => (id(), cl_ord_id()).prop_map(|(id, name)| OrderRef {
            order_id: Some(id),
            cl_ord_id: Some(name),
        }),
        1 => Just(OrderRef { order_id: None, cl_ord_id: None }),
    ]
    .boxed()
}
