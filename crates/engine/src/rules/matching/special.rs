//! Orders that the book does not show in full: icebergs, which show one part after another, and
//! hidden orders, which rest on a book of their own.
//!
//! # Invariants
//! - For an order with special terms, only [`OrderRested`] and [`BookReduced`] change the published
//!   book, so that market data needs only events.
//! - An iceberg's node has the displayed part, [`crate::state::orders::record::Extra::reserve`] the
//!   rest.

use types::{Amount, BookReduced, Event, Order, OrderRefreshed, OrderRested, Qty};

use crate::book::node::{Node, NodeId};
use crate::state::Engine;
use crate::state::orders::record::Standing;

/// The published reduction of an order with special terms, emitted after the trade.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduced {
    is_shown: bool,
    leaves_qty: Qty,
    /// An iceberg's next part; zero without one.
    next: Qty,
}

impl Engine {
    /// Takes a resting order off its book for a change; it stays in all lists. Returns its new node
    /// and the quantity that the book showed.
    pub(crate) fn take_off(&mut self, node: NodeId) -> (NodeId, Qty) {
        let order = self.orders.order(node);
        let standing = self.orders.standing(node);
        let shown = self.shown_qty(node);
        let market = &mut self.markets[order.instrument.0 as usize];
        let off = self.orders.nodes.insert(Node::off_book(&order));
        self.orders.relocate(&mut self.accounts[order.account.0 as usize], node, off);
        let extra = self.orders.extra_mut(off);
        extra.standing = Standing::Entering;
        extra.reserve = Qty::ZERO;
        market.index.insert(order.order_id.0, off);
        market.take_out(&mut self.orders.nodes, node, standing);
        (off, shown)
    }

    /// Puts an order on its book: a new order, or one that was taken off, with its node.
    #[inline(never)]
    pub(crate) fn rest_special(
        &mut self,
        order: &Order,
        from: Option<NodeId>,
        events: &mut Vec<Event>,
    ) {
        let terms = order.terms.unwrap_or_default().terms;
        let market = &mut self.markets[order.instrument.0 as usize];
        let account = &mut self.accounts[order.account.0 as usize];
        let leaves_qty = order.leaves_qty();
        let shown_qty = match terms.display_qty {
            Qty::ZERO => leaves_qty,
            display_qty => display_qty.min(leaves_qty),
        };
        let (book, standing) = if terms.hidden {
            (&mut market.special.dark, Standing::Dark)
        } else {
            (&mut market.book, Standing::Book)
        };
        let node =
            book.rest(&mut self.orders.nodes, order.order_id, order.side, order.price, shown_qty);
        match from {
            None => self.orders.attach(account, node, order),
            Some(off) => {
                self.orders.store(off, order);
                self.orders.relocate(account, off, node);
                self.orders.nodes.remove(off);
            }
        }
        let extra = self.orders.extra_mut(node);
        extra.standing = standing;
        extra.reserve = leaves_qty - shown_qty;
        market.index.insert(order.order_id.0, node);
        if terms.peg.is_some() {
            market.special.pegs.insert(order.order_id);
        }
        if !terms.display_qty.is_zero() {
            market.special.icebergs.insert(order.order_id);
        }
        match standing {
            Standing::Dark => market.special.hidden_count += 1,
            _ => self.emit_rested(order, shown_qty, events),
        }
        self.mark_book_changed(order.instrument);
    }

    /// Takes a fill off a resting order with special terms.
    #[cold]
    pub(crate) fn fill_special(
        &mut self,
        node: NodeId,
        order: &Order,
        qty: Qty,
        quote: Amount,
    ) -> Reduced {
        if order.cum_qty < order.order_qty {
            self.orders.count_fill(node, quote, self.now_ns);
        }
        self.reduce_special(node, order, qty)
    }

