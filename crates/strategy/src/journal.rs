//! What a run leaves: orders, fills and the equity over time, in files and in figures.
//!
//! Memory does not grow with the length of the run. The equity is thinned by half each time that it
//! has [`SAMPLES_MAX`] samples; files have all of it.

mod files;
mod whole;

use std::io;
use std::path::Path;

use types::{Qty, Side};

use self::files::Files;
pub use self::files::TableFormat;
use crate::context::Context;
use crate::instrument::Instrument;
use crate::order::{Answer, Fill, Order, Outcome};
use crate::statistics::{MarkOuts, Moments, Returns};
use crate::trades::Trades;

/// Samples of the equity that are kept.
pub const SAMPLES_MAX: usize = 1 << 16;
/// Fills that are kept for the chart.
const FILLS_MAX: usize = 20_000;

/// The state of a run at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub at_ns: i64,
    /// Profit and loss of all instruments after fees, in quote units.
    pub pnl: f64,
    /// Lots of the first instrument.
    pub position: i64,
    /// The first instrument's mark in quote units.
    pub mark: f64,
}

/// Counts and sums over a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    pub orders: u64,
    pub fills: u64,
    pub maker_fills: u64,
    pub orders_filled: u64,
    pub canceled: u64,
    pub expired: u64,
    pub rejected: u64,
    pub lots_sent: u128,
    pub lots_filled: u128,
    pub maker_lots: u128,
    pub waited_ns: i128,
    /// The largest fall of the equity below its highest value, at samples.
    pub max_drawdown: f64,
    /// Position times time of the first instrument, without sign, in lots times samples.
    pub inventory: u128,
    pub inventory_max: u64,
    pub samples: u64,
}

/// Records a run. It is given to the run and read after it.
#[derive(Debug)]
pub struct Journal {
    pub totals: Totals,
    pub samples: Vec<Sample>,
    pub fills: Vec<Fill>,
    pub mark_outs: MarkOuts,
    pub trades: Trades,
    pub returns: Returns,
    /// Changes of the equity from sample to sample, in quote units.
    pub changes: Moments,
    capital: f64,
    last: Option<Sample>,
    stride: u64,
    best_pnl: f64,
    files: Option<Files>,
}

impl Journal {
    /// `capital`, in quote units, is what returns refer to.
    pub fn new(capital: f64) -> Self {
        Self {
            totals: Totals::default(),
            samples: Vec::new(),
            fills: Vec::new(),
            mark_outs: MarkOuts::default(),
            trades: Trades::default(),
            returns: Returns::default(),
            changes: Moments::default(),
            capital,
            last: None,
            stride: 1,
            best_pnl: 0.0,
            files: None,
        }
    }

    /// Writes the tables `orders`, `fills`, `positions` and `equity` into a folder, too.
    pub fn in_folder(
        capital: f64,
        folder: &Path,
        instruments: &[Instrument],
        format: TableFormat,
    ) -> io::Result<Self> {
        let files = Files::create(folder, instruments, format)?;
        Ok(Self { files: Some(files), ..Self::new(capital) })
    }

    #[inline]
    pub(crate) fn sent(&mut self) {
        self.totals.orders += 1;
    }

    /// An answer arrives, which the context does not know yet.
    pub(crate) fn answered(&mut self, answer: &Answer, context: &Context) -> io::Result<()> {
        let Some(order) = context.order(answer.id) else { return Ok(()) };
        let state = match answer.outcome {
            Outcome::Canceled => {
                self.totals.canceled += 1;
                "canceled"
            }
            Outcome::Expired(_) => {
                self.totals.expired += 1;
                "expired"
            }
            Outcome::Rejected(_) if order.pending == Some(crate::order::Pending::New) => {
                self.totals.rejected += 1;
                "rejected"
            }
            Outcome::Filled(execution) if execution.qty >= order.leaves_qty => {
                let cum_qty = Qty::from_lots(order.cum_qty.lots() + execution.qty.lots());
                let leaves_qty = Qty::from_lots(0);
                return self.ended(&Order { cum_qty, leaves_qty, ..*order }, "filled", context);
            }
            Outcome::Accepted
            | Outcome::Replaced { .. }
            | Outcome::Rejected(_)
            | Outcome::Filled(_) => return Ok(()),
        };
        self.ended(order, state, context)
    }

    fn ended(&mut self, order: &Order, state: &str, context: &Context) -> io::Result<()> {
        self.totals.lots_sent += u128::from(order.cum_qty.lots() + order.leaves_qty.lots());
        self.totals.orders_filled += u64::from(!order.cum_qty.is_zero());
        match &mut self.files {
            Some(files) => files.order(order, state, context),
            None => Ok(()),
        }
    }

    pub(crate) fn filled(&mut self, fill: &Fill, context: &Context) -> io::Result<()> {
        let totals = &mut self.totals;
        totals.fills += 1;
        totals.lots_filled += u128::from(fill.qty.lots());
        if fill.is_maker {
            totals.maker_fills += 1;
            totals.maker_lots += u128::from(fill.qty.lots());
            totals.waited_ns += i128::from(fill.waited_ns);
        }
        if self.fills.len() < FILLS_MAX {
            self.fills.push(*fill);
        }
        self.mark_outs.fill(fill, context);
        let instrument = &context.views[usize::from(fill.instrument)].instrument;
        self.trades.fill(fill, instrument.unit_value());
        match &mut self.files {
            Some(files) => files.fill(fill, context),
            None => Ok(()),
        }
    }

    pub(crate) fn sample(&mut self, context: &Context) -> io::Result<()> {
        self.mark_outs.advance(context);
        let view = &context.views[0];
        let position = view.account.position;
        let mark = view.twice_mark().unwrap_or(0) as f64 / 2.0 * view.instrument.tick_size();
        let sample = Sample { at_ns: context.now_ns, pnl: context.total_pnl(), position, mark };
        self.add(sample);
        match &mut self.files {
            Some(files) => files.sample(&sample, context),
            None => Ok(()),
        }
    }

    fn add(&mut self, sample: Sample) {
        let Sample { position, mark, .. } = sample;
        self.returns.add(sample.at_ns, self.capital + sample.pnl, mark);
        self.trades.sample(mark, position);
        if let Some(last) = self.last.replace(sample) {
            self.changes.add(sample.pnl - last.pnl);
        }
        let totals = &mut self.totals;
        self.best_pnl = self.best_pnl.max(sample.pnl);
        totals.max_drawdown = totals.max_drawdown.max(self.best_pnl - sample.pnl);
        totals.inventory += u128::from(position.unsigned_abs());
        totals.inventory_max = totals.inventory_max.max(position.unsigned_abs());
        if totals.samples.is_multiple_of(self.stride) {
            self.keep(sample);
        }
        self.totals.samples += 1;
    }

    fn keep(&mut self, sample: Sample) {
        if self.samples.len() == SAMPLES_MAX {
            let mut at = 0;
            self.samples.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.stride *= 2;
        }
        self.samples.push(sample);
    }

    /// The record has ended, or the run was stopped.
    pub(crate) fn finish(&mut self, context: &Context) -> io::Result<()> {
        let is_sampled = self.returns.samples > 0 && self.returns.last_ns == context.now_ns;
        if !is_sampled {
            self.sample(context)?;
        }
        for order in context.open_orders() {
            self.ended(order, "open", context)?;
        }
        self.files.take().map_or(Ok(()), Files::finish)
    }
}

/// The word for a side in files.
pub(crate) const fn side_name(side: Side) -> &'static str {
    match side {
        Side::Buy => "buy",
        Side::Sell => "sell",
    }
}
