//! The interface of a strategy: call-backs with what happened, and the context to act in.

use types::{Price, Qty, Side};

use crate::context::Context;
use crate::order::{Answer, Fill};

/// A trade of the market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trade {
    pub instrument: u16,
    pub price: Price,
    pub qty: Qty,
    /// Of the aggressor, where it is known.
    pub side: Option<Side>,
    pub exchange_ns: i64,
}

/// A bar of the market, complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    pub instrument: u16,
    /// As the record states it: a file often has the begin of the bar, a venue's feed has the end.
    pub at_ns: i64,
    pub open: Price,
    pub high: Price,
    pub low: Price,
    pub close: Price,
    pub volume: Qty,
}

/// A trading strategy. The same code runs in back-tests, on paper and live.
///
/// A call-back has the time of [`Context::now_ns`] and must not keep time, randomness or state of
/// its own elsewhere: a run is repeated exactly then.
pub trait Strategy {
    /// Before the first event, at its time.
    fn on_start(&mut self, _context: &mut Context) {}

    /// The book changed. Changes that arrive at one time are one call.
    fn on_book(&mut self, _context: &mut Context, _instrument: u16) {}

    fn on_trade(&mut self, _context: &mut Context, _trade: &Trade) {}

    fn on_bar(&mut self, _context: &mut Context, _bar: &Bar) {}

    /// The market answered a request, or an order expired. Fills have a call-back of their own.
    fn on_order(&mut self, _context: &mut Context, _answer: &Answer) {}

    fn on_fill(&mut self, _context: &mut Context, _fill: &Fill) {}

    fn on_timer(&mut self, _context: &mut Context, _timer: u32) {}

    /// Whether the strategy ends with an error, which it states.
    fn fault(&self) -> Option<&str> {
        None
    }
}

/// Accounts of one run may have strategies of different types.
impl Strategy for Box<dyn Strategy + Send> {
    fn on_start(&mut self, context: &mut Context) {
        (**self).on_start(context);
    }

    fn on_book(&mut self, context: &mut Context, instrument: u16) {
        (**self).on_book(context, instrument);
    }

    fn on_trade(&mut self, context: &mut Context, trade: &Trade) {
        (**self).on_trade(context, trade);
    }

    fn on_bar(&mut self, context: &mut Context, bar: &Bar) {
        (**self).on_bar(context, bar);
    }

    fn on_order(&mut self, context: &mut Context, answer: &Answer) {
        (**self).on_order(context, answer);
    }

    fn on_fill(&mut self, context: &mut Context, fill: &Fill) {
        (**self).on_fill(context, fill);
    }

    fn on_timer(&mut self, context: &mut Context, timer: u32) {
        (**self).on_timer(context, timer);
    }

    fn fault(&self) -> Option<&str> {
        (**self).fault()
    }
}
