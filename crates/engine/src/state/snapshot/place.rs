//! Orders that were read, put on their books and where they are found.

use types::{InstrumentId, Order, OrderId, OrderTerms};

use crate::book::node::{Node, NodeId};
use crate::book::prefetch::prefetch_whole;
use crate::state::Engine;
use crate::state::orders::record::Standing;
use crate::state::snapshot::special::{Reserves, Unshown};

/// How far ahead of an order that is put in its place others are brought near, then where their
/// names go, and then the orders that they are put behind.
const ORDERS_AHEAD: usize = 16;
const NAMES_AHEAD: usize = 8;
const TAILS_AHEAD: usize = 4;

impl Engine {
    /// Puts resting orders back on their books in the order of their queues, and everything where
    /// it is found by its id, oldest first, as it was when it came. Returns those that wait for a
    /// trigger, account by account.
    pub(super) fn place_orders(
        &mut self,
        resting: Vec<Vec<Order>>,
        off_book: Vec<(Standing, Order)>,
        mut unshown: Unshown,
        mut places: Vec<Place>,
    ) -> Option<Vec<NodeId>> {
        let on_books = resting.iter().chain(&unshown.hidden).map(Vec::len).sum::<usize>();
        let mut placed = Vec::with_capacity(on_books + off_book.len());
        self.orders.reserve(placed.capacity());
        for (standing, order) in &off_book {
            let node = self.orders.nodes.insert(Node::off_book(order));
            placed.push(Placed::new(order, node, *standing));
        }
        let is_waiting = |placed: &&Placed<'_>| placed.standing == Standing::Trigger;
        let waiting = placed.iter().filter(is_waiting).map(|placed| placed.node).collect();
        let hidden = std::mem::take(&mut unshown.hidden);
        for order in hidden.iter().flatten() {
            let special = &mut self.markets.get_mut(order.instrument.0 as usize)?.special;
            let (price, qty) = (order.price, order.leaves_qty());
            let node =
                special.dark.rest(&mut self.orders.nodes, order.order_id, order.side, price, qty);
            special.hidden_count += 1;
            placed.push(Placed::new(order, node, Standing::Dark));
        }
        for order in resting.iter().flatten() {
            let market = self.markets.get_mut(order.instrument.0 as usize)?;
            let shown = unshown.shown_of(order)?;
            let node = market.book.rest(
                &mut self.orders.nodes,
                order.order_id,
                order.side,
                order.price,
                shown,
            );
            placed.push(Placed::new(order, node, Standing::Book));
        }
        places.extend(placed.iter().map(|it| it.place));
        placed.sort_unstable_by_key(|it| it.place.id());
        for at in 0..placed.len() {
            self.prefetch_placed(&placed, at);
            self.attach_placed(&placed[at], &mut unshown.reserves)?;
        }
        places.sort_unstable_by_key(Place::id);
        let are_unique = places.is_sorted_by(|place, next| place.id() < next.id());
        if !are_unique || !unshown.reserves.is_empty() {
            return None;
        }
        for Place { instrument, order_id, open } in places {
            let market = self.markets.get_mut(instrument.0 as usize)?;
            if let Some(node) = open {
                market.index.insert(order_id.0, node);
            }
        }
        Some(waiting)
    }

    /// Brings near what the orders after this one are going to need.
    #[inline(always)]
    fn prefetch_placed(&self, placed: &[Placed<'_>], at: usize) {
        if let Some(ahead) = placed.get(at + ORDERS_AHEAD) {
            prefetch_whole(ahead.order);
        }
        if let Some(Placed { order: ahead, node, .. }) = placed.get(at + NAMES_AHEAD) {
            let name = self.orders.sought(ahead.account, ahead.instrument, &ahead.cl_ord_id);
            self.orders.prefetch_name(name.hash);
            self.orders.prefetch(*node);
            self.accounts[ahead.account.0 as usize].prefetch();
        }
        if let Some(Placed { order: ahead, .. }) = placed.get(at + TAILS_AHEAD) {
            let account = &self.accounts[ahead.account.0 as usize];
            self.orders.prefetch(account.last_open(ahead.instrument, ahead.side));
        }
    }

    /// Adds an order to its account and to the lists of its market that it belongs to. `None` if
    /// its account has another order of the same name.
    #[inline(always)]
    fn attach_placed(&mut self, placed: &Placed<'_>, reserves: &mut Reserves) -> Option<()> {
        let Placed { order, node, standing, .. } = *placed;
        let Order { account, instrument, ref cl_ord_id, .. } = *order;
        if self.orders.by_cl_ord_id(account, instrument, cl_ord_id).is_some() {
            return None;
        }
        self.orders.attach(&mut self.accounts[account.0 as usize], node, order);
        if standing != Standing::Book {
            self.orders.extra_mut(node).standing = standing;
        }
        if standing == Standing::List {
            let account = &mut self.accounts[account.0 as usize];
            account.market_mut(instrument).count_stop(order.order_type, true);
        }
        if let Some(reserve) = reserves.remove(&(instrument, order.order_id)) {
            self.orders.extra_mut(node).reserve = reserve;
        }
        if order.terms.is_some_and(|terms| terms.terms.peg.is_some()) {
            self.markets[instrument.0 as usize].special.pegs.insert(order.order_id);
        }
        let displays = |terms: OrderTerms| !terms.terms.display_qty.is_zero();
        if standing == Standing::Book && order.terms.is_some_and(displays) {
            self.markets[instrument.0 as usize].special.icebergs.insert(order.order_id);
        }
        Some(())
    }
}

/// An order that was read, and its node once it has one.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) instrument: InstrumentId,
    pub(super) order_id: OrderId,
    open: Option<NodeId>,
}

impl Place {
    pub(super) fn new(order: &Order, open: Option<NodeId>) -> Self {
        Self { instrument: order.instrument, order_id: order.order_id, open }
    }

    fn id(&self) -> (InstrumentId, OrderId) {
        (self.instrument, self.order_id)
    }
}

/// An open order that has its node. Orders are large, and stay where they were read.
struct Placed<'a> {
    place: Place,
    order: &'a Order,
    node: NodeId,
    standing: Standing,
}

impl<'a> Placed<'a> {
    fn new(order: &'a Order, node: NodeId, standing: Standing) -> Self {
        Self { place: Place::new(order, Some(node)), order, node, standing }
    }
}
