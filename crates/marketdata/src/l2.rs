//! Aggregated book of one instrument: the total quantity at each price.

use std::collections::BTreeMap;

use types::{Event, InstrumentId, Order, OrderId, Price, Qty, Reader, Side, Wire};

/// The effect of an event on one instrument's market data.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BookUpdate {
    pub instrument: InstrumentId,
    /// The event's `instrument_seq`.
    pub update_id: u64,
    /// `None` if the displayed quantity did not change, as when an order was accepted or expired.
    pub level: Option<LevelChange>,
}

/// The change of a level by one resting order.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LevelChange {
    pub side: Side,
    pub price: Price,
    pub order_id: OrderId,
    pub order: OrderChange,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum OrderChange {
    /// A new order, with this quantity.
    Added(Qty),
    /// An order lost this quantity and stays.
    Reduced(Qty),
    /// An order left the book, and this was its remaining quantity.
    Removed(Qty),
}

impl BookUpdate {
    /// `None` for an event without an instrument.
    ///
    /// For orders with special terms only [`types::OrderRested`] and [`types::BookReduced`] change
    /// the displayed book.
    pub fn of(event: &Event) -> Option<Self> {
        let (instrument, update_id) = event.instrument_seq()?;
        Some(Self { instrument, update_id, level: LevelChange::of(event) })
    }
}

impl LevelChange {
    fn of(event: &Event) -> Option<Self> {
        match event {
            Event::OrderRested(e) => {
                let order = OrderChange::Added(e.leaves_qty);
                Some(Self { side: e.side, price: e.price, order_id: e.order_id, order })
            }
            Event::TradeExecuted(e) => {
                let maker = &e.maker.order;
                Self::plain(maker, OrderChange::less(e.qty, maker.status.is_open()))
            }
            Event::OrderCanceled(e) => Self::plain(&e.order, OrderChange::Removed(e.canceled_qty)),
            Event::OrderAmended(e) => {
                let less = e.orig_order_qty - e.order.order_qty;
                Self::plain(&e.order, OrderChange::Reduced(less))
            }
            Event::BookReduced(e) => {
                let order = OrderChange::less(e.qty, !e.leaves_qty.is_zero());
                Some(Self { side: e.side, price: e.price, order_id: e.order_id, order })
            }
            _ => None, // no other event changes the displayed book
        }
    }

    /// The change of an order without special terms.
    fn plain(order: &Order, change: OrderChange) -> Option<Self> {
        let Order { side, price, order_id, .. } = *order;
        let level = Self { side, price, order_id, order: change };
        order.terms.is_none().then_some(level)
    }
}

impl OrderChange {
    fn less(qty: Qty, stays: bool) -> Self {
        if stays { Self::Reduced(qty) } else { Self::Removed(qty) }
    }
}

/// The total at one price.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Level {
    pub price: Price,
    pub qty: Qty,
    pub order_count: u32,
}

/// The levels of one instrument.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct L2Book {
    last_update_id: u64,
    bids: BTreeMap<Price, Total>,
    asks: BTreeMap<Price, Total>,
    /// The sums over all levels.
    order_counts: [u64; 2],
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Total {
    qty: Qty,
    order_count: u32,
}

impl L2Book {
    /// Updates must be consecutive: a gap would leave a wrong book without a sign of it.
    pub fn apply(&mut self, update: &BookUpdate) {
        debug_assert_eq!(update.update_id, self.last_update_id + 1, "a gap in instrument_seq");
        self.last_update_id = update.update_id;
        let Some(LevelChange { side, price, order, .. }) = update.level else { return };
        let [bid_count, ask_count] = &mut self.order_counts;
        let (levels, order_count) = match side {
            Side::Buy => (&mut self.bids, bid_count),
            Side::Sell => (&mut self.asks, ask_count),
        };
        let total = levels.entry(price).or_default();
        match order {
            OrderChange::Added(qty) => {
                total.qty += qty;
                total.order_count += 1;
                *order_count += 1;
            }
            OrderChange::Reduced(qty) => total.qty -= qty,
            OrderChange::Removed(qty) => {
                total.qty -= qty;
                total.order_count -= 1;
                *order_count -= 1;
            }
        }
        debug_assert_eq!(total.qty.is_zero(), total.order_count == 0, "orders are never empty");
        if total.order_count == 0 {
            levels.remove(&price);
        }
    }

