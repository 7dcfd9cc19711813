//! Client order ids of the orders of lists: a list itself holds only the venue's ids.

use std::collections::{BTreeMap, BTreeSet};

use engine::Engine;
use types::{AccountId, ClOrdId, InstrumentId, OrderId, OrderList};

#[derive(Debug, Default)]
pub(crate) struct ClientIds(BTreeMap<(InstrumentId, OrderId), ClOrdId>);

impl ClientIds {
    /// Scans the account's open and finished orders once.
    pub(crate) fn of_lists(engine: &Engine, account: AccountId, lists: &[OrderList]) -> Self {
        let ids = |list: &OrderList| {
            let instrument = list.instrument;
            list.orders.into_iter().flatten().map(move |order_id| (instrument, order_id))
        };
        let wanted: BTreeSet<_> = lists.iter().flat_map(ids).collect();
        if wanted.is_empty() {
            return Self::default();
        }
        let instruments: BTreeSet<_> = wanted.iter().map(|(instrument, _)| *instrument).collect();
        let open = instruments.into_iter().flat_map(|id| engine.open_orders(account, id));
        let all = open.chain(engine.finished_orders(account));
        let named = all.map(|order| ((order.instrument, order.order_id), order.cl_ord_id));
        Self(named.filter(|(id, _)| wanted.contains(id)).collect())
    }

    pub(crate) fn get(&self, instrument: InstrumentId, order_id: OrderId) -> Option<ClOrdId> {
        self.0.get(&(instrument, order_id)).copied()
    }
}
