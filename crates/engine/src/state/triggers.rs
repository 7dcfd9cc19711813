//! Orders that wait for a price, and the trade prices that trigger them.
//!
//! Orders that wait for a fall are stored under the negated price, so that both directions run the
//! same code. A *key* is reached if the price's key is at or above it, and the lowest key triggers
//! first.
//!
//! Trailing orders would all have to move with every new best price. They do not, because of two
//! properties. Among orders of one delta, the order that began first has the best extreme: each
//! delta keeps its orders in that sequence, and only the first can be reached. Orders that began
//! between two records share one extreme: a new record merges entries of [`Trails::extremes`] by
//! cutting that stack.
//!
//! # Invariants
//! - An order with [`Standing::Trigger`] is in exactly one of `waiting`, `trails`, `reached`.
//! - `extremes` ascend strictly in both of their parts.
//!
//! # Known limits
//! A price that falls back reads the first order of every delta in use; there are fewer than
//! 10,000.
//!
//! [`Standing::Trigger`]: crate::state::orders::record::Standing::Trigger

pub(crate) mod direction;
mod trails;

use std::collections::BTreeMap;

use types::{Order, OrderId, OrderType, Price, Side};

use crate::book::ladder::Ladder;
use crate::book::node::NodeId;
use crate::state::orders::Orders;
use crate::state::triggers::direction::{Direction, Key, NO_PRICE, TRAILING_TURN, rung};
use crate::state::triggers::trails::Trails;

/// This many orders do not fit into a cache together, and prefetching pays.
const MANY: usize = 1 << 12;

#[derive(Clone, Debug, Default)]
pub(crate) struct Triggers {
    /// By stop price and age, per [`Direction`]. Orders that will trail from there are here too.
    pub(super) waiting: [Ladder<(Key, u64)>; 2],
    pub(super) trails: [Trails; 2],
    /// Reached orders in order of their execution: by key, then turn.
    pub(super) reached: [BTreeMap<(Key, u64), NodeId>; 2],
    /// Trade prices that were not applied yet.
    pub(crate) prices: Vec<Price>,
    /// The number of orders in all of these, and of those that trail or will trail.
    pub(super) count: usize,
    pub(super) trailing: usize,
}

/// An order without a stop price trails from now on. The time is never zero.
pub(crate) fn begin_to_trail(order: &mut Order, now_ns: u64) {
    if let Some(terms) = &mut order.terms
        && terms.terms.trails_at_once()
    {
        terms.trailing_ns = now_ns.max(1);
    }
}

impl Triggers {
    /// Whether any order waits.
    #[inline]
    pub(crate) fn any_wait(&self) -> bool {
        self.count > 0
    }

    /// Whether there are prices to apply.
    pub(crate) fn has_prices(&self) -> bool {
        !self.prices.is_empty()
    }

    pub(super) fn any_reached(&self) -> bool {
        self.reached.iter().any(|reached| !reached.is_empty())
    }

    /// Records a trade at another price than the last one.
    #[cold]
    pub(crate) fn record_price(&mut self, price: Price) {
        // Orders that do not trail need only the highest and the lowest price.
        match (self.trailing, &mut self.prices[..]) {
            (0, [one, other]) => {
                let (low, high) = ((*one).min(*other), (*one).max(*other));
                (*one, *other) = (price.min(low), price.max(high));
            }
            (0, [one]) => {
                let (low, high) = (price.min(*one), price.max(*one));
                self.prices = vec![low, high];
            }
            _ => self.prices.push(price),
        }
    }

    /// Whether the waiting orders are too many to be cached anyway.
    #[inline]
    pub(crate) fn are_many(&self) -> bool {
        self.count > MANY
    }

    /// Prefetches the entry of an order.
    pub(crate) fn prefetch(&mut self, (order_type, side, stop_price): (OrderType, Side, Price)) {
        let direction = Direction::of(order_type, side);
        self.waiting[direction as usize]
            .prefetch_path(rung(direction.key(stop_price), OrderId(u64::MAX)));
    }

