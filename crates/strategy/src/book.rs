//! A book by levels: quantities by price on both sides, and the two best prices.
//!
//! A level that the other side's best price has crossed is hidden, and keeps its quantity until the
//! feed changes it: feeds with lost messages mend themselves this way, and hftbacktest does the
//! same. The best price of a side moves away from the touch only to levels beyond the crossing.
//!
//! # Invariants
//! - The best bid is below the best ask.
//! - A best price has a quantity.

mod ladder;

use types::{Price, Qty, Side};

use self::ladder::{Ladder, NONE};

/// Both sides of one instrument.
#[derive(Clone, Debug)]
pub struct Book {
    bids: Ladder,
    asks: Ladder,
}

/// What one update of a level changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) previous: u64,
    /// Whether the best price of the side moved towards the other side.
    pub(crate) improved: bool,
}

impl Default for Book {
    fn default() -> Self {
        Self { bids: Ladder::new(), asks: Ladder::new() }
    }
}

impl Book {
    pub fn best(&self, side: Side) -> Option<Price> {
        let best = self.ladder(side).best();
        (best != NONE).then(|| price(side, best))
    }

    pub fn best_bid(&self) -> Option<Price> {
        self.best(Side::Buy)
    }

    pub fn best_ask(&self) -> Option<Price> {
        self.best(Side::Sell)
    }

    /// The middle of both best prices, times two.
    pub fn twice_mid(&self) -> Option<i64> {
        let (bid, ask) = (self.bids.best(), self.asks.best());
        (bid != NONE && ask != NONE).then(|| price(Side::Buy, bid).ticks() + ask)
    }

    pub fn qty(&self, side: Side, at: Price) -> Qty {
        Qty::from_lots(self.ladder(side).get(key(side, at)))
    }

    /// Levels from the best price outwards.
    pub fn levels(&self, side: Side) -> impl Iterator<Item = (Price, Qty)> + '_ {
        let ladder = self.ladder(side);
        let mut next = ladder.best();
        std::iter::from_fn(move || {
            let at = (next != NONE).then_some(next)?;
            next = ladder.next_above(at);
            Some((price(side, at), Qty::from_lots(ladder.get(at))))
        })
    }

    #[inline]
    pub(crate) fn update(&mut self, side: Side, at: Price, lots: u64) -> Change {
        let key = key(side, at);
        let (ladder, opposite) = match side {
            Side::Buy => (&mut self.bids, &mut self.asks),
            Side::Sell => (&mut self.asks, &mut self.bids),
        };
        let previous = ladder.set(key, lots);
        let best = ladder.best();
        if lots == 0 {
            if key == best {
                ladder.set_best(ladder.next_above(key));
            }
            return Change { previous, improved: false };
        }
        if key >= best {
            return Change { previous, improved: false };
        }
        ladder.set_best(key);
        // Keys of both sides grow away from the touch: `!key` is the same price on the other side.
        let across = !key;
        if opposite.best() != NONE && opposite.best() <= across {
            opposite.set_best(opposite.next_above(across));
        }
        Change { previous, improved: true }
    }

    /// Removes all levels of a side from the best to `to`, or all where it is `None`.
    pub(crate) fn clear(&mut self, side: Side, to: Option<Price>) {
        let ladder = match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        };
        ladder.clear(to.map(|to| key(side, to)));
    }

    fn ladder(&self, side: Side) -> &Ladder {
        match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        }
    }
}

/// The better a price, the lower its key.
#[inline]
const fn key(side: Side, price: Price) -> i64 {
    match side {
        Side::Buy => !price.ticks(),
        Side::Sell => price.ticks(),
    }
}

#[inline]
const fn price(side: Side, key: i64) -> Price {
    Price::from_ticks(match side {
        Side::Buy => !key,
        Side::Sell => key,
    })
}

#[cfg(test)]
mod tests;
