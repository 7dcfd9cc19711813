//! Lookups of open orders: by name, by account, by time in force; and their prefetches.

use types::{AccountId, ClOrdId, InstrumentId, OrderId, OrderType, Price, Side, TimeInForce};

use crate::book::node::NodeId;
use crate::book::prefetch::{prefetch, prefetch_whole};
use crate::book::slab::NONE;
use crate::state::account::Account;
use crate::state::orders::Orders;
use crate::state::orders::record::{Name, OpenOrder, Sought};

impl Orders {
    pub(crate) fn by_cl_ord_id(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        cl_ord_id: &ClOrdId,
    ) -> Option<NodeId> {
        self.find_named(
            account,
            instrument,
            cl_ord_id,
            &self.sought(account, instrument, cl_ord_id),
        )
    }

    #[inline(always)]
    pub(crate) fn find_named(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        cl_ord_id: &ClOrdId,
        name: &Sought,
    ) -> Option<NodeId> {
        let same = |node: NodeId| {
            let record = self.record(node);
            record.account == account
                && record.instrument == instrument
                && match record.cl_ord_id {
                    Name::Packed(other) => name.packed == Some(other),
                    Name::Long(at) => self.long_names[at] == *cl_ord_id,
                }
        };
        self.names.find(name.hash, same)
    }

    #[inline(always)]
    pub(crate) fn sought(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        cl_ord_id: &ClOrdId,
    ) -> Sought {
        let packed = cl_ord_id.pack();
        let hash = match packed {
            Some(packed) => self.seeds.hash(account, instrument, packed),
            None => self.seeds.hash_long(account, instrument, cl_ord_id),
        };
        Sought { packed, hash }
    }

    /// The record of a node, if the node exists.
    #[inline]
    pub(crate) fn get(&self, node: NodeId) -> Option<&OpenOrder> {
        self.records.get(node as usize)
    }

    /// Prefetches the bucket of a name.
    #[inline]
    pub(crate) fn prefetch_name(&self, hash: u32) {
        self.names.prefetch(hash);
    }

    /// Prefetches an order, if the node exists.
    #[inline]
    pub(crate) fn prefetch(&self, node: NodeId) {
        if let Some(record) = self.get(node) {
            prefetch(record);
            self.nodes.prefetch(node);
        }
    }

    /// Prefetches the neighbours that the removal of a cached order touches.
    #[inline]
    pub(crate) fn prefetch_neighbours(&self, node: NodeId) {
        if let Some(record) = self.get(node) {
            self.names.prefetch(self.seeds.hash_of(record, &self.long_names));
            for other in [record.next, record.prev] {
                self.get(other).map(prefetch);
            }
            self.extras.get(record.extra).map(prefetch_whole);
        }
    }

    /// The trigger that a cached order waits for.
    #[inline]
    pub(crate) fn stop_of(&self, node: NodeId) -> Option<(OrderType, Side, Price)> {
        let record = self.get(node)?;
        let extra = self.extras.get(record.extra)?;
        let price = extra.terms?.terms.stop_price?;
        Some((record.order_type, self.nodes[node].side(), price))
    }

    /// An account's open orders on one side of an instrument, oldest first.
    pub(crate) fn of_side(
        &self,
        account: &Account,
        instrument: InstrumentId,
        side: Side,
    ) -> impl Iterator<Item = NodeId> {
        let linked = |node: NodeId| (node != NONE).then_some(node);
        let head = linked(account.market(instrument).lists[side as usize].head);
        std::iter::successors(head, move |node| linked(self.record(*node).next))
    }

    /// An account's open orders in one instrument, oldest first.
    pub(crate) fn of_account(
        &self,
        account: &Account,
        instrument: InstrumentId,
    ) -> impl Iterator<Item = NodeId> {
        let mut bids = self.of_side(account, instrument, Side::Buy).peekable();
        let mut asks = self.of_side(account, instrument, Side::Sell).peekable();
        std::iter::from_fn(move || {
            let bid_is_older = match (bids.peek(), asks.peek()) {
                (Some(bid), Some(ask)) => self.order_id(*bid) < self.order_id(*ask),
                (bid, _) => bid.is_some(),
            };
            if bid_is_older { bids.next() } else { asks.next() }
        })
    }

    /// The oldest order of this time in force that is younger than `than`.
    pub(crate) fn next_timed(
        &self,
        instrument: InstrumentId,
        time_in_force: TimeInForce,
        than: OrderId,
    ) -> Option<OrderId> {
        let from = (instrument, time_in_force, OrderId(than.0 + 1));
        let (of, at, order_id) = *self.timed.range(from..).next()?;
        ((of, at) == (instrument, time_in_force)).then_some(order_id)
    }

    /// Whether any open order is good till a date.
    #[inline]
    pub(crate) fn has_dates(&self) -> bool {
        !self.dated.is_empty()
    }

    /// The next order good till date to expire, and its time.
    #[inline]
    pub(crate) fn next_dated(&self) -> Option<(u64, InstrumentId, OrderId)> {
        self.dated.first().copied()
    }
}
