//! A market order by order with own orders inside the engine's book.
//!
//! A recorded execution is an aggressor with its quantity and price against what stands, own orders
//! included; what finds nothing is divergence. A recorded order that crosses own orders trades with
//! them first. Own orders of two accounts trade with each other, those of one account do not. What
//! own orders have taken, or what stands longer because of them, the record does not know: its
//! later cancels and executions of orders that are gone are dropped and counted.

use engine::{Book, NodeId, Nodes};
use recorded::{Event, Kind};
use types::{OrderId, Price, Qty, Side};

use super::{ById, Divergence, Table, see};
use crate::backtest::market::{Answers, Market};
use crate::context::View;
use crate::order::{
    Action, Execution, Expired, FillCause, Outcome, Rejected, Request, Terms, account_of,
};

/// Own orders share the book with the record's. Their ids have this bit, which no market uses.
const OWN: u64 = 1 << 63;

#[derive(Debug, Default)]
pub(crate) struct ImpactMarket {
    book: Book,
    nodes: Nodes,
    index: ById<NodeId>,
    own: ById<Resting>,
    /// Recorded orders that something else has taken than in the record.
    consumed: ById<()>,
    pub(crate) divergence: Divergence,
}

/// Whether a resting order belongs to the account of an own one.
fn is_of_account(key: u64, id: OrderId) -> bool {
    key & OWN != 0 && account_of(OrderId(key & !OWN)) == account_of(id)
}

#[derive(Clone, Copy, Debug)]
struct Resting {
    since_ns: i64,
    is_post_only: bool,
}

impl Market for ImpactMarket {
    type Eyes = Table;

    #[inline]
    fn event(&mut self, event: &Event, answers: &mut Answers<'_>) {
        let now_ns = event.exchange_ns;
        match event.kind {
            Kind::Add => {
                let Some(side) = event.side else { return };
                self.add(event.order, side, event.price, event.quantity, now_ns, answers);
            }
            Kind::Execute => self.execute(event, answers),
            Kind::Trade => self.trade(event, answers),
            Kind::Cancel | Kind::Delete => self.cancel(event),
            Kind::Modify => self.modify(event, answers),
            Kind::Clear => self.clear(event, answers),
            _ => {}
        }
    }

    fn request(&mut self, request: &Request, now_ns: i64, answers: &mut Answers<'_>) {
        let key = request.id.0 | OWN;
        let node = self.index.get(&key).copied();
        match (request.action, node) {
            (Action::New { side, price, qty, terms }, _) => {
                self.enter(request.id, side, price, qty, terms, true, now_ns, answers);
            }
            (_, None) => {
                answers.push(request.id, now_ns, Outcome::Rejected(Rejected::NotOpen));
            }
            (Action::Cancel, Some(node)) => {
                self.remove(key, node);
                answers.push(request.id, now_ns, Outcome::Canceled);
            }
            (Action::Replace { price, qty }, Some(node)) => {
                answers.push(request.id, now_ns, Outcome::Replaced { price, qty });
                let order = &self.nodes[node];
                let (side, leaves) = (order.side(), order.leaves_qty());
                if self.book.price(&self.nodes, node) == price && qty <= leaves {
                    if qty < leaves {
                        self.book.reduce(&mut self.nodes, node, leaves - qty);
                    }
                    return;
                }
                let own = self.own.get(&key).copied().expect("an own order is known");
                self.remove(key, node);
                let terms = if own.is_post_only { Terms::PostOnly } else { Terms::Limit };
                self.enter(request.id, side, price, qty, terms, false, now_ns, answers);
            }
        }
    }

    #[inline]
    fn see(eyes: &mut Table, view: &mut View, event: &Event) {
        see(eyes, view, event);
    }
}

impl ImpactMarket {
    fn add(
        &mut self,
        id: u64,
        side: Side,
        price: Price,
        qty: Qty,
        now_ns: i64,
        answers: &mut Answers<'_>,
    ) {
        let left = if self.own.is_empty() {
            qty
        } else {
            self.take_own(side, price, qty, now_ns, answers)
        };
        if left.is_zero() {
            return;
        }
        let node = self.book.rest(&mut self.nodes, OrderId(id), side, price, left);
        if let Some(before) = self.index.insert(id, node) {
            // A second order of one id takes the place of the first.
            self.divergence.unknown += 1;
            self.book.remove(&mut self.nodes, before);
        }
    }