    /// The `instrument_seq` of the last event; zero until the instrument is listed.
    pub fn last_update_id(&self) -> u64 {
        self.last_update_id
    }

    pub fn best_bid(&self) -> Option<Level> {
        self.bids().next()
    }

    pub fn best_ask(&self) -> Option<Level> {
        self.asks().next()
    }

    /// Bids, best (highest) first.
    pub fn bids(&self) -> impl Iterator<Item = Level> {
        self.bids.iter().rev().map(level)
    }

    /// Asks, best (lowest) first.
    pub fn asks(&self) -> impl Iterator<Item = Level> {
        self.asks.iter().map(level)
    }

    /// The number of orders that bids show, and asks.
    pub fn order_counts(&self) -> [u64; 2] {
        self.order_counts
    }

    /// The number of levels of bids, and of asks.
    pub fn level_counts(&self) -> [usize; 2] {
        [self.bids.len(), self.asks.len()]
    }

    /// At most `limit` bids and as many asks, best first.
    pub fn depth(
        &self,
        limit: usize,
    ) -> (impl Iterator<Item = Level>, impl Iterator<Item = Level>) {
        (self.bids().take(limit), self.asks().take(limit))
    }

    /// The quantity that rests at `price`; zero if there is no such level.
    pub fn qty_at(&self, side: Side, price: Price) -> Qty {
        let levels = match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        };
        levels.get(&price).map_or(Qty::ZERO, |total| total.qty)
    }
}

fn level((&price, &total): (&Price, &Total)) -> Level {
    Level { price, qty: total.qty, order_count: total.order_count }
}

impl Wire for L2Book {
    fn write(&self, out: &mut Vec<u8>) {
        self.last_update_id.write(out);
        for levels in [&self.bids, &self.asks] {
            let count = u32::try_from(levels.len()).expect("a book has below 2^32 levels");
            count.write(out);
            for (price, total) in levels {
                price.write(out);
                total.qty.write(out);
                total.order_count.write(out);
            }
        }
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let last_update_id = r.read()?;
        let (bids, asks) = (read_levels(r)?, read_levels(r)?);
        let order_counts = [&bids, &asks]
            .map(|levels| levels.values().map(|total| u64::from(total.order_count)).sum());
        Some(Self { last_update_id, bids, asks, order_counts })
    }
}

