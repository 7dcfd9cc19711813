//! The open orders of all instruments: what matching does not need of them, and the ways to find
//! them.
//!
//! An open order owns one number, its [`NodeId`], and with it a place in two slabs: a [`Node`] that
//! matching reads, and an [`OpenOrder`] beside it. What few orders have is in a third, [`Extra`].
//! From these three, [`Orders::order`] makes the whole [`Order`].
//!
//! # Invariants
//! - An open order has `leaves > 0`; it is in its account's list and in the table of names.
//! - An account's list is in the order of the order ids, which is that of age.
//!
//! [`Node`]: crate::Node

pub(crate) mod ending;
pub(crate) mod finished;
pub(crate) mod kept;
pub(crate) mod list;
pub(crate) mod modify;
pub(crate) mod name;
pub(crate) mod names;
pub(crate) mod numbered;
pub(crate) mod record;
pub(crate) mod sweep;
pub(crate) mod trigger;

use std::collections::BTreeSet;

use types::{
    AccountId, Amount, ClOrdId, InstrumentId, NewOrder, Order, OrderId, OrderStatus, OrderTerms,
    OrderType, Peg, Price, Qty, Side, TimeInForce,
};

use crate::account::Account;
use crate::book::prefetch::{advise_huge, prefetch, prefetch_whole};
use crate::book::slab::{NONE, Slab};
use crate::book::{NODES_RESERVED, Node, NodeId, Nodes};
use crate::orders::finished::End;
use crate::orders::name::{Name, Seeds, Sought};
use crate::orders::names::Names;
use crate::orders::record::{Extra, OpenOrder, Standing};
use crate::orders::sweep::OpenId;

#[derive(Clone, Debug, Default)]
pub(crate) struct Orders {
    pub(crate) nodes: Nodes,
    /// Parallel to `nodes`.
    records: Vec<OpenOrder>,
    extras: Slab<Extra>,
    long_names: Slab<ClOrdId>,
    names: Names,
    /// Those that a phase ends or lets in, by age within an instrument and time in force.
    timed: BTreeSet<(InstrumentId, TimeInForce, OrderId)>,
    /// When orders good till date expire.
    dated: BTreeSet<(u64, InstrumentId, OrderId)>,
    seeds: Seeds,
}

impl Orders {
    /// The whole order, as it stands.
    pub(crate) fn order(&self, node: NodeId) -> Order {
        let as_it_came = self.as_it_came(node);
        let Some(extra) = self.extra(node) else { return as_it_came };
        Order {
            strategy_id: extra.strategy_id,
            strategy_type: extra.strategy_type,
            cum_qty: as_it_came.order_qty - self.leaves_qty(node),
            cum_quote: extra.cum_quote,
            updated_ns: extra.updated_ns,
            terms: extra.terms,
            ..as_it_came
        }
    }

    /// [`Orders::order`] without what only an [`Extra`] says.
    #[inline(always)]
    pub(crate) fn as_it_came(&self, node: NodeId) -> Order {
        let (record, at) = (self.record(node), &self.nodes[node]);
        Order {
            instrument: record.instrument,
            account: record.account,
            order_id: at.order_id(),
            cl_ord_id: self.cl_ord_id(node),
            side: at.side(),
            order_type: record.order_type,
            time_in_force: record.time_in_force,
            stp_mode: record.stp_mode,
            status: record.status,
            strategy_id: None,
            strategy_type: None,
            price: record.price,
            order_qty: record.order_qty,
            quote_order_qty: Amount::ZERO,
            cum_qty: Qty::ZERO,
            cum_quote: Amount::ZERO,
            created_ns: record.created_ns,
            updated_ns: record.created_ns,
            terms: None,
        }
    }

    /// A whole order without special terms, of which this has become.
    #[inline(always)]
    pub(crate) fn after(&self, node: NodeId, end: &End) -> Order {
        let End { status, cum_qty, cum_quote, updated_ns } = *end;
        let extra = self.extra(node);
        Order {
            status,
            strategy_id: extra.and_then(|extra| extra.strategy_id),
            strategy_type: extra.and_then(|extra| extra.strategy_type),
            cum_qty,
            cum_quote,
            updated_ns,
            ..self.as_it_came(node)
        }
    }

