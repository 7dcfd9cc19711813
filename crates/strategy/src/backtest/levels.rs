//! A market that is known by levels: own orders beside a book that they do not change.
//!
//! A resting order fills in three ways: a trade at its price reaches its place in the queue, a
//! trade goes through its price, or the other side's best price reaches it. One trade, or one new
//! best level, fills own orders in the order of price and time, and none twice: the first that is
//! traded through or crossed fills in full, because the market would have had to trade with it
//! first, and the others share what is left.

mod take;

use recorded::{Event, Kind};
use serde::{Deserialize, Serialize};
use types::{OrderId, Price, Qty, Side};

use super::market::{Answers, Market};
use super::queue::{Place, QueueModel};
use crate::book::Book;
use crate::context::View;
use crate::order::{Action, Execution, Expired, FillCause, Outcome, Rejected, Request, Terms};

use self::take::Consumed;

/// The rules of a market by levels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelRules {
    pub queue: QueueModel,
    pub fills: Fills,
    /// How long a level is without what an own order has taken from it. Zero: own orders take from
    /// the recorded level each time.
    pub consumed_ns: i64,
}

/// How much of an order one event fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fills {
    /// What the event's quantity allows. A taking order walks through the levels.
    Partial,
    /// All of it. A taking order gets the best price for all of its quantity. This is hftbacktest's
    /// exchange without partial fills: only small orders make sense in it.
    Full,
}

#[derive(Debug)]
pub(crate) struct LevelMarket {
    rules: LevelRules,
    lot_size: f64,
    book: Book,
    /// Buys and sells, best price first and oldest first at a price.
    own: [Vec<Resting>; 2],
    consumed: Consumed,
}

#[derive(Clone, Copy, Debug)]
struct Resting {
    id: OrderId,
    price: Price,
    leaves: u64,
    place: Place,
    since_ns: i64,
    is_post_only: bool,
}

impl Market for LevelMarket {
    type Eyes = ();

    #[inline]
    fn event(&mut self, event: &Event, answers: &mut Answers<'_>) {
        match event.kind {
            Kind::Level | Kind::SnapshotLevel => {
                let Some(side) = event.side else { return };
                self.level(side, event, answers);
            }
            Kind::Clear => clear(&mut self.book, event),
            Kind::Trade | Kind::Execute => self.trade(event, answers),
            _ => {}
        }
    }

    fn request(&mut self, request: &Request, now_ns: i64, answers: &mut Answers<'_>) {
        let id = request.id;
        match request.action {
            Action::New { side, price, qty, terms } => {
                self.enter(id, side, price, qty.lots(), terms, true, now_ns, answers);
            }
            Action::Cancel => {
                let outcome = if self.remove(id).is_some() {
                    Outcome::Canceled
                } else {
                    Outcome::Rejected(Rejected::NotOpen)
                };
                answers.push(id, now_ns, outcome);
            }
            Action::Replace { price, qty } => self.replace(id, price, qty, now_ns, answers),
        }
    }

    #[inline]
    fn see(_: &mut (), view: &mut View, event: &Event) {
        see_levels(view, event);
    }
}

/// Brings a view up to date by an event of a record by levels.
#[inline]
pub(crate) fn see_levels(view: &mut View, event: &Event) {
    match event.kind {
        Kind::Level | Kind::SnapshotLevel => {
            if let Some(side) = event.side {
                view.book.update(side, event.price, event.quantity.lots());
            }
        }
        Kind::Clear => clear(&mut view.book, event),
        Kind::Trade | Kind::Execute => view.last_price = Some(event.price),
        _ => {}
    }
}

/// A clear with a price goes from the best level to that price.
fn clear(book: &mut Book, event: &Event) {
    let to = (event.price.ticks() != 0).then_some(event.price);
    for side in [Side::Buy, Side::Sell] {
        if event.side.is_none_or(|of| of == side) {
            book.clear(side, to);
        }
    }
}

impl LevelMarket {
    pub(crate) fn new(rules: LevelRules, lot_size: f64) -> Self {
        Self {
            rules,
            lot_size,
            book: Book::default(),
            own: [Vec::with_capacity(64), Vec::with_capacity(64)],
            consumed: Consumed::default(),
        }
    }

    #[inline]
    fn level(&mut self, side: Side, event: &Event, answers: &mut Answers<'_>) {
        let lots = event.quantity.lots();
        let change = self.book.update(side, event.price, lots);
        for order in &mut self.own[side as usize] {
            if order.price == event.price {
                order.place.change(self.rules.queue, change.previous, lots, self.lot_size);
            }
        }
        if change.improved && !self.own[side.opposite() as usize].is_empty() {
            self.cross(side.opposite(), event, answers);
        }
    }

    /// The best price of the other side has moved to the event's level.
    fn cross(&mut self, side: Side, event: &Event, answers: &mut Answers<'_>) {
        let fills = self.rules.fills;
        let mut left = Left::new(event.quantity.lots());
        self.own[side as usize].retain_mut(|order| {
            if !side.crosses(order.price, event.price) {
                return true;
            }
            let lots = left.beyond(order.leaves, fills);
            order.fill(lots, FillCause::Crossed, event.exchange_ns, answers)
        });
    }

