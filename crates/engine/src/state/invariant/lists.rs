//! Invariants of lists of orders.

use std::collections::BTreeMap;

use types::{Amount, OrderListId, OrderListKind};

use crate::book::node::NodeId;
use crate::state::Engine;
use crate::state::deferred::Deferred;
use crate::state::invariant::check::check;
use crate::state::lists::is_in_list;
use crate::state::orders::record::Standing;

impl Engine {
    /// Lists and orders refer to each other; waiting orders and shared holds agree with the lists.
    pub(super) fn check_lists(&self) -> Result<(), String> {
        for market in &self.markets {
            let instrument = market.instrument.id;
            let named: usize = market.lists.names.values().map(BTreeMap::len).sum();
            check(named == market.lists.open.len(), || "two lists have one name".to_owned())?;
            for (id, open) in &market.lists.open {
                let nodes = open.orders().filter_map(|order| self.find_by_id(instrument, order));
                let nodes: Vec<NodeId> = nodes.collect();
                let is_own = |node: &NodeId| {
                    let record = self.orders.record(*node);
                    self.orders.terms(*node).order_list == *id
                        && record.account == open.list.account
                };
                let fills = open.is_first(open.list.orders[0].unwrap_or_default());
                let first_open =
                    self.find_by_id(instrument, open.list.orders[0].unwrap_or_default()).is_some();
                let is_due = market.lists.to_place.contains(id);
                let waits = match (open.list.kind, open.placed) {
                    (OrderListKind::Oco, placed) => placed && !is_due,
                    // The first order has filled.
                    (_, true) => !first_open && !is_due,
                    (_, false) => first_open != is_due,
                };
                let both = self.held_by_both(open, None);
                let shares = both.map_or(Amount::ZERO, |(_, shared)| shared) == open.shared;
                let pays = open.list.kind.pays_later_orders() && !open.placed;
                let receives = open.received.is_zero() || (pays && open.received > Amount::ZERO);
                let fits = fills && waits && shares && receives;
                let stands = !nodes.is_empty() && nodes.iter().all(is_own) && fits;
                check(stands, || format!("list {id} contradicts its orders: {open:?}"))?;
            }
            let mut to_place: Vec<_> = market.lists.to_place.iter().collect();
            to_place.sort_unstable();
            to_place.dedup();
            let is_waiting =
                |id: &&OrderListId| market.lists.open.get(id).is_some_and(|open| !open.placed);
            let each_once = to_place.len() == market.lists.to_place.len();
            check(each_once && to_place.iter().all(is_waiting), || {
                format!("{instrument}: a list is queued for placement but cannot be placed")
            })?;
        }
        let is_suspended =
            |work: &Deferred| matches!(work, Deferred::Trade(order) if is_in_list(order));
        check(!self.deferred.iter().any(is_suspended), || {
            "an order of a list has no node".to_owned()
        })
    }

    /// An order that refers to a list is in that list, and waits if the list requires it.
    pub(super) fn check_in_list(&self, node: NodeId) -> Result<(), String> {
        let (instrument, of) = (self.orders.record(node).instrument, self.orders.order_id(node));
        let id = self.orders.terms(node).order_list;
        let open = self.markets[instrument.0 as usize].lists.open.get(&id);
        let is_known = open.is_some_and(|open| open.orders().any(|order_id| order_id == of));
        let is_pending = open.is_some_and(|open| open.is_pending(of));
        let waits = self.orders.standing(node) == Standing::List;
        let is_paid = open.is_some_and(|open| is_pending && open.list.kind.pays_later_orders());
        check(is_paid == self.orders.leaves_qty(node).is_zero(), || {
            format!("order {of} has no quantity, or has one too early")
        })?;
        check((id == OrderListId(0) || is_known) && waits == is_pending, || {
            format!("order {of} is not in list {id}")
        })
    }
}
