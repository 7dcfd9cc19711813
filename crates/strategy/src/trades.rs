//! Round trips: from a flat position to the next, or to the other side.

mod gains;

use types::Side;

pub use self::gains::Gains;
use crate::account::notional;
use crate::order::Fill;

/// Round trips that are kept; all of them count in the sums.
const KEPT_MAX: usize = 20_000;

/// A round trip of one instrument, entered and left at average prices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundTrip {
    pub instrument: u16,
    /// Lots, negative for a short position.
    pub lots: i64,
    /// Ticks times lots.
    pub entry_value: i128,
    pub exit_value: i128,
    /// In 10^-8 of ticks times lots.
    pub fees: i128,
    pub entry_ns: i64,
    pub exit_ns: i64,
    pub entry_sample: u64,
    pub exit_sample: u64,
}

impl RoundTrip {
    /// Gain before fees in ticks times lots.
    pub fn gain(&self) -> i128 {
        let gain = self.exit_value - self.entry_value;
        if self.lots < 0 { -gain } else { gain }
    }
}

#[derive(Clone, Copy, Debug)]
struct Open {
    lots: i64,
    value: i128,
    fees: i128,
    since_ns: i64,
    since_sample: u64,
}

/// Round trips of a run.
#[derive(Clone, Debug, Default)]
pub struct Trades {
    pub first: Vec<RoundTrip>,
    /// Of all.
    pub gains: Gains,
    /// Samples with a position.
    pub exposed: u64,
    pub samples: u64,
    /// Marks of the first instrument in quote units.
    pub first_mark: f64,
    pub last_mark: f64,
    open: Vec<Option<Open>>,
}

impl Trades {
    #[inline]
    pub(crate) fn sample(&mut self, mark: f64, position: i64) {
        if self.first_mark == 0.0 {
            self.first_mark = mark;
        }
        self.samples += 1;
        self.last_mark = mark;
        self.exposed += u64::from(position != 0);
    }

    /// `unit_value` is what a tick of a lot of its instrument is worth.
    pub(crate) fn fill(&mut self, fill: &Fill, unit_value: f64) {
        let sample = self.samples;
        let at = usize::from(fill.instrument);
        if self.open.len() <= at {
            self.open.resize(at + 1, None);
        }
        let lots = fill.qty.lots() as i64;
        let change = if fill.side == Side::Buy { lots } else { -lots };
        let slot = &mut self.open[at];
        let Some(open) = slot else {
            let value = notional(fill.price, fill.qty);
            let since_ns = fill.exchange_ns;
            *slot =
                Some(Open { lots: change, value, fees: fill.fee, since_ns, since_sample: sample });
            return;
        };
        if (open.lots > 0) == (change > 0) {
            open.lots += change;
            open.value += notional(fill.price, fill.qty);
            open.fees += fill.fee;
            return;
        }
        let closed = change.unsigned_abs().min(open.lots.unsigned_abs()) as i64;
        // A part of the entry is rounded down; the rest stays with the rest of the position.
        let entry = open.value * i128::from(closed) / i128::from(open.lots.abs());
        let entry_fees = open.fees * i128::from(closed) / i128::from(open.lots.abs());
        let exit_fees = fill.fee * i128::from(closed) / i128::from(lots);
        let trip = RoundTrip {
            instrument: fill.instrument,
            lots: closed * open.lots.signum(),
            entry_value: entry,
            exit_value: i128::from(fill.price.ticks()) * i128::from(closed),
            fees: entry_fees + exit_fees,
            entry_ns: open.since_ns,
            exit_ns: fill.exchange_ns,
            entry_sample: open.since_sample,
            exit_sample: sample,
        };
        open.value -= entry;
        open.fees -= entry_fees;
        open.lots += closed * change.signum();
        let rest = lots - closed;
        if open.lots == 0 {
            *slot = (rest > 0).then(|| Open {
                lots: rest * change.signum(),
                value: i128::from(fill.price.ticks()) * i128::from(rest),
                fees: fill.fee - exit_fees,
                since_ns: fill.exchange_ns,
                since_sample: sample,
            });
        }
        self.ended(trip, unit_value);
    }

    pub(crate) fn ended(&mut self, trip: RoundTrip, unit_value: f64) {
        self.gains.add(&trip, unit_value);
        if self.first.len() < KEPT_MAX {
            self.first.push(trip);
        }
    }
}