    /// Adds a waiting order; `now` is the price from which it trails, if it does so at once.
    pub(crate) fn add(&mut self, node: NodeId, order: &Order, now: Option<Price>) {
        let terms = order.terms.unwrap_or_default().terms;
        self.count += 1;
        self.trailing += usize::from(terms.trailing_delta_bps > 0);
        let Some(stop_price) = terms.stop_price else {
            let direction = Direction::trailing(order.side);
            let key = now.map_or(NO_PRICE, |price| direction.key(price));
            return self.trails[direction as usize].begin(node, terms.trailing_delta_bps, key);
        };
        let direction = Direction::of(order.order_type, order.side);
        let rung = rung(direction.key(stop_price), order.order_id);
        let waiting = &mut self.waiting[direction as usize];
        let gap = waiting.find(rung).expect_err("it waits only once");
        waiting.insert(gap, rung, node);
    }

    /// Removes an order from the structure that it is in.
    pub(crate) fn remove(&mut self, node: NodeId, order: &Order) {
        let terms = order.terms.unwrap_or_default().terms;
        self.count -= 1;
        self.trailing -= usize::from(terms.trailing_delta_bps > 0);
        if self.count == 0 {
            self.prices.clear();
        }
        let trailing = Direction::trailing(order.side) as usize;
        if let Some((number, reached)) = self.trails[trailing].begun.remove(&node) {
            match reached {
                None => self.trails[trailing].leave_line(terms.trailing_delta_bps, number),
                Some(key) => {
                    self.reached[trailing].remove(&(key, TRAILING_TURN | number));
                }
            }
            return;
        }
        let direction = Direction::of(order.order_type, order.side);
        let stop_price = terms.stop_price.expect("it waits for a price, or it would trail");
        let key = direction.key(stop_price);
        if self.waiting[direction as usize].remove(rung(key, order.order_id)).is_none() {
            self.reached[direction as usize].remove(&(key, order.order_id.0));
        }
    }

    /// Applies a price for each direction to one order that it reaches; `false` if it reaches no
    /// more.
    pub(crate) fn apply_price(
        &mut self,
        direction: Direction,
        prices: [Option<Price>; 2],
        orders: &mut Orders,
        now_ns: u64,
    ) -> bool {
        let at = direction as usize;
        let Some(price) = prices[at] else { return false };
        let key = direction.key(price);
        if let Some((number, wanted, node)) = self.trails[at].take_reached(key) {
            self.reached[at].insert((wanted, TRAILING_TURN | number), node);
            return true;
        }
        self.trails[at].pass(key);
        let waiting = &mut self.waiting[at];
        let Some(first) = waiting.last_key().filter(|first| !first.0 <= key) else { return false };
        let node = waiting.remove(first).expect("it was the last");
        let (wanted, order_id) = (!first.0, OrderId(!first.1));
        let delta_bps = orders.terms(node).terms.trailing_delta_bps;
        if delta_bps == 0 {
            self.reached[at].insert((wanted, order_id.0), node);
        } else {
            let trailing = Direction::trailing(orders.side(node));
            let key = prices[trailing as usize].map_or(NO_PRICE, |price| trailing.key(price));
            self.trails[trailing as usize].begin(node, delta_bps, key);
            if let Some(terms) = &mut orders.extra_mut(node).terms {
                terms.trailing_ns = now_ns;
            }
        }
        true
    }

    /// The next order to trigger.
    pub(crate) fn next(&self) -> Option<NodeId> {
        let [rises, falls] = &self.reached;
        rises.first_key_value().or_else(|| falls.first_key_value()).map(|(_, node)| *node)
    }
}

impl Triggers {
    /// Whether a waiting order trails the price, or did until it was reached.
    pub(super) fn trails(&self, node: NodeId, order: &Order) -> bool {
        self.trails[Direction::trailing(order.side) as usize].begun.contains_key(&node)
    }

    pub(super) fn has(&self, node: NodeId, order: &Order) -> bool {
        if self.trails(node, order) {
            return true;
        }
        let Some(stop_price) = order.terms.and_then(|terms| terms.terms.stop_price) else {
            return false;
        };
        let direction = Direction::of(order.order_type, order.side);
        let key = direction.key(stop_price);
        self.waiting[direction as usize].find(rung(key, order.order_id)).ok() == Some(node)
            || self.reached[direction as usize].get(&(key, order.order_id.0)) == Some(&node)
    }
}