    /// Trades a recorded order with own ones that it crosses. It passes by the record's own, which
    /// it did not trade with: before an auction a book is crossed.
    #[cold]
    fn take_own(
        &mut self,
        side: Side,
        limit: Price,
        qty: Qty,
        now_ns: i64,
        answers: &mut Answers<'_>,
    ) -> Qty {
        let mut left = qty;
        while !left.is_zero() {
            // Orders come best first. Only before an auction many of the record's own are crossed.
            let crossed = self
                .book
                .orders(&self.nodes, side.opposite())
                .take_while(|node| side.crosses(limit, self.book.price(&self.nodes, *node)))
                .find(|node| self.nodes[*node].order_id().0 & OWN != 0);
            let Some(node) = crossed else { break };
            left -= self.trade_with(node, left, None, now_ns, answers);
        }
        left
    }

    /// Trades an amount with one resting order, and returns what was traded. `maker` is the order
    /// that the record has traded with.
    fn trade_with(
        &mut self,
        node: NodeId,
        most: Qty,
        maker: Option<u64>,
        now_ns: i64,
        answers: &mut Answers<'_>,
    ) -> Qty {
        let price = self.book.price(&self.nodes, node);
        let order = &self.nodes[node];
        let (key, leaves) = (order.order_id().0, order.leaves_qty());
        let qty = most.min(leaves);
        if key & OWN != 0 {
            let since_ns = self.own.get(&key).map_or(now_ns, |own| own.since_ns);
            let waited_ns = now_ns - since_ns;
            let cause = FillCause::Matched;
            let execution = Execution { price, qty, is_maker: true, cause, waited_ns };
            answers.push(OrderId(key & !OWN), now_ns, Outcome::Filled(execution));
        }
        if qty < leaves {
            self.book.reduce(&mut self.nodes, node, qty);
            return qty;
        }
        self.remove(key, node);
        if key & OWN == 0 && maker != Some(key) {
            self.consumed.insert(key, ());
        }
        qty
    }

    fn execute(&mut self, event: &Event, answers: &mut Answers<'_>) {
        let Some(side) = event.side else { return };
        self.divergence.executed += event.quantity.lots();
        let mut left = event.quantity;
        let aggressor = side.opposite();
        while !left.is_zero() {
            let front = self.book.front_for(&self.nodes, aggressor, event.price);
            let Some(front) = front else { break };
            let maker = Some(event.order);
            left -= self.trade_with(front.node, left, maker, event.exchange_ns, answers);
        }
        self.divergence.unmatched += left.lots();
    }

    /// A trade with what was not displayed: better own orders have it first.
    fn trade(&mut self, event: &Event, answers: &mut Answers<'_>) {
        let Some(aggressor) = event.side.filter(|_| !self.own.is_empty()) else { return };
        let better = match aggressor {
            Side::Buy => Price::from_ticks(event.price.ticks() - 1),
            Side::Sell => Price::from_ticks(event.price.ticks() + 1),
        };
        self.take_own(aggressor, better, event.quantity, event.exchange_ns, answers);
    }

    fn cancel(&mut self, event: &Event) {
        let Event { order: id, quantity, .. } = *event;
        let Some(node) = self.index.get(&id).copied() else {
            self.count_missing(id, quantity);
            return;
        };
        if event.kind == Kind::Delete || quantity >= self.nodes[node].leaves_qty() {
            self.remove(id, node);
        } else {
            self.book.reduce(&mut self.nodes, node, quantity);
        }
    }

    fn count_missing(&mut self, id: u64, qty: Qty) {
        if self.consumed.remove(&id).is_some() {
            self.divergence.canceled += qty.lots();
        } else {
            self.divergence.unknown += 1;
        }
    }

    fn modify(&mut self, event: &Event, answers: &mut Answers<'_>) {
        let Some(node) = self.index.get(&event.order).copied() else {
            self.count_missing(event.order, event.quantity);
            return;
        };
        let (side, leaves) = (self.nodes[node].side(), self.nodes[node].leaves_qty());
        let price = self.book.price(&self.nodes, node);
        if price == event.price && event.quantity <= leaves && !event.quantity.is_zero() {
            if event.quantity < leaves {
                self.book.reduce(&mut self.nodes, node, leaves - event.quantity);
            }
            return;
        }
        self.remove(event.order, node);
        if !event.quantity.is_zero() {
            let Event { order, price, quantity, exchange_ns, .. } = *event;
            self.add(order, side, price, quantity, exchange_ns, answers);
        }
    }

