//! The form of order flow that both targets carry out.

use recorded::Format;
use serde::Serialize;
use types::{Phase, Price, Qty, Side};

use super::verify::{BookFile, Check};

/// A whole flow, decoded.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) format: Format,
    pub(crate) instrument_count: u32,
    /// Size of one tick, in units of the file.
    pub(crate) price_unit: u64,
    pub(crate) steps: Vec<Step>,
    /// Consecutive, and together all steps.
    pub(crate) stretches: Vec<Stretch>,
    /// The recorded book for comparisons.
    pub(crate) book: Option<BookFile>,
    /// The part of recorded data without timed steps.
    pub(crate) left_out: LeftOut,
    /// For files that may lack the orders of their messages.
    pub(crate) inferred: Option<Inferred>,
    /// For files that reveal the reason.
    pub(crate) disagreements: Option<Disagreements>,
    /// The results of the exchange's auctions, for files that have them and a book that uncrosses.
    pub(crate) auctions: Option<Vec<Auction>>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeftOut {
    /// Records that do not change the visible book: for LOBSTER hidden executions, crosses and
    /// halts, for DBN trades and repeats of fills.
    pub(crate) without_effect: u64,
    /// For LOBSTER cancels of orders older than the file at prices without a seed, for DBN all
    /// records of an order that is not in the book.
    pub(crate) unknown: u64,
    /// Steps, not timed, that corrected the book to agree with the file.
    pub(crate) corrections: u64,
}

/// LOBSTER messages whose order is not in the book as the message states it. Each case is counted
/// once for a message.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub(crate) struct Inferred {
    /// Messages of orders that no message entered: their size was taken off anonymous orders.
    pub(crate) anonymous: u64,
    /// The same, but the anonymous orders had less: off the oldest known orders at the price.
    pub(crate) oldest: u64,
    /// Messages of an order whose quantity had changed unseen.
    pub(crate) stale_qty: u64,
    /// Messages with a larger size than all orders at their price.
    pub(crate) missing: u64,
}

/// Steps with or without timing, followed by a check of the book or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// One past its last step.
    pub(crate) end: usize,
    pub(crate) timed: bool,
    pub(crate) check: Option<Check>,
}

/// One command. Order ids are the engine's: dense from 1 per instrument.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Step {
    New {
        /// The id that the order will get.
        order_id: u64,
        /// In ticks; zero for a market order.
        price: i64,
        qty: u64,
        instrument: u32,
        side: Side,
        terms: Terms,
    },
    Cancel {
        order_id: u64,
        instrument: u32,
        side: Side,
    },
    /// The order keeps its place in the queue.
    Reduce {
        order_id: u64,
        by: u64,
        /// The entered quantity minus the reductions.
        order_qty: u64,
        instrument: u32,
        side: Side,
    },
    /// An immediate-or-cancel order that replaces a recorded execution.
    Execution {
        price: i64,
        /// The resting order that the exchange filled; 0 if it is not in the book.
        maker: u64,
        qty: u64,
        instrument: u32,
        side: Side,
    },
    /// Continuous trading begins with the trades of a crossed book.
    Phase {
        instrument: u32,
        phase: Phase,
    },
}

// A flow of millions of steps is read through the cache.
const _: () = assert!(size_of::<Step>() == 32);

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Terms {
    Limit,
    Ioc,
    Market,
    /// Rests even if it crosses, as all orders do while an auction collects them.
    Auction,
}

/// The result of an auction: the price in ticks, the volume in lots.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Auction {
    pub(crate) price: Price,
    pub(crate) volume: Qty,
}

/// Cases in which the exchange did not fill our front order, by the exchange's action.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub(crate) struct Disagreements {
    /// Canceled the orders at the front instead, in the same event.
    pub(crate) self_match: u64,
    /// Filled more of our front order than the book showed.
    pub(crate) hidden_qty: u64,
    /// Anything else.
    pub(crate) other: u64,
}

impl Plan {
    pub(crate) fn new(format: Format, instrument_count: u32) -> Self {
        Self {
            format,
            instrument_count,
            price_unit: 1,
            steps: Vec::new(),
            stretches: Vec::new(),
            book: None,
            left_out: LeftOut::default(),
            inferred: None,
            disagreements: None,
            auctions: None,
        }
    }

    /// Adds a step to the last stretch, or to a new one if that has the other kind.
    pub(crate) fn push(&mut self, step: Step, timed: bool) {
        self.steps.push(step);
        let end = self.steps.len();
        match self.stretches.last_mut() {
            Some(last) if last.timed == timed && last.check.is_none() => last.end = end,
            _ => self.stretches.push(Stretch { end, timed, check: None }),
        }
    }

    /// Adds a check of the book at this point.
    pub(crate) fn check(&mut self, check: Check) {
        match self.stretches.last_mut() {
            Some(last) if last.check.is_none() => last.check = Some(check),
            _ => {
                let end = self.steps.len();
                self.stretches.push(Stretch { end, timed: false, check: Some(check) });
            }
        }
    }
}
