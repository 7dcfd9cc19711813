//! The open orders of all instruments: the data that matching does not need, and the indexes to
//! find them.
//!
//! An open order owns one number, its [`NodeId`], which is its slot in two slabs. One has the
//! [`Node`] that matching reads, the other the [`OpenOrder`]. A third slab has an [`Extra`] for the
//! few orders that need it. From these three, [`Orders::order`] assembles the whole [`Order`].
//!
//! # Invariants
//! - An open order has `leaves > 0`; it is in its account's list and in the table of names.
//! - An account's list is in order of the order ids, which is the order of age.
//!
//! [`Node`]: crate::Node

mod attach;
mod find;
pub(crate) mod finished;
pub(crate) mod kept;
mod names;
pub(crate) mod record;
mod seeds;
pub(crate) mod terms;

use std::collections::BTreeSet;

use types::{
    Amount, ClOrdId, InstrumentId, LIST_ORDERS_MAX, Order, OrderId, OrderStatus, OrderTerms, Peg,
    Price, Qty, Side, TimeInForce,
};

use crate::book::node::{NodeId, Nodes};
use crate::book::slab::{NONE, Slab};
use crate::state::orders::finished::End;
use crate::state::orders::names::NameTable;
use crate::state::orders::record::{Extra, Name, OpenId, OpenOrder, Standing};
use crate::state::orders::seeds::Seeds;

/// The orders that one cancel ends: an order alone, or all open orders of its list.
pub(crate) type Leaving = [Option<NodeId>; LIST_ORDERS_MAX];

#[derive(Clone, Debug, Default)]
pub(crate) struct Orders {
    pub(crate) nodes: Nodes,
    /// Parallel to `nodes`.
    records: Vec<OpenOrder>,
    extras: Slab<Extra>,
    long_names: Slab<ClOrdId>,
    names: NameTable,
    /// Orders that a phase ends or enters, by age within an instrument and time in force.
    timed: BTreeSet<(InstrumentId, TimeInForce, OrderId)>,
    /// Expiry times of orders good till date.
    dated: BTreeSet<(u64, InstrumentId, OrderId)>,
    seeds: Seeds,
}

impl Orders {
    /// The whole order in its current state.
    pub(crate) fn order(&self, node: NodeId) -> Order {
        let order_without_extra = self.order_without_extra(node);
        let Some(extra) = self.extra(node) else { return order_without_extra };
        Order {
            strategy_id: extra.strategy_id,
            strategy_type: extra.strategy_type,
            cum_qty: order_without_extra.order_qty - self.leaves_qty(node),
            cum_quote: extra.cum_quote,
            updated_ns: extra.updated_ns,
            terms: extra.terms,
            ..order_without_extra
        }
    }

    /// [`Orders::order`] without the fields of an [`Extra`].
    #[inline(always)]
    pub(crate) fn order_without_extra(&self, node: NodeId) -> Order {
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

    /// The whole order after its end, for an order without special terms.
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
            ..self.order_without_extra(node)
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

    /// The remaining quantity of an order.
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

    /// The peg of an order, if it has one.
    pub(crate) fn peg(&self, node: NodeId) -> Option<Peg> {
        self.extra(node)?.terms?.terms.peg
    }

    // Inlined into the callers, so that plain names stay in registers.
    #[inline(always)]
    pub(crate) fn cl_ord_id(&self, node: NodeId) -> ClOrdId {
        match self.record(node).cl_ord_id {
            Name::Packed(packed) => packed.unpack(),
            Name::Long(at) => self.long_names[at],
        }
    }

    #[inline(never)] // rarely called
    pub(super) fn is_named(&self, node: NodeId, cl_ord_id: &ClOrdId) -> bool {
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

    /// The extra record of an order, which is created if it is missing.
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

    /// Records a fill of an order that stays open. Its node has the quantity.
    pub(crate) fn count_fill(&mut self, node: NodeId, quote: Amount, now_ns: u64) {
        self.record_mut(node).status = OrderStatus::PartiallyFilled;
        let extra = self.extra_mut(node);
        extra.cum_quote += quote;
        extra.updated_ns = now_ns;
    }

    /// Stores the new state of an order that is on no book.
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
}