    fn clear(&mut self, event: &Event, answers: &mut Answers<'_>) {
        for side in [Side::Buy, Side::Sell] {
            if event.side.is_some_and(|of| of != side) {
                continue;
            }
            while let Some(front) = self.book.front(&self.nodes, side) {
                let key = self.nodes[front.node].order_id().0;
                if key & OWN != 0 {
                    let outcome = Outcome::Expired(Expired::Cleared);
                    answers.push(OrderId(key & !OWN), event.exchange_ns, outcome);
                }
                self.remove(key, front.node);
            }
        }
    }

    fn remove(&mut self, key: u64, node: NodeId) {
        self.index.remove(&key);
        if key & OWN != 0 {
            self.own.remove(&key);
        }
        self.book.remove(&mut self.nodes, node);
    }

    fn enter(
        &mut self,
        id: OrderId,
        side: Side,
        price: Price,
        qty: Qty,
        terms: Terms,
        is_new: bool,
        now_ns: i64,
        answers: &mut Answers<'_>,
    ) {
        let limit = match (terms, side) {
            (Terms::Market, Side::Buy) => Price::from_ticks(i64::MAX),
            (Terms::Market, Side::Sell) => Price::from_ticks(i64::MIN),
            _ => price,
        };
        let trades = self.book.crosses(side, limit);
        match terms {
            Terms::Stop => {
                answers.push(id, now_ns, Outcome::Rejected(Rejected::TermsUnknown));
                return;
            }
            Terms::PostOnly if trades => {
                answers.push(id, now_ns, Outcome::Expired(Expired::WouldTrade));
                return;
            }
            Terms::Fok if self.within(id, side, limit, qty) < qty => {
                answers.push(id, now_ns, Outcome::Expired(Expired::Unfilled));
                return;
            }
            _ => {}
        }
        let left = if trades { self.take(id, side, limit, qty, now_ns, answers) } else { qty };
        if left.is_zero() {
            return;
        }
        // Without this, it would trade with an order of its own account.
        let is_blocked = self.book.crosses(side, limit);
        if matches!(terms, Terms::Limit | Terms::PostOnly) && !is_blocked {
            if is_new && left == qty {
                answers.push(id, now_ns, Outcome::Accepted);
            }
            let key = id.0 | OWN;
            let node = self.book.rest(&mut self.nodes, OrderId(key), side, price, left);
            self.index.insert(key, node);
            let is_post_only = terms == Terms::PostOnly;
            self.own.insert(key, Resting { since_ns: now_ns, is_post_only });
        } else {
            answers.push(id, now_ns, Outcome::Expired(Expired::Unfilled));
        }
    }

    /// What an order can take before it meets one of its own account, up to `most`.
    fn within(&self, id: OrderId, side: Side, limit: Price, most: Qty) -> Qty {
        let mut found = Qty::from_lots(0);
        let crossed = self
            .book
            .orders(&self.nodes, side.opposite())
            .take_while(|node| side.crosses(limit, self.book.price(&self.nodes, *node)));
        for node in crossed {
            let order = &self.nodes[node];
            if found >= most || is_of_account(order.order_id().0, id) {
                break;
            }
            found += order.leaves_qty().min(most - found);
        }
        found
    }

    /// Takes from the book until an order of the same account is at its front. Those of other
    /// accounts are counterparties.
    fn take(
        &mut self,
        id: OrderId,
        side: Side,
        limit: Price,
        qty: Qty,
        now_ns: i64,
        answers: &mut Answers<'_>,
    ) -> Qty {
        let mut left = qty;
        while !left.is_zero() {
            let Some(front) = self.book.front_for(&self.nodes, side, limit) else { break };
            if is_of_account(self.nodes[front.node].order_id().0, id) {
                break;
            }
            let traded = self.trade_with(front.node, left, None, now_ns, answers);
            left -= traded;
            let execution = Execution {
                price: front.price,
                qty: traded,
                is_maker: false,
                cause: FillCause::Took,
                waited_ns: 0,
            };
            answers.push(id, now_ns, Outcome::Filled(execution));
        }
        left
    }
}
