//! The queue of resting orders in order of their trading, displayed and hidden.

use types::{Order, OrderTerms, Price, Side};

use crate::book::Front;
use crate::book::node::{NodeId, Nodes};
use crate::state::market::Market;
use crate::state::orders::Orders;
use crate::state::orders::record::Standing;

impl Market {
    /// The next order to trade on `side`, the side of the resting orders.
    #[inline(always)]
    pub(crate) fn front(&self, nodes: &Nodes, side: Side) -> Option<Front> {
        if self.special.hidden_count > 0 {
            return self.front_of_both(nodes, side);
        }
        self.book.front(nodes, side)
    }

    /// The best price on a side, displayed or hidden.
    #[inline(always)]
    pub(crate) fn best_price(&self, side: Side) -> Option<Price> {
        if self.special.hidden_count > 0 {
            return self.best_of_both(side);
        }
        self.book.best_price(side)
    }

    /// At one price, displayed orders trade ahead of hidden ones.
    #[cold]
    fn front_of_both(&self, nodes: &Nodes, side: Side) -> Option<Front> {
        let shown = self.book.front(nodes, side);
        let hidden = self.special.dark.front(nodes, side);
        match (shown, hidden) {
            (Some(first), Some(second)) if is_better(side, second.price, first.price) => hidden,
            (None, _) => hidden,
            _ => shown,
        }
    }

    #[cold]
    fn best_of_both(&self, side: Side) -> Option<Price> {
        best_of(side, self.book.best_price(side), self.special.dark.best_price(side))
    }

    /// Removes an ended order with special terms from the pegs and icebergs.
    pub(crate) fn forget(&mut self, order: &Order, terms: &OrderTerms) {
        if terms.terms.peg.is_some() {
            self.special.pegs.remove(order.order_id);
        }
        if !terms.terms.display_qty.is_zero() {
            self.special.icebergs.remove(&order.order_id);
        }
    }

    pub(crate) fn take_out(&mut self, nodes: &mut Nodes, node: NodeId, standing: Standing) {
        match standing {
            Standing::Book => self.book.remove(nodes, node),
            Standing::Dark => {
                self.special.hidden_count -= 1;
                self.special.dark.remove(nodes, node);
            }
            _ => nodes.remove(node),
        }
    }

    /// The orders of one side in order of their trading, and whether each is displayed.
    pub(crate) fn in_line(
        &self,
        orders: &Orders,
        side: Side,
    ) -> impl Iterator<Item = (NodeId, bool)> {
        let mut shown = self.book.orders(&orders.nodes, side).peekable();
        let mut hidden = self.special.dark.orders(&orders.nodes, side).peekable();
        std::iter::from_fn(move || {
            let shown_first = match (shown.peek(), hidden.peek()) {
                (Some(shown), Some(hidden)) => {
                    let (shown, hidden) = (orders.price(*shown), orders.price(*hidden));
                    !is_better(side, hidden, shown)
                }
                (shown, _) => shown.is_some(),
            };
            if shown_first {
                shown.next().map(|node| (node, true))
            } else {
                hidden.next().map(|node| (node, false))
            }
        })
    }
}

fn best_of(side: Side, one: Option<Price>, other: Option<Price>) -> Option<Price> {
    match (one, other) {
        (Some(one), Some(other)) if is_better(side, other, one) => Some(other),
        (None, _) => other,
        _ => one,
    }
}

/// Whether the price of a resting order on `side` is better than another.
pub(crate) fn is_better(side: Side, price: Price, other: Price) -> bool {
    match side {
        Side::Buy => price > other,
        Side::Sell => price < other,
    }
}
