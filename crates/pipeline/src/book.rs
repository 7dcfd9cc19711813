//! The book of one instrument from updates of orders.
//!
//! Orders are in a table of a fixed size, with linear probing; levels are in an array of a fixed
//! size for each side, the best one last, because most changes are near it.

use types::Side;

use crate::message::{Kind, Update};

/// The table is at most half full, so that a look takes few steps.
pub(crate) const ORDERS_MAX: usize = 8_192;
const SLOTS: usize = ORDERS_MAX * 2;
const LEVELS_MAX: usize = 4_096;

/// See the module. It never allocates after [`Book::new`].
#[derive(Debug)]
pub struct Book {
    slots: Box<[Slot]>,
    orders: usize,
    /// Bids, then asks.
    sides: [Levels; 2],
    /// Updates that named an unknown order, or one too many.
    refused: u64,
}

/// A resting order; its id is zero in an empty slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    order: u64,
    price: u32,
    quantity: u32,
    side: Side,
}

const EMPTY: Slot = Slot { order: 0, price: 0, quantity: 0, side: Side::Buy };

/// Levels by their key, which grows towards the best: the price of a bid, minus that of an ask.
#[derive(Debug)]
struct Levels(Vec<(i64, u64)>);

/// The best level of a side.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Best {
    pub price: i64,
    pub quantity: u64,
}

impl Default for Book {
    fn default() -> Self {
        Self::new()
    }
}

impl Book {
    pub fn new() -> Self {
        let levels = || Levels(Vec::with_capacity(LEVELS_MAX));
        let slots = vec![EMPTY; SLOTS].into_boxed_slice();
        Self { slots, orders: 0, sides: [levels(), levels()], refused: 0 }
    }

    /// The best level of a side.
    #[inline]
    pub fn best(&self, side: Side) -> Option<Best> {
        let (key, quantity) = *self.sides[side as usize].0.last()?;
        Some(Best { price: if side == Side::Buy { key } else { -key }, quantity })
    }

    /// Updates that were refused.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    #[inline]
    pub fn apply(&mut self, update: &Update) {
        let is_done = match update.kind {
            Kind::Add => self.add(update),
            Kind::Reduce => self.reduce(update.order, |had| had.saturating_sub(update.quantity)),
            Kind::Change => self.reduce(update.order, |_| update.quantity),
            Kind::Delete => self.reduce(update.order, |_| 0),
            Kind::Trade | Kind::Other => true,
        };
        self.refused += u64::from(!is_done);
    }

    #[inline]
    fn add(&mut self, update: &Update) -> bool {
        let at = self.find(update.order);
        let is_free = self.slots[at].order == 0;
        if !is_free || update.order == 0 || update.quantity == 0 || self.orders == ORDERS_MAX {
            return false;
        }
        let &Update { order, price, quantity, side, .. } = update;
        if !self.sides[side as usize].change(key(side, price), quantity.into(), 0) {
            return false;
        }
        self.slots[at] = Slot { order, price, quantity, side };
        self.orders += 1;
        true
    }

    #[inline]
    fn reduce(&mut self, order: u64, leaves: impl Fn(u32) -> u32) -> bool {
        let at = self.find(order);
        let slot = self.slots[at];
        if slot.order == 0 {
            return false;
        }
        let leaves = leaves(slot.quantity);
        let levels = &mut self.sides[slot.side as usize];
        let is_known =
            levels.change(key(slot.side, slot.price), leaves.into(), slot.quantity.into());
        debug_assert!(is_known, "each resting order is in its level");
        if leaves == 0 {
            self.remove(at);
        } else {
            self.slots[at].quantity = leaves;
        }
        true
    }

    /// The slot of an order, or the empty one where it belongs.
    #[inline]
    fn find(&self, order: u64) -> usize {
        let mut at = home(order);
        while self.slots[at].order != order && self.slots[at].order != 0 {
            at = (at + 1) % SLOTS;
        }
        at
    }

    /// Empties a slot, and moves later ones nearer to where they belong, so that a look may end at
    /// the first empty slot.
    #[inline]
    fn remove(&mut self, mut hole: usize) {
        self.orders -= 1;
        let mut at = hole;
        loop {
            at = (at + 1) % SLOTS;
            let order = self.slots[at].order;
            if order == 0 {
                break;
            }
            let distance = |from: usize, to: usize| to.wrapping_sub(from) % SLOTS;
            if distance(home(order), at) >= distance(hole, at) {
                self.slots[hole] = self.slots[at];
                hole = at;
            }
        }
        self.slots[hole] = EMPTY;
    }
}

/// Where the search for an order begins: ids that count up are spread over the table.
#[inline]
fn home(order: u64) -> usize {
    const SHIFT: u32 = u64::BITS - SLOTS.trailing_zeros();
    (order.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> SHIFT) as usize
}

