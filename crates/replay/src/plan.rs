//! Order flow in the form that both targets carry out.

use recorded::Format;
use serde::Serialize;
use types::{Phase, Price, Qty, Side};

use super::verify::{BookFile, Check};

/// A whole flow, decoded.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) format: Format,
    pub(crate) instrument_count: u32,
    /// What one tick is in units of the file.
    pub(crate) price_unit: u64,
    pub(crate) steps: Vec<Step>,
    /// They follow each other and cover all steps.
    pub(crate) stretches: Vec<Stretch>,
    /// What the steps are to be checked against.
    pub(crate) book: Option<BookFile>,
    /// Of recorded data, what does not become a timed step.
    pub(crate) left_out: LeftOut,
    /// Where a file tells the reason.
    pub(crate) disagreements: Option<Disagreements>,
    /// What the exchange's auctions came to, where a file has them and our book uncrosses too.
    pub(crate) auctions: Option<Vec<Auction>>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeftOut {
    /// What leaves the visible book as it is: of LOBSTER hidden executions, crosses and halts, of
    /// DBN trades, and what only repeats that an order was filled.
    pub(crate) without_effect: u64,
    /// Of LOBSTER cancels of orders from before the file at prices where nothing was seeded, of
    /// DBN all that is about an order which is not in the book.
    pub(crate) unknown: u64,
    /// Steps, not timed, by which the book was made to agree with the file again.
    pub(crate) corrections: u64,
}

/// Steps that are timed or not, and after which the book is checked or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// One past its last step.
    pub(crate) end: usize,
    pub(crate) timed: bool,
    pub(crate) check: Option<Check>,
}

/// One command. Order ids are those that the engine gives: dense from 1 per instrument.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Step {
    New {
        /// The id that the order is going to get.
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
        /// What is left of the quantity that it was entered with.
        order_qty: u64,
        instrument: u32,
        side: Side,
    },
    /// An immediate-or-cancel order, in place of an execution that was recorded.
    Execution {
        price: i64,
        /// The resting order that the exchange filled; 0 when it is not in the book.
        maker: u64,
        qty: u64,
        instrument: u32,
        side: Side,
    },
    /// Continuous trading begins with the trades that a crossed book comes to.
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
    /// Rests whatever it meets, as all orders do while an auction collects them.
    Auction,
}

/// What an auction came to: the price in ticks, the volume in lots.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Auction {
    pub(crate) price: Price,
    pub(crate) volume: Qty,
}

/// What the exchange did where our front order was not the one that it filled.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub(crate) struct Disagreements {
    /// Canceled the orders in front instead, in the same event.
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
            disagreements: None,
            auctions: None,
        }
    }

    /// Adds a step to the last stretch, or to a new one where that is of the other kind.
    pub(crate) fn push(&mut self, step: Step, timed: bool) {
        self.steps.push(step);
        let end = self.steps.len();
        match self.stretches.last_mut() {
            Some(last) if last.timed == timed && last.check.is_none() => last.end = end,
            _ => self.stretches.push(Stretch { end, timed, check: None }),
        }
    }

    /// Has the book checked at this point.
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
