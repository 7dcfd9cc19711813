//! The taker: a bot that trades at the best quotes.

use types::{Price, Qty, Side};

use super::market::Market;
use super::quote::Target;
use crate::random::Random;

/// At this many of its largest orders the taker only trades back.
const POSITION_TAKES_MAX: u64 = 10;
/// The taker trades within this part of the reference price, and at two levels of quotes at least.
const COLLAR_PARTS: i64 = 300;

/// What the taker does next: the more it holds, the likelier it sells, and the other way round.
/// Small orders are more frequent than large ones.
pub(super) fn choose(market: &Market, price: Price, position: i64, random: &mut Random) -> Target {
    let position_max = i64::try_from(market.take_lots_max * POSITION_TAKES_MAX)
        .expect("a market's sizes are moderate");
    let side = if random.around_zero(position_max) >= position { Side::Buy } else { Side::Sell };
    let mut lots = || random.between(market.take_lots_min, market.take_lots_max);
    let qty = Qty::from_lots(lots().min(lots()));
    let collar = (price.ticks() / COLLAR_PARTS).max(market.half_spread + market.gap);
    let limit = match side {
        Side::Buy => price.ticks() + collar,
        Side::Sell => price.ticks() - collar,
    };
    Target { side, price: Price::from_ticks(limit), qty }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::demo::Demo;

    const PRICE: Price = Price::from_ticks(6_000_000);

    #[test]
    fn a_position_is_traded_back() {
        let [market, ..] = &Market::all(&Demo::default());
        let buys = |position| {
            let mut random = Random::new(1, 0);
            let side = |_| choose(market, PRICE, position, &mut random).side;
            (0..1_000).map(side).filter(|side| *side == Side::Buy).count()
        };
        assert!((450..550).contains(&buys(0)));
        assert!((200..300).contains(&buys(25_000)));
        assert!((700..800).contains(&buys(-25_000)));
        assert_eq!(buys(50_001), 0);
        assert_eq!(buys(-50_001), 1_000);
        assert_eq!(buys(i64::MAX), 0);
    }

    #[test]
    fn positions_stay_small_for_ever() {
        for market in &Market::all(&Demo::default()) {
            let mut random = Random::new(9, 0);
            let mut position = 0_i64;
            for _ in 0..100_000 {
                let target = choose(market, PRICE, position, &mut random);
                let lots = i64::try_from(target.qty.lots()).unwrap();
                position += if target.side == Side::Buy { lots } else { -lots };
                let most = market.take_lots_max * (POSITION_TAKES_MAX + 1);
                assert!(position.unsigned_abs() <= most, "{}", market.symbol);
            }
        }
    }

    #[test]
    fn sizes_and_limits_are_within_bounds() {
        let [market, ..] = &Market::all(&Demo::default());
        let mut random = Random::new(2, 0);
        for _ in 0..1_000 {
            let target = choose(market, PRICE, 0, &mut random);
            assert!((50..=5_000).contains(&target.qty.lots()));
            let limit = if target.side == Side::Buy { 6_020_000 } else { 5_980_000 };
            assert_eq!(target.price.ticks(), limit);
        }
    }
}
