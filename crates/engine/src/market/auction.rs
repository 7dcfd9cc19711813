//! Auctions: one price for all that has gathered, and the trades at it.
//!
//! A book that has gathered orders may be crossed. [`discover`] finds where it uncrosses, from the
//! best levels of both sides and no farther than they cross. The trades take who is next in line
//! on either side until one side has nobody left at the price: by the way the price was found,
//! that is its volume.

use std::cmp::Ordering;

use types::{
    Amount, AuctionIndicated, AuctionUncrossed, Event, ExpireCause, InstrumentId, Order,
    OrderStatus, Phase, Price, Qty, Side, TradeExecuted,
};

use crate::book::NodeId;
use crate::engine::{Deferred, Engine};
use crate::market::Market;
use crate::market::phase::PhaseChange;
use crate::matching::special::{Reduced, is_better};
use crate::matching::{Match, count_fill};

/// Between two indications of one auction.
const INDICATION_NS: u64 = 100_000_000;

/// Where a book uncrosses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Equilibrium {
    pub(crate) price: Price,
    pub(crate) volume: Qty,
    /// What is left over at the price, and on which side.
    pub(crate) surplus: Qty,
    pub(crate) surplus_side: Side,
}

/// An auction whose trades are under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uncrossing {
    pub(crate) price: Price,
    /// What comes behind the trades.
    pub(crate) then: PhaseChange,
}

/// What is told of an auction while it runs.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Indication {
    /// When it was told last.
    pub(crate) told_ns: u64,
    /// Whether something has changed since.
    pub(crate) is_due: bool,
}

impl Indication {
    pub(crate) fn due_ns(&self) -> u64 {
        self.told_ns.saturating_add(INDICATION_NS)
    }
}

impl Engine {
    /// An auction has found its price.
    pub(crate) fn begin_uncrossing(
        &mut self,
        equilibrium: Equilibrium,
        then: PhaseChange,
        events: &mut Vec<Event>,
    ) {
        let Equilibrium { price, volume, surplus, surplus_side } = equilibrium;
        let market = &mut self.markets[then.instrument.0 as usize];
        market.trading.set_reference(price);
        if market.trading.phase == Phase::OpeningAuction {
            market.trading.levels_had = 0;
        }
        events.push(Event::AuctionUncrossed(AuctionUncrossed {
            instrument_seq: market.next_seq(),
            instrument: then.instrument,
            price,
            volume,
            surplus,
            surplus_side,
        }));
        self.uncross(Uncrossing { price, then }, events);
    }

    /// The trades of an auction, as far as the command's work goes, and then what follows them.
    pub(crate) fn uncross(&mut self, uncrossing: Uncrossing, events: &mut Vec<Event>) {
        let instrument = uncrossing.then.instrument;
        while let Some((bid, ask)) = self.uncross_next(instrument, uncrossing.price) {
            if !self.spend_work() {
                return self.deferred.push_front(Deferred::Uncross(uncrossing));
            }
            match self.uncross_clears(bid, ask, uncrossing.price) {
                Ok(()) => self.uncross_trade(bid, ask, uncrossing.price, events),
                Err(younger) => self.expire_open(younger, ExpireCause::NotAllowed, events),
            }
        }
        self.enter_phase(uncrossing.then, events);
    }
}

impl Engine {
    /// The first in line on both sides, if both may trade at `price`.
    fn uncross_next(&self, instrument: InstrumentId, price: Price) -> Option<(NodeId, NodeId)> {
        let market = &self.markets[instrument.0 as usize];
        let bid = market.front(&self.orders.nodes, Side::Buy)?;
        let ask = market.front(&self.orders.nodes, Side::Sell)?;
        (bid.price >= price && ask.price <= price).then_some((bid.node, ask.node))
    }

    /// Whether a trade leaves what is cleared within what an amount can hold; else who ends.
    fn uncross_clears(&self, bid: NodeId, ask: NodeId, price: Price) -> Result<(), NodeId> {
        if !self.has_clearing {
            return Ok(());
        }
        let nodes = &self.orders.nodes;
        let qty = nodes[bid].leaves_qty().min(nodes[ask].leaves_qty());
        let (bought, sold) = (self.orders.record(bid), self.orders.record(ask));
        let accounts = [bought.account, sold.account];
        match self.can_clear_between(accounts, bought.instrument, price, qty) {
            true => Ok(()),
            false => Err(if nodes[bid].order_id() < nodes[ask].order_id() { ask } else { bid }),
        }
    }

