//! The displayed orders, when the venue opens.

use engine::Engine;
use marketdata::{OrderStream, ShownOrder, ShownOrders};
use types::Side;

/// What messages have shown so far, in order of trading at each price.
pub(crate) fn shown_orders(engine: &Engine, stream: &OrderStream) -> ShownOrders {
    let mut shown = ShownOrders::default();
    for id in engine.instruments().map(|instrument| instrument.id) {
        for side in [Side::Buy, Side::Sell] {
            for (price, _) in engine.levels(id, side) {
                let queue = engine.queue_part(id, (side, price), None, usize::MAX);
                for (order_id, qty) in queue.orders {
                    if let Some(qty) = stream.shown(id, price, qty) {
                        shown.add(id, ShownOrder { order_id, side, price, qty });
                    }
                }
            }
        }
    }
    shown
}
