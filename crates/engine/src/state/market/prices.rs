//! The prices of an instrument that triggers wait for.

use types::{Phase, Price, Side};

use crate::state::market::Market;
use crate::state::market::trading::Trading;
use crate::state::triggers::direction::Direction;

impl Market {
    /// What stop prices are compared with.
    pub(crate) fn trigger_price(&self, direction: Direction) -> Option<Price> {
        let quoted = match direction {
            Direction::Rise => Side::Sell,
            Direction::Fall => Side::Buy,
        };
        match self.trading.last_price {
            None if self.trading.phase == Phase::Continuous => self.book.best_price(quoted),
            last_price => last_price,
        }
    }

    /// There is a trade at this price, which triggers may wait for.
    #[inline]
    pub(crate) fn note_price(&mut self, price: Price) {
        if self.triggers.any_wait() && self.trading.last_price != Some(price) {
            self.triggers.note(price);
        }
    }

    /// Whether triggers have anything to do now.
    #[cold]
    pub(super) fn triggers_move(&self) -> bool {
        let Trading { phase, last_price, .. } = &self.trading;
        self.triggers.has_prices()
            || *phase == Phase::Continuous && (self.triggers.any_reached() || last_price.is_none())
    }
}
