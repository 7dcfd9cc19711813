//! Orders good till date: `docs/matching.md` 3.2.

use types::{Command, Event, ExpireCause, NewOrder, RejectReason, Side, Terms, TimeInForce};

use crate::house::{Driver, House, cancel_named, entry, limit};

fn until(name: &str, qty: u64, price: i64, expire_ns: u64) -> Command {
    let terms = Some(Terms { expire_ns, ..Terms::default() });
    let order = limit(name, Side::Buy, qty, price);
    Command::NewOrder(NewOrder { time_in_force: TimeInForce::Gtd, terms, ..order })
}

fn expired(events: &[Event]) -> Vec<(u64, ExpireCause)> {
    let expired = events.iter().filter_map(|event| match event {
        Event::OrderExpired(expired) => Some((expired.order.order_id.0, expired.cause)),
        _ => None,
    });
    expired.collect()
}

/// The time of the next command, from now.
fn after(venue: &Driver, ns: u64) -> u64 {
    venue.now_ns + 1 + ns
}

#[test]
fn due_work_runs_ahead_of_that_times_command() {
    let mut venue = House::default().open();
    let due_ns = after(&venue, 10);
    venue.apply(1, until("a", 5, 100, due_ns));
    venue.apply(1, until("b", 5, 101, due_ns + 1));
    assert_eq!(venue.engine.next_deadline_ns(), Some(due_ns));
    venue.restart();

    venue.now_ns = due_ns - 2;
    let sell = Command::NewOrder(limit("s", Side::Sell, 1, 100));
    let events = venue.apply(2, sell);
    assert_eq!(expired(&events), [], "one nanosecond too early");

    // It would trade with "b" and then with "a", which has expired.
    let sell = Command::NewOrder(limit("t", Side::Sell, 20, 100));
    let events = venue.apply(2, sell);
    assert_eq!(expired(&events), [(1, ExpireCause::GoodTillDate)]);
    assert!(matches!(events[0], Event::BookReduced(_)), "{:?}", events[0]);
    let trades = events.iter().filter(|event| matches!(event, Event::TradeExecuted(_))).count();
    assert_eq!(trades, 1);
    assert_eq!(venue.levels(0, Side::Sell), [(100, 16)]);
}

#[test]
fn a_tick_ends_due_orders_and_frees_their_holds() {
    let mut venue = House::default().open();
    let (before, due_ns) = (venue.balance(1, 1), after(&venue, 10));
    venue.apply(1, until("a", 5, 100, due_ns));
    assert_ne!(venue.balance(1, 1), before);
    venue.now_ns = due_ns - 1;
    let events = venue.apply(0, Command::Tick(()));
    assert_eq!(expired(&events), [(1, ExpireCause::GoodTillDate)]);
    assert_eq!(venue.balance(1, 1), before);
    assert_eq!(venue.engine.next_deadline_ns(), None);
}

#[test]
fn a_date_ends_with_its_order() {
    let mut venue = House::default().open();
    let due_ns = after(&venue, 10);
    venue.apply(1, until("a", 5, 100, due_ns));
    venue.apply(1, cancel_named("a"));
    assert_eq!(venue.engine.next_deadline_ns(), None);
    venue.now_ns = due_ns;
    assert_eq!(venue.apply(0, Command::Tick(())), []);
}

#[test]
fn dates_must_be_later_than_now() {
    let mut venue = House::default().open();
    let now_ns = after(&venue, 0);
    assert_eq!(venue.reason(1, until("a", 5, 100, now_ns)), Some(RejectReason::ExpireTimePast));
    assert_eq!(venue.reason(1, until("a", 5, 100, 1)), Some(RejectReason::ExpireTimePast));
    assert_eq!(venue.reason(1, until("a", 5, 100, 0)), Some(RejectReason::OrderTermsInvalid));
    assert_eq!(venue.reason(1, until("a", 5, 100, u64::MAX)), None);
    let day = NewOrder { time_in_force: TimeInForce::Gtd, ..limit("b", Side::Buy, 1, 1) };
    let reason = venue.reason(1, Command::NewOrder(day));
    assert_eq!(reason, Some(RejectReason::OrderTermsInvalid), "without a date");
}

#[test]
fn more_dates_than_one_command_ends_continue_ahead_of_other_commands() {
    let mut venue = House::default().open();
    venue.unchecked = true;
    let due_ns = venue.now_ns + 10_000;
    for order in 0..2_500_u64 {
        let events = venue.apply(1, until(&format!("a{order}"), 1, 1 + order as i64 % 50, due_ns));
        assert!(!matches!(events[0], Event::CommandRejected(_)), "{:?}", events[0]);
    }
    venue.now_ns = due_ns;
    let events = venue.apply(0, Command::Tick(()));
    assert!(venue.engine.has_deferred());
    assert!(expired(&events).len() <= 1_000);
    venue.restart();
    let mut all = expired(&events);
    let sell = Command::NewOrder(limit("s", Side::Sell, 5, 1));
    let events = venue.apply_whole(&entry(2, None, sell));
    all.extend(expired(&events));
    let ids: Vec<u64> = all.iter().map(|(order_id, _)| *order_id).collect();
    assert_eq!(ids, (1..=2_500).collect::<Vec<_>>(), "by age, and nothing traded");
    assert!(!events.iter().any(|event| matches!(event, Event::TradeExecuted(_))));
    venue.engine.assert_consistent();
}
