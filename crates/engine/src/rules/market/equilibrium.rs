//! The one price at which a book uncrosses.
//!
//! A book that has collected orders may be crossed. [`discover`] finds the price from the best
//! levels of both sides, and reads only the crossed levels.

use std::cmp::Ordering;

use types::{InstrumentId, Phase, Price, Qty, Side};

use crate::state::Engine;
use crate::state::market::Market;
use crate::state::market::line::is_better;

/// The result of an uncrossing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Equilibrium {
    pub(super) price: Price,
    pub(super) volume: Qty,
    /// The quantity that is left over at the price, and its side.
    pub(super) surplus: Qty,
    pub(super) surplus_side: Side,
}

impl Engine {
    /// Price and volume of an uncrossing now; `None` while the phase does not collect orders.
    pub fn indicative(&self, instrument: InstrumentId) -> Option<(Price, Qty)> {
        let gathers = self.phase(instrument)? != Phase::Continuous;
        let found = self.equilibrium(instrument).filter(|_| gathers)?;
        Some((found.price, found.volume))
    }

    /// The result if the current book uncrossed.
    pub(super) fn equilibrium(&self, instrument: InstrumentId) -> Option<Equilibrium> {
        let market = self.market(instrument)?;
        let (bids, asks) =
            (self.all_levels(market, Side::Buy), self.all_levels(market, Side::Sell));
        discover(bids, asks, market.trading.last_price)
    }

    /// All resting quantity of a side, displayed or not, best first; a price may appear several
    /// times.
    fn all_levels<'a>(
        &'a self,
        market: &'a Market,
        side: Side,
    ) -> impl Iterator<Item = (Price, Qty)> + use<'a> {
        let mut reserves: Vec<(Price, Qty)> = Vec::new();
        for order_id in &market.special.icebergs {
            let node = market.index.get(order_id.0).expect("icebergs are open");
            if self.orders.side(node) == side {
                let unshown = self.orders.leaves_qty(node) - self.orders.nodes[node].leaves_qty();
                reserves.push((self.orders.price(node), unshown));
            }
        }
        reserves.retain(|(_, qty)| !qty.is_zero());
        reserves.sort_unstable_by(|one, next| match side {
            Side::Buy => next.0.cmp(&one.0),
            Side::Sell => one.0.cmp(&next.0),
        });
        let shown = market.book.levels(side);
        let dark = market.special.dark.levels(side);
        best_first(side, best_first(side, shown, dark), reserves.into_iter())
    }
}

/// Merges two lists that are sorted best first.
fn best_first(
    side: Side,
    one: impl Iterator<Item = (Price, Qty)>,
    other: impl Iterator<Item = (Price, Qty)>,
) -> impl Iterator<Item = (Price, Qty)> {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    std::iter::from_fn(move || {
        let other_first = match (one.peek(), other.peek()) {
            (Some((one, _)), Some((other, _))) => is_better(side, *other, *one),
            (one, _) => one.is_none(),
        };
        if other_first { other.next() } else { one.next() }
    })
}

/// The price at which a book uncrosses; `None` if it is not crossed. Both sides are sorted best
/// first; a price may appear more than once in a row.
///
/// The volume is the largest that one price can trade: it is matched from the best levels of both
/// sides. The last bid and ask in it bound the price: at most that bid, at least that ask. Within
/// that range the surplus depends on the rest of both sides, which is not crossed.
fn discover(
    bids: impl Iterator<Item = (Price, Qty)>,
    asks: impl Iterator<Item = (Price, Qty)>,
    reference: Option<Price>,
) -> Option<Equilibrium> {
    let (mut bids, mut asks) = (Queue::new(bids), Queue::new(asks));
    let mut volume = 0_u128;
    let mut last = None;
    while let (Some((bid, demand)), Some((ask, supply))) = (bids.first, asks.first)
        && bid >= ask
    {
        let qty = demand.min(supply);
        volume += qty;
        last = Some((bid, ask));
        bids.take(qty);
        asks.take(qty);
    }
    let (last_bid, last_ask) = last?;
    let found = |price, surplus, surplus_side| {
        let lots = |sum: u128| Qty::from_lots(u64::try_from(sum).unwrap_or(u64::MAX));
        Some(Equilibrium { price, volume: lots(volume), surplus: lots(surplus), surplus_side })
    };
    let next_bid = bids.first.map(|(price, _)| price);
    let next_ask = asks.first.map(|(price, _)| price);
    if next_bid == Some(last_bid) {
        return found(last_bid, bids.first_level().0, Side::Buy);
    }
    if next_ask == Some(last_ask) {
        return found(last_ask, asks.first_level().0, Side::Sell);
    }
    // Between the rests of both sides the surplus is zero.
    let lowest = next_bid.map_or(last_ask, |bid| last_ask.max(step(bid, 1)));
    let highest = next_ask.map_or(last_bid, |ask| last_bid.min(step(ask, -1)));
    if lowest <= highest {
        return found(reference.unwrap_or(lowest).clamp(lowest, highest), 0, Side::Buy);
    }
    // The rests are neighbours: the rest at one of them is the surplus.
    let (bid, ask) = (next_bid?, next_ask?);
    let ((demand, bid_after), (supply, ask_after)) = (bids.first_level(), asks.first_level());
    match demand.cmp(&supply) {
        Ordering::Less => found(bid, demand, Side::Buy),
        Ordering::Greater => found(ask, supply, Side::Sell),
        Ordering::Equal => {
            let lowest = bid_after.map_or(last_ask, |bid| last_ask.max(step(bid, 1)));
            let highest = ask_after.map_or(last_bid, |ask| last_bid.min(step(ask, -1)));
            let price = reference.unwrap_or(lowest).clamp(lowest, highest);
            found(price, demand, if price <= bid { Side::Buy } else { Side::Sell })
        }
    }
}