    #[inline]
    pub(crate) fn has_strategy(&self, node: NodeId) -> bool {
        self.extra(node)
            .is_some_and(|extra| extra.strategy_id.is_some() | extra.strategy_type.is_some())
    }

    #[inline]
    pub(crate) fn record(&self, node: NodeId) -> &OpenOrder {
        &self.records[node as usize]
    }

    #[inline]
    pub(crate) fn record_mut(&mut self, node: NodeId) -> &mut OpenOrder {
        &mut self.records[node as usize]
    }

    /// What is still to be traded of an order.
    #[inline]
    pub(crate) fn leaves_qty(&self, node: NodeId) -> Qty {
        let reserve = self.extra(node).map_or(Qty::ZERO, |extra| extra.reserve);
        self.nodes[node].leaves_qty() + reserve
    }

    pub(crate) fn standing(&self, node: NodeId) -> Standing {
        self.extra(node).map_or(Standing::Book, |extra| extra.standing)
    }

    #[inline]
    pub(crate) fn order_id(&self, node: NodeId) -> OrderId {
        self.nodes[node].order_id()
    }

    #[inline(always)]
    pub(crate) fn open_id(&self, node: NodeId) -> OpenId {
        let OpenOrder { account, instrument, .. } = *self.record(node);
        OpenId { account, instrument, order_id: self.order_id(node), side: self.side(node) }
    }

    #[inline]
    pub(crate) fn side(&self, node: NodeId) -> Side {
        self.nodes[node].side()
    }

    pub(crate) fn price(&self, node: NodeId) -> Price {
        self.record(node).price
    }

    /// How an order's price follows the book, if it does.
    pub(crate) fn peg(&self, node: NodeId) -> Option<Peg> {
        self.extra(node)?.terms?.terms.peg
    }

    // In one body with whoever asks, so that plain names stay in registers.
    #[inline(always)]
    pub(crate) fn cl_ord_id(&self, node: NodeId) -> ClOrdId {
        match self.record(node).cl_ord_id {
            Name::Packed(packed) => packed.unpack(),
            Name::Long(at) => self.long_names[at],
        }
    }

    #[inline(never)] // rarely asked
    pub(crate) fn is_named(&self, node: NodeId, cl_ord_id: &ClOrdId) -> bool {
        self.cl_ord_id(node) == *cl_ord_id
    }

    #[inline]
    pub(crate) fn extra(&self, node: NodeId) -> Option<&Extra> {
        let at = self.record(node).extra;
        (at != NONE).then(|| &self.extras[at])
    }

    /// The special terms of an order, all zero if it has none.
    pub(crate) fn terms(&self, node: NodeId) -> OrderTerms {
        self.extra(node).and_then(|extra| extra.terms).unwrap_or_default()
    }

    /// The extra record of an order, a new one if it has none.
    pub(crate) fn extra_mut(&mut self, node: NodeId) -> &mut Extra {
        let record = &mut self.records[node as usize];
        if record.extra == NONE {
            record.extra = self.extras.insert(Extra {
                updated_ns: record.created_ns,
                cum_quote: Amount::ZERO,
                strategy_id: None,
                strategy_type: None,
                terms: None,
                standing: Standing::Book,
                reserve: Qty::ZERO,
                amends: 0,
            });
        }
        &mut self.extras[record.extra]
    }

    /// Notes a trade of an order that stays open. How much it was, its node knows.
    pub(crate) fn count_fill(&mut self, node: NodeId, quote: Amount, now_ns: u64) {
        self.record_mut(node).status = OrderStatus::PartiallyFilled;
        let extra = self.extra_mut(node);
        extra.cum_quote += quote;
        extra.updated_ns = now_ns;
    }

    /// Takes in an order that has just got its node, and is younger than the account's others.
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

