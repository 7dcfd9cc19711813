//! What the door knows of one login: how many reports it has had, its open orders by number, and
//! the link to its session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use marketdata::{Report, ReportKind};
use types::{ClOrdId, InstrumentId, LoginId, Order};

use crate::ouch::link::Link;

#[derive(Debug)]
pub(super) struct Book {
    pub(super) login: LoginId,
    state: Mutex<BookState>,
}

#[derive(Debug, Default)]
pub(super) struct BookState {
    /// The reports of this numbering day.
    pub(super) count: u64,
    orders: HashMap<u32, OpenOrder>,
    /// The highest number of a command that was on its way.
    highest: u32,
    pub(super) link: Option<Arc<Link>>,
}

/// An order that a number may stand for: it is open, or on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenOrder {
    pub(super) instrument: InstrumentId,
    pub(super) name: ClOrdId,
    /// As it was entered: what it may execute is never more.
    pub(super) quantity: u32,
}

impl Book {
    pub(super) fn new(login: LoginId) -> Self {
        Self { login, state: Mutex::default() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, BookState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BookState {
    pub(super) fn order(&self, number: u32) -> Option<&OpenOrder> {
        self.orders.get(&number)
    }

    /// Remembers an order on its way. A number that is not above all before it is a repeat, or is
    /// refused: no report would have it forgotten again.
    pub(super) fn expect(&mut self, number: u32, order: OpenOrder) {
        if number > self.highest {
            self.orders.entry(number).or_insert(order);
        }
        self.use_up(number);
    }

    /// A command with this number is on its way.
    pub(super) fn use_up(&mut self, number: u32) {
        self.highest = self.highest.max(number);
    }

    /// Adds an order that is open when the venue starts.
    pub(super) fn restore(&mut self, number: u32, order: &Order) {
        self.orders.insert(number, OpenOrder::of(order));
        self.use_up(number);
    }

    /// A new numbering day: no number stands for an order.
    pub(super) fn begin_day(&mut self) {
        (self.count, self.highest) = (0, 0);
        self.orders.clear();
    }

    /// Follows a report: counts it, and forgets orders that have ended.
    pub(super) fn follow(&mut self, report: &Report<'_>) {
        self.count += 1;
        let number = report.number;
        match report.kind {
            // Another one may have been on its way under the number, and have been refused.
            ReportKind::Accepted(order) => {
                self.orders.insert(number, OpenOrder::of(order));
            }
            ReportKind::Executed(_, fill) if fill.order.status.is_open() => {}
            ReportKind::Executed(..)
            | ReportKind::Canceled(_)
            | ReportKind::Expired(_)
            | ReportKind::Rejected(..) => drop(self.orders.remove(&number)),
            ReportKind::Amended(amended) => {
                self.renumber(&amended.orig_cl_ord_id, number, &amended.order);
            }
            ReportKind::Modified(modified) => {
                self.renumber(&modified.orig_cl_ord_id, number, &modified.order);
            }
            _ => {}
        }
    }

    /// An order has another number, or keeps the one that it has.
    fn renumber(&mut self, orig: &ClOrdId, number: u32, order: &Order) {
        let orig = orig.numbered().map(|(name, _)| name.number);
        if orig != Some(number) {
            orig.and_then(|orig| self.orders.remove(&orig));
            self.orders.entry(number).or_insert_with(|| OpenOrder::of(order));
        }
    }
}

impl OpenOrder {
    fn of(order: &Order) -> Self {
        let quantity = u32::try_from(order.order_qty.lots()).unwrap_or(u32::MAX);
        Self { instrument: order.instrument, name: order.cl_ord_id, quantity }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeat_leaves_nothing_behind() {
        let order = |quantity| {
            let name = ClOrdId::parse("a").unwrap();
            OpenOrder { instrument: InstrumentId(0), name, quantity }
        };
        let mut state = BookState::default();
        state.expect(7, order(1));
        state.expect(7, order(2));
        (1..7).for_each(|number| state.expect(number, order(3)));
        assert_eq!(state.orders.len(), 1);
        assert_eq!(state.order(7).unwrap().quantity, 1);
        state.use_up(9);
        state.expect(9, order(3));
        assert!(state.order(9).is_none());
        state.begin_day();
        state.expect(1, order(4));
        assert_eq!((state.orders.len(), state.order(1).unwrap().quantity), (1, 4));
    }
}