#[inline]
fn key(side: Side, price: u32) -> i64 {
    match side {
        Side::Buy => price.into(),
        Side::Sell => -i64::from(price),
    }
}

impl Levels {
    /// Takes `less` off a level and adds `more`; false if there is no room for a new level, or
    /// nothing to take from.
    #[inline]
    fn change(&mut self, key: i64, more: u64, less: u64) -> bool {
        let levels = &mut self.0;
        let mut at = levels.len();
        while at > 0 && levels[at - 1].0 > key {
            at -= 1;
        }
        if at > 0 && levels[at - 1].0 == key {
            let level = &mut levels[at - 1];
            level.1 = level.1 + more - less;
            if level.1 == 0 {
                levels.remove(at - 1);
            }
            return true;
        }
        if less > 0 || levels.len() == LEVELS_MAX {
            return false;
        }
        levels.insert(at, (key, more));
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use super::*;

    #[test]
    fn the_best_level_follows_its_orders() {
        let mut book = Book::new();
        let apply = |book: &mut Book, kind, side, order, price, quantity| {
            book.apply(&Update::new(kind, side, order, price, quantity));
        };
        apply(&mut book, Kind::Add, Side::Buy, 1, 100, 5);
        apply(&mut book, Kind::Add, Side::Buy, 2, 101, 5);
        apply(&mut book, Kind::Add, Side::Buy, 3, 101, 2);
        apply(&mut book, Kind::Add, Side::Sell, 4, 103, 9);
        assert_eq!(book.best(Side::Buy), Some(Best { price: 101, quantity: 7 }));
        apply(&mut book, Kind::Reduce, Side::Buy, 2, 0, 1);
        apply(&mut book, Kind::Change, Side::Buy, 3, 0, 1);
        assert_eq!(book.best(Side::Buy), Some(Best { price: 101, quantity: 5 }));
        apply(&mut book, Kind::Delete, Side::Buy, 2, 0, 0);
        apply(&mut book, Kind::Reduce, Side::Buy, 3, 0, 9);
        assert_eq!(book.best(Side::Buy), Some(Best { price: 100, quantity: 5 }));
        assert_eq!(book.best(Side::Sell), Some(Best { price: 103, quantity: 9 }));
        apply(&mut book, Kind::Delete, Side::Buy, 77, 0, 0);
        apply(&mut book, Kind::Add, Side::Buy, 1, 100, 5);
        assert_eq!(book.refused(), 2);
    }

    #[test]
    fn a_full_book_refuses_and_lives_on() {
        let mut book = Book::new();
        for order in 1..=ORDERS_MAX as u64 + 5 {
            book.apply(&Update::new(Kind::Add, Side::Buy, order, order as u32 % 100 + 1, 1));
        }
        assert_eq!(book.refused(), 5);
        book.apply(&Update::new(Kind::Delete, Side::Buy, 1, 0, 0));
        book.apply(&Update::new(Kind::Add, Side::Buy, 1, 500, 1));
        assert_eq!(book.best(Side::Buy), Some(Best { price: 500, quantity: 1 }));
    }

    /// Random orders, against maps.
    #[test]
    fn agrees_with_a_plain_model() {
        for seed in 1..40_u64 {
            let mut random = crate::flow::Random(seed);
            let mut book = Book::new();
            let mut orders: HashMap<u64, (Side, u32, u32)> = HashMap::new();
            for _ in 0..3_000 {
                let order = random.below(400) + 1;
                let side = if random.below(2) == 0 { Side::Buy } else { Side::Sell };
                let (price, quantity) = (random.below(50) as u32 + 1, random.below(9) as u32 + 1);
                let kinds = [Kind::Add, Kind::Add, Kind::Reduce, Kind::Change, Kind::Delete];
                let kind = kinds[random.below(5) as usize];
                book.apply(&Update::new(kind, side, order, price, quantity));
                match kind {
                    Kind::Add => {
                        orders.entry(order).or_insert((side, price, quantity));
                    }
                    Kind::Change => {
                        orders.entry(order).and_modify(|at| at.2 = quantity);
                    }
                    Kind::Reduce => {
                        orders.entry(order).and_modify(|at| at.2 = at.2.saturating_sub(quantity));
                    }
                    _ => {
                        orders.remove(&order);
                    }
                }
                orders.retain(|_, at| at.2 > 0);
            }
            for side in [Side::Buy, Side::Sell] {
                let mut levels: BTreeMap<i64, u64> = BTreeMap::new();
                for (_, price, quantity) in orders.values().filter(|at| at.0 == side) {
                    *levels.entry(key(side, *price)).or_default() += u64::from(*quantity);
                }
                let levels: Vec<_> = levels.into_iter().collect();
                assert_eq!(book.sides[side as usize].0, levels, "seed {seed}");
            }
            assert_eq!(book.orders, orders.len(), "seed {seed}");
        }
    }
}