    /// Makes room for so many orders that are about to come, where there are none yet.
    pub(crate) fn reserve(&mut self, orders: usize) {
        self.nodes.reserve(orders);
        self.records.reserve(orders);
        advise_huge(&mut self.records);
        self.names.reserve(orders);
    }

    /// [`Orders::attach`] for an order of which its record says all.
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

    /// Puts a record in its place, at the end of its account's list and into the table of names.
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
            self.records.resize(at + 1, record); // those between are attached later
        }
        self.records[at] = record;
    }

    /// The larger place is on huge pages before anything is put there.
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
            && order.cum_qty.is_zero() // what was traded at a price of zero has no quote
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

    /// Takes in an order that is on no book, with a node of its own.
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

    /// Notes what has become of an order that is on no book.
    pub(crate) fn store(&mut self, node: NodeId, order: &Order) {
        debug_assert!(self.standing(node).is_off_book());
        self.nodes[node].set_leaves(order.leaves_qty());
        let record = self.record_mut(node);
        record.order_type = order.order_type;
        record.price = order.price;
        record.order_qty = order.order_qty;
        record.status = order.status;
        let extra = self.extra_mut(node);
        extra.updated_ns = order.updated_ns;
        extra.cum_quote = order.cum_quote;
        extra.terms = order.terms;
    }

    /// Gives an order another node, with all that is known of it. The old one is still to be
    /// given back, the new one's place in the index to be noted.
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

    /// Lets go of an order. Its node is still to be given back.
    pub(crate) fn detach(&mut self, account: &mut Account, node: NodeId) {
        let record = *self.record(node);
        let OpenOrder { instrument, time_in_force, extra, .. } = record;
        let order_id = self.order_id(node);
        if is_timed(time_in_force) {
            self.timed.remove(&(instrument, time_in_force, order_id));
        } else if time_in_force == TimeInForce::Gtd {
            let terms = self.extra(node).and_then(|extra| extra.terms.as_ref());
            let expire_ns = expire_ns(time_in_force, terms).expect("it was taken in with a date");
            self.dated.remove(&(expire_ns, instrument, order_id));
        }
        if extra != NONE {
            let displays = is_iceberg(self.extras[extra].terms);
            account.market_mut(instrument).iceberg_orders -= u32::from(displays);
            self.extras.remove(extra);
        }
        self.unlink(account, node, &record);
    }

    /// [`Orders::detach`] for an order of which its record says all.
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

    /// Gives an open order another name.
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

    /// The record of a node, if there is such a node.
    #[inline]
    pub(crate) fn get(&self, node: NodeId) -> Option<&OpenOrder> {
        self.records.get(node as usize)
    }

    /// Has the place of a name brought near.
    #[inline]
    pub(crate) fn prefetch_name(&self, hash: u32) {
        self.names.prefetch(hash);
    }

    /// Has an order brought near, if there is such a node.
    #[inline]
    pub(crate) fn prefetch(&self, node: NodeId) {
        if let Some(record) = self.get(node) {
            prefetch(record);
            self.nodes.prefetch(node);
        }
    }

    /// Has brought near what is touched when an order goes that is near itself.
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

    /// What an order waits for that is near, if it does.
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

    /// The order good till date that expires next, and when.
    #[inline]
    pub(crate) fn next_dated(&self) -> Option<(u64, InstrumentId, OrderId)> {
        self.dated.first().copied()
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

/// Whether a phase ends or lets in such orders.
#[inline]
fn is_timed(time_in_force: TimeInForce) -> bool {
    matches!(time_in_force, TimeInForce::Day | TimeInForce::AtOpen | TimeInForce::AtClose)
}

/// When an order expires by its date, if it has one.
#[inline]
fn expire_ns(time_in_force: TimeInForce, terms: Option<&OrderTerms>) -> Option<u64> {
    match time_in_force {
        TimeInForce::Gtd => terms.map(|terms| terms.terms.expire_ns),
        _ => None,
    }
}