    /// One trade between two resting orders, of which the older is the maker.
    fn uncross_trade(&mut self, bid: NodeId, ask: NodeId, price: Price, events: &mut Vec<Event>) {
        let nodes = &self.orders.nodes;
        let qty = nodes[bid].leaves_qty().min(nodes[ask].leaves_qty());
        let bid_is_older = self.orders.order_id(bid) < self.orders.order_id(ask);
        let (maker_node, taker_node) = if bid_is_older { (bid, ask) } else { (ask, bid) };
        let instrument = self.orders.record(bid).instrument;
        let quote = self.markets[instrument.0 as usize].instrument.notional(price, qty);
        let (maker, maker_reduced) = self.uncross_fill(maker_node, qty, quote);
        let (taker, taker_reduced) = self.uncross_fill(taker_node, qty, quote);
        let market = &mut self.markets[instrument.0 as usize];
        market.note_price(price);
        market.trading.note_trade(price, qty, self.now_ns);
        let (instrument_seq, trade_id) = (market.next_seq(), market.next_trade_id());
        let base = market.instrument.base_amount(qty);
        let matched = Match { trade_id, price, qty, base, quote };
        let (for_maker, for_taker) = self.settle(&maker, &taker, &matched);
        self.keep_trade((&maker).into(), true, &matched, &for_maker);
        self.keep_trade((&taker).into(), false, &matched, &for_taker);
        events.push(Event::TradeExecuted(TradeExecuted {
            instrument_seq,
            instrument,
            trade_id,
            price,
            qty,
            quote,
            side: taker.side,
            maker: for_maker.fill(&maker),
            taker: for_taker.fill(&taker),
        }));
        if let Some(reduced) = maker_reduced {
            self.tell_less(&maker, qty, reduced, events);
        }
        match taker_reduced {
            Some(reduced) => self.tell_less(&taker, qty, reduced, events),
            None => self.tell_reduced(&taker, qty, taker.leaves_qty(), events),
        }
        for order in [maker, taker] {
            if order.status == OrderStatus::Filled {
                self.finish(&order, events);
            }
            self.trade_in_list(&order, events);
        }
        for (order, reduced) in [(maker, maker_reduced), (taker, taker_reduced)] {
            if let Some(reduced) = reduced {
                self.tell_next(&order, reduced, events);
            }
        }
    }

    /// Takes `qty` of a resting order off its book; what it is from then on.
    fn uncross_fill(&mut self, node: NodeId, qty: Qty, quote: Amount) -> (Order, Option<Reduced>) {
        let mut order = self.orders.order(node);
        count_fill(&mut order, qty, quote, self.now_ns);
        if order.terms.is_some() {
            let reduced = self.fill_special(node, &order, qty, quote);
            return (order, Some(reduced));
        }
        let Self { markets, accounts, orders, now_ns, .. } = self;
        let market = &mut markets[order.instrument.0 as usize];
        if order.status == OrderStatus::Filled {
            market.index.remove(order.order_id.0);
            orders.detach(&mut accounts[order.account.0 as usize], node);
        } else {
            orders.count_fill(node, quote, *now_ns);
        }
        market.book.reduce(&mut orders.nodes, node, qty);
        (order, None)
    }

    /// A book has changed. In an auction, where it would uncross is told on a tick.
    #[inline]
    pub(crate) fn note_book(&mut self, instrument: InstrumentId) {
        if self.markets[instrument.0 as usize].trading.phase.is_auction() {
            self.note_auction(instrument);
        }
    }

    #[cold]
    fn note_auction(&mut self, instrument: InstrumentId) {
        let indication = &mut self.markets[instrument.0 as usize].trading.indication;
        if !indication.is_due {
            indication.is_due = true;
            self.indications.insert((indication.due_ns(), instrument));
        }
    }

    /// A new phase: nothing more is told of the last one's auction.
    pub(crate) fn begin_indications(&mut self, instrument: InstrumentId) {
        let trading = &mut self.markets[instrument.0 as usize].trading;
        if trading.indication.is_due {
            self.indications.remove(&(trading.indication.due_ns(), instrument));
            trading.indication.is_due = false;
        }
        if trading.phase.is_auction() {
            self.note_auction(instrument);
        }
    }

