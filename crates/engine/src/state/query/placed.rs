//! Times at which orders were placed: on acceptance, or later by their lists.

use std::collections::{BTreeMap, BTreeSet};

use types::{AccountId, InstrumentId, Order, OrderId, OrderListKind, OrderStatus};

use crate::state::Engine;
use crate::state::lists::is_in_list;
use crate::state::orders::record::Standing;

/// Identifies an order across accounts.
type OrderName = (InstrumentId, OrderId);

impl Engine {
    /// For each of an account's orders, open or finished, the time at which it was placed. `None`
    /// for an order that waits for its list's first order to fill, or ended without a placement. If
    /// that first order is not kept any more, the order counts as placed from the beginning.
    ///
    /// Scans the kept orders once, for any number of orders.
    pub fn placed_ns(&self, account: AccountId, orders: &[Order]) -> Vec<Option<u64>> {
        let firsts = if orders.iter().any(is_in_list) {
            self.first_orders(account)
        } else {
            BTreeMap::new()
        };
        let first_of = |order: &Order| firsts.get(&name_of(order)).copied();
        let filled_ns = self.filled_ns(account, &orders.iter().filter_map(first_of).collect());
        let placed_ns = |order: &Order| {
            let Some(first) = first_of(order) else { return Some(order.created_ns) };
            match filled_ns.get(&first) {
                _ if self.waits_for_list(order) => None,
                Some(filled_ns) => *filled_ns,
                None if self.find_by_id(first.0, first.1).is_some() => None,
                None => Some(order.created_ns),
            }
        };
        orders.iter().map(placed_ns).collect()
    }

    /// For each order that its list places later, the order that it waits for.
    fn first_orders(&self, account: AccountId) -> BTreeMap<OrderName, OrderName> {
        let mut firsts = BTreeMap::new();
        let lists = self.order_lists(account).chain(self.done_order_lists(account));
        for list in lists.filter(|list| list.kind != OrderListKind::Oco) {
            let name = |order_id| (list.instrument, order_id);
            let mut orders = list.orders.into_iter().flatten().map(name);
            let Some(first) = orders.next() else { continue };
            firsts.extend(orders.map(|later| (later, first)));
        }
        firsts
    }

    /// The fill times of these orders, if they are finished and kept; `None` if they ended
    /// otherwise.
    fn filled_ns(
        &self,
        account: AccountId,
        wanted: &BTreeSet<OrderName>,
    ) -> BTreeMap<OrderName, Option<u64>> {
        if wanted.is_empty() {
            return BTreeMap::new();
        }
        let finished = self.finished_orders(account).map(|order| (name_of(&order), order));
        let ended = finished.filter(|(name, _)| wanted.contains(name));
        let filled = |order: &Order| order.status == OrderStatus::Filled;
        ended.map(|(name, order)| (name, filled(&order).then_some(order.updated_ns))).collect()
    }

    fn waits_for_list(&self, order: &Order) -> bool {
        let open = self.find_by_id(order.instrument, order.order_id);
        open.is_some_and(|node| self.orders.standing(node) == Standing::List)
    }
}

const fn name_of(order: &Order) -> OrderName {
    (order.instrument, order.order_id)
}
