//! Execution of a quantity: in equal slices over a time (TWAP), or as a share of what the market
//! trades (VWAP).
//!
//! Each slice takes at the best price of the other side, as far as its quantity goes; what does not
//! fill belongs to the next slice.

use types::{Qty, Side};

use crate::context::Context;
use crate::order::NewOrder;
use crate::param::{Param, Values};
use crate::strategy::{Strategy, Trade};

const SIDE: Param = Param::word("side", &["buy", "sell"], "Direction");
const LOTS: Param = Param::int("lots", 100, (1, 1_000_000_000_000), "Lots to trade in all");
const INTERVAL: Param =
    Param::int("interval-ms", 1_000, (1, 86_400_000), "Time between two slices");

pub(super) const TWAP_PARAMS: &[Param] = &[
    SIDE,
    LOTS,
    INTERVAL,
    Param::float("duration-s", 60.0, (1e-3, 1e7), "Time in which all is traded"),
];

pub(super) const VWAP_PARAMS: &[Param] = &[
    SIDE,
    LOTS,
    INTERVAL,
    Param::float("share", 0.1, (1e-6, 1.0), "Share of the market's volume since the start"),
];

#[derive(Clone, Debug)]
pub struct Slices {
    side: Side,
    lots: u64,
    interval_ns: i64,
    pace: Pace,
    start_ns: i64,
    /// Lots that the market has traded since the start.
    volume: u64,
}

#[derive(Clone, Copy, Debug)]
enum Pace {
    Time { duration_ns: i64 },
    Volume { share: f64 },
}

impl Slices {
    pub fn twap(values: &Values) -> Self {
        let duration_ns = (values.float("duration-s") * 1e9) as i64;
        Self::new(values, Pace::Time { duration_ns })
    }

    pub fn vwap(values: &Values) -> Self {
        Self::new(values, Pace::Volume { share: values.float("share") })
    }

    fn new(values: &Values, pace: Pace) -> Self {
        Self {
            side: if values.text("side") == "buy" { Side::Buy } else { Side::Sell },
            lots: values.int("lots").unsigned_abs(),
            interval_ns: values.int("interval-ms") * 1_000_000,
            pace,
            start_ns: 0,
            volume: 0,
        }
    }

    /// Lots that should be traded by now.
    fn due(&self, now_ns: i64) -> u64 {
        let due = match self.pace {
            Pace::Time { duration_ns } => {
                let passed = i128::from((now_ns - self.start_ns).min(duration_ns));
                (i128::from(self.lots) * passed / i128::from(duration_ns)) as u64
            }
            Pace::Volume { share } => (self.volume as f64 * share) as u64,
        };
        due.min(self.lots)
    }
}

impl Strategy for Slices {
    fn on_start(&mut self, context: &mut Context) {
        self.start_ns = context.now_ns();
        context.set_timer(self.start_ns + self.interval_ns, 0);
    }

    fn on_trade(&mut self, _context: &mut Context, trade: &Trade) {
        self.volume += trade.qty.lots();
    }

    fn on_timer(&mut self, context: &mut Context, _timer: u32) {
        let done = context.position(0).unsigned_abs();
        if done >= self.lots {
            return;
        }
        context.set_timer(context.now_ns() + self.interval_ns, 0);
        let missing = self.due(context.now_ns()).saturating_sub(done);
        if missing == 0 || !context.open_orders().is_empty() {
            return;
        }
        let qty = Qty::from_lots(missing);
        // A refusal is counted by the context.
        let _ = context.send(match context.book(0).best(self.side.opposite()) {
            Some(price) => NewOrder::ioc(0, self.side, price, qty),
            // Data of trades or bars have no book.
            None => NewOrder::market(0, self.side, qty),
        });
    }
}
