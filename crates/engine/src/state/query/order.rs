//! Queries about orders and lists of orders.

use types::{AccountId, ClOrdId, InstrumentId, Order, OrderId, OrderList, OrderListId, OrderRef};

use crate::state::Engine;
use crate::state::orders::finished::find_finished;

impl Engine {
    /// An order of this account, open or finished and still kept. A client id means the open order
    /// of that id, or else the last finished one.
    pub fn order(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        order: &OrderRef,
    ) -> Option<Order> {
        match self.find_open(account, instrument, order) {
            Some(node) => Some(self.orders.order(node)),
            None if order.order_id.is_none() && order.cl_ord_id.is_none() => None,
            None => find_finished(&self.account(account)?.finished, account, instrument, order),
        }
    }

    /// An order with the time since which it trails the price: no event reports when that begins.
    pub fn with_trailing_time(&self, mut order: Order) -> Order {
        let Some(terms) = &mut order.terms else { return order };
        if terms.terms.trailing_delta_bps > 0
            && let Some(node) = self.find_by_id(order.instrument, order.order_id)
        {
            terms.trailing_ns = self.orders.terms(node).trailing_ns;
        }
        order
    }

    /// An open order of any account.
    pub fn open_order_by_id(&self, instrument: InstrumentId, order_id: OrderId) -> Option<Order> {
        Some(self.orders.order(self.find_by_id(instrument, order_id)?))
    }

    /// An account's open orders, oldest first within an instrument.
    pub fn open_orders(
        &self,
        account: AccountId,
        instrument: InstrumentId,
    ) -> impl Iterator<Item = Order> {
        let owner = self.account(account).into_iter();
        owner.flat_map(move |owner| {
            self.orders.of_account(owner, instrument).map(|node| self.orders.order(node))
        })
    }
}

impl Engine {
    /// A list of this account, open or done and still kept. A name means the open list of that
    /// name, or else the last one that was done.
    pub fn order_list(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        order_list: Option<OrderListId>,
        cl_ord_id: Option<&ClOrdId>,
    ) -> Option<OrderList> {
        if order_list.is_none() && cl_ord_id.is_none() {
            return None;
        }
        let is_meant = |list: &OrderList| {
            list.instrument == instrument
                && order_list.is_none_or(|id| id == list.order_list)
                && cl_ord_id.is_none_or(|name| *name == list.cl_ord_id)
        };
        let done = self.account(account)?.done_lists.iter().rev().copied();
        self.order_lists(account).chain(done).find(is_meant)
    }

    /// An account's open lists.
    pub fn order_lists(&self, account: AccountId) -> impl Iterator<Item = OrderList> {
        let open = self.markets.iter().flat_map(move |market| market.lists.of_account(account));
        open.map(|open| open.list)
    }

    /// An account's lists that are done and still kept, oldest first.
    pub fn done_order_lists(
        &self,
        account: AccountId,
    ) -> impl DoubleEndedIterator<Item = OrderList> {
        self.account(account).into_iter().flat_map(|owner| owner.done_lists.iter().copied())
    }
}
