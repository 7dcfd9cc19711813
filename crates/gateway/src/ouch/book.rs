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

    pub(super) fn insert(&mut self, number: u32, order: OpenOrder) {
        self.orders.insert(number, order);
    }

    /// Adds an order that is open when the venue starts.
    pub(super) fn restore(&mut self, number: u32, order: &Order) {
        self.orders.insert(number, OpenOrder::of(order));
    }

    /// A new numbering day: no number stands for an order.
    pub(super) fn begin_day(&mut self) {
        self.count = 0;
        self.orders.clear();
    }

    /// Follows a report: counts it, and forgets orders that have ended.
    pub(super) fn follow(&mut self, report: &Report<'_>) {
        self.count += 1;
        let number = report.number;
        match report.kind {
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
