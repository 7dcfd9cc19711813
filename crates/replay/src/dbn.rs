//! DBN files of orders (MBO) as plans.
//!
//! As with LOBSTER the planner carries out its own plan on a bare book. It handles the records of
//! one event together: a fill comes ahead of the filled order's new state, and the cancels that the
//! exchange made while matching come last.
//!
//! # Phases
//! A file does not state the phase. The planner infers it from the exchange's treatment of orders
//! that cross. A file starts ahead of the opening, where orders rest without a match. `auction.rs`
//! detects the following phases, and makes our book uncross where the exchange's did. `fill.rs`
//! handles trades in continuous trading.
//!
//! # Steps for each action in continuous trading
//! - Add: a limit order that is good till canceled.
//! - Cancel: a cancel, or an amend if it takes off only a part.
//! - Modify: an amend if the price stays and the quantity does not grow, so that the order keeps
//!   its place. Otherwise a cancel and a new order at the end of the queue.
//! - Trade: nothing. Its order is the aggressor, which is in no book unless a remainder rests.
//! - Fill: an immediate-or-cancel order from the other side, so that our matching picks the resting
//!   order. A fill of the aggressor itself takes it off the book: it rested until a modify moved it
//!   to a price at which it trades.
//! - A cancel or a modify after a fill of the same order: only its difference from the fill.
//! - Clear: all orders are canceled, not timed. None: nothing.

mod auction;
mod fill;

use std::collections::{HashMap, HashSet};

use recorded::Format;
use recorded::dbn::{Action, Instrument, Record};
use thiserror::Error;
use types::{PRICE_MAX, Phase, Side};

use super::bare::Bare;
use super::plan::{Disagreements, Plan, Step, Terms};

const INSTRUMENT: u32 = 0;
const SIDES: [Side; 2] = [Side::Buy, Side::Sell];

/// The reason for which a readable file cannot be replayed. Records count from 0.
#[derive(Debug, Eq, Error, PartialEq)]
pub(crate) enum PlanError {
    #[error(
        "record {record}: instrument {} of publisher {}, but the file began with {} of {}: only \
         one can be replayed",
        .found.id, .found.publisher, .first.id, .first.publisher
    )]
    OtherInstrument { record: usize, found: Instrument, first: Instrument },
    #[error("record {record}: a price of {found} is not in 1..=2^53 ticks")]
    PriceOutOfRange { record: usize, found: i64 },
}

pub(crate) fn plan(records: &[Record]) -> Result<Plan, PlanError> {
    let mut planner = Planner::new(price_unit(records)?);
    for event in records.split_inclusive(|record| record.is_last) {
        planner.event(event);
    }
    Ok(planner.plan)
}

/// The largest tick that divides all prices.
fn price_unit(records: &[Record]) -> Result<u64, PlanError> {
    let mut unit = 0;
    for (at, record) in records.iter().enumerate() {
        let (found, first) = (record.instrument, records[0].instrument);
        if found != first {
            return Err(PlanError::OtherInstrument { record: at, found, first });
        }
        if has_price(record) {
            unit = greatest_common_divisor(unit, record.price.unsigned_abs());
        }
    }
    let unit = unit.max(1);
    let ticks = |price: i64| price / unit.cast_signed();
    let in_range = |price| (1..=PRICE_MAX.ticks()).contains(&ticks(price));
    match records.iter().position(|record| has_price(record) && !in_range(record.price)) {
        None => Ok(unit),
        Some(record) => Err(PlanError::PriceOutOfRange { record, found: records[record].price }),
    }
}

