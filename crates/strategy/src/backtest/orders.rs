//! Markets that are known order by order, and the record's orders by their ids.
//!
//! `impact.rs` has own orders inside the engine's book, where the record trades with them.
//! `follow.rs` leaves the record as it is and places own orders in its queues.

mod follow;
mod impact;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use recorded::{Event, Kind};
use types::{Price, Qty, Side};

pub(crate) use self::follow::FollowMarket;
pub(crate) use self::impact::ImpactMarket;
use crate::book::Book;
use crate::context::View;

/// What the record and a market of own orders did not agree on, in lots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Divergence {
    /// Executed in the record.
    pub executed: u64,
    /// Executed in the record, but nothing stood there.
    pub unmatched: u64,
    /// Canceled in the record after another execution had taken it.
    pub canceled: u64,
    /// Changes of orders that are not known.
    pub unknown: u64,
}

impl Divergence {
    /// The part of the executed lots that went another way than in the record.
    pub fn part(&self) -> f64 {
        if self.executed == 0 {
            return 0.0;
        }
        (self.unmatched + self.canceled) as f64 / self.executed as f64
    }
}

/// An order of the record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) price: Price,
    pub(crate) lots: u64,
    pub(crate) side: Side,
    /// Grows with each order that takes a place in a queue.
    pub(crate) stamp: u64,
}

/// Ids are spread over the map by one multiplication: they come from a market, not from an
/// attacker.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    #[inline]
    fn write_u64(&mut self, id: u64) {
        let product = u128::from(id ^ self.0) * u128::from(0x9E37_79B9_7F4A_7C15_u64);
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

pub(crate) type ById<T> = HashMap<u64, T, BuildHasherDefault<IdHasher>>;

/// The record's orders, and the best price that an event has moved.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    orders: ById<Known>,
    pub(crate) stamp: u64,
    pub(crate) unknown: u64,
}

/// What an event did to the record's book.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Effect {
    Nothing,
    /// The best price of this side moved towards the other side.
    Improved(Side),
}

impl Table {
    pub(crate) fn get(&self, id: u64) -> Option<&Known> {
        self.orders.get(&id)
    }

    /// Applies an event to the orders and to a book of their levels.
    #[inline]
    pub(crate) fn apply(&mut self, book: &mut Book, event: &Event) -> Effect {
        let lots = event.quantity.lots();
        match event.kind {
            Kind::Add => {
                let Some(side) = event.side else { return Effect::Nothing };
                self.stamp += 1;
                let known = Known { price: event.price, lots, side, stamp: self.stamp };
                if let Some(before) = self.orders.insert(event.order, known) {
                    self.unknown += 1;
                    change(book, &before, before.lots, 0);
                }
                enter(book, side, event.price, lots)
            }
            Kind::Cancel | Kind::Execute => self.take(book, event.order, lots),
            Kind::Delete => self.take(book, event.order, u64::MAX),
            Kind::Modify => self.modify(book, event),
            Kind::Clear => {
                self.clear(book, event);
                Effect::Nothing
            }
            _ => Effect::Nothing,
        }
    }

    fn take(&mut self, book: &mut Book, id: u64, lots: u64) -> Effect {
        let Some(known) = self.orders.get_mut(&id) else {
            self.unknown += 1;
            return Effect::Nothing;
        };
        let taken = lots.min(known.lots);
        known.lots -= taken;
        let known = *known;
        if known.lots == 0 {
            self.orders.remove(&id);
        }
        change(book, &known, taken, 0);
        Effect::Nothing
    }

    fn modify(&mut self, book: &mut Book, event: &Event) -> Effect {
        let lots = event.quantity.lots();
        let Some(known) = self.orders.get_mut(&event.order) else {
            self.unknown += 1;
            return Effect::Nothing;
        };
        let before = *known;
        let keeps_place = before.price == event.price && lots <= before.lots;
        known.price = event.price;
        known.lots = lots;
        if !keeps_place {
            self.stamp += 1;
            known.stamp = self.stamp;
        }
        if before.price == event.price {
            change(book, &before, before.lots, lots);
            return Effect::Nothing;
        }
        change(book, &before, before.lots, 0);
        enter(book, before.side, event.price, lots)
    }

    fn clear(&mut self, book: &mut Book, event: &Event) {
        for side in [Side::Buy, Side::Sell] {
            if event.side.is_none_or(|of| of == side) {
                self.orders.retain(|_, known| known.side != side);
                book.clear(side, None);
            }
        }
    }
}

/// Takes lots off a level and adds others.
fn change(book: &mut Book, known: &Known, off: u64, on: u64) {
    let lots = book.qty(known.side, known.price).lots();
    book.update(known.side, known.price, lots.saturating_sub(off) + on);
}

fn enter(book: &mut Book, side: Side, price: Price, lots: u64) -> Effect {
    let before = book.qty(side, price).lots();
    let change = book.update(side, price, before + lots);
    if change.improved { Effect::Improved(side) } else { Effect::Nothing }
}

/// The strategy's side of an event: both markets share it.
#[inline]
pub(crate) fn see(table: &mut Table, view: &mut View, event: &Event) {
    if matches!(event.kind, Kind::Trade | Kind::Execute) {
        view.last_price = Some(event.price);
    }
    table.apply(&mut view.book, event);
}

/// What `qty` of an own order rests where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own {
    pub(crate) id: types::OrderId,
    pub(crate) price: Price,
    pub(crate) qty: Qty,
    pub(crate) side: Side,
    pub(crate) stamp: u64,
    pub(crate) since_ns: i64,
    pub(crate) is_post_only: bool,
}

#[cfg(test)]
mod tests;
