//! Where quotes should be, and what to send to get them there.

use types::{Price, Qty, Side};

use super::market::Market;
use crate::random::Random;

/// On each side of a market, those of all makers together.
pub(super) const LEVELS: usize = 5;

/// A resting order of a maker.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Quote {
    pub(super) order_id: u64,
    pub(super) side: Side,
    pub(super) price: Price,
    pub(super) leaves_qty: Qty,
}

/// An order as it should be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Target {
    pub(super) side: Side,
    pub(super) price: Price,
    pub(super) qty: Qty,
}

/// A request, and the id of the order it is about.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Action {
    Place(Target),
    Replace(u64, Target),
    Cancel(u64),
}

impl Action {
    pub(super) fn target(self) -> Option<Target> {
        match self {
            Self::Place(target) | Self::Replace(_, target) => Some(target),
            Self::Cancel(_) => None,
        }
    }
}

/// Where one maker's quotes should be, best first. Makers alternate from level to level, and on the
/// second side begin with another, so that each of them has its share of the best.
pub(super) fn targets(
    market: &Market,
    price: Price,
    maker: usize,
    makers: usize,
    random: &mut Random,
) -> Vec<Target> {
    let mut targets = Vec::with_capacity(2 * LEVELS);
    for (first, side) in [Side::Buy, Side::Sell].into_iter().enumerate() {
        let mut distance = market.half_spread;
        let mut lots_about = 0;
        for level in 0..LEVELS {
            lots_about += market.quote_lots;
            if (first + level) % makers == maker {
                let ticks = match side {
                    Side::Buy => (price.ticks() - distance).max(1),
                    Side::Sell => price.ticks() + distance,
                };
                let qty = Qty::from_lots(random.between(lots_about / 2, lots_about * 3 / 2));
                targets.push(Target { side, price: Price::from_ticks(ticks), qty });
            }
            distance += market.gap;
        }
    }
    targets
}

/// What takes one maker from the quotes it has to those it should have. Quotes that are near
/// enough, and large enough, stay. Those that step back from the market go first: the others may
/// need the room.
pub(super) fn plan(market: &Market, quotes: &[Quote], targets: &[Target]) -> Vec<Action> {
    let mut actions = Vec::new();
    for side in [Side::Buy, Side::Sell] {
        let mut stale = quotes.iter().filter(|quote| quote.side == side).collect::<Vec<_>>();
        let mut missing = targets.iter().filter(|target| target.side == side).collect::<Vec<_>>();
        missing.retain(|target| {
            let stays = stale.iter().position(|quote| is_good(market, quote, target));
            stays.map(|at| stale.swap_remove(at)).is_none()
        });
        stale.sort_by_key(|quote| match side {
            Side::Buy => -quote.price.ticks(),
            Side::Sell => quote.price.ticks(),
        });
        let mut missing = missing.into_iter();
        for quote in stale {
            let urgency_and_action = match missing.next() {
                None => (0, Action::Cancel(quote.order_id)),
                Some(target) => {
                    // Back, where an order at the quote's price would have gone through the new.
                    let steps_back = side.crosses(quote.price, target.price);
                    let urgency = if steps_back { 1 } else { 3 };
                    (urgency, Action::Replace(quote.order_id, *target))
                }
            };
            actions.push(urgency_and_action);
        }
        actions.extend(missing.map(|target| (2, Action::Place(*target))));
    }
    actions.sort_by_key(|(urgency, _)| *urgency);
    actions.into_iter().map(|(_, action)| action).collect()
}

fn is_good(market: &Market, quote: &Quote, target: &Target) -> bool {
    (quote.price.ticks() - target.price.ticks()).abs() <= market.slack
        && quote.leaves_qty.lots() >= market.quote_lots / 4
}