    fn trade(&mut self, event: &Event, answers: &mut Answers<'_>) {
        let Some(aggressor) = event.side.or_else(|| self.aggressor(event.price)) else { return };
        let side = aggressor.opposite();
        let own = &mut self.own[side as usize];
        if own.is_empty() {
            return;
        }
        let fills = self.rules.fills;
        let traded = event.quantity.lots();
        let mut left = Left::new(traded);
        own.retain_mut(|order| {
            if order.price == event.price {
                let reached = order.place.trade(traded);
                let lots = left.queued(reached, order.leaves, fills);
                return order.fill(lots, FillCause::Queue, event.exchange_ns, answers);
            }
            // The market traded at a worse price for the order's owner than the order's own.
            if !side.crosses(order.price, event.price) {
                return true;
            }
            let lots = left.beyond(order.leaves, fills);
            order.fill(lots, FillCause::TradedThrough, event.exchange_ns, answers)
        });
    }

    /// The aggressor's side of a trade without one: a trade inside the spread has none.
    fn aggressor(&self, price: Price) -> Option<Side> {
        if self.book.best_ask().is_some_and(|ask| price >= ask) {
            return Some(Side::Buy);
        }
        self.book.best_bid().is_some_and(|bid| price <= bid).then_some(Side::Sell)
    }

    fn enter(
        &mut self,
        id: OrderId,
        side: Side,
        price: Price,
        lots: u64,
        terms: Terms,
        is_new: bool,
        now_ns: i64,
        answers: &mut Answers<'_>,
    ) {
        let best = self.book.best(side.opposite());
        let is_market = terms == Terms::Market;
        let trades = best.is_some_and(|best| is_market || side.crosses(price, best));
        match terms {
            Terms::Stop => {
                answers.push(id, now_ns, Outcome::Rejected(Rejected::TermsUnknown));
            }
            Terms::PostOnly if trades => {
                answers.push(id, now_ns, Outcome::Expired(Expired::WouldTrade));
            }
            Terms::Limit | Terms::PostOnly if !trades => {
                if is_new {
                    answers.push(id, now_ns, Outcome::Accepted);
                }
                self.rest(id, side, price, lots, terms, now_ns);
            }
            _ if trades => self.take(id, side, price, lots, terms, now_ns, answers),
            _ => answers.push(id, now_ns, Outcome::Expired(Expired::Unfilled)),
        }
    }

    fn rest(
        &mut self,
        id: OrderId,
        side: Side,
        price: Price,
        lots: u64,
        terms: Terms,
        now_ns: i64,
    ) {
        let place = Place::behind(self.book.qty(side, price).lots());
        let own = &mut self.own[side as usize];
        let at = own.partition_point(|order| side.crosses(order.price, price));
        let is_post_only = terms == Terms::PostOnly;
        own.insert(at, Resting { id, price, leaves: lots, place, since_ns: now_ns, is_post_only });
    }

    fn remove(&mut self, id: OrderId) -> Option<(Side, Resting)> {
        for side in [Side::Buy, Side::Sell] {
            let own = &mut self.own[side as usize];
            if let Some(at) = own.iter().position(|order| order.id == id) {
                return Some((side, own.remove(at)));
            }
        }
        None
    }

    fn replace(
        &mut self,
        id: OrderId,
        price: Price,
        qty: Qty,
        now_ns: i64,
        answers: &mut Answers<'_>,
    ) {
        let open = self.own.iter_mut().flatten().find(|order| order.id == id);
        let Some(order) = open else {
            answers.push(id, now_ns, Outcome::Rejected(Rejected::NotOpen));
            return;
        };
        if order.price == price && qty.lots() <= order.leaves {
            order.leaves = qty.lots();
            answers.push(id, now_ns, Outcome::Replaced { price, qty });
            return;
        }
        let (side, order) = self.remove(id).expect("it was found");
        answers.push(id, now_ns, Outcome::Replaced { price, qty });
        let terms = if order.is_post_only { Terms::PostOnly } else { Terms::Limit };
        self.enter(id, side, price, qty.lots(), terms, false, now_ns, answers);
    }
}

/// What one event has left for own orders.
struct Left {
    lots: u64,
    taken: u64,
}

impl Left {
    fn new(lots: u64) -> Self {
        Self { lots, taken: 0 }
    }

    /// The lots of an order that the market passed.
    fn beyond(&mut self, leaves: u64, fills: Fills) -> u64 {
        let share = if self.taken == 0 { leaves } else { self.lots.saturating_sub(self.taken) };
        self.take(share, leaves, fills)
    }

    /// The lots of an order that `reached` lots of the event have reached.
    fn queued(&mut self, reached: u64, leaves: u64, fills: Fills) -> u64 {
        self.take(reached.saturating_sub(self.taken), leaves, fills)
    }

    fn take(&mut self, share: u64, leaves: u64, fills: Fills) -> u64 {
        if share == 0 {
            return 0;
        }
        let lots = if fills == Fills::Full { leaves } else { share.min(leaves) };
        self.taken += lots;
        lots
    }
}

impl Resting {
    /// Fills the order, and returns whether it stays.
    fn fill(
        &mut self,
        lots: u64,
        cause: FillCause,
        now_ns: i64,
        answers: &mut Answers<'_>,
    ) -> bool {
        if lots == 0 {
            return true;
        }
        self.leaves -= lots;
        let execution = Execution {
            price: self.price,
            qty: Qty::from_lots(lots),
            is_maker: true,
            cause,
            waited_ns: now_ns - self.since_ns,
        };
        answers.push(self.id, now_ns, Outcome::Filled(execution));
        self.leaves > 0
    }
}

#[cfg(test)]
mod tests;
