//! Phases: the times at which the exchange collected orders, and the ends of its auctions.
//!
//! The first order that crosses the other side begins the opening auction. An order that crosses
//! but rests in continuous trading begins a volatility auction. A trade ends either, if its fills
//! leave a book that is not crossed. Our book then uncrosses by its own rules. The planner compares
//! the result with the exchange's fills, and corrects the book if they differ. A trade that leaves
//! the book crossed ends nothing: until then the exchange's fills decide.
//!
//! # Orders without an entry
//! An auction also fills stop orders and market orders, which appear in the file only with their
//! fills. The planner enters them just ahead of the auction's end, at any price: their fills prove
//! the orders, but not the price to find. Fills in an auction have no side. The planner assigns
//! them to the side whose known orders are farthest from the traded volume.

use std::collections::HashMap;

use recorded::dbn::{Action, Record};
use types::{PRICE_MAX, Phase, Price, Qty, Side};

use super::super::plan::{Auction, Step, Terms};
use super::super::target::Target;
use super::{INSTRUMENT, Planner, Resting, SIDES, worst};

impl Planner {
    pub(super) fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
        self.push(Step::Phase { instrument: INSTRUMENT, phase }, false);
    }

    /// An order will rest even if it crosses.
    pub(super) fn gather(&mut self, side: Side, price: i64) {
        let meets = !self.bare.queue(INSTRUMENT, side.opposite(), price).is_empty();
        if self.phase == Phase::PreOpen && meets {
            self.set_phase(Phase::OpeningAuction);
        }
    }

    /// Switches to continuous trading, unless orders still gather. `rest` is the rest of the event,
    /// from a trade or fill onwards.
    pub(super) fn end_auction(&mut self, rest: &[Record]) {
        if self.phase == Phase::Continuous {
            return;
        }
        let is_auctions = |record: &&Record| record.side.is_none() && record.size > 0;
        let of_action =
            |action| rest.iter().filter(is_auctions).filter(move |record| record.action == action);
        let fills: Vec<&Record> = of_action(Action::Fill).collect();
        if !is_crossed(&self.crossing()) {
            if fills.is_empty() {
                self.set_phase(Phase::Continuous);
            }
            return;
        }
        if is_crossed(&self.without(&fills, self.crossing())) {
            return;
        }
        let queues = SIDES.map(|side| self.bare.queue(INSTRUMENT, side, worst(side)));
        let expected = self.without(&fills, queues);
        let volume = of_action(Action::Trade).map(|trade| u64::from(trade.size)).sum();
        self.enter_unseen(&fills, volume);
        let price = Price::from_ticks(self.ticks(fills[0].price));
        let auction = Auction { price, volume: Qty::from_lots(volume) };
        self.plan.auctions.get_or_insert_default().push(auction);
        self.set_phase(Phase::Continuous);
        let [bids, asks] = expected;
        self.requeue(&[(Side::Buy, i64::MIN, bids), (Side::Sell, i64::MAX, asks)]);
        self.uncrossed = true;
    }

    /// The resting orders that could trade with each other.
    fn crossing(&self) -> [Vec<Resting>; 2] {
        SIDES.map(|side| match self.bare.levels(INSTRUMENT, side.opposite(), 1).first() {
            Some((price, _)) => self.bare.queue(INSTRUMENT, side, *price),
            None => Vec::new(),
        })
    }

    /// The queues after fills.
    fn without(&self, fills: &[&Record], queues: [Vec<Resting>; 2]) -> [Vec<Resting>; 2] {
        let mut filled: HashMap<u64, u64> = HashMap::new();
        for fill in fills {
            if let Some(order_id) = self.find(fill.order_id) {
                *filled.entry(order_id).or_default() += u64::from(fill.size);
            }
        }
        queues.map(|mut queue| {
            for (order_id, _, qty) in &mut queue {
                *qty = qty.saturating_sub(filled.get(order_id).copied().unwrap_or(0));
            }
            queue.retain(|(_, _, qty)| *qty > 0);
            queue
        })
    }

    /// Enters the orders that are known only by their fills.
    fn enter_unseen(&mut self, fills: &[&Record], volume: u64) {
        let mut missing = [volume; 2];
        let mut unseen = Vec::new();
        for fill in fills {
            let Some(order_id) = self.find(fill.order_id) else {
                unseen.push((fill.order_id, u64::from(fill.size)));
                continue;
            };
            self.record_leaves(order_id);
            let side = self.orders[order_id as usize].side;
            let missing = &mut missing[usize::from(side == Side::Sell)];
            *missing = missing.saturating_sub(fill.size.into());
        }
        for (name, qty) in unseen {
            let [to_buy, to_sell] = &mut missing;
            let (side, price, missing) = if to_buy >= to_sell {
                (Side::Buy, PRICE_MAX.ticks(), to_buy)
            } else {
                (Side::Sell, 1, to_sell)
            };
            *missing = missing.saturating_sub(qty);
            let step = self.enter(name, side, price, qty, Terms::Auction);
            self.push(step, false);
            self.record_leaves(self.orders.len() as u64 - 1);
        }
    }
}

/// Whether two queues, best first, cross.
fn is_crossed([bids, asks]: &[Vec<Resting>; 2]) -> bool {
    let best = bids.first().zip(asks.first());
    best.is_some_and(|((_, bid, _), (_, ask, _))| bid >= ask)
}
