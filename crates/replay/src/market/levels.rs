//! Recorded levels, as orders of their own: one for each time that a level grew.

use std::collections::{BTreeMap, VecDeque};

use recorded::Event;
use types::{Price, Side};

use super::{Desk, MarketStep};

#[derive(Debug, Default)]
pub(super) struct Levels {
    bids: BTreeMap<Price, Level>,
    asks: BTreeMap<Price, Level>,
    are_used: bool,
    /// Whether orders may stand: those of levels, and those that the record has executed while an
    /// order of another account was executed in their place.
    may_stand: bool,
}

/// A level as the record has it, whatever other accounts have taken off it.
#[derive(Debug, Default)]
struct Level {
    lots: u64,
    /// The oldest first. None is empty.
    parts: VecDeque<Part>,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    number: u64,
    /// In the recording's lots, with what was executed.
    order_lots: u64,
    left_lots: u64,
}

impl Levels {
    /// Whether the data have levels.
    pub(super) fn are_used(&self) -> bool {
        self.are_used
    }

    /// Gives a level its total.
    pub(super) fn set(&mut self, event: &Event, desk: &mut Desk, out: &mut Vec<MarketStep>) {
        (self.are_used, self.may_stand) = (true, true);
        let Some(side) = event.side else { return };
        let (price, lots) = (event.price, event.quantity.lots());
        let levels = self.of(side);
        let level = levels.entry(price).or_default();
        if lots > level.lots {
            let grown = lots - level.lots;
            let number = desk.rest(side, price, grown, out);
            level.parts.push_back(Part { number, order_lots: grown, left_lots: grown });
        } else {
            level.shrink(level.lots - lots, desk, out);
        }
        level.lots = lots;
        if lots == 0 {
            levels.remove(&price);
        }
    }

    /// A trade takes what it can off the oldest orders of its level: the total that follows in the
    /// data is without it.
    pub(super) fn trade(&mut self, event: &Event) {
        let Some(aggressor) = event.side else { return };
        let levels = self.of(aggressor.opposite());
        let Some(level) = levels.get_mut(&event.price) else { return };
        level.execute(event.quantity.lots());
        if level.lots == 0 {
            levels.remove(&event.price);
        }
    }

    /// Takes away the levels of a side, or of both; with a price those from the best up to it.
    pub(super) fn clear(&mut self, event: &Event, desk: &Desk, out: &mut Vec<MarketStep>) {
        let bound = event.price;
        let sides = event.side.map_or(vec![Side::Buy, Side::Sell], |side| vec![side]);
        if bound.ticks() == 0 {
            sides.into_iter().for_each(|side| self.of(side).clear());
            if self.may_stand {
                desk.cancel_side(event.side, out);
            }
            self.may_stand &= event.side.is_some();
            return;
        }
        for side in sides {
            self.of(side).retain(|price, level| {
                let stays = if side == Side::Buy { *price < bound } else { *price > bound };
                if !stays {
                    level.parts.iter().for_each(|part| desk.cancel(part.number, out));
                }
                stays
            });
        }
    }

    fn of(&mut self, side: Side) -> &mut BTreeMap<Price, Level> {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }
}

impl Level {
    /// Takes quantity off the youngest orders.
    fn shrink(&mut self, mut lots: u64, desk: &Desk, out: &mut Vec<MarketStep>) {
        while lots > 0 {
            let Some(part) = self.parts.back_mut() else { return };
            if lots < part.left_lots {
                part.left_lots -= lots;
                part.order_lots -= lots;
                return desk.reduce(part.number, part.order_lots, out);
            }
            lots -= part.left_lots;
            desk.cancel(part.number, out);
            self.parts.pop_back();
        }
    }

    fn execute(&mut self, lots: u64) {
        let mut rest = lots.min(self.lots);
        self.lots -= rest;
        while rest > 0 {
            let Some(part) = self.parts.front_mut() else { return };
            let taken = rest.min(part.left_lots);
            part.left_lots -= taken;
            rest -= taken;
            if part.left_lots == 0 {
                self.parts.pop_front();
            }
        }
    }
}