    /// Takes `qty` off a resting order with special terms. `order` is its new state. At zero it
    /// leaves the book, and an iceberg shows its next part.
    pub(super) fn reduce_special(&mut self, node: NodeId, order: &Order, qty: Qty) -> Reduced {
        let standing = self.orders.standing(node);
        let is_shown = standing == Standing::Book;
        if order.cum_qty == order.order_qty {
            self.leave(node, order);
            return Reduced { is_shown, leaves_qty: Qty::ZERO, next: Qty::ZERO };
        }
        let market = &mut self.markets[order.instrument.0 as usize];
        let nodes = &mut self.orders.nodes;
        let leaves_qty = nodes[node].leaves_qty() - qty;
        if !leaves_qty.is_zero() {
            match standing {
                Standing::Dark => market.special.dark.reduce(nodes, node, qty),
                _ => market.book.reduce(nodes, node, qty),
            }
            return Reduced { is_shown, leaves_qty, next: Qty::ZERO };
        }
        market.book.remove(nodes, node);
        let display_qty = order.terms.unwrap_or_default().terms.display_qty;
        let reserve = order.order_qty - order.cum_qty;
        let next = display_qty.min(reserve);
        let again = market.book.rest(nodes, order.order_id, order.side, order.price, next);
        assert_eq!(again, node, "the place that was given back last is taken first");
        self.orders.extra_mut(node).reserve = reserve - next;
        Reduced { is_shown, leaves_qty, next }
    }

    /// Takes `less` off an open order's remaining quantity, from the reserve first; the order
    /// stays. Returns the reduction of its displayed quantity.
    pub(crate) fn stand_lower(&mut self, node: NodeId, less: Qty) -> Qty {
        self.mark_book_changed(self.orders.record(node).instrument);
        let standing = self.orders.standing(node);
        let mut rest = less;
        if self.orders.extra(node).is_some_and(|extra| !extra.reserve.is_zero()) {
            let extra = self.orders.extra_mut(node);
            let unshown = extra.reserve.min(less);
            extra.reserve -= unshown;
            rest -= unshown;
        }
        let instrument = self.orders.record(node).instrument;
        let market = &mut self.markets[instrument.0 as usize];
        let nodes = &mut self.orders.nodes;
        match standing {
            Standing::Book => {
                market.book.reduce(nodes, node, rest);
                return rest;
            }
            Standing::Dark => market.special.dark.reduce(nodes, node, rest),
            _ => {
                let leaves_qty = nodes[node].leaves_qty() - rest;
                nodes[node].set_leaves(leaves_qty);
            }
        }
        Qty::ZERO
    }

    /// Emits the reduction of an order.
    pub(crate) fn emit_less(
        &mut self,
        order: &Order,
        qty: Qty,
        reduced: Reduced,
        events: &mut Vec<Event>,
    ) {
        if reduced.is_shown {
            self.emit_reduced(order, qty, reduced.leaves_qty, events);
        }
    }

    /// Emits an iceberg's next part.
    pub(crate) fn emit_next(&mut self, order: &Order, reduced: Reduced, events: &mut Vec<Event>) {
        if reduced.next.is_zero() {
            return;
        }
        self.emit_rested(order, reduced.next, events);
        if order.cl_ord_id.numbered().is_some() {
            events.push(Event::OrderRefreshed(OrderRefreshed {
                account_seq: self.accounts[order.account.0 as usize].next_seq(),
                account: order.account,
                instrument: order.instrument,
                order_id: order.order_id,
                cl_ord_id: order.cl_ord_id,
                shown_qty: reduced.next,
            }));
        }
    }

    /// The book shows `qty` less of an order; emits nothing for zero.
    pub(crate) fn emit_reduced(
        &mut self,
        order: &Order,
        qty: Qty,
        leaves_qty: Qty,
        events: &mut Vec<Event>,
    ) {
        if qty.is_zero() {
            return;
        }
        let market = &mut self.markets[order.instrument.0 as usize];
        events.push(Event::BookReduced(BookReduced {
            instrument_seq: market.next_seq(),
            instrument: order.instrument,
            order_id: order.order_id,
            side: order.side,
            price: order.price,
            qty,
            leaves_qty,
        }));
    }

    fn emit_rested(&mut self, order: &Order, leaves_qty: Qty, events: &mut Vec<Event>) {
        let market = &mut self.markets[order.instrument.0 as usize];
        events.push(Event::OrderRested(OrderRested {
            instrument_seq: market.next_seq(),
            instrument: order.instrument,
            order_id: order.order_id,
            side: order.side,
            price: order.price,
            leaves_qty,
        }));
    }

    /// The displayed quantity of an open order.
    pub(crate) fn shown_qty(&self, node: NodeId) -> Qty {
        match self.orders.standing(node) {
            Standing::Book => self.orders.nodes[node].leaves_qty(),
            _ => Qty::ZERO,
        }
    }
}
