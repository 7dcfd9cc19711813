//! An account's finished orders, as long as they are kept.
//!
//! Nothing but questions reads them, yet every order comes here. So they lie one behind the other
//! in the order in which they ended, each as small as it can be: what the newest costs is the line
//! that the oldest leaves. They are found by looking through them; an account says itself how
//! many are kept.

use std::collections::VecDeque;

use types::{
    AccountId, Amount, ClOrdId, InstrumentId, Order, OrderId, OrderRef, OrderStatus, OrderType,
    PackedClOrdId, Price, Qty, Side, StpMode, TimeInForce,
};

#[derive(Clone, Debug, Default)]
pub(crate) struct FinishedOrders {
    /// Oldest first.
    records: VecDeque<FinishedOrder>,
    /// How many were forgotten before the first of them.
    forgotten: u64,
    /// Those that a record cannot hold, with their numbers, oldest first.
    uncommon: VecDeque<(u64, Order)>,
}

/// A common order without its account: by quantity, its name packed, no sum beyond 64 bits, no
/// strategy, no special terms.
#[derive(Clone, Copy, Debug)]
struct FinishedOrder {
    /// `None` where the whole order is among the uncommon ones.
    cl_ord_id: Option<PackedClOrdId>,
    order_id: OrderId,
    price: Price,
    order_qty: Qty,
    cum_qty: Qty,
    cum_quote: u64,
    created_ns: u64,
    updated_ns: u64,
    instrument: InstrumentId,
    side: Side,
    order_type: OrderType,
    time_in_force: TimeInForce,
    stp_mode: StpMode,
    status: OrderStatus,
}

const _: () = assert!(size_of::<FinishedOrder>() <= 88);

impl FinishedOrders {
    /// Keeps an order, in place of the oldest beyond `kept`.
    #[inline]
    pub(crate) fn push(&mut self, order: &Order, kept: usize) {
        self.keep(kept.saturating_sub(1));
        if kept == 0 {
            return;
        }
        let record = FinishedOrder::new(order);
        if record.cl_ord_id.is_none() {
            let number = self.forgotten + self.records.len() as u64;
            self.uncommon.push_back((number, *order));
        }
        self.records.push_back(record);
    }

    /// Lets go of the oldest beyond `kept`.
    #[inline]
    pub(crate) fn keep(&mut self, kept: usize) {
        while self.records.len() > kept {
            self.records.pop_front();
            self.forgotten += 1;
            if self.uncommon.front().is_some_and(|(number, _)| *number < self.forgotten) {
                self.uncommon.pop_front();
            }
        }
    }

    /// All of them, oldest first.
    pub(crate) fn iter(&self, account: AccountId) -> impl DoubleEndedIterator<Item = Order> {
        let numbered = self.records.iter().enumerate();
        numbered.map(move |(at, record)| self.order(account, at, record))
    }

    /// By our id, or else the last one of that name.
    pub(crate) fn find(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        wanted: &OrderRef,
    ) -> Option<Order> {
        let meant = |order: &Order| wanted.cl_ord_id.is_none_or(|name| name == order.cl_ord_id);
        let same_id = |record: &FinishedOrder| {
            record.instrument == instrument
                && wanted.order_id.is_none_or(|order_id| order_id == record.order_id)
        };
        let packed = wanted.cl_ord_id.as_ref().and_then(ClOrdId::pack);
        let same_name = |record: &FinishedOrder| {
            record.cl_ord_id.is_none() || packed.is_none() || record.cl_ord_id == packed
        };
        let newest_first = self.records.iter().enumerate().rev();
        let maybe = newest_first.filter(|(_, record)| same_id(record) && same_name(record));
        maybe.map(|(at, record)| self.order(account, at, record)).find(meant)
    }

    fn order(&self, account: AccountId, at: usize, record: &FinishedOrder) -> Order {
        let Some(cl_ord_id) = record.cl_ord_id else {
            let number = self.forgotten + at as u64;
            let at = self.uncommon.binary_search_by_key(&number, |(number, _)| *number);
            return self.uncommon[at.expect("an uncommon order is kept whole")].1;
        };
        Order {
            instrument: record.instrument,
            account,
            order_id: record.order_id,
            cl_ord_id: cl_ord_id.unpack(),
            side: record.side,
            order_type: record.order_type,
            time_in_force: record.time_in_force,
            stp_mode: record.stp_mode,
            status: record.status,
            strategy_id: None,
            strategy_type: None,
            price: record.price,
            order_qty: record.order_qty,
            quote_order_qty: Amount::ZERO,
            cum_qty: record.cum_qty,
            cum_quote: Amount::from_minor(i128::from(record.cum_quote)),
            created_ns: record.created_ns,
            updated_ns: record.updated_ns,
            terms: None,
        }
    }
}

impl FinishedOrder {
    #[inline]
    fn new(order: &Order) -> Self {
        let cum_quote = u64::try_from(order.cum_quote.minor());
        let common = order.quote_order_qty.is_zero()
            && order.strategy_id.is_none()
            && order.strategy_type.is_none()
            && order.terms.is_none()
            && cum_quote.is_ok();
        Self {
            cl_ord_id: if common { order.cl_ord_id.pack() } else { None },
            order_id: order.order_id,
            price: order.price,
            order_qty: order.order_qty,
            cum_qty: order.cum_qty,
            cum_quote: cum_quote.unwrap_or(0),
            created_ns: order.created_ns,
            updated_ns: order.updated_ns,
            instrument: order.instrument,
            side: order.side,
            order_type: order.order_type,
            time_in_force: order.time_in_force,
            stp_mode: order.stp_mode,
            status: order.status,
        }
    }
}
