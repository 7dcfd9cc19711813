//! Links of an open order: its record, its place in its account's list, and its name.

use types::{ClOrdId, NewOrder, Order, OrderStatus, OrderTerms, Qty, Side, TimeInForce};

use crate::book::node::{NODES_RESERVED, Node, NodeId};
use crate::book::prefetch::advise_huge;
use crate::book::slab::NONE;
use crate::state::account::Account;
use crate::state::orders::Orders;
use crate::state::orders::record::{Extra, Name, OpenId, OpenOrder, Sought, Standing};

impl Orders {
    /// Attaches an order with a fresh node, the youngest of its account.
    pub(crate) fn attach(&mut self, account: &mut Account, node: NodeId, order: &Order) {
        let is_iceberg = is_iceberg(order.terms);
        account.market_mut(order.instrument).iceberg_orders += u32::from(is_iceberg);
        let name = self.sought(order.account, order.instrument, &order.cl_ord_id);
        let record = OpenOrder {
            cl_ord_id: self.kept_name(&name, &order.cl_ord_id),
            price: order.price,
            order_qty: order.order_qty,
            created_ns: order.created_ns,
            account: order.account,
            instrument: order.instrument,
            next: NONE,
            prev: NONE,
            extra: self.attach_extra(order),
            order_type: order.order_type,
            time_in_force: order.time_in_force,
            stp_mode: order.stp_mode,
            status: order.status,
        };
        self.link(account, node, order.side, record, name.hash);
        if is_timed(order.time_in_force) {
            self.timed.insert((order.instrument, order.time_in_force, order.order_id));
        } else if let Some(expire_ns) = expire_ns(order.time_in_force, order.terms.as_ref()) {
            self.dated.insert((expire_ns, order.instrument, order.order_id));
        }
    }

    /// Reserves memory for `orders` orders, while there are none.
    pub(in crate::state) fn reserve(&mut self, orders: usize) {
        self.nodes.reserve(orders);
        self.records.reserve(orders);
        advise_huge(&mut self.records);
        self.names.reserve(orders);
    }

    /// [`Orders::attach`] for an order that needs no [`Extra`].
    #[inline(always)]
    pub(crate) fn attach_plain(
        &mut self,
        account: &mut Account,
        node: NodeId,
        open: OpenId,
        request: &NewOrder,
        qty: Qty,
        name: &Sought,
        now_ns: u64,
    ) {
        let record = OpenOrder {
            cl_ord_id: self.kept_name(name, &request.cl_ord_id),
            price: request.price,
            order_qty: qty,
            created_ns: now_ns,
            account: open.account,
            instrument: open.instrument,
            next: NONE,
            prev: NONE,
            extra: NONE,
            order_type: request.order_type,
            time_in_force: request.time_in_force,
            stp_mode: request.stp_mode,
            status: OrderStatus::New,
        };
        self.link(account, node, open.side, record, name.hash);
    }

    /// Stores a record, and links it into its account's list and the table of names.
    #[inline(always)]
    fn link(
        &mut self,
        account: &mut Account,
        node: NodeId,
        side: Side,
        mut record: OpenOrder,
        hash: u32,
    ) {
        account.open_orders += 1;
        let market = account.market_mut(record.instrument);
        market.open_orders += 1;
        let list = &mut market.lists[side as usize];
        record.prev = std::mem::replace(&mut list.tail, node);
        match record.prev {
            NONE => list.head = node,
            prev => self.record_mut(prev).next = node,
        }
        self.put(node, record);
        self.names.insert(hash, node);
    }

    #[inline]
    fn put(&mut self, node: NodeId, record: OpenOrder) {
        let at = node as usize;
        if at >= self.records.len() {
            if at >= self.records.capacity() {
                self.grow_records(at + 1);
            }
            self.records.resize(at + 1, record); // the records between are attached later
        }
        self.records[at] = record;
    }

    /// Advises huge pages for the larger array ahead of its first use.
    #[cold]
    fn grow_records(&mut self, len: usize) {
        let room = len.next_power_of_two().max(NODES_RESERVED);
        let mut larger = Vec::with_capacity(room);
        advise_huge(&mut larger);
        larger.append(&mut self.records);
        self.records = larger;
    }

    #[inline]
    fn kept_name(&mut self, name: &Sought, cl_ord_id: &ClOrdId) -> Name {
        match name.packed {
            Some(packed) => Name::Packed(packed),
            None => Name::Long(self.long_names.insert(*cl_ord_id)),
        }
    }

