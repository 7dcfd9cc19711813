//! Work that exceeds one command and continues in `Continue`.

use engine::WORK_PER_COMMAND;
use types::{
    AccountId, CancelAll, CancelCause, Command, Event, ExpireCause, InstrumentId, NewOrder,
    OrderSize, OrderStatus, Side, TimeInForce,
};

use crate::house::{Driver, House, cancel_named, deposit, limit, lots, market, minor, name};

const WORK: usize = WORK_PER_COMMAND as usize;

/// Account 1 sells one lot at a time, at 1, 2, ... 10, 1, 2, ...
fn venue_with_sells(count: usize) -> Driver {
    let mut venue = House::default().open();
    venue.unchecked = true;
    for number in 0..count {
        let price = 1 + (number % 10) as i64;
        venue.apply(1, Command::NewOrder(limit(&format!("s{number}"), Side::Sell, 1, price)));
    }
    venue
}

/// The lots traded by each command until no work waits.
fn trades(venue: &mut Driver, order: NewOrder) -> (Vec<usize>, Vec<Event>) {
    let mut events = venue.apply(2, Command::NewOrder(order));
    let traded = |events: &[Event]| {
        events.iter().filter(|event| matches!(event, Event::TradeExecuted(_))).count()
    };
    let mut counts = vec![traded(&events)];
    while venue.engine.has_deferred() {
        venue.engine.assert_consistent();
        venue.restart();
        let more = venue.apply(0, Command::Continue(()));
        counts.push(traded(&more));
        events.extend(more);
    }
    venue.engine.assert_consistent();
    (counts, events)
}

#[test]
fn a_large_sweep_goes_on_where_it_stopped() {
    let mut venue = venue_with_sells(2 * WORK + 500);
    let order = market("m", Side::Buy, OrderSize::Base(lots(2_000)));
    let (counts, events) = trades(&mut venue, order);
    assert_eq!(counts, [WORK, WORK]);
    let prices: Vec<i64> = events
        .iter()
        .filter_map(|event| match event {
            Event::TradeExecuted(trade) => Some(trade.price.ticks()),
            _ => None,
        })
        .collect();
    assert!(prices.is_sorted());
    assert_eq!(venue.engine.resting_count(), 500);
}

#[test]
fn an_order_suspended_on_its_last_trade_ends_in_the_next_command() {
    let mut venue = venue_with_sells(WORK);
    let order = market("m", Side::Buy, OrderSize::Base(lots(2_000)));
    let (counts, events) = trades(&mut venue, order);
    assert_eq!(counts, [WORK]);
    let Some(Event::OrderExpired(expired)) = events.last() else { panic!("it never rests") };
    assert_eq!(expired.cause, ExpireCause::NoLiquidity);

    let mut venue = venue_with_sells(WORK + 1);
    let order = market("m", Side::Buy, OrderSize::Base(lots(2_000)));
    let (counts, events) = trades(&mut venue, order);
    assert_eq!(counts, [WORK, 1]);
    let Some(Event::OrderExpired(expired)) = events.last() else { panic!("it never rests") };
    assert_eq!((expired.order.cum_qty.lots(), expired.order.order_qty.lots()), (1_001, 2_000));
}

#[test]
fn a_suspended_limit_order_keeps_its_hold_and_rests_in_the_end() {
    let mut house = House::default();
    house.instruments[0].max_qty = lots(5_000);
    let mut venue = house.open();
    venue.unchecked = true;
    for number in 0..1_500 {
        venue.apply(1, Command::NewOrder(limit(&format!("s{number}"), Side::Sell, 1, 5)));
    }
    let (counts, events) = trades(&mut venue, limit("b", Side::Buy, 1_600, 10));
    assert_eq!(counts, [WORK, 500]);
    assert!(
        matches!(events.last(), Some(Event::OrderRested(rested)) if rested.leaves_qty == lots(100))
    );
    assert_eq!(venue.balance(2, 1), (1_000_000 - 1_500 * 5 - 1_000, 1_000));
    venue.apply(2, cancel_named("b"));
    assert_eq!(venue.balance(2, 1), (1_000_000 - 1_500 * 5, 0));
}

#[test]
fn immediate_orders_are_suspended_too() {
    let mut house = House::default();
    house.instruments[0].max_qty = lots(5_000);
    let mut venue = house.open();
    venue.unchecked = true;
    for number in 0..1_500 {
        venue.apply(1, Command::NewOrder(limit(&format!("s{number}"), Side::Sell, 1, 5)));
    }
    let time_in_force = TimeInForce::Ioc;
    let order = NewOrder { time_in_force, ..limit("b", Side::Buy, 1_500, 5) };
    let (counts, events) = trades(&mut venue, order);
    assert_eq!(counts, [WORK, 500]);
    let Some(Event::TradeExecuted(trade)) = events.last() else { panic!("it is filled") };
    assert_eq!(trade.taker.order.status, OrderStatus::Filled);
    assert_eq!(venue.balance(2, 1), (1_000_000 - 7_500, 0));
}

