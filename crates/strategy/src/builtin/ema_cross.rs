//! Crossing of two exponential averages of the closes of bars.
//!
//! The average is that of pandas with `adjust=False`: the first close, then a e + (1 - a) close
//! with 1 - a = 2 / (span + 1). A cross is decided at a close; the order trades at the next open.

use types::{Qty, Side};

use crate::context::Context;
use crate::order::NewOrder;
use crate::param::{Param, ParamError, Values};
use crate::strategy::{Bar, Strategy};

pub(super) const PARAMS: &[Param] = &[
    Param::int("fast", 10, (1, 1_000_000), "Span of the fast average, in bars"),
    Param::int("slow", 30, (2, 1_000_000), "Span of the slow average, in bars"),
    Param::int("lots", 1, (1, 1_000_000_000_000), "Lots of the position"),
    Param::word("sides", &["long", "both"], "Whether a cross downwards sells short"),
];

#[derive(Clone, Debug)]
pub struct EmaCross {
    fast: Average,
    slow: Average,
    lots: i64,
    is_both: bool,
    /// Whether the fast average was above the slow one at the last bar.
    was_above: Option<bool>,
    /// The position that the last cross wants.
    wanted: i64,
}

#[derive(Clone, Debug)]
struct Average {
    weight: f64,
    value: Option<f64>,
}

impl Average {
    fn new(span: i64) -> Self {
        Self { weight: 2.0 / (span as f64 + 1.0), value: None }
    }

    #[inline]
    fn add(&mut self, close: f64) -> f64 {
        let value = match self.value {
            Some(value) => (1.0 - self.weight) * value + self.weight * close,
            None => close,
        };
        self.value = Some(value);
        value
    }
}

impl EmaCross {
    pub fn new(values: &Values) -> Result<Self, ParamError> {
        let (fast, slow) = (values.int("fast"), values.int("slow"));
        if fast >= slow {
            let text = format!("fast is {fast}, not below slow, which is {slow}");
            return Err(ParamError::Together(text));
        }
        Ok(Self {
            fast: Average::new(fast),
            slow: Average::new(slow),
            lots: values.int("lots"),
            is_both: values.text("sides") == "both",
            was_above: None,
            wanted: 0,
        })
    }
}

impl Strategy for EmaCross {
    #[inline]
    fn on_bar(&mut self, context: &mut Context, bar: &Bar) {
        let close = bar.close.ticks() as f64;
        let is_above = self.fast.add(close) > self.slow.add(close);
        let was_above = self.was_above.replace(is_above);
        // At the first bar both averages are its close.
        if was_above.is_none_or(|was_above| was_above == is_above) {
            return;
        }
        let short = if self.is_both { -self.lots } else { 0 };
        let wanted = if is_above { self.lots } else { short };
        let change = wanted - self.wanted;
        self.wanted = wanted;
        let side = if change > 0 { Side::Buy } else { Side::Sell };
        if change != 0 {
            let qty = Qty::from_lots(change.unsigned_abs());
            // A refusal is counted by the context.
            let _ = context.send(NewOrder::market(bar.instrument, side, qty));
        }
    }
}
