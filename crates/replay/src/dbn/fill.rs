//! Trades, and the books behind them.

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
        // The lines of one trade are not in the order of the queue: an iceberg that was filled in
        // several parts has one line. So our front order is to be among them, and need not be next.
        while let Some((_, side)) = resting.front() {
            let front = self.front(*side);
            let next = resting.iter().position(|(fill, _)| Some(fill.order_id) == front);
            let (fill, side) = resting.remove(next.unwrap_or(0)).expect("it is not empty");
            self.execution(fill, side);
        }
    }

    /// Takes off a resting order what was filled where nothing is matched here. Some that an auction
    /// fills have never been in the book.
    fn take_filled(&mut self, fill: &Record) {
        let Some(order_id) = self.find(fill.order_id) else {
            self.plan.left_out.without_effect += 1;
            return;
        };
        self.told(order_id);
        self.push_take_off(order_id, u64::from(fill.size));
    }

    /// The aggressor of a trade rests no more; what is left of it is in a record behind.
    fn take_aggressor(&mut self, fill: &Record) {
        match self.find(fill.order_id) {
            Some(order_id) => {
                self.told(order_id);
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

        // What it is to come to, of all that is at this price or a better one.
        let mut expected = queue;
        expected.retain(|resting| !gone.contains(resting));
        if let Some(filled) = expected.iter_mut().find(|(order_id, _, _)| Some(*order_id) == maker)
        {
            filled.2 = filled.2.saturating_sub(qty);
        }
        expected.retain(|(_, _, qty)| *qty > 0);
        let filled = gone.iter().map(|(order_id, _, _)| *order_id).chain(maker);
        filled.collect::<Vec<_>>().into_iter().for_each(|order_id| self.told(order_id));

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

    /// Enters the orders at a price anew unless they are queued as they should be, at all prices up
    /// to the one that is given for their side.
    pub(super) fn requeue(&mut self, expected: &[(Side, i64, Vec<Resting>)]) {
        let mut behind = Vec::new();
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
                behind.extend(expected.iter().filter(at_price).map(|resting| (*side, *resting)));
            }
        }
        // What is to be there comes behind all that is not: it might trade with it.
        for (side, (order_id, price, qty)) in behind {
            let Order { name, .. } = self.orders[order_id as usize];
            let step = self.enter(name, side, price, qty, Terms::Limit);
            self.correct(step);
        }
    }

    /// Remembers what the file shows of an order before its first fill in this event.
    pub(super) fn told(&mut self, order_id: u64) {
        let leaves = self.leaves(order_id);
        let Order { name, .. } = self.orders[order_id as usize];
        self.filled.entry(name).or_insert(leaves);
    }

    /// What the file calls the order that is next to trade on one side.
    fn front(&self, side: Side) -> Option<u64> {
        let (price, _) = *self.bare.levels(INSTRUMENT, side, 1).first()?;
        let (order_id, _, _) = *self.bare.queue(INSTRUMENT, side, price).first()?;
        Some(self.orders[order_id as usize].name)
    }
}