/// Gives one quote its exact price and another size, so that a market that stands still does not
/// look dead.
pub(super) fn refresh(quotes: &[Quote], targets: &[Target], random: &mut Random) -> Option<Action> {
    let last = u64::try_from(targets.len().checked_sub(1)?).expect("few targets");
    let target = targets[usize::try_from(random.between(0, last)).expect("few targets")];
    let distance = |quote: &&Quote| (quote.price.ticks() - target.price.ticks()).abs();
    let quotes = quotes.iter().filter(|quote| quote.side == target.side);
    quotes.min_by_key(distance).map(|quote| Action::Replace(quote.order_id, target))
}

/// Whether an order would trade with one of these.
pub(super) fn meets_any<'a>(target: Target, quotes: impl IntoIterator<Item = &'a Quote>) -> bool {
    quotes
        .into_iter()
        .any(|quote| quote.side != target.side && target.side.crosses(target.price, quote.price))
}

#[cfg(test)]
mod tests {
    use super::super::ACTIONS_MAX;
    use super::*;
    use crate::settings::demo::Demo;

    fn market() -> Market {
        let [first, ..] = Market::all(&Demo::default());
        first
    }

    fn quote(order_id: u64, side: Side, ticks: i64) -> Quote {
        let leaves_qty = Qty::from_lots(10_000);
        Quote { order_id, side, price: Price::from_ticks(ticks), leaves_qty }
    }

    fn target(side: Side, ticks: i64) -> Target {
        Target { side, price: Price::from_ticks(ticks), qty: Qty::from_lots(7) }
    }

    fn wanted(ticks: i64, maker: usize, makers: usize) -> Vec<Target> {
        targets(&market(), Price::from_ticks(ticks), maker, makers, &mut Random::new(1, 1))
    }

    #[test]
    fn makers_share_the_levels_of_each_side() {
        let ticks = |maker, side| {
            let targets = wanted(6_000_000, maker, 2);
            let targets = targets.iter().filter(|target| target.side == side);
            targets.map(|target| target.price.ticks() - 6_000_000).collect::<Vec<_>>()
        };
        assert_eq!(ticks(0, Side::Buy), [-300, -1_100, -1_900]);
        assert_eq!(ticks(1, Side::Buy), [-700, -1_500]);
        assert_eq!(ticks(0, Side::Sell), [700, 1_500]);
        assert_eq!(ticks(1, Side::Sell), [300, 1_100, 1_900]);
        assert_eq!(wanted(6_000_000, 0, 1).len(), 2 * LEVELS);
    }

    #[test]
    fn deeper_levels_are_larger() {
        for (level, target) in wanted(6_000_000, 0, 1).iter().enumerate() {
            let about = 10_000 * (u64::try_from(level % LEVELS).unwrap() + 1);
            assert!((about / 2..=about * 3 / 2).contains(&target.qty.lots()));
        }
    }

    #[test]
    fn only_what_is_out_of_place_is_sent() {
        use Action::{Cancel, Place, Replace};
        use Side::{Buy, Sell};
        let check = |quotes: &[Quote], targets: &[Target], expect: &[Action]| {
            assert_eq!(plan(&market(), quotes, targets), expect);
        };
        let bids = [target(Buy, 1_000), target(Buy, 700)];
        check(&[], &bids, &[Place(bids[0]), Place(bids[1])]);
        check(&[quote(1, Buy, 820), quote(2, Buy, 880)], &bids, &[]);
        check(&[quote(1, Buy, 700)], &bids, &[Place(bids[0])]);
        check(&[quote(1, Buy, 400), quote(2, Buy, 1_000)], &bids, &[Replace(1, bids[1])]);
        check(
            &[quote(1, Buy, 100), quote(2, Buy, 90), quote(3, Buy, 80)],
            &bids,
            &[Cancel(3), Replace(1, bids[0]), Replace(2, bids[1])],
        );
        check(&[quote(1, Sell, 1_000)], &bids[..1], &[Cancel(1), Place(bids[0])]);
        let used_up = Quote { leaves_qty: Qty::from_lots(2_499), ..quote(1, Buy, 1_000) };
        check(&[used_up], &bids[..1], &[Replace(1, bids[0])]);
    }

