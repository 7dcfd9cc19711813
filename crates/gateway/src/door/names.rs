//! What the orders of lists are called: the lists have their ids alone.

use std::collections::{BTreeMap, BTreeSet};

use types::{ClOrdId, InstrumentId, Order, OrderId, OrderList};

#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<(InstrumentId, OrderId), ClOrdId>);

impl Names {
    /// What is kept of the account's orders is looked through once.
    pub(crate) fn of_lists<Open: Iterator<Item = Order>>(
        lists: &[OrderList],
        open: impl Fn(InstrumentId) -> Open,
        finished: impl Iterator<Item = Order>,
    ) -> Self {
        let ids = |list: &OrderList| {
            let instrument = list.instrument;
            list.orders.into_iter().flatten().map(move |order_id| (instrument, order_id))
        };
        let wanted: BTreeSet<_> = lists.iter().flat_map(ids).collect();
        if wanted.is_empty() {
            return Self::default();
        }
        let instruments: BTreeSet<_> = wanted.iter().map(|(instrument, _)| *instrument).collect();
        let open = instruments.into_iter().flat_map(open);
        let named = |order: Order| ((order.instrument, order.order_id), order.cl_ord_id);
        let all = open.chain(finished).map(named);
        Self(all.filter(|(id, _)| wanted.contains(id)).collect())
    }

    pub(crate) fn of(&self, instrument: InstrumentId, order_id: OrderId) -> Option<ClOrdId> {
        self.0.get(&(instrument, order_id)).copied()
    }
}
