//! Trades, and the state of the book after them.

use std::collections::{BTreeSet, VecDeque};

use recorded::dbn::Record;
use types::{Phase, Side};

use super::super::plan::{Step, Terms};
use super::super::target::Target;
use super::{INSTRUMENT, Order, Planner, Resting};

impl Planner {
    pub(super) fn trade(&mut self, aggressor: Option<&Record>, fills: &[Record]) {
        let is_own = |fill: &Record| {
            aggressor.is_some_and(|own| own.order_id == fill.order_id && own.side == fill.side)
        };
        let mut resting = VecDeque::new();
        for fill in fills {
            match fill.side {
                _ if fill.size == 0 => self.plan.left_out.without_effect += 1,
                None if self.uncrossed => {}
                None => self.take_filled(fill),
                Some(_) if is_own(fill) => self.take_aggressor(fill),
                Some(_) if self.phase != Phase::Continuous => self.take_filled(fill),
                Some(side) => resting.push_back((fill, side)),
            }
        }
        // The lines of one trade are not in order of the queue: an iceberg that was filled in
        // several parts has one line. So our front order must be among the lines, but need not be
        // the next one.
        while let Some((_, side)) = resting.front() {
            let front = self.front(*side);
            let next = resting.iter().position(|(fill, _)| Some(fill.order_id) == front);
            let (fill, side) = resting.remove(next.unwrap_or(0)).expect("it is not empty");
            self.execution(fill, side);
        }
    }

    /// Takes a fill off a resting order while nothing is matched here. Some orders that an auction
    /// fills were never in the book.
    fn take_filled(&mut self, fill: &Record) {
        let Some(order_id) = self.find(fill.order_id) else {
            self.plan.left_out.without_effect += 1;
            return;
        };
        self.record_leaves(order_id);
        self.push_take_off(order_id, u64::from(fill.size));
    }

    /// Removes the aggressor of a trade from the book; a later record has its remainder.
    fn take_aggressor(&mut self, fill: &Record) {
        match self.find(fill.order_id) {
            Some(order_id) => {
                self.record_leaves(order_id);
                self.push_take_off(order_id, u64::MAX);
            }
            None => self.plan.left_out.without_effect += 1,
        }
    }

    fn execution(&mut self, fill: &Record, side: Side) {
        let (price, qty) = (self.ticks(fill.price), u64::from(fill.size));
        let maker = self.find(fill.order_id);
        let queue = self.bare.queue(INSTRUMENT, side, price);
        let place = queue.iter().position(|(order_id, _, _)| Some(*order_id) == maker);
        let ahead = &queue[..place.unwrap_or(queue.len())];
        let is_canceled = |resting: &Resting| {
            let Order { name, .. } = self.orders[resting.0 as usize];
            self.canceled.contains(&name)
        };
        let gone: Vec<Resting> = ahead.iter().copied().filter(|at| is_canceled(at)).collect();
        let is_self_match = place.is_some_and(|place| place > 0 && gone.len() == place);

        // The expected queue at this price or a better one.
        let mut expected = queue;
        expected.retain(|resting| !gone.contains(resting));
        if let Some(filled) = expected.iter_mut().find(|(order_id, _, _)| Some(*order_id) == maker)
        {
            filled.2 = filled.2.saturating_sub(qty);
        }
        expected.retain(|(_, _, qty)| *qty > 0);
        let filled = gone.iter().map(|(order_id, _, _)| *order_id).chain(maker);
        filled.collect::<Vec<_>>().into_iter().for_each(|order_id| self.record_leaves(order_id));

        let step = Step::Execution {
            price,
            maker: maker.unwrap_or(0),
            qty,
            instrument: INSTRUMENT,
            side: side.opposite(),
        };
        self.plan.left_out.unknown += u64::from(maker.is_none());
        let agrees = self.bare.tally().maker_agrees;
        self.push(step, true);
        if self.bare.tally().maker_agrees == agrees {
            let disagreements = self.plan.disagreements.get_or_insert_default();
            match place {
                Some(0) => disagreements.hidden_qty += 1,
                _ if is_self_match => disagreements.self_match += 1,
                _ => disagreements.other += 1,
            }
        }
        self.orders.push(Order { name: 0, side: side.opposite(), price, order_qty: qty });
        self.requeue(&[(side, price, expected)]);
    }

    /// Enters the orders at a price again unless they are queued as expected, at all prices up to
    /// the given one of their side.
    pub(super) fn requeue(&mut self, expected: &[(Side, i64, Vec<Resting>)]) {
        let mut missing = Vec::new();
        for (side, worst, expected) in expected {
            let found = self.bare.queue(INSTRUMENT, *side, *worst);
            let prices: BTreeSet<i64> =
                found.iter().chain(expected).map(|(_, at, _)| *at).collect();
            for price in prices {
                let at_price = |(_, at, _): &&Resting| *at == price;
                if found.iter().filter(at_price).eq(expected.iter().filter(at_price)) {
                    continue;
                }
                for (order_id, _, _) in found.iter().filter(at_price) {
                    let order_id = *order_id;
                    self.correct(Step::Cancel { order_id, instrument: INSTRUMENT, side: *side });
                }
                missing.extend(expected.iter().filter(at_price).map(|resting| (*side, *resting)));
            }
        }
        // Expected orders are entered after all unexpected ones are canceled, because they might
        // trade with them.
        for (side, (order_id, price, qty)) in missing {
            let Order { name, .. } = self.orders[order_id as usize];
            let step = self.enter(name, side, price, qty, Terms::Limit);
            self.correct(step);
        }
    }

    /// Records the remaining quantity of an order ahead of its first fill in this event.
    pub(super) fn record_leaves(&mut self, order_id: u64) {
        let leaves = self.leaves(order_id);
        let Order { name, .. } = self.orders[order_id as usize];
        self.filled.entry(name).or_insert(leaves);
    }

    /// The file's id of the next order to trade on one side.
    fn front(&self, side: Side) -> Option<u64> {
        let (price, _) = *self.bare.levels(INSTRUMENT, side, 1).first()?;
        let (order_id, _, _) = *self.bare.queue(INSTRUMENT, side, price).first()?;
        Some(self.orders[order_id as usize].name)
    }
}
