//! What the bots trade, how close and how much, and what they think it is worth.

use types::Price;

use super::walk::Walk;
use crate::random::Random;
use crate::settings::demo::Demo;

/// One instrument, as the bots see it. Distances are in ticks, quantities in lots.
#[derive(Clone, Debug)]
pub(super) struct Market {
    pub(super) symbol: &'static str,
    pub(super) tick_size: &'static str,
    pub(super) lot_size: &'static str,
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

/// What no setting changes.
struct Listed {
    symbol: &'static str,
    tick_size: &'static str,
    lot_size: &'static str,
    /// In ticks.
    first_price: i64,
    /// Price of the base asset in USDT, at the first prices.
    base_usdt: u64,
    lots_per_base: u64,
    worth: Worth,
}

/// Where the reference price comes from.
#[derive(Clone, Copy, Debug)]
enum Worth {
    Walks,
    /// The price of one instrument in terms of another's: no client shall gain by going round.
    Cross {
        base: usize,
        quote: usize,
        ticks_per_one: i64,
    },
}

const BTCUSDT: usize = 0;
const ETHUSDT: usize = 1;

const LISTED: [Listed; 3] = [
    Listed {
        symbol: "BTCUSDT",
        tick_size: "0.01",
        lot_size: "0.00001",
        first_price: 6_000_000,
        base_usdt: 60_000,
        lots_per_base: 100_000,
        worth: Worth::Walks,
    },
    Listed {
        symbol: "ETHUSDT",
        tick_size: "0.01",
        lot_size: "0.0001",
        first_price: 300_000,
        base_usdt: 3_000,
        lots_per_base: 10_000,
        worth: Worth::Walks,
    },
    Listed {
        symbol: "ETHBTC",
        tick_size: "0.00001",
        lot_size: "0.001",
        first_price: 5_000,
        base_usdt: 3_000,
        lots_per_base: 1_000,
        worth: Worth::Cross { base: ETHUSDT, quote: BTCUSDT, ticks_per_one: 100_000 },
    },
];

impl Market {
    pub(super) fn all(settings: &Demo) -> [Self; 3] {
        LISTED.map(|listed| Self::new(&listed, settings))
    }

    fn new(listed: &Listed, settings: &Demo) -> Self {
        // A hundredth of a basis point is a millionth.
        const HALF_SPREADS: i64 = 2 * 1_000_000;
        let spreads = listed.first_price * settings.spread_bps.x100();
        let half_spread = ((spreads + HALF_SPREADS / 2) / HALF_SPREADS).max(1);
        let gap = half_spread * 4 / 3;
        let quote_lots = settings.size_usdt * listed.lots_per_base / listed.base_usdt;
        Self {
            symbol: listed.symbol,
            tick_size: listed.tick_size,
            lot_size: listed.lot_size,
            half_spread,
            gap,
            slack: gap * 9 / 20,
            quote_lots,
            take_lots_min: (quote_lots / 200).max(1),
            take_lots_max: quote_lots / 2,
        }
    }
}

/// The reference price of each market.
#[derive(Debug)]
pub(super) struct Prices {
    walks: Vec<Option<Walk>>,
}

impl Prices {
    pub(super) fn new(settings: &Demo) -> Self {
        let walk = |(stream, listed): (u64, &Listed)| match listed.worth {
            Worth::Walks => {
                let random = Random::new(settings.bots_seed, stream);
                Some(Walk::new(Price::from_ticks(listed.first_price), settings, random))
            }
            Worth::Cross { .. } => None,
        };
        Self { walks: (100..).zip(&LISTED).map(walk).collect() }
    }

    pub(super) fn step(&mut self, market: usize) {
        if let Some(walk) = &mut self.walks[market] {
            walk.step();
        }
    }

    pub(super) fn price(&self, market: usize) -> Price {
        match (&self.walks[market], LISTED[market].worth) {
            (Some(walk), _) => walk.price(),
            (None, Worth::Cross { base, quote, ticks_per_one }) => {
                let (base, quote) = (self.price(base).ticks(), self.price(quote).ticks());
                Price::from_ticks((base * ticks_per_one + quote / 2) / quote)
            }
            (None, Worth::Walks) => unreachable!("a market that walks has a walk"),
        }
    }
}

#[cfg(test)]
mod tests {
    use types::Increment;

    use super::*;
    use crate::settings::bps::Bps;

    #[test]
    fn the_cross_follows_the_two_others() {
        let mut prices = Prices::new(&Demo::default());
        assert_eq!(
            (0..3).map(|at| prices.price(at).ticks()).collect::<Vec<_>>(),
            LISTED.map(|listed| listed.first_price)
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
    fn spread_and_size_are_those_of_the_settings() {
        let check = |spread_bps, size_usdt, half_spreads: [i64; 3], quote_lots: [u64; 3]| {
            let markets = Market::all(&Demo { spread_bps, size_usdt, ..Demo::default() });
            assert_eq!(markets.each_ref().map(|market| market.half_spread), half_spreads);
            assert_eq!(markets.map(|market| market.quote_lots), quote_lots);
        };
        check(Bps::new(1), 6_000, [300, 15, 1], [10_000, 20_000, 2_000]);
        check(Bps::new(50), 1_000, [15_000, 750, 13], [1_666, 3_333, 333]);
        check(Bps::hundredths(1), 1_000_000, [3, 1, 1], [1_666_666, 3_333_333, 333_333]);
    }

    #[test]
    fn quotes_within_their_slack_neither_cross_nor_change_places() {
        for hundredths in 1..=50_000 {
            let spread_bps = Bps::hundredths(hundredths);
            for market in Market::all(&Demo { spread_bps, ..Demo::default() }) {
                assert!(market.slack < market.half_spread, "{market:?}");
                assert!(market.slack * 2 < market.gap, "{market:?}");
            }
        }
    }

    #[test]
    fn the_smallest_order_is_worth_enough() {
        let smallest = Demo { size_usdt: 1_000, ..Demo::default() };
        for (market, listed) in Market::all(&smallest).iter().zip(&LISTED) {
            let size = |text, count| {
                let digits = Increment::parse(text).unwrap().format(count, 8).replace('.', "");
                digits.parse::<i128>().unwrap()
            };
            // A quarter of the price it starts with: half of where the drift ends.
            let price = size(market.tick_size, i128::from(listed.first_price) / 4);
            let qty = size(market.lot_size, i128::from(market.take_lots_min));
            let notional_min = if market.symbol == "ETHBTC" { 1_000 } else { 100_000_000 };
            assert!(price * qty / 100_000_000 >= notional_min, "{}", market.symbol);
        }
    }
}