/// Levels as `write` stores them: prices ascend, and no level is empty.
fn read_levels(r: &mut Reader<'_>) -> Option<BTreeMap<Price, Total>> {
    let count: u32 = r.read()?;
    let mut levels = BTreeMap::new();
    for _ in 0..count {
        let price: Price = r.read()?;
        let total = Total { qty: r.read()?, order_count: r.read()? };
        let ascends = levels.last_key_value().is_none_or(|(&last, _)| last < price);
        if !ascends || total.qty.is_zero() || total.order_count == 0 {
            return None;
        }
        levels.insert(price, total);
    }
    Some(levels)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::market::{EventSource, ops, play};

    /// Plays a script and compares the levels, written `price:qty/orders`, best first.
    #[track_caller]
    fn check(script: &str, bids: &str, asks: &str) {
        let book = play(script).0;
        assert_eq!(print(book.bids()), bids, "bids");
        assert_eq!(print(book.asks()), asks, "asks");
        let count = |level: Level| u64::from(level.order_count);
        let counts = [book.bids().map(count).sum(), book.asks().map(count).sum()];
        assert_eq!(book.order_counts(), counts, "orders");
    }

    fn print(levels: impl Iterator<Item = Level>) -> String {
        let texts: Vec<_> = levels
            .map(|l| format!("{}:{}/{}", l.price.ticks(), l.qty.lots(), l.order_count))
            .collect();
        texts.join(" ")
    }

    #[test]
    fn orders_at_one_price_add_up() {
        check("buy 1 60 @ 10 \n buy 2 30 @ 10 \n buy 3 5 @ 9", "10:90/2 9:5/1", "");
    }

    #[test]
    fn best_comes_first_on_either_side() {
        check(
            "buy  1 1 @ 8 \n buy  2 1 @ 10 \n buy  3 1 @ 9
             sell 4 1 @ 13 \n sell 5 1 @ 11 \n sell 6 1 @ 12",
            "10:1/1 9:1/1 8:1/1",
            "11:1/1 12:1/1 13:1/1",
        );
    }

    #[test]
    fn a_trade_takes_from_the_makers_side() {
        check("buy  1 60 @ 10 \n trade 1 20", "10:40/1", "");
        check("sell 1 60 @ 10 \n trade 1 20", "", "10:40/1");
        check("sell 1 60 @ 10 \n sell 2 5 @ 10 \n trade 1 60", "", "10:5/1");
        check("sell 1 60 @ 10 \n trade 1 20 \n trade 1 40", "", "");
    }

    #[test]
    fn a_cancel_removes_the_remaining_quantity() {
        check("buy 1 60 @ 10 \n buy 2 7 @ 10 \n trade 1 20 \n cancel 1", "10:7/1", "");
        check("sell 1 60 @ 10 \n cancel 1", "", "");
    }

    #[test]
    fn an_amended_order_stays_with_less() {
        check("buy 1 60 @ 10 \n trade 1 20 \n amend 1 25", "10:5/1", "");
        check("buy 1 60 @ 10 \n amend 1 25 \n cancel 1", "", "");
    }

    #[test]
    fn an_order_that_does_not_rest_changes_no_level() {
        check("buy 1 60 @ 10 \n accept \n expire", "10:60/1", "");
    }

    #[test]
    fn every_event_about_the_instrument_counts() {
        let update_id = |script| play(script).0.last_update_id();
        assert_eq!(L2Book::default().last_update_id(), 0);
        assert_eq!(update_id(""), 1, "listed");
        assert_eq!(update_id("accept \n expire"), 3);
        assert_eq!(update_id("buy 1 9 @ 10 \n trade 1 2 \n amend 1 5 \n cancel 1"), 5);
    }

    #[test]
    fn best_and_depth_are_cut_from_the_levels() {
        let book = play("buy 1 5 @ 9 \n buy 2 6 @ 10 \n sell 3 7 @ 11 \n sell 4 8 @ 12").0;
        assert_eq!(print(book.best_bid().into_iter()), "10:6/1");
        assert_eq!(print(book.best_ask().into_iter()), "11:7/1");
        let (bids, asks) = book.depth(1);
        assert_eq!((print(bids).as_str(), print(asks).as_str()), ("10:6/1", "11:7/1"));
        let (bids, asks) = book.depth(9);
        assert_eq!((bids.count(), asks.count()), (2, 2));
        assert_eq!(book.qty_at(Side::Buy, Price::from_ticks(9)), Qty::from_lots(5));
        assert_eq!(book.qty_at(Side::Sell, Price::from_ticks(9)), Qty::ZERO);
        assert_eq!(play("").0.best_bid(), None);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a gap in instrument_seq")]
    fn a_gap_panics() {
        let mut source = EventSource::new(InstrumentId(0));
        let mut book = L2Book::default();
        for event in [source.list(), source.accept(), source.accept()].iter().step_by(2) {
            book.apply(&BookUpdate::of(event).unwrap());
        }
    }

    #[test]
    fn bytes_of_an_invalid_book_are_not_read() {
        let check = |levels: &[(i64, u64, u32)], expect: bool| {
            let mut bytes = Vec::new();
            7_u64.write(&mut bytes);
            u32::try_from(levels.len()).unwrap().write(&mut bytes);
            for &(price, qty, order_count) in levels {
                ((price, qty), order_count).write(&mut bytes);
            }
            0_u32.write(&mut bytes);
            assert_eq!(L2Book::read(&mut Reader(&bytes)).is_some(), expect, "{levels:?}");
        };
        check(&[(10, 1, 1), (11, 1, 1)], true);
        check(&[(11, 1, 1), (10, 1, 1)], false);
        check(&[(10, 1, 1), (10, 1, 1)], false);
        check(&[(10, 0, 1)], false);
        check(&[(10, 1, 0)], false);
    }

    proptest! {
        /// The book is the sum of the live orders, after any events.
        #[test]
        fn the_book_is_the_sum_of_live_orders(ops in ops(200)) {
            let mut source = EventSource::new(InstrumentId(0));
            let mut book = L2Book::default();
            book.apply(&BookUpdate::of(&source.list()).unwrap());
            for op in ops {
                book.apply(&BookUpdate::of(&source.random(op)).unwrap());
                prop_assert_eq!(book.bids().collect::<Vec<_>>(), source.levels(Side::Buy));
                prop_assert_eq!(book.asks().collect::<Vec<_>>(), source.levels(Side::Sell));
                prop_assert_eq!(book.last_update_id(), source.instrument_seq);
            }
        }
    }
}
