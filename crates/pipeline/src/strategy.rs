//! The two strategies that the pipeline is measured with.

use types::Side;

use crate::book::{Best, Book};
use crate::message::Update;

/// One tick, in the units of the messages' prices.
const TICK: i64 = 100;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum StrategyKind {
    /// Quotes both sides, and replaces its quotes after the middle has moved: orders on about one
    /// message in a thousand.
    MarketMaker,
    /// Takes in the direction of the book's pressure: orders on nearly all messages.
    Momentum,
}

/// An order that a strategy wants.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Order {
    pub(crate) price: i64,
    pub(crate) quantity: u32,
    pub(crate) side: Side,
    /// Whether the remainder is canceled; else the order replaces the last quote of its side.
    pub(crate) is_ioc: bool,
}

/// Up to one order for each side.
pub(crate) type Wanted = [Option<Order>; 2];

pub(crate) trait Strategy {
    fn on_update(&mut self, book: &Book, update: &Update, position: i64) -> Wanted;
}

/// Quotes around the middle, away from the side in which it has a position.
#[derive(Debug, Default)]
pub(crate) struct MarketMaker {
    /// Twice the middle at the last quotes.
    quoted: i64,
}

impl MarketMaker {
    const QUANTITY: u32 = 10;
    const HALF_SPREAD: i64 = 2 * TICK;
    /// Twice the move of the middle after which it quotes again.
    const MOVE: i64 = 6 * TICK;
    /// Moves both quotes by a tick for this position.
    const POSITION_PER_TICK: i64 = 200;
    const SKEW_MAX: i64 = 5;
}

impl Strategy for MarketMaker {
    #[inline]
    fn on_update(&mut self, book: &Book, _: &Update, position: i64) -> Wanted {
        let Some((bid, ask)) = touch(book) else { return [None; 2] };
        let middle = bid.price + ask.price;
        if (middle - self.quoted).abs() < Self::MOVE {
            return [None; 2];
        }
        self.quoted = middle;
        let skew = (position / Self::POSITION_PER_TICK).clamp(-Self::SKEW_MAX, Self::SKEW_MAX);
        let fair = middle / 2 / TICK * TICK - skew * TICK;
        let quote =
            |side, price| Some(Order { price, quantity: Self::QUANTITY, side, is_ioc: false });
        [
            quote(Side::Buy, (fair - Self::HALF_SPREAD).min(ask.price - TICK)),
            quote(Side::Sell, (fair + Self::HALF_SPREAD).max(bid.price + TICK)),
        ]
    }
}

/// Compares the middle, weighted by the quantities at the touch, with its own average.
#[derive(Debug, Default)]
pub(crate) struct Momentum {
    /// In units of 2^-8.
    average: i64,
}

impl Momentum {
    const QUANTITY: u32 = 1;
    const UNIT: i64 = 1 << 8;
    /// The average moves by this part of the difference, as a power of two.
    const WEIGHT: u32 = 6;
    /// The difference that is a signal.
    const SIGNAL: i64 = 3 * Self::UNIT;
}

impl Strategy for Momentum {
    #[inline]
    fn on_update(&mut self, book: &Book, _: &Update, _: i64) -> Wanted {
        let Some((bid, ask)) = touch(book) else { return [None; 2] };
        let (bids, asks) = (bid.quantity.cast_signed(), ask.quantity.cast_signed());
        let weighted = (bid.price * asks + ask.price * bids) * Self::UNIT / (bids + asks);
        let difference = weighted - self.average;
        self.average += difference >> Self::WEIGHT;
        if difference.abs() < Self::SIGNAL {
            return [None; 2];
        }
        let (side, price) =
            if difference > 0 { (Side::Buy, ask.price) } else { (Side::Sell, bid.price) };
        [Some(Order { price, quantity: Self::QUANTITY, side, is_ioc: true }), None]
    }
}

#[inline]
fn touch(book: &Book) -> Option<(Best, Best)> {
    Some((book.best(Side::Buy)?, book.best(Side::Sell)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Kind;

    fn book(bid: (u32, u32), ask: (u32, u32)) -> Book {
        let mut book = Book::new();
        book.apply(&Update::new(Kind::Add, Side::Buy, 1, bid.0, bid.1));
        book.apply(&Update::new(Kind::Add, Side::Sell, 2, ask.0, ask.1));
        book
    }

    const UPDATE: Update = Update::new(Kind::Other, Side::Buy, 0, 0, 0);

    #[test]
    fn the_market_maker_quotes_again_after_a_move_only() {
        let mut maker = MarketMaker::default();
        let prices = |wanted: Wanted| wanted.map(|order| order.map(|order| order.price));
        let quiet = book((10_000, 5), (10_200, 5));
        assert_eq!(prices(maker.on_update(&quiet, &UPDATE, 0)), [Some(9_900), Some(10_300)]);
        assert_eq!(prices(maker.on_update(&quiet, &UPDATE, 0)), [None, None]);
        let moved = book((10_300, 5), (10_500, 5));
        // A long position lowers both quotes.
        assert_eq!(prices(maker.on_update(&moved, &UPDATE, 400)), [Some(10_000), Some(10_400)]);
    }

    #[test]
    fn momentum_takes_in_the_direction_of_the_pressure() {
        let mut momentum = Momentum { average: 10_100 * Momentum::UNIT };
        let order = |wanted: Wanted| wanted[0].map(|order| (order.side, order.price));
        let bought = book((10_000, 90), (10_200, 10));
        assert_eq!(order(momentum.on_update(&bought, &UPDATE, 0)), Some((Side::Buy, 10_200)));
        let sold = book((10_000, 10), (10_200, 90));
        assert_eq!(order(momentum.on_update(&sold, &UPDATE, 0)), Some((Side::Sell, 10_000)));
        momentum.average = 10_100 * Momentum::UNIT;
        let even = book((10_000, 10), (10_200, 10));
        assert_eq!(order(momentum.on_update(&even, &UPDATE, 0)), None);
    }
}
