//! Mark-outs: what a fill had earned some time after it, by the middle price then.

use std::collections::VecDeque;

use types::Side;

use crate::context::Context;
use crate::order::Fill;

/// One, ten and sixty seconds.
pub const HORIZONS_NS: [i64; 3] = [1_000_000_000, 10_000_000_000, 60_000_000_000];

/// The sum of one horizon.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MarkOut {
    pub fills: u64,
    /// Quote units that all fills had earned.
    pub earned: f64,
    /// Quote units that were traded by them.
    pub traded: f64,
}

impl MarkOut {
    /// Basis points of the traded value; zero without fills.
    pub fn bps(&self) -> f64 {
        if self.traded == 0.0 { 0.0 } else { self.earned / self.traded * 1e4 }
    }
}

/// Mark-outs of all horizons. They are taken at the first sample after their time.
#[derive(Clone, Debug, Default)]
pub struct MarkOuts {
    waiting: [VecDeque<Waiting>; HORIZONS_NS.len()],
    pub marks: [MarkOut; HORIZONS_NS.len()],
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    due_ns: i64,
    instrument: u16,
    side: Side,
    ticks: i64,
    lots: u64,
}

impl MarkOuts {
    pub(crate) fn fill(&mut self, fill: &Fill, context: &Context) {
        for (waiting, horizon_ns) in self.waiting.iter_mut().zip(HORIZONS_NS) {
            waiting.push_back(Waiting {
                due_ns: context.now_ns.saturating_add(horizon_ns),
                instrument: fill.instrument,
                side: fill.side,
                ticks: fill.price.ticks(),
                lots: fill.qty.lots(),
            });
        }
    }

    pub(crate) fn advance(&mut self, context: &Context) {
        for (waiting, mark) in self.waiting.iter_mut().zip(&mut self.marks) {
            while waiting.front().is_some_and(|fill| fill.due_ns <= context.now_ns) {
                let Some(fill) = waiting.pop_front() else { break };
                let view = &context.views[usize::from(fill.instrument)];
                let Some(twice) = view.twice_mark() else { continue };
                let gain = match fill.side {
                    Side::Buy => twice as f64 / 2.0 - fill.ticks as f64,
                    Side::Sell => fill.ticks as f64 - twice as f64 / 2.0,
                };
                let lots = fill.lots as f64 * view.instrument.unit_value();
                mark.fills += 1;
                mark.earned += gain * lots;
                mark.traded += fill.ticks as f64 * lots;
            }
        }
    }
}