    fn attach_extra(&mut self, order: &Order) -> u32 {
        let Order { strategy_id, strategy_type, cum_quote, updated_ns, terms, .. } = *order;
        let common = updated_ns == order.created_ns
            && cum_quote.is_zero()
            && order.cum_qty.is_zero() // trades at a price of zero have no quote amount
            && strategy_id.is_none()
            && strategy_type.is_none()
            && terms.is_none();
        if common {
            return NONE;
        }
        self.extras.insert(Extra {
            updated_ns,
            cum_quote,
            strategy_id,
            strategy_type,
            terms,
            standing: Standing::Book,
            reserve: Qty::ZERO,
            amends: 0,
        })
    }

    /// Attaches an order that is on no book, with a node of its own.
    pub(crate) fn attach_off_book(
        &mut self,
        account: &mut Account,
        order: &Order,
        standing: Standing,
    ) -> NodeId {
        let node = self.nodes.insert(Node::off_book(order));
        self.attach(account, node, order);
        self.extra_mut(node).standing = standing;
        node
    }

    /// Moves an order with all its data to another node. The caller frees the old node and updates
    /// the index.
    pub(crate) fn relocate(&mut self, account: &mut Account, from: NodeId, to: NodeId) {
        self.remove_name(from);
        let record = *self.record(from);
        self.put(to, record);
        let OpenOrder { instrument, next, prev, .. } = record;
        let list = &mut account.market_mut(instrument).lists[self.side(from) as usize];
        match prev {
            NONE => list.head = to,
            _ => self.record_mut(prev).next = to,
        }
        match next {
            NONE => list.tail = to,
            _ => self.record_mut(next).prev = to,
        }
        self.insert_name(to);
    }

    /// Detaches an order. The caller frees its node.
    pub(crate) fn detach(&mut self, account: &mut Account, node: NodeId) {
        let record = *self.record(node);
        let OpenOrder { instrument, time_in_force, extra, .. } = record;
        let order_id = self.order_id(node);
        if is_timed(time_in_force) {
            self.timed.remove(&(instrument, time_in_force, order_id));
        } else if time_in_force == TimeInForce::Gtd {
            let terms = self.extra(node).and_then(|extra| extra.terms.as_ref());
            let expire_ns = expire_ns(time_in_force, terms).expect("it was attached with a date");
            self.dated.remove(&(expire_ns, instrument, order_id));
        }
        if extra != NONE {
            let displays = is_iceberg(self.extras[extra].terms);
            account.market_mut(instrument).iceberg_orders -= u32::from(displays);
            self.extras.remove(extra);
        }
        self.unlink(account, node, &record);
    }

    /// [`Orders::detach`] for an order that has no [`Extra`].
    #[inline(always)]
    pub(crate) fn unlink(&mut self, account: &mut Account, node: NodeId, record: &OpenOrder) {
        let hash = self.seeds.hash_of(record, &self.long_names);
        self.names.remove(hash, node);
        if let Name::Long(at) = record.cl_ord_id {
            self.long_names.remove(at);
        }
        account.open_orders -= 1;
        let market = account.market_mut(record.instrument);
        market.open_orders -= 1;
        let list = &mut market.lists[self.nodes[node].side() as usize];
        match record.prev {
            NONE => list.head = record.next,
            prev => self.records[prev as usize].next = record.next,
        }
        match record.next {
            NONE => list.tail = record.prev,
            next => self.records[next as usize].prev = record.prev,
        }
    }

    /// Gives an open order another client id.
    pub(crate) fn rename(&mut self, node: NodeId, cl_ord_id: &ClOrdId) {
        self.remove_name(node);
        if let Name::Long(at) = self.record(node).cl_ord_id {
            self.long_names.remove(at);
        }
        self.record_mut(node).cl_ord_id = match cl_ord_id.pack() {
            Some(packed) => Name::Packed(packed),
            None => Name::Long(self.long_names.insert(*cl_ord_id)),
        };
        self.insert_name(node);
    }

    fn insert_name(&mut self, node: NodeId) {
        let hash = self.seeds.hash_of(self.record(node), &self.long_names);
        self.names.insert(hash, node);
    }

    fn remove_name(&mut self, node: NodeId) {
        let hash = self.seeds.hash_of(self.record(node), &self.long_names);
        self.names.remove(hash, node);
    }
}

#[inline]
fn is_iceberg(terms: Option<OrderTerms>) -> bool {
    terms.is_some_and(|terms| !terms.terms.display_qty.is_zero())
}

/// Whether a phase ends or enters orders of this kind.
#[inline]
fn is_timed(time_in_force: TimeInForce) -> bool {
    matches!(time_in_force, TimeInForce::Day | TimeInForce::AtOpen | TimeInForce::AtClose)
}

/// The expiry time of an order, if it has one.
#[inline]
fn expire_ns(time_in_force: TimeInForce, terms: Option<&OrderTerms>) -> Option<u64> {
    match time_in_force {
        TimeInForce::Gtd => terms.map(|terms| terms.terms.expire_ns),
        _ => None,
    }
}
