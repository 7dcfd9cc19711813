//! The two orders of a record, in whatever batches it is read.

use proptest::prelude::*;
use recorded::Kind;
use types::{Price, Qty};

use super::*;

const SECOND_NS: i64 = 1_000_000_000;

fn event(exchange_ns: i64, local_ns: i64, order: u64) -> Event {
    Event {
        exchange_ns,
        local_ns,
        order,
        price: Price::from_ticks(1),
        quantity: Qty::from_lots(1),
        instrument: 0,
        kind: Kind::Trade,
        side: None,
    }
}

/// Ids in the order of each clock, with the times that they got.
fn orders(events: &[Event], batch: usize, latency: FeedLatency) -> [Vec<(i64, u64)>; 2] {
    let mut feed = Feed::new(Memory::in_batches(events, batch), latency);
    let mut orders = [Vec::new(), Vec::new()];
    loop {
        let (market_ns, local_ns) = (feed.market_ns(), feed.local_ns());
        let next_ns = market_ns.min(local_ns);
        if next_ns >= feed.safe_ns() {
            if feed.safe_ns() == i64::MAX {
                return orders;
            }
            let Ok(()) = feed.refill();
            continue;
        }
        if market_ns <= local_ns {
            orders[0].push((market_ns, feed.next_market().order));
        } else {
            orders[1].push((local_ns, feed.next_local().order));
        }
    }
}

fn read(events: &[Event], batch: usize) -> [Vec<(i64, u64)>; 2] {
    orders(events, batch, FeedLatency::Recorded)
}

#[test]
fn each_clock_has_its_order() {
    let events = [event(1, 10, 1), event(3, 8, 2), event(2, 9, 3), event(3, 9, 4)];
    let [market, local] = read(&events, 2);
    assert_eq!(market, [(1, 1), (2, 3), (3, 2), (3, 4)]);
    assert_eq!(local, [(8, 2), (9, 3), (9, 4), (10, 1)]);
}

#[test]
fn a_constant_latency_takes_the_place_of_the_recorded_one() {
    let events = [event(1, 10, 1), event(2, 3, 2)];
    let [_, local] = orders(&events, 1, FeedLatency::Constant { ns: 5 });
    assert_eq!(local, [(6, 1), (7, 2)]);
}

#[test]
fn an_event_that_is_too_late_counts_as_late_as_is_allowed() {
    let events = [event(10 * SECOND_NS, 10 * SECOND_NS, 1), event(SECOND_NS, SECOND_NS, 2)];
    let [market, local] = read(&events, 1);
    assert_eq!(market, [(8 * SECOND_NS, 2), (10 * SECOND_NS, 1)]);
    assert_eq!(local, market);
}

proptest! {
    #[test]
    fn batches_change_nothing(
        times in prop::collection::vec((0i64..10 * SECOND_NS, 0i64..3 * SECOND_NS), 1..300),
        batch in 1usize..400,
    ) {
        let events: Vec<Event> = (0u64..)
            .zip(&times)
            .map(|(id, (at_ns, delay_ns))| event(*at_ns, at_ns + delay_ns, id))
            .collect();
        let whole = read(&events, events.len());
        prop_assert_eq!(&read(&events, batch), &whole);
        for order in whole {
            prop_assert_eq!(order.len(), events.len());
            prop_assert!(order.is_sorted_by_key(|(at_ns, _)| *at_ns));
        }
    }
}
