//! Open order lists: the client ids of their orders, and which orders wait to be placed.

use std::collections::HashMap;

use types::{
    ClOrdId, Event, InstrumentId, Order, OrderId, OrderList, OrderListChange, OrderListId,
    OrderListKind, OrderStatus,
};

type ListKey = (InstrumentId, OrderListId);

#[derive(Clone, Debug, Default)]
pub(crate) struct OpenLists {
    open: HashMap<ListKey, ListState>,
}

#[derive(Clone, Debug)]
struct ListState {
    first: Option<OrderId>,
    is_placed: bool,
    names: Vec<(OrderId, ClOrdId)>,
}

impl OpenLists {
    /// From the lists that are open when the venue opens, each with its orders.
    pub(crate) fn of(open: Vec<(OrderList, Vec<Order>)>) -> Self {
        let mut lists = Self::default();
        for (list, found) in open {
            let first = list.orders[0];
            let waits = |order: &Order| Some(order.order_id) == first && order.status.is_open();
            let listed = ListState {
                first,
                is_placed: list.kind == OrderListKind::Oco || !found.iter().any(waits),
                names: found.iter().map(|order| (order.order_id, order.cl_ord_id)).collect(),
            };
            lists.open.insert((list.instrument, list.order_list), listed);
        }
        lists
    }

    /// Updates the lists before an event is published. `among` are the events of the same command:
    /// a list is published before its orders.
    pub(crate) fn observe<'a>(&mut self, among: impl Iterator<Item = &'a Event>, event: &Event) {
        match event {
            Event::OrderListUpdated(e) if e.change == OrderListChange::Entered => {
                let names = among.filter_map(|event| match event {
                    Event::OrderAccepted(accepted) if is_of(&accepted.order, &e.list) => {
                        Some((accepted.order.order_id, accepted.order.cl_ord_id))
                    }
                    _ => None,
                });
                let listed = ListState {
                    first: e.list.orders[0],
                    is_placed: e.list.kind == OrderListKind::Oco,
                    names: names.collect(),
                };
                self.open.insert((e.list.instrument, e.list.order_list), listed);
            }
            Event::OrderAmended(e) => self.rename(&e.order),
            Event::OrderModified(e) => self.rename(&e.order),
            Event::TradeExecuted(e) => {
                for order in [&e.maker.order, &e.taker.order] {
                    if order.status == OrderStatus::Filled
                        && let Some(listed) = self.listed(order)
                        && listed.first == Some(order.order_id)
                    {
                        listed.is_placed = true;
                    }
                }
            }
            _ => {}
        }
    }

    /// Removes a done list after its event is published.
    pub(crate) fn remove_done(&mut self, event: &Event) {
        if let Event::OrderListUpdated(e) = event
            && e.change == OrderListChange::Done
        {
            self.open.remove(&(e.list.instrument, e.list.order_list));
        }
    }

    pub(crate) fn name(&self, list: &OrderList, order: OrderId) -> Option<ClOrdId> {
        let listed = self.open.get(&(list.instrument, list.order_list))?;
        listed.names.iter().find(|(id, _)| *id == order).map(|(_, name)| *name)
    }

    /// Whether the order's list has yet to place it.
    pub(crate) fn is_pending(&self, order: &Order) -> bool {
        let listed = key_of(order).and_then(|key| self.open.get(&key));
        listed.is_some_and(|listed| !listed.is_placed && listed.first != Some(order.order_id))
    }

    /// An amend or a modification may give an order another client id.
    fn rename(&mut self, order: &Order) {
        let Some(listed) = self.listed(order) else { return };
        for (_, name) in listed.names.iter_mut().filter(|(id, _)| *id == order.order_id) {
            *name = order.cl_ord_id;
        }
    }

    fn listed(&mut self, order: &Order) -> Option<&mut ListState> {
        self.open.get_mut(&key_of(order)?)
    }
}

fn key_of(order: &Order) -> Option<ListKey> {
    let order_list = order.terms?.order_list;
    (order_list != OrderListId(0)).then_some((order.instrument, order_list))
}

fn is_of(order: &Order, list: &OrderList) -> bool {
    key_of(order) == Some((list.instrument, list.order_list))
}