/// The price of a cancel is not used.
fn has_price(record: &Record) -> bool {
    matches!(record.action, Action::Add | Action::Modify | Action::Fill)
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

struct Planner {
    plan: Plan,
    phase: Phase,
    /// The book after the plan so far.
    bare: Bare,
    /// Indexed by our order id; index 0 is no order.
    orders: Vec<Order>,
    /// Our ids by the file's order ids. The orders may be done.
    known: HashMap<u64, u64>,
    /// Orders with a fill in this event, by the file's id, with the remaining quantity in the
    /// file's records so far: the file reports a fill first and then takes it off.
    filled: HashMap<u64, u64>,
    /// Orders that the exchange canceled in this event without a fill, by the file's id.
    canceled: HashSet<u64>,
    /// Whether an auction has traded in this event: our book has its fills.
    uncrossed: bool,
}

#[derive(Clone, Copy)]
struct Order {
    /// The file's id of the order.
    name: u64,
    side: Side,
    price: i64,
    order_qty: u64,
}

/// A resting order, as [`Bare::queue`] gives it: our id, price, quantity.
type Resting = (u64, i64, u64);

impl Planner {
    fn new(price_unit: u64) -> Self {
        let mut plan = Plan::new(Format::Dbn, 1);
        plan.price_unit = price_unit;
        plan.disagreements = Some(Disagreements::default());
        plan.auctions = Some(Vec::new());
        let mut planner = Self {
            plan,
            phase: Phase::PreOpen,
            bare: Bare::new(1),
            orders: vec![Order { name: 0, side: Side::Buy, price: 0, order_qty: 0 }],
            known: HashMap::new(),
            filled: HashMap::new(),
            canceled: HashSet::new(),
            uncrossed: false,
        };
        planner.set_phase(Phase::PreOpen);
        planner
    }

    fn event(&mut self, event: &[Record]) {
        let named = |action| {
            let of_action = event.iter().filter(move |record| record.action == action);
            of_action.map(|record| record.order_id)
        };
        self.filled.clear();
        self.canceled.clear();
        self.canceled.extend(named(Action::Cancel));
        named(Action::Fill).for_each(|name| _ = self.canceled.remove(&name));
        self.uncrossed = false;

        let mut rest = event;
        while let Some((record, later)) = rest.split_first() {
            let mut done = 1;
            match record.action {
                Action::Add => self.add(record),
                Action::Cancel => self.cancel(record),
                Action::Modify => self.modify(record),
                Action::Clear => self.clear(),
                Action::Trade => {
                    let is_fill = |record: &&Record| record.action == Action::Fill;
                    let fills = later.iter().take_while(is_fill).count();
                    self.plan.left_out.without_effect += 1;
                    self.end_auction(rest);
                    self.trade(Some(record), &later[..fills]);
                    done += fills;
                }
                Action::Fill => {
                    self.end_auction(rest);
                    self.trade(None, &rest[..1]);
                }
                Action::None => self.plan.left_out.without_effect += 1,
            }
            rest = &rest[done..];
        }
        if event.iter().any(|record| record.action == Action::Trade) {
            self.end_auction(&[]);
        }
    }

    fn add(&mut self, record: &Record) {
        if record.size == 0 {
            self.plan.left_out.without_effect += 1;
            return;
        }
        if let Some(order_id) = self.find(record.order_id) {
            let step = self.take_off(order_id, u64::MAX);
            self.correct(step);
        }
        self.place(record);
    }

    fn cancel(&mut self, record: &Record) {
        let size = u64::from(record.size);
        let order_id = self.find(record.order_id);
        let leaves = order_id.map_or(0, |order_id| self.leaves(order_id));
        let by = match self.filled.get_mut(&record.order_id) {
            Some(shown) => {
                *shown = shown.saturating_sub(size);
                leaves.saturating_sub(*shown)
            }
            None if order_id.is_some() => size,
            None => {
                self.plan.left_out.unknown += 1;
                return;
            }
        };
        match order_id.filter(|_| by > 0) {
            Some(order_id) => self.push_take_off(order_id, by),
            None => self.plan.left_out.without_effect += 1,
        }
    }

    fn modify(&mut self, record: &Record) {
        let size = u64::from(record.size);
        if size == 0 {
            self.cancel(&Record { size: u32::MAX, ..*record });
            return;
        }
        let shown = self.filled.get_mut(&record.order_id).map(|shown| *shown = size);
        let Some(order_id) = self.find(record.order_id) else {
            // It was filled, and this is its further quantity: the next part of an iceberg, or an
            // aggressor's remainder.
            self.plan.left_out.unknown += u64::from(shown.is_none());
            return self.place(record);
        };
        let Order { side, price, .. } = self.orders[order_id as usize];
        let leaves = self.leaves(order_id);
        let stays = Some(side) == record.side && price == self.ticks(record.price);
        if stays && size <= leaves {
            match leaves - size {
                0 => self.plan.left_out.without_effect += 1,
                by => self.push_take_off(order_id, by),
            }
            return;
        }
        self.push_take_off(order_id, u64::MAX);
        self.place(record);
    }

    fn clear(&mut self) {
        for side in SIDES {
            for (order_id, _, _) in self.bare.queue(INSTRUMENT, side, worst(side)) {
                let step = self.take_off(order_id, u64::MAX);
                self.push(step, false);
            }
        }
    }

    /// Enters a record's order at the end of the queue at its price.
    fn place(&mut self, record: &Record) {
        let side = record.side.expect("the reader takes no order without one");
        let price = self.ticks(record.price);
        if self.phase == Phase::Continuous {
            self.make_way(side, price);
        } else {
            self.gather(side, price);
        }
        let terms = match self.phase {
            Phase::Continuous => Terms::Limit,
            _ => Terms::Auction,
        };
        let step = self.enter(record.order_id, side, price, u64::from(record.size), terms);
        self.push(step, self.is_timed() && !record.is_snapshot);
    }

    /// Of the orders that this one would trade with, the exchange cancels all in the same event,
    /// because it does not match two orders of one trader. If it did not cancel them, orders are
    /// not matched at all.
    fn make_way(&mut self, side: Side, price: i64) {
        for (order_id, _, leaves) in self.bare.queue(INSTRUMENT, side.opposite(), price) {
            let name = self.orders[order_id as usize].name;
            if self.canceled.contains(&name) {
                self.filled.insert(name, leaves);
                self.push_take_off(order_id, u64::MAX);
            } else if self.phase == Phase::Continuous {
                self.set_phase(Phase::VolatilityAuction);
            }
        }
    }

    /// The order of this file id, if it rests.
    fn find(&self, name: u64) -> Option<u64> {
        self.known.get(&name).copied().filter(|order_id| self.leaves(*order_id) > 0)
    }

    fn leaves(&self, order_id: u64) -> u64 {
        self.bare.leaves(INSTRUMENT, order_id)
    }

    /// The step that takes `qty` off an order, or all of it if that is less.
    fn take_off(&mut self, order_id: u64, qty: u64) -> Step {
        let leaves = self.leaves(order_id);
        let order = &mut self.orders[order_id as usize];
        let side = order.side;
        if qty >= leaves {
            return Step::Cancel { order_id, instrument: INSTRUMENT, side };
        }
        order.order_qty -= qty;
        let order_qty = order.order_qty;
        Step::Reduce { order_id, by: qty, order_qty, instrument: INSTRUMENT, side }
    }

    fn push_take_off(&mut self, order_id: u64, qty: u64) {
        let step = self.take_off(order_id, qty);
        self.push(step, self.is_timed());
    }

    /// The step that enters an order under the next id.
    fn enter(&mut self, name: u64, side: Side, price: i64, qty: u64, terms: Terms) -> Step {
        let order_id = self.orders.len() as u64;
        self.orders.push(Order { name, side, price, order_qty: qty });
        self.known.insert(name, order_id);
        Step::New { order_id, price, qty, instrument: INSTRUMENT, side, terms }
    }

    fn correct(&mut self, step: Step) {
        self.plan.left_out.corrections += 1;
        self.push(step, false);
    }

    fn push(&mut self, step: Step, timed: bool) {
        self.bare.apply(&step);
        self.plan.push(step, timed);
    }

    fn is_timed(&self) -> bool {
        self.phase == Phase::Continuous
    }

    fn ticks(&self, price: i64) -> i64 {
        price / self.plan.price_unit.cast_signed()
    }
}

/// The worst possible price of a side.
fn worst(side: Side) -> i64 {
    match side {
        Side::Buy => i64::MIN,
        Side::Sell => i64::MAX,
    }
}

#[cfg(test)]
mod tests;
