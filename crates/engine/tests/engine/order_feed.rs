//! The displayed orders that messages add and take off are those of the engine, in its order.

use engine::Engine;
use marketdata::{Fact, OrderStream, Said, ShownOrder, ShownOrders};
use proptest::prelude::*;
use types::{Command, Event, InstrumentId, OrderId, Price, Qty, Side};

use crate::house::Driver;
use crate::random::{Script, script, set_up};

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn messages_keep_the_displayed_orders(script in script(200)) {
        play(&script);
    }
}

fn play(script: &Script) {
    let mut venue = Driver::default();
    venue.work_max = Some(script.work_max);
    let mut feed = Feed::default();
    for command in set_up() {
        let events = venue.apply(0, command);
        feed.follow(&events, &venue.engine);
    }
    for step in &script.steps {
        venue.now_ns += step.after_ns - 1;
        let events = venue.apply_entry(&step.entry);
        feed.follow(&events, &venue.engine);
        while venue.engine.has_deferred() {
            venue.now_ns -= 1;
            let events = venue.apply(0, Command::Continue(()));
            feed.follow(&events, &venue.engine);
        }
    }
}

#[derive(Default)]
struct Feed {
    sequence: u64,
    stream: OrderStream,
    orders: ShownOrders,
    /// Messages of this day.
    count: u64,
}

impl Feed {
    fn follow(&mut self, events: &[Event], engine: &Engine) {
        self.sequence += 1;
        let Self { stream, orders, count, sequence } = self;
        let mut crossed = Qty::ZERO;
        let mut executed = Qty::ZERO;
        stream.command(*sequence, *sequence, events, |message| {
            if message.number == 1 {
                *count = 0;
            }
            *count += 1;
            assert_eq!(message.number, *count);
            if let Said::Of(_, fact) = message.said {
                executed += traded(&fact);
                if let Fact::Crossed { volume, .. } = fact {
                    crossed += volume;
                }
            }
            orders.apply(&message);
        });
        for id in engine.instruments().map(|instrument| instrument.id) {
            for side in [Side::Buy, Side::Sell] {
                assert_eq!(self.levels(id, side), displayed(engine, &self.stream, id, side));
            }
        }
        // Volume by trades and by messages, where no auction goes over several commands.
        let of_trades = events.iter().filter_map(|event| match event {
            Event::TradeExecuted(trade) if is_said(&self.stream, trade) => Some(trade.qty),
            _ => None,
        });
        let sum = of_trades.fold(Qty::ZERO, |sum, qty| sum + qty);
        if crossed == Qty::ZERO
            && events.iter().all(|event| !matches!(event, Event::PhaseChanged(_)))
        {
            assert!(executed == sum || executed == Qty::ZERO, "{executed:?} {sum:?} {events:?}");
        }
    }

    /// The orders of each level in their line, best level first.
    fn levels(&self, id: InstrumentId, side: Side) -> Vec<(Price, Vec<(OrderId, u32)>)> {
        let mut levels = std::collections::BTreeMap::<Price, Vec<_>>::new();
        for order in self.orders.orders(id).filter(|order| order.side == side) {
            let ShownOrder { order_id, price, qty, .. } = *order;
            levels.entry(price).or_default().push((order_id, qty));
        }
        match side {
            Side::Buy => levels.into_iter().rev().collect(),
            Side::Sell => levels.into_iter().collect(),
        }
    }
}

/// What counts in a tape of trades.
fn traded(fact: &Fact) -> Qty {
    Qty::from_lots(match *fact {
        Fact::Executed { qty, .. }
        | Fact::ExecutedAt { qty, in_auction: false, .. }
        | Fact::Traded { qty, .. } => qty.into(),
        _ => 0,
    })
}

fn is_said(stream: &OrderStream, trade: &types::TradeExecuted) -> bool {
    stream.shown(trade.instrument, trade.price, trade.qty).is_some()
}

fn displayed(
    engine: &Engine,
    stream: &OrderStream,
    id: InstrumentId,
    side: Side,
) -> Vec<(Price, Vec<(OrderId, u32)>)> {
    let levels = engine.levels(id, side).map(|(price, _)| {
        let queue = engine.queue_part(id, (side, price), None, usize::MAX).orders;
        let shown = |(order_id, qty)| Some((order_id, stream.shown(id, price, qty)?));
        (price, queue.into_iter().filter_map(shown).collect::<Vec<_>>())
    });
    levels.filter(|(_, orders)| !orders.is_empty()).collect()
}
