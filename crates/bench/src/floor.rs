//! The latency that group commit alone allows: clients in a closed loop, a disk that syncs one
//! batch at a time, and nothing else that takes time.
//!
//! It is computed from what the run itself measured: the times of single syncs, and the round trips
//! of as many clients to the bare handler.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use server::Random;

use super::tally::Tally;

const ORDERS: u64 = 50_000;
/// A round trip is drawn from this many of its distribution.
const ROUND_TRIPS: u64 = 1_000;
const SEED: u64 = 1;

/// Orders a second, and their latencies.
pub(super) fn group_commit(clients: u64, syncs_ns: &[u64], round_trip: &Tally) -> (f64, Tally) {
    let round_trips: Vec<u64> = (0..ROUND_TRIPS)
        .map(|at| round_trip.quantile_ns((at as f64 + 0.5) / ROUND_TRIPS as f64))
        .collect();
    let mut random = Random::new(SEED, 0);
    let mut draw = |among: &[u64]| among[random.between(0, among.len() as u64 - 1) as usize];
    let order_from =
        |now: u64, round_trip: u64| Reverse(Order { arrives_at: now + round_trip, round_trip });
    let mut sent: BinaryHeap<_> = (0..clients).map(|_| order_from(0, draw(&round_trips))).collect();
    let (mut tally, mut now) = (Tally::default(), 0);
    while tally.orders < ORDERS {
        let Some(Reverse(first)) = sent.pop() else { break };
        now = now.max(first.arrives_at);
        let mut batch = vec![first];
        while sent.peek().is_some_and(|Reverse(order)| order.arrives_at <= now) {
            batch.extend(sent.pop().map(|Reverse(order)| order));
        }
        now += draw(syncs_ns);
        for Order { arrives_at, round_trip } in batch {
            tally.record(now - arrives_at + round_trip, 1);
            sent.push(order_from(now, draw(&round_trips)));
        }
    }
    (tally.orders as f64 * 1e9 / now as f64, tally)
}

/// On its way to the disk.
#[derive(Eq, Ord, PartialEq, PartialOrd)]
struct Order {
    arrives_at: u64,
    /// Both ways, as if the way back came first.
    round_trip: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(clients: u64, sync_ns: u64, round_trip_ns: u64, mean_ns: f64, per_s: f64) {
        let round_trip = Tally::of(&[round_trip_ns]);
        let (orders_per_s, tally) = group_commit(clients, &[sync_ns], &round_trip);
        let near = |value: f64, wanted: f64| (value / wanted - 1.0).abs() < 0.01;
        let mean = tally.mean_ms() * 1e6;
        assert!(near(mean, mean_ns) && near(orders_per_s, per_s), "{mean} ns, {orders_per_s}/s");
    }

    #[test]
    fn a_lone_order_waits_for_its_sync_alone() {
        check(1, 100_000, 50_000, 150_000.0, 6_667.0);
    }

    #[test]
    fn orders_that_come_together_share_a_sync() {
        check(64, 100_000, 50_000, 150_000.0, 426_667.0);
    }
}