#[test]
fn a_fill_or_kill_reads_a_thousand_orders() {
    let mut house = House::default();
    house.instruments[0].max_qty = lots(5_000);
    let mut venue = house.open();
    venue.unchecked = true;
    for number in 0..=WORK {
        venue.apply(1, Command::NewOrder(limit(&format!("s{number}"), Side::Sell, 1, 5)));
    }
    let time_in_force = TimeInForce::Fok;
    let order = |qty| NewOrder { time_in_force, ..limit("b", Side::Buy, qty, 10) };
    let events = venue.apply(2, Command::NewOrder(order(WORK as u64 + 1)));
    let Some(Event::OrderExpired(expired)) = events.last() else { panic!("{events:?}") };
    assert_eq!(expired.cause, ExpireCause::FillOrKill);
    let (counts, _) = trades(&mut venue, order(WORK as u64));
    assert_eq!(counts, [WORK]);
    assert_eq!(venue.engine.resting_count(), 1);
}

#[test]
fn a_market_order_by_quote_amount_is_suspended_too() {
    let mut venue = venue_with_sells(2 * WORK);
    // 200 lots at each price: 200 * (1 + 2 + ... + 6) = 4,200, and 100 more at 7.
    let order = market("m", Side::Buy, OrderSize::Quote(minor(4_905)));
    let (counts, events) = trades(&mut venue, order);
    assert_eq!(counts, [WORK, 300]);
    let Some(Event::TradeExecuted(trade)) = events.last() else { panic!("it is filled") };
    let taker = trade.taker.order;
    assert_eq!((taker.cum_quote.minor(), taker.order_qty.lots()), (4_900, 1_300));
    assert_eq!(taker.status, OrderStatus::Filled);
}

#[test]
fn a_large_cancel_all_goes_on_where_it_stopped() {
    for (count, expect) in [(WORK - 1, 1), (WORK, 1), (WORK + 1, 2), (2 * WORK + 1, 3)] {
        let mut venue = venue_with_sells(count);
        let request = CancelAll { instrument: InstrumentId(0), cl_ord_id: name("all") };
        let mut events = venue.apply(1, Command::CancelAll(request));
        let mut commands = 1;
        while venue.engine.has_deferred() {
            venue.engine.assert_consistent();
            venue.restart();
            events.extend(venue.apply(0, Command::Continue(())));
            commands += 1;
        }
        assert_eq!((commands, events.len()), (expect, count));
        for (number, event) in (1..).zip(&events) {
            let Event::OrderCanceled(canceled) = event else { panic!("{event:?}") };
            assert_eq!(canceled.order.order_id.0, number);
            assert_eq!((canceled.cl_ord_id, canceled.cause), (name("all"), CancelCause::CancelAll));
        }
        venue.engine.assert_consistent();
        assert_eq!(venue.balance(1, 0), (1_000_000, 0));
    }
}

#[test]
fn a_replace_is_suspended_in_its_new_order() {
    let mut house = House::default();
    house.instruments[0].max_qty = lots(5_000);
    let mut venue = house.open();
    venue.unchecked = true;
    for number in 0..1_500 {
        venue.apply(1, Command::NewOrder(limit(&format!("s{number}"), Side::Sell, 1, 5)));
    }
    venue.apply(2, Command::NewOrder(limit("b", Side::Buy, 1, 1)));
    let Command::CancelOrder(cancel) = cancel_named("b") else { unreachable!() };
    let mode = types::ReplaceMode::StopOnFailure;
    let order = limit("b", Side::Buy, 1_501, 5);
    let replace = types::ReplaceOrder { cancel, mode, cancel_when_limited: false, order };
    venue.apply_whole(&crate::house::entry(2, None, Command::ReplaceOrder(replace)));
    venue.engine.assert_consistent();
    assert_eq!(venue.levels(0, Side::Buy), [(5, 1)]);
}

#[test]
fn continue_without_work_does_nothing() {
    let mut venue = venue_with_sells(3);
    assert_eq!(venue.apply(0, Command::Continue(())), []);
}

/// The venue makes `Continue` the next command. If a log does not, the engine behaves as if it had:
/// no command runs between the parts of another.
#[test]
fn no_command_overtakes_work_that_waits() {
    let build = || {
        let mut venue = venue_with_sells(2 * WORK);
        let order = market("m", Side::Buy, OrderSize::Base(lots(2_000)));
        venue.apply(2, Command::NewOrder(order));
        assert!(venue.engine.has_deferred());
        venue
    };
    let withdraw = Command::Withdraw(types::Withdraw {
        account: AccountId(2),
        asset: types::AssetId(1),
        amount: minor(996_500),
        external_ref: types::ExternalRef::parse("all").unwrap(),
    });
    let commands = [
        Command::Tick(()),
        deposit(2, 1, 1, "more"),
        withdraw,
        Command::NewOrder(limit("m", Side::Sell, 5, 1)),
        cancel_named("s1999"),
    ];
    for command in commands {
        let account = if matches!(command, Command::CancelOrder(_)) { 1 } else { 2 };
        let mut patient = build();
        let mut expect = patient.apply(0, Command::Continue(()));
        patient.now_ns -= 1;
        expect.extend(patient.apply(account, command.clone()));
        let mut hasty = build();
        assert_eq!(hasty.apply(account, command), expect);
        hasty.engine.assert_consistent();
        assert!(!hasty.engine.has_deferred());
    }
}
