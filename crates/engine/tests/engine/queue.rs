//! The place of an order in the queue at its price, kept from events and from parts of the queue.

use std::collections::BTreeMap;

use engine::Engine;
use marketdata::{BookUpdate, LevelQueue};
use proptest::prelude::*;
use types::{Event, InstrumentId, OrderId, Price, Qty, Side};

use crate::random::{self, RandomStep, steps};

type Level = (InstrumentId, Side, Price);

/// So small that a queue needs several parts.
const PART_MAX: usize = 2;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_quantity_ahead_is_that_of_a_walk(
        steps in steps(200),
        pauses in prop::collection::vec(0..6_u8, 200),
    ) {
        play(&steps, &pauses);
    }
}

/// Follows each level from the first step that finds it, and takes a part of its queue before some
/// of the later steps.
fn play(steps: &[RandomStep], pauses: &[u8]) {
    let mut venue = random::open();
    let mut followed = Followed::default();
    for (step, pause) in steps.iter().zip(pauses) {
        venue.now_ns += step.after_ns - 1;
        let events = venue.apply_whole(&step.entry);
        events.iter().for_each(|event| followed.event(event));
        if *pause == 0 {
            followed.begin(&venue.engine);
        }
        if *pause < 4 {
            followed.take_parts(&venue.engine);
        }
        followed.assert_equal(&venue.engine);
    }
}

#[derive(Default)]
struct Followed(BTreeMap<Level, LevelQueue>);

impl Followed {
    fn event(&mut self, event: &Event) {
        let Some(update) = BookUpdate::of(event) else { return };
        let Some(change) = update.level else { return };
        let level = (update.instrument, change.side, change.price);
        if let Some(queue) = self.0.get_mut(&level) {
            queue.apply(change.order_id, change.order);
        }
    }

    fn begin(&mut self, engine: &Engine) {
        for id in engine.instruments().map(|instrument| instrument.id) {
            for side in [Side::Buy, Side::Sell] {
                for (price, _) in engine.levels(id, side) {
                    self.0.entry((id, side, price)).or_default();
                }
            }
        }
    }

    fn take_parts(&mut self, engine: &Engine) {
        for ((id, side, price), queue) in &mut self.0 {
            if !queue.is_complete() {
                let behind = queue.behind();
                let part = engine.queue_part(*id, (*side, *price), behind, PART_MAX);
                queue.take_part(behind, &part.orders, part.is_last);
            }
        }
    }

    fn assert_equal(&mut self, engine: &Engine) {
        for (level, queue) in self.0.iter_mut().filter(|(_, queue)| queue.is_complete()) {
            let walked = walk(engine, *level);
            assert_eq!(queue.len(), walked.len(), "{level:?}");
            for (order_id, ahead) in walked {
                assert_eq!(queue.ahead(order_id), Some(ahead), "{order_id} at {level:?}");
            }
            assert_eq!(queue.ahead(OrderId(u64::MAX)), None);
        }
    }
}

/// Each displayed order of a level, and the displayed quantity ahead of it.
fn walk(engine: &Engine, (id, side, price): Level) -> Vec<(OrderId, Qty)> {
    let part = engine.queue_part(id, (side, price), None, usize::MAX);
    assert!(part.is_last);
    let in_line = engine.resting(id, side).filter(|order| {
        let is_hidden = order.terms.is_some_and(|terms| terms.terms.hidden);
        order.price == price && !is_hidden
    });
    let resting: Vec<OrderId> = in_line.map(|order| order.order_id).collect();
    let mut sum = Qty::ZERO;
    let mut walked = Vec::new();
    for (order_id, qty) in part.orders {
        walked.push((order_id, sum));
        sum += qty;
    }
    assert!(walked.iter().map(|(order_id, _)| order_id).eq(&resting), "{walked:?} {resting:?}");
    let level = engine.levels(id, side).find(|(at, _)| *at == price);
    assert_eq!(level.map_or(Qty::ZERO, |(_, qty)| qty), sum);
    walked
}