    /// When the next one is to be told. Nothing is while the venue is halted.
    pub(crate) fn next_indication_ns(&self) -> Option<u64> {
        self.indications.first().map(|(due_ns, _)| *due_ns)
    }

    /// Tells where the auctions would uncross that are due to be told of.
    pub(crate) fn indicate(&mut self, events: &mut Vec<Event>) {
        let due = self.indications.iter().take_while(|(due_ns, _)| *due_ns <= self.now_ns);
        let mut due: Vec<(u64, InstrumentId)> = due.copied().collect();
        due.sort_unstable_by_key(|(_, instrument)| *instrument);
        for at in due {
            if !self.spend_work() {
                return; // the next tick has the rest
            }
            self.indications.remove(&at);
            let (_, instrument) = at;
            let found = self.equilibrium(instrument);
            let now_ns = self.now_ns;
            let market = &mut self.markets[instrument.0 as usize];
            market.trading.indication = Indication { told_ns: now_ns, is_due: false };
            let (volume, surplus) =
                found.map_or((Qty::ZERO, Qty::ZERO), |found| (found.volume, found.surplus));
            events.push(Event::AuctionIndicated(AuctionIndicated {
                instrument_seq: market.next_seq(),
                instrument,
                price: found.map(|found| found.price),
                volume,
                surplus,
                surplus_side: found.map_or(Side::Buy, |found| found.surplus_side),
            }));
        }
    }

    /// Where an instrument's book would uncross now; nothing while it does not gather orders.
    pub fn indicative(&self, instrument: InstrumentId) -> Option<(Price, Qty)> {
        let gathers = self.phase(instrument)? != Phase::Continuous;
        let found = self.equilibrium(instrument).filter(|_| gathers)?;
        Some((found.price, found.volume))
    }

    /// Where an instrument's book would uncross as it is.
    pub(crate) fn equilibrium(&self, instrument: InstrumentId) -> Option<Equilibrium> {
        let market = self.market(instrument)?;
        let (bids, asks) =
            (self.all_levels(market, Side::Buy), self.all_levels(market, Side::Sell));
        discover(bids, asks, market.trading.last_price)
    }

    /// All that stands on a side, shown or not, best first; a price may come several times.
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

/// Two lists that come best first, as one.
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

/// The price at which a book uncrosses; `None` if it is not crossed. Both sides come best first;
/// a price may come more than once in a row.
///
/// What would trade from the best ends is the most that can trade at one price, and the last bid
/// and ask in it say where: no higher than that bid, no lower than that ask. Within that range
/// the surplus changes with what is left of both sides, which is not crossed any more.
pub(crate) fn discover(
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
    // Nothing is left over between what is left of both sides.
    let lowest = next_bid.map_or(last_ask, |bid| last_ask.max(step(bid, 1)));
    let highest = next_ask.map_or(last_bid, |ask| last_bid.min(step(ask, -1)));
    if lowest <= highest {
        return found(reference.unwrap_or(lowest).clamp(lowest, highest), 0, Side::Buy);
    }
    // They are neighbours: what is left at one of them is the surplus.
    let (bid, ask) = (next_bid?, next_ask?);
    let ((demand, bid_behind), (supply, ask_behind)) = (bids.first_level(), asks.first_level());
    match demand.cmp(&supply) {
        Ordering::Less => found(bid, demand, Side::Buy),
        Ordering::Greater => found(ask, supply, Side::Sell),
        Ordering::Equal => {
            let lowest = bid_behind.map_or(last_ask, |bid| last_ask.max(step(bid, 1)));
            let highest = ask_behind.map_or(last_bid, |ask| last_bid.min(step(ask, -1)));
            let price = reference.unwrap_or(lowest).clamp(lowest, highest);
            found(price, demand, if price <= bid { Side::Buy } else { Side::Sell })
        }
    }
}

fn step(price: Price, ticks: i64) -> Price {
    Price::from_ticks(price.ticks() + ticks)
}

/// One side of a book, of which the first is taken off little by little.
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

    /// What is left at the first price, and the price behind it.
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

    /// The rule as it is written, by trying all prices.
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
