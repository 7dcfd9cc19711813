//! What the bots trade, how close and how much, and what they think it is worth.

use types::Price;

use super::walk::Walk;
use crate::random::Random;

/// One instrument, as the bots see it. Distances are in ticks, quantities in lots.
#[derive(Debug)]
pub(super) struct Market {
    pub(super) symbol: &'static str,
    pub(super) tick_size: &'static str,
    pub(super) lot_size: &'static str,
    pub(super) worth: Worth,
    /// From the reference price to the best quote, and from one quote to the next.
    pub(super) half_spread: i64,
    pub(super) gap: i64,
    /// How far a quote may be from where it should be before it is moved.
    pub(super) slack: i64,
    /// What the best quote shows, about; the others show more.
    pub(super) quote_lots: u64,
    pub(super) take_lots_min: u64,
    pub(super) take_lots_max: u64,
}

/// Where the reference price comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Worth {
    Walks {
        start: i64,
        step: i64,
    },
    /// The price of one instrument in terms of another's: no client shall gain by going round.
    Cross {
        base: usize,
        quote: usize,
        ticks_per_one: i64,
    },
}

const BTCUSDT: usize = 0;
const ETHUSDT: usize = 1;

pub(super) const MARKETS: [Market; 3] = [
    Market {
        symbol: "BTCUSDT",
        tick_size: "0.01",
        lot_size: "0.00001",
        worth: Worth::Walks { start: 6_000_000, step: 120 },
        half_spread: 250,
        gap: 300,
        slack: 140,
        quote_lots: 10_000,
        take_lots_min: 50,
        take_lots_max: 5_000,
    },
    Market {
        symbol: "ETHUSDT",
        tick_size: "0.01",
        lot_size: "0.0001",
        worth: Worth::Walks { start: 300_000, step: 8 },
        half_spread: 15,
        gap: 20,
        slack: 9,
        quote_lots: 20_000,
        take_lots_min: 100,
        take_lots_max: 10_000,
    },
    Market {
        symbol: "ETHBTC",
        tick_size: "0.00001",
        lot_size: "0.001",
        worth: Worth::Cross { base: ETHUSDT, quote: BTCUSDT, ticks_per_one: 100_000 },
        half_spread: 1,
        gap: 1,
        slack: 0,
        quote_lots: 2_000,
        take_lots_min: 10,
        take_lots_max: 1_000,
    },
];

/// The reference price of each market.
#[derive(Debug)]
pub(super) struct Prices {
    walks: Vec<Option<Walk>>,
}

impl Prices {
    pub(super) fn new(seed: u64) -> Self {
        let walk = |(stream, market): (u64, &Market)| match market.worth {
            Worth::Walks { start, step } => {
                Some(Walk::new(Price::from_ticks(start), step, Random::new(seed, stream)))
            }
            Worth::Cross { .. } => None,
        };
        Self { walks: (100..).zip(&MARKETS).map(walk).collect() }
    }

    pub(super) fn step(&mut self, market: usize) {
        if let Some(walk) = &mut self.walks[market] {
            walk.step();
        }
    }

    pub(super) fn price(&self, market: usize) -> Price {
        match (&self.walks[market], MARKETS[market].worth) {
            (Some(walk), _) => walk.price(),
            (None, Worth::Cross { base, quote, ticks_per_one }) => {
                let (base, quote) = (self.price(base).ticks(), self.price(quote).ticks());
                Price::from_ticks((base * ticks_per_one + quote / 2) / quote)
            }
            (None, Worth::Walks { .. }) => unreachable!("a market that walks has a walk"),
        }
    }
}

#[cfg(test)]
mod tests {
    use types::Increment;

    use super::*;

    #[test]
    fn the_cross_follows_the_two_others() {
        let mut prices = Prices::new(1);
        assert_eq!(
            (0..3).map(|at| prices.price(at).ticks()).collect::<Vec<_>>(),
            [6_000_000, 300_000, 5_000]
        );
        for _ in 0..50_000 {
            prices.step(0);
            prices.step(2); // Has no walk of its own.
        }
        let exact = 300_000 * 100_000 / prices.price(0).ticks();
        assert!((prices.price(2).ticks() - exact).abs() <= 1);
        assert_ne!(prices.price(2).ticks(), 5_000);
    }

    #[test]
    fn quotes_within_their_slack_neither_cross_nor_change_places() {
        for market in &MARKETS {
            assert!(market.slack < market.half_spread, "{}", market.symbol);
            assert!(market.slack * 2 < market.gap, "{}", market.symbol);
        }
    }

    #[test]
    fn the_smallest_order_is_worth_enough() {
        for (at, market) in MARKETS.iter().enumerate() {
            let size = |text, count| {
                let digits = Increment::parse(text).unwrap().format(count, 8).replace('.', "");
                digits.parse::<i128>().unwrap()
            };
            // A tenth of the price it starts with, to be far on the safe side.
            let price = size(market.tick_size, i128::from(Prices::new(0).price(at).ticks()) / 10);
            let qty = size(market.lot_size, i128::from(market.take_lots_min));
            let notional_min = if market.symbol == "ETHBTC" { 1_000 } else { 100_000_000 };
            assert!(price * qty / 100_000_000 >= notional_min, "{}", market.symbol);
        }
    }
}
