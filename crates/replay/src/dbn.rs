//! DBN files of orders (MBO) as plans.
//!
//! As with LOBSTER the planner carries out its own plan on a bare book as it goes. It takes the
//! records of one event together: a fill comes before what became of the filled order, and what
//! the exchange canceled while it matched comes last.
//!
//! # Phases
//! A file does not say when trading is continuous; what the exchange does with orders that cross
//! does. It starts before the opening, where orders rest without being matched. `auction.rs` finds
//! out what follows, and has our book uncross where the exchange's did; `fill.rs` is about trades
//! in continuous trading.
//!
//! # What each action becomes in continuous trading
//! - Add: a limit order that is good till canceled.
//! - Cancel: a cancel, or an amend where it takes off only a part.
//! - Modify: an amend where the price stays and the quantity does not grow, so that the order keeps
//!   its place; else a cancel and a new order behind all others.
//! - Trade: nothing. It names the aggressor, which is in no book unless something of it is left.
//! - Fill: an immediate-or-cancel order from the other side, so that our matching picks the resting
//!   order. A fill of the aggressor itself takes it off the book: it rested until it was modified
//!   to a price at which it trades.
//! - A cancel or a modification behind a fill of the same order: only what it says beyond the fill.
//! - Clear: all orders are canceled, not timed. None: nothing.

mod auction;
mod fill;

use std::collections::{HashMap, HashSet};
use std::fmt;

use recorded::Format;
use recorded::dbn::{Action, Instrument, Record};
use types::{PRICE_MAX, Phase, Side};

use super::bare::Bare;
use super::plan::{Disagreements, Plan, Step, Terms};

const INSTRUMENT: u32 = 0;
const SIDES: [Side; 2] = [Side::Buy, Side::Sell];

/// Why a file that could be read cannot be replayed. Records count from 0.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum PlanError {
    OtherInstrument { record: usize, found: Instrument, first: Instrument },
    PriceOutOfRange { record: usize, found: i64 },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherInstrument { record, found, first } => write!(
                f,
                "record {record}: is about instrument {} of publisher {}, the file began with {} \
                 of {}: only one can be replayed",
                found.id, found.publisher, first.id, first.publisher
            ),
            Self::PriceOutOfRange { record, found } => {
                write!(f, "record {record}: a price of {found} is not in 1..=2^53 ticks")
            }
        }
    }
}

pub(crate) fn plan(records: &[Record]) -> Result<Plan, PlanError> {
    let mut planner = Planner::new(price_unit(records)?);
    for event in records.split_inclusive(|record| record.is_last) {
        planner.event(event);
    }
    Ok(planner.plan)
}

/// The largest tick of which all prices are multiples.
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

/// Of a cancel it is not asked for.
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
    /// Has done what the plan says so far.
    bare: Bare,
    /// Indexed by our order id; the first stands for none.
    orders: Vec<Order>,
    /// By the file's order id. They may be done by now.
    known: HashMap<u64, u64>,
    /// Orders that were filled in this event, by the file's id, with what the file has said so
    /// far that they have left: it tells of the fill first and then takes it off.
    filled: HashMap<u64, u64>,
    /// Orders that the exchange canceled in this event and did not fill, by the file's id.
    canceled: HashSet<u64>,
    /// An auction has traded in this event: our book has what it filled.
    uncrossed: bool,
}

#[derive(Clone, Copy)]
struct Order {
    /// What the file calls it.
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
        while let Some((record, behind)) = rest.split_first() {
            let mut done = 1;
            match record.action {
                Action::Add => self.add(record),
                Action::Cancel => self.cancel(record),
                Action::Modify => self.modify(record),
                Action::Clear => self.clear(),
                Action::Trade => {
                    let is_fill = |record: &&Record| record.action == Action::Fill;
                    let fills = behind.iter().take_while(is_fill).count();
                    self.plan.left_out.without_effect += 1;
                    self.end_auction(rest);
                    self.trade(Some(record), &behind[..fills]);
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
            Some(told) => {
                *told = told.saturating_sub(size);
                leaves.saturating_sub(*told)
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
        let told = self.filled.get_mut(&record.order_id).map(|told| *told = size);
        let Some(order_id) = self.find(record.order_id) else {
            // Filled, and here is what else it has: the next part of an iceberg, or what is left
            // of an aggressor.
            self.plan.left_out.unknown += u64::from(told.is_none());
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

    /// Enters the order as a record has it, behind those that are at its price already.
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

    /// Of what an order would trade with, the exchange cancels all in the same event: two orders of
    /// one trader do not match. Where it does not, orders are not matched at all.
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

    /// The order of this name, if it rests.
    fn find(&self, name: u64) -> Option<u64> {
        self.known.get(&name).copied().filter(|order_id| self.leaves(*order_id) > 0)
    }

    fn leaves(&self, order_id: u64) -> u64 {
        self.bare.leaves(INSTRUMENT, order_id)
    }

    /// The step that takes `qty` off an order, or all of it where that is less.
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

    /// The step that enters an order, which gets the next id.
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

/// No order on this side has a worse price.
fn worst(side: Side) -> i64 {
    match side {
        Side::Buy => i64::MIN,
        Side::Sell => i64::MAX,
    }
}

#[cfg(test)]
mod tests;