    #[test]
    fn quotes_that_step_back_go_first() {
        use Side::{Buy, Sell};
        let quotes = [quote(1, Buy, 1_000), quote(2, Sell, 1_500)];
        let up = [target(Buy, 2_000), target(Sell, 2_500)];
        let ids = |targets: &[Target]| {
            let actions = plan(&market(), &quotes, targets);
            let ids = actions.iter().map(|action| match action {
                Action::Replace(order_id, _) => *order_id,
                _ => panic!("{action:?}"),
            });
            ids.collect::<Vec<_>>()
        };
        assert_eq!(ids(&up), [2, 1]);
        assert_eq!(ids(&[target(Buy, 0), target(Sell, 500)]), [1, 2]);
    }

    #[test]
    fn a_target_must_not_meet_the_other_side() {
        let quotes = [quote(1, Side::Sell, 1_000), quote(2, Side::Buy, 900)];
        assert!(meets_any(target(Side::Buy, 1_000), &quotes));
        assert!(!meets_any(target(Side::Buy, 999), &quotes));
        assert!(meets_any(target(Side::Sell, 900), &quotes));
        assert!(!meets_any(target(Side::Sell, 901), &quotes));
    }

    #[test]
    fn a_quiet_market_gets_one_new_size() {
        let targets = wanted(6_000_000, 0, 2);
        let quotes = (1..)
            .zip(&targets)
            .map(|(order_id, target)| quote(order_id, target.side, target.price.ticks() + 100));
        let quotes = quotes.collect::<Vec<_>>();
        assert_eq!(plan(&market(), &quotes, &targets), []);
        let mut random = Random::new(4, 0);
        for _ in 0..20 {
            let Some(Action::Replace(order_id, target)) = refresh(&quotes, &targets, &mut random)
            else {
                panic!("nothing refreshed");
            };
            assert_eq!(targets[usize::try_from(order_id).unwrap() - 1], target);
        }
        assert_eq!(refresh(&[], &[], &mut random), None);
    }

    /// Two makers on a market that they have for themselves.
    #[test]
    fn quotes_follow_the_price_without_meeting() {
        let market = &market();
        for seed in 0..20 {
            let mut random = Random::new(seed, 0);
            let mut quotes = [Vec::new(), Vec::new()];
            let (mut ticks, mut order_id, mut sent) = (6_000_000, 0, 0);
            for turn in 0..2_000 {
                ticks += random.around_zero(120);
                // Now and then, a jump through everything that is quoted.
                ticks += if turn % 500 == 499 { 5_000 } else { 0 };
                let maker = turn % 2;
                let targets = targets(market, Price::from_ticks(ticks), maker, 2, &mut random);
                for action in plan(market, &quotes[maker], &targets).into_iter().take(ACTIONS_MAX) {
                    let Some(target) = action.target() else { panic!("too many quotes") };
                    if meets_any(target, quotes.iter().flatten()) {
                        continue;
                    }
                    if let Action::Replace(order_id, _) = action {
                        quotes[maker].retain(|quote| quote.order_id != order_id);
                    }
                    (order_id, sent) = (order_id + 1, sent + 1);
                    quotes[maker].push(Quote {
                        leaves_qty: target.qty,
                        ..quote(order_id, target.side, target.price.ticks())
                    });
                }
                if (turn + 1) % 500 < 20 {
                    continue; // Time to fill the book, or to follow the jump.
                }
                let count = quotes.iter().flatten().count();
                assert_eq!(count, 2 * LEVELS, "seed {seed}, turn {turn}");
                let far = 2 * market.gap + LEVELS as i64 * market.gap;
                let near = |quote: &Quote| (quote.price.ticks() - ticks).abs() < far;
                assert!(quotes.iter().flatten().all(near), "seed {seed}, turn {turn}");
            }
            assert!((1_000..6_000).contains(&sent), "seed {seed}: {sent} orders");
        }
    }
}
