//! The line of resting orders that would trade next, shown and hidden.

use types::{Order, OrderTerms, Price, Side};

use crate::book::Front;
use crate::book::node::{NodeId, Nodes};
use crate::state::market::Market;
use crate::state::orders::Orders;
use crate::state::orders::record::Standing;

impl Market {
    /// Who would trade next on `side`, the side of the resting orders.
    #[inline(always)]
    pub(crate) fn front(&self, nodes: &Nodes, side: Side) -> Option<Front> {
        if self.special.hidden_count > 0 {
            return self.front_of_both(nodes, side);
        }
        self.book.front(nodes, side)
    }

    /// The best price on a side, shown or hidden.
    #[inline(always)]
    pub(crate) fn best_price(&self, side: Side) -> Option<Price> {
        if self.special.hidden_count > 0 {
            return self.best_of_both(side);
        }
        self.book.best_price(side)
    }

    /// What is shown comes before what is hidden.
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

    /// Forgets who looks after an order with special terms that ends.
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

    /// The orders of one side in the order in which they would trade, and whether they are shown.
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
            match shown_first {
                true => shown.next().map(|node| (node, true)),
                false => hidden.next().map(|node| (node, false)),
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

/// Whether a resting order on `side` is ahead of another by its price.
pub(crate) fn is_better(side: Side, price: Price, other: Price) -> bool {
    match side {
        Side::Buy => price > other,
        Side::Sell => price < other,
    }
}