fn step(price: Price, ticks: i64) -> Price {
    Price::from_ticks(price.ticks() + ticks)
}

/// One side of a book, whose first level is consumed step by step.
struct Queue<I> {
    first: Option<(Price, u128)>,
    others: I,
}

impl<I: Iterator<Item = (Price, Qty)>> Queue<I> {
    fn new(others: I) -> Self {
        let mut queue = Self { first: None, others };
        queue.first = queue.next();
        queue
    }

    fn next(&mut self) -> Option<(Price, u128)> {
        self.others.next().map(|(price, qty)| (price, u128::from(qty.lots())))
    }

    fn take(&mut self, qty: u128) {
        let Some((_, first)) = &mut self.first else { return };
        *first -= qty;
        if *first == 0 {
            self.first = self.next();
        }
    }

    /// The rest of the first price, and the next price.
    fn first_level(&mut self) -> (u128, Option<Price>) {
        let Some((price, _)) = self.first else { return (0, None) };
        let mut sum = 0;
        while let Some((other, qty)) = self.first {
            if other != price {
                return (sum, Some(other));
            }
            sum += qty;
            self.first = self.next();
        }
        (sum, None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Level = (i64, u64);

    /// The rule as documented, by a search over all prices.
    fn by_force(bids: &[Level], asks: &[Level], reference: Option<i64>) -> Option<Equilibrium> {
        let at = |price: i64| -> (u64, u64) {
            let demand = bids.iter().filter(|(limit, _)| *limit >= price);
            let supply = asks.iter().filter(|(limit, _)| *limit <= price);
            (demand.map(|(_, qty)| qty).sum(), supply.map(|(_, qty)| qty).sum())
        };
        let volume_at = |price: &i64| at(*price).0.min(at(*price).1);
        let surplus_at = |price: &i64| at(*price).0.abs_diff(at(*price).1);
        let prices = -40..=40_i64;
        let volume = prices.clone().map(|price| volume_at(&price)).max()?;
        if volume == 0 {
            return None;
        }
        let most: Vec<i64> = prices.filter(|price| volume_at(price) == volume).collect();
        let surplus = most.iter().map(surplus_at).min()?;
        let least: Vec<i64> =
            most.into_iter().filter(|price| surplus_at(price) == surplus).collect();
        let to_buy = |price: &i64| at(*price).0 > at(*price).1;
        let to_sell = |price: &i64| at(*price).0 < at(*price).1;
        let price = if least.iter().all(to_buy) {
            *least.last()?
        } else if least.iter().all(to_sell) {
            least[0]
        } else {
            let reference = reference.unwrap_or(least[0]);
            *least.iter().min_by_key(|price| (price.abs_diff(reference), **price))?
        };
        Some(Equilibrium {
            price: Price::from_ticks(price),
            volume: Qty::from_lots(volume),
            surplus: Qty::from_lots(surplus),
            surplus_side: if to_sell(&price) { Side::Sell } else { Side::Buy },
        })
    }

    fn levels(of: &[Level]) -> impl Iterator<Item = (Price, Qty)> {
        of.iter().map(|(price, qty)| (Price::from_ticks(*price), Qty::from_lots(*qty)))
    }

    fn side() -> impl Strategy<Value = Vec<Level>> {
        prop::collection::vec((-12..12_i64, 1..6_u64), 0..9)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..Default::default() })]

        #[test]
        fn the_price_is_the_one_that_a_search_finds(
            mut bids in side(),
            mut asks in side(),
            reference in prop::option::of(-15..15_i64),
        ) {
            bids.sort_by_key(|(price, _)| -price);
            asks.sort_by_key(|(price, _)| *price);
            let found = discover(levels(&bids), levels(&asks), reference.map(Price::from_ticks));
            prop_assert_eq!(found, by_force(&bids, &asks, reference));
        }
    }
}
