//! Prices of an instrument for triggers.

use types::{Phase, Price, Side};

use crate::state::market::Market;
use crate::state::market::trading::Trading;
use crate::state::triggers::direction::Direction;

impl Market {
    /// The price that stop prices are compared with.
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

    /// Records a trade price, for which triggers may wait.
    #[inline]
    pub(crate) fn record_price(&mut self, price: Price) {
        if self.triggers.any_wait() && self.trading.last_price != Some(price) {
            self.triggers.record_price(price);
        }
    }

    /// Whether triggers have work now.
    #[cold]
    pub(super) fn triggers_move(&self) -> bool {
        let Trading { phase, last_price, .. } = &self.trading;
        self.triggers.has_prices()
            || *phase == Phase::Continuous && (self.triggers.any_reached() || last_price.is_none())
    }
}
