//! The queue of displayed orders at one price, for the place of an order in it.
//!
//! A queue is followed from some event on, and what rested before then comes in parts, each between
//! two events: what follows is behind it, and a part says nothing new of an order that moved
//! meanwhile.

use std::collections::{BTreeMap, HashMap};

use types::{OrderId, Qty};

use crate::l2::OrderChange;

/// Places of orders that came with an event. All that came in parts are ahead of them.
const FIRST_NEW: u64 = 1 << 63;

#[derive(Clone, Debug)]
pub struct LevelQueue {
    /// By place, the head of the queue first.
    orders: BTreeMap<u64, Qty>,
    places: HashMap<OrderId, u64>,
    /// The quantity ahead of orders that were asked about, by their places.
    ahead: BTreeMap<u64, Qty>,
    next_old: u64,
    next_new: u64,
    /// The last order of the parts, while more are to come.
    last_of_parts: Option<OrderId>,
    is_complete: bool,
}

impl Default for LevelQueue {
    fn default() -> Self {
        Self {
            orders: BTreeMap::new(),
            places: HashMap::new(),
            ahead: BTreeMap::new(),
            next_old: 0,
            next_new: FIRST_NEW,
            last_of_parts: None,
            is_complete: false,
        }
    }
}

impl LevelQueue {
    pub fn len(&self) -> usize {
        self.orders.len()
    }

    pub fn is_empty(&self) -> bool {
        self.orders.is_empty()
    }

    /// Whether all parts have come.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The order behind which the next part begins; `None` for the head of the queue.
    pub fn behind(&self) -> Option<OrderId> {
        // It may have left the queue, or joined its end again.
        self.last_of_parts.filter(|last| self.places.get(last).is_some_and(|at| *at < FIRST_NEW))
    }

    /// Takes the part that begins behind an order, as it is after the last event that was applied.
    pub fn take_part(&mut self, behind: Option<OrderId>, orders: &[(OrderId, Qty)], is_last: bool) {
        // Of two that were asked for at once, or that began elsewhere than it was to.
        if self.is_complete || behind != self.behind() {
            return;
        }
        self.is_complete = is_last;
        for (order_id, qty) in orders {
            match self.places.get(order_id) {
                // Behind the first order that joined meanwhile there are only others that did.
                Some(place) if *place >= FIRST_NEW => self.is_complete = true,
                Some(_) => {}
                None => {
                    self.insert(*order_id, *qty, self.next_old);
                    self.next_old += 1;
                }
            }
        }
        self.last_of_parts = orders.last().map(|(order_id, _)| *order_id);
    }

    pub fn apply(&mut self, order_id: OrderId, change: OrderChange) {
        match change {
            OrderChange::Added(qty) => {
                self.insert(order_id, qty, self.next_new);
                self.next_new += 1;
            }
            OrderChange::Reduced(qty) => self.reduce(order_id, qty),
            OrderChange::Removed(qty) => {
                self.reduce(order_id, qty);
                if let Some(place) = self.places.remove(&order_id) {
                    self.orders.remove(&place);
                    self.ahead.remove(&place);
                }
            }
        }
    }

    /// The quantity ahead of an order, if it is in the queue. From the first question on, events
    /// keep it.
    pub fn ahead(&mut self, order_id: OrderId) -> Option<Qty> {
        let place = *self.places.get(&order_id)?;
        let walk = || self.orders.range(..place).fold(Qty::ZERO, |sum, (_, qty)| sum + *qty);
        Some(*self.ahead.entry(place).or_insert_with(walk))
    }

    fn insert(&mut self, order_id: OrderId, qty: Qty, place: u64) {
        self.orders.insert(place, qty);
        self.places.insert(order_id, place);
    }

    /// An order that is not known yet comes with a later part, or never.
    fn reduce(&mut self, order_id: OrderId, by: Qty) {
        let Some(place) = self.places.get(&order_id) else { return };
        if let Some(qty) = self.orders.get_mut(place) {
            *qty -= by;
        }
        self.ahead.range_mut(place + 1..).for_each(|(_, ahead)| *ahead -= by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QTY: Qty = Qty::from_lots(10);

    fn part(ids: &[u64]) -> Vec<(OrderId, Qty)> {
        ids.iter().map(|id| (OrderId(*id), QTY)).collect()
    }

    fn ahead(queue: &mut LevelQueue, id: u64) -> Option<u64> {
        queue.ahead(OrderId(id)).map(Qty::lots)
    }

    #[test]
    fn a_part_behind_an_order_that_joined_the_end_again_says_nothing() {
        let mut queue = LevelQueue::default();
        queue.take_part(None, &part(&[1, 2]), false);
        assert_eq!(queue.behind(), Some(OrderId(2)));
        queue.apply(OrderId(2), OrderChange::Removed(QTY));
        queue.apply(OrderId(2), OrderChange::Added(QTY));
        queue.take_part(Some(OrderId(2)), &[], true);
        assert_eq!((queue.is_complete(), queue.behind()), (false, None));
        queue.take_part(None, &part(&[1, 3]), false);
        queue.take_part(Some(OrderId(3)), &part(&[4, 2]), false);
        assert!(queue.is_complete());
        let found = [1, 3, 4, 2].map(|id| ahead(&mut queue, id));
        assert_eq!(found, [Some(0), Some(10), Some(20), Some(30)]);
    }

    #[test]
    fn the_parts_end_where_orders_begin_that_came_with_events() {
        let mut queue = LevelQueue::default();
        queue.take_part(None, &part(&[1]), false);
        for id in [5, 6, 7] {
            queue.apply(OrderId(id), OrderChange::Added(QTY));
        }
        queue.take_part(Some(OrderId(1)), &part(&[5, 6]), false);
        assert!(queue.is_complete());
        assert_eq!(ahead(&mut queue, 7), Some(30));
        queue.apply(OrderId(5), OrderChange::Reduced(Qty::from_lots(4)));
        queue.apply(OrderId(1), OrderChange::Removed(QTY));
        assert_eq!(ahead(&mut queue, 7), Some(16));
        assert_eq!([ahead(&mut queue, 5), ahead(&mut queue, 1)], [Some(0), None]);
    }
}
