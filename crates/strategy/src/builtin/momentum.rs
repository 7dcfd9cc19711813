//! Momentum: takes when the middle price has moved away from its average.

use types::{Qty, Side};

use crate::context::Context;
use crate::order::NewOrder;
use crate::param::{Param, Values};
use crate::strategy::Strategy;

pub(super) const PARAMS: &[Param] = &[
    Param::int("interval-ms", 100, (1, 86_400_000), "Time between two looks at the price"),
    Param::int("lots", 1, (1, 1_000_000_000), "Lots of an order"),
    Param::int("max-lots", 10, (1, 1_000_000_000), "Largest position"),
    Param::float("halflife-s", 5.0, (1e-3, 1e6), "Half-life of the average"),
    Param::float("threshold", 10.0, (0.0, 1e9), "Ticks from the average that lead to an order"),
];

#[derive(Clone, Debug)]
pub struct Momentum {
    interval_ns: i64,
    qty: Qty,
    max_lots: i64,
    decay: f64,
    threshold: f64,
    average: Option<f64>,
}

impl Momentum {
    pub fn new(values: &Values) -> Self {
        let interval_ms = values.int("interval-ms");
        Self {
            interval_ns: interval_ms * 1_000_000,
            qty: Qty::from_lots(values.int("lots").unsigned_abs()),
            max_lots: values.int("max-lots"),
            decay: 0.5f64.powf(interval_ms as f64 / 1e3 / values.float("halflife-s")),
            threshold: values.float("threshold"),
            average: None,
        }
    }
}

impl Strategy for Momentum {
    fn on_start(&mut self, context: &mut Context) {
        context.set_timer(context.now_ns() + self.interval_ns, 0);
    }

    fn on_timer(&mut self, context: &mut Context, _timer: u32) {
        context.set_timer(context.now_ns() + self.interval_ns, 0);
        let book = context.book(0);
        let (Some(bid), Some(ask)) = (book.best_bid(), book.best_ask()) else { return };
        let mid = (bid.ticks() + ask.ticks()) as f64 / 2.0;
        let average = self.average.get_or_insert(mid);
        *average = self.decay * *average + (1.0 - self.decay) * mid;
        let away = mid - *average;
        if !context.open_orders().is_empty() || away.abs() <= self.threshold {
            return;
        }
        let position = context.position(0);
        let lots = self.qty.lots() as i64;
        let (side, price, reached) = if away > 0.0 {
            (Side::Buy, ask, position + lots)
        } else {
            (Side::Sell, bid, position - lots)
        };
        if reached.abs() <= self.max_lots {
            // A refusal is counted by the context.
            let _ = context.send(NewOrder::ioc(0, side, price, self.qty));
        }
    }
}
